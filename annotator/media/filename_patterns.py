r"""File name patterns: a small language that extracts scenes and views from file names.

===================  =====================================================================================
``{scene}``          a field: any text within one folder or file name. ``{scene}``, ``{view}``, ``{dataset}``,
                     ``{frame}`` (digits) and ``{time}`` have a meaning; any other field separates scenes
``{seq:#}``          digits; ``{seq:#8}`` exactly eight
``{id:hex8}``        eight hexadecimal digits; ``{id:hex}`` any number of them
``{view:left|right}``  one of these words
``{time:%Y%m%d}``    a time, as strftime writes it; ``{time:%s}`` Unix time in s, ms, µs or ns
``{*}`` or ``*``     anything within one folder or file name
``**``               any number of folders
``?``                one character
``[...]``            a part that may be absent
``{frames}``         the end of a pattern: all files of the folder are the frames of one medium
``{ext}``            the file's ending
``\``                escapes the following character
===================  =====================================================================================

A pattern without ``/`` matches the file name in any folder. Matching ignores case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from annotator.errors import UserError

LONGEST_PATTERN = 300
MOST_WILDCARDS = 8
"""Each wildcard more lets a name that does not match be tried in more ways."""
LONGEST_NAME = 1024
# Anything that is none of the signs is text, so each character is taken by one branch and none is lost.
_TOKEN = re.compile(
    r"\\(?P<plain>.)|\{(?P<field>[^{}]*)\}|(?P<sign>\*\*/|\*\*|[*?\[\]])|(?P<text>[^\\{*?\[\]]+|.)"
)
_FIELD = re.compile(r"(?P<name>\*|[A-Za-z]\w*)(?::(?P<kind>.+))?")
_COUNTED = re.compile(r"(?P<kind>#|hex)(?P<count>[1-9]\d?)?")
_DIRECTIVES = {
    "Y": r"\d{4}",
    "y": r"\d{2}",
    "m": r"\d{2}",
    "d": r"\d{2}",
    "H": r"\d{2}",
    "M": r"\d{2}",
    "S": r"\d{2}",
    "j": r"\d{3}",
    "f": r"\d{1,6}",
    "s": r"\d{9,19}",
    "%": "%",
}
_UNIX = "%s"
# Digits before the unit changes: ten digits are seconds until the year 2286.
_UNIX_UNITS = ((11, 1), (14, 1_000), (17, 1_000_000), (20, 1_000_000_000))


@dataclass(frozen=True, kw_only=True)
class FilenamePattern:
    """A pattern, ready to be matched.

    Attributes:
        text: As it was typed.
        fields: Names of its fields, in order, each once.
        time_format: How the field ``time`` is written, "" where there is none.
        is_frames: True where all files of a folder are the frames of one medium.
    """

    text: str
    fields: tuple[str, ...]
    time_format: str
    is_frames: bool
    _full: Callable[[str], re.Match[str] | None]

    @classmethod
    def parse(cls, text: str) -> FilenamePattern:
        """Return the pattern of a text.

        Raises:
            UserError: The text is no pattern; it says what is wrong with it.
        """
        reader = _PatternParser(text)
        expression = reader.expression()
        if "/" not in text.replace("**/", ""):
            expression = f"(?:.*/)?{expression}"
        return cls(
            text=text,
            fields=tuple(reader.fields),
            time_format=reader.time_format,
            is_frames="frames" in reader.fields,
            _full=re.compile(expression, re.IGNORECASE | re.DOTALL).fullmatch,
        )

    def match(self, name: str) -> dict[str, str] | None:
        """Return what a name tells, by field; absent optional fields are "". None where it does not match.

        Args:
            name: File name, with "/" between its folders.
        """
        # A longer name could keep a pattern with eight wildcards busy for minutes.
        found = self._full(name) if len(name) <= LONGEST_NAME else None
        return found.groupdict("") if found else None

    def time_of(self, values: Mapping[str, str]) -> float | None:
        """Return the time that matched values tell, in seconds since 1970; None where it is no time.

        Times without an offset are taken as UTC: only differences between them matter here.
        """
        text = values.get("time", "")
        if not text:
            return None
        if self.time_format == _UNIX:
            return next((int(text) / unit for digits, unit in _UNIX_UNITS if len(text) < digits), None)
        try:
            return datetime.strptime(text, self.time_format).replace(tzinfo=UTC).timestamp()
        except ValueError:
            return None


class _PatternParser:
    """Turns one pattern into a regular expression."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._before_optional: list[bool] = []
        self._wildcards = 0
        self._is_after_open = False
        self.fields: dict[str, str] = {}
        self.time_format = ""

    def expression(self) -> str:
        """Return the expression; fills the fields.

        Raises:
            UserError: The text is no pattern.
        """
        if not self._text.strip() or len(self._text) > LONGEST_PATTERN:
            raise self._wrong(f"a pattern has 1 to {LONGEST_PATTERN} characters")
        expression = "".join(self._parts())
        if self._before_optional:
            raise self._wrong("a [ has no closing ]")
        if self._wildcards > MOST_WILDCARDS:
            raise self._wrong(f"it has more than {MOST_WILDCARDS} wildcards")
        if "frames" in self.fields and not self._text.endswith("{frames}"):
            raise self._wrong("{frames} is at the end")
        return expression

    def _parts(self) -> Iterator[str]:
        for found in _TOKEN.finditer(self._text):
            if found["field"] is not None:
                yield self._field(found["field"])
            elif found["sign"]:
                yield self._sign(found["sign"])
            elif found["text"] in {"{", "\\"}:
                raise self._wrong(f"a {found['text']} has no partner")
            else:
                self._is_after_open = False
                yield re.escape(found["plain"] or found["text"])

    def _sign(self, sign: str) -> str:
        if sign == "[":
            self._before_optional.append(self._is_after_open)
            return "(?:"
        if sign == "]":
            if not self._before_optional:
                raise self._wrong("a ] has no opening [")
            # What stands in brackets may be absent: then what was before them is the neighbour.
            self._is_after_open |= self._before_optional.pop()
            return ")?"
        if sign == "?":
            return "[^/]"
        if sign == "**/":
            self._is_after_open = False
            return "(?:[^/]+/)*"
        return self._open(".*" if sign == "**" else "[^/]*")

    def _open(self, expression: str) -> str:
        """Return an expression for any text; two in a row could be split anywhere, and take for ever."""
        if self._is_after_open:
            raise self._wrong("two wildcards need a separator")
        self._is_after_open = True
        self._wildcards += 1
        return expression

    def _field(self, inside: str) -> str:
        found = _FIELD.fullmatch(inside)
        if found is None:
            raise self._wrong(f"{{{inside}}} is not a field")
        name, kind = found["name"], found["kind"] or ""
        if name == "*":
            return self._open("[^/]+")
        if name in self.fields:
            # The second mention of a field must be the same text as the first: {scene}/{scene}_{view}.jpg.
            self._is_after_open = False
            return f"(?P={name})"
        self.fields[name] = kind
        return f"(?P<{name}>{self._field_text(name, kind)})"

    def _field_text(self, name: str, kind: str) -> str:
        if name == "time":
            return self._time_text(kind)
        if not kind:
            return self._plain_field(name)
        self._is_after_open = False
        if "|" in kind:
            return "|".join(re.escape(word) for word in kind.split("|"))
        counted = _COUNTED.fullmatch(kind)
        if counted is None:
            raise self._wrong(f"{{{name}:{kind}}} must be #, hex, words with | or a time")
        digit = r"\d" if counted["kind"] == "#" else "[0-9a-f]"
        return f"{digit}{{{counted['count']}}}" if counted["count"] else f"{digit}+"

    def _plain_field(self, name: str) -> str:
        if name in {"frame", "ext"}:
            self._is_after_open = False
            return r"\d+" if name == "frame" else r"\w+"
        # The scene takes what it can, the view the least: a-b-UAV1 is view UAV1 of a-b.
        return self._open("[^/]+?" if name == "view" else "[^/]+")

    def _time_text(self, time_format: str) -> str:
        self.time_format = time_format or _UNIX
        self._is_after_open = False
        parts = re.split(r"%(.)", self.time_format)
        if unknown := [letter for letter in parts[1::2] if letter not in _DIRECTIVES]:
            raise self._wrong(f"%{unknown[0]} is not a supported part of a time")
        return "".join(_DIRECTIVES[part] if at % 2 else re.escape(part) for at, part in enumerate(parts))

    def _wrong(self, what: str) -> UserError:
        return UserError(
            f"'{self._text[:80]}' is not a valid pattern: {what}.", hint="Example: {scene}-{view}.jpg"
        )
