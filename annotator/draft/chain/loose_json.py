"""JSON as language models write it: in fences and prose, with quotes, commas and brackets gone astray."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

LONGEST_REPLY = 100_000
"""Letters of a reply that are looked at: some twenty times the longest answer that a prompt asks for."""
MOST_STARTS = 60
"""Brackets at which a value is looked for; what lies behind so many broken ones is no answer."""
DEEPEST = 32
_BRACKET = re.compile(r"[{\[]")
_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_BARE = re.compile(r"[^\s,:{}\[\]\"'“”][^,:{}\[\]\n]*")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " "}
_CLOSERS = {'"': '"', "'": "'", "“": "”", "‘": "’", "”": "”"}
_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "null": None, "none": None}
# A quotation mark ends a text only where a text can end: marks and apostrophes inside stay.
_ENDS = {
    mark: re.compile(rf"(?<!\\){mark}(?=(?:\s|//[^\n]*)*(?:[,:}}\]]|$))") for mark in {*_CLOSERS.values()}
}


def values_in(text: str) -> Iterator[Any]:
    """Yield the objects and lists in a reply, outermost first, in their order.

    Strict JSON is read as such. Else single and curly quotes, names without quotes, trailing and missing
    commas, Python's constants, comments, and brackets that were never closed are forgiven.

    Args:
        text: Any text; only its first ``LONGEST_REPLY`` letters are looked at.
    """
    text = text[:LONGEST_REPLY]
    place = 0
    for _ in range(MOST_STARTS):
        start = _BRACKET.search(text, place)
        if start is None:
            return
        found, place = _value_at(text, start.start())
        if found is not None:
            yield found


def _value_at(text: str, start: int) -> tuple[Any, int]:
    """Return the value that begins at a bracket, None for none, and where to look on."""
    try:
        return _STRICT.raw_decode(text, start)
    # Too deep, or a number of thousands of digits, is no answer either.
    except (ValueError, RecursionError):
        pass
    loose = _Loose(text, start)
    try:
        value = loose.value(depth=0)
    except _Unreadable:
        return None, start + 1
    # An empty object is what any stray bracket of prose reads as.
    return value or None, loose.place


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


# Not strict about line ends inside of texts, which models do not escape.
_STRICT = json.JSONDecoder(strict=False, parse_constant=_refuse_constant)


class _Unreadable(Exception):  # noqa: N818 - never leaves this module
    """What stands here is no value."""


class _Loose:
    """Reads one value that strict JSON does not allow."""

    def __init__(self, text: str, place: int) -> None:
        self.text, self.place = text, place

    def value(self, *, depth: int) -> Any:  # noqa: ANN401 - any JSON value
        sign = self._next()
        # A model that runs in circles opens brackets without end, and each costs a call of ours on the stack.
        if depth > DEEPEST or not sign:
            raise _Unreadable
        if sign == "{":
            return self._object(depth=depth)
        if sign == "[":
            return self._list(depth=depth)
        return self._string() if sign in _CLOSERS else self._bare()

    def _object(self, *, depth: int) -> dict[str, Any]:
        self.place += 1
        members: dict[str, Any] = {}
        while not self._is_closed("}"):
            name = self._string() if self._next() in _CLOSERS else str(self._bare())
            if self._next() != ":":
                raise _Unreadable
            self.place += 1
            members[name] = self.value(depth=depth + 1)
        return members

    def _list(self, *, depth: int) -> list[Any]:
        self.place += 1
        entries = []
        while not self._is_closed("]"):
            entries.append(self.value(depth=depth + 1))
        return entries

    def _is_closed(self, bracket: str) -> bool:
        """Pass commas, and the bracket that ends this value; the end of the text ends it too."""
        while self._next() == ",":
            self.place += 1
        sign = self._next()
        if sign == bracket:
            self.place += 1
        elif sign and sign in "}]":
            raise _Unreadable
        return sign in ("", bracket)

    def _string(self) -> str:
        end = _ENDS[_CLOSERS[self.text[self.place]]].search(self.text, self.place + 1)
        raw = self.text[self.place + 1 : end.start() if end else len(self.text)]
        self.place = end.end() if end else len(self.text)
        return _ESCAPE.sub(_unescaped, raw)

    def _bare(self) -> Any:  # noqa: ANN401 - a number, a constant or a text
        found = _BARE.match(self.text, self.place)
        if found is None:
            raise _Unreadable
        self.place = found.end()
        word = found.group().strip()
        if _NUMBER.fullmatch(word):
            return float(word) if set(word) & set(".eE") else int(word)
        return _CONSTANTS.get(word.lower(), word)

    def _next(self) -> str:
        """Return the next sign that means something, "" at the end."""
        # The pattern matches nothing at all where there is no blank.
        blank = _BLANK.match(self.text, self.place)
        self.place = blank.end() if blank else self.place
        return self.text[self.place : self.place + 1]


def _unescaped(found: re.Match[str]) -> str:
    sign = found[1]
    return chr(int(sign[1:], 16)) if len(sign) == 5 else _ESCAPES.get(sign, sign)
