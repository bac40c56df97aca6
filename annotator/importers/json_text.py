"""Reads JSON strictly, value by value, with the position of every part.

An invalid value does not end the reading: it is reported with line and field, and the next one is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from annotator.importers.input_file import fault_of_text, is_utf8, printable
from annotator.importers.json_batches import (
    batches,
    decoded,
    parts_of_lines,
    parts_of_list,
    parts_of_object,
)
from annotator.importers.json_decoder import MAX_DEPTH, TOO_DEEP, StrictDecoder, find_fault, is_deep
from annotator.importers.record_fields import RecordError

LARGEST_RECORD_CHARACTERS = 16 * 1024 * 1024
RESYNC_CHARACTERS = 1024 * 1024
"""How far the next record is looked for after a broken one; without a limit, a file of nothing but broken
records would take a time that grows with the square of its length."""

LONG_CHARACTERS = 64 * 1024
"""From here on, the end of a list is tried at the last bracket before it is looked for bracket by bracket."""

_BLANK = " \t\r\n"
_COLON = re.compile(r"[ \t\r\n]*:")
# Possessive: a broken text must not be tried again with its blanks parted in every other way.
_BLANKS = re.compile(r"[ \t\r\n]*+")
_BETWEEN = re.compile(r"[ \t\r\n]*+,?[ \t\r\n]*+")
_BETWEEN_VALUES = re.compile(_BETWEEN.pattern + r'(?:"(?:[^"\\\r\n]|\\.)*+"[ \t\r\n]*+:[ \t\r\n]*+)?')
# A string ends at its line's end at the latest: JSON has no line ends inside strings, and after a lost
# quotation mark that is where reading can go on.
_NEXT_BRACKET = re.compile(r'(?:[^"\[\]{}]++|"(?:[^"\\\r\n]|\\.)*+"?)*+([\[\]{}])')
_STEP = {"{": 1, "[": 1, "}": -1, "]": -1}
_CLOSING = {"{": "}", "[": "]"}
_OPENING = frozenset(_CLOSING)
_BARE = re.compile(r"[^,\]}\r\n]*")
_FIRST_KEY = re.compile(r'\{\s*("(?:[^"\\\r\n]|\\.)*+")\s*:')
_KEY = re.compile(r'"((?:[^"\\\r\n]|\\.)*+)"\s*:')
_ODD_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class JsonFault(msgspec.Struct, frozen=True):
    """The reason why a value is rejected.

    Attributes:
        at: Offset of the fault in the text.
        field: Path of the field in the file, "" if no single field is at fault.
        message: What is wrong.
        unread: Number of following records that cannot be read because of it; None if unknown.
    """

    at: int
    field: str
    message: str
    unread: int | None = 0

    def error(self) -> RecordError:
        """Return it as the error of a record."""
        return RecordError(self.field, self.message, unread=self.unread)


class JsonSpan(msgspec.Struct, frozen=True):
    """A part of the text.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
    """

    start: int
    end: int


class JsonElement(JsonSpan, frozen=True):
    """One value of the text.

    Attributes:
        value: The value; None where there is a fault.
        original: The value as it stood, without blanks between its parts, UTF-8.
        fault: Why it cannot be taken, or None.
    """

    value: Any
    original: bytes
    fault: JsonFault | None = None


class JsonText:
    """The text of a JSON file, or of one value after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._known = (0, 1)
        self._decoder = StrictDecoder()

    def line_of(self, at: int) -> int:
        """Return the line of an offset, from 1."""
        # Questions come in rising order but for a few: counting from the last answer is cheap.
        known_at, known_line = self._known
        if at >= known_at:
            line = known_line + self.text.count("\n", known_at, at)
        else:
            line = known_line - self.text.count("\n", at, known_at)
        self._known = (at, line)
        return line

    def top_elements(self) -> Iterator[JsonElement]:
        """Yield what the file is a list of: the elements of its array, or its values one after the other."""
        start, length = self.skip_blanks(0), len(self.text)
        if not self.text.startswith("[", start):
            yield from self._values(start)
            return
        after = yield from self.elements(start, limit=length)
        if self.skip_blanks(after) < length:
            fault = JsonFault(after, "", "There is more text after the end of the list.")
            yield self._broken(after, length, replace(fault, unread=self._count_unread(after, after, length)))

    def begins_whole(self) -> bool:
        """Return whether the first value of the file can be complete; an invalid one is reported at once."""
        start = self.skip_blanks(0)
        if self.text.startswith("[", start):
            start = self.skip_blanks(start + 1)
        try:
            json.JSONDecoder().raw_decode(self.text, start)
        except (ValueError, RecursionError):
            return False
        return True

    def elements(self, at: int, *, limit: int) -> Generator[JsonElement, None, int]:
        """Yield the elements of the array that begins at an offset, good ones and broken ones.

        Args:
            at: Offset of ``[``.
            limit: Offset at which the text counts as ended.

        Returns:
            The offset after ``]``.
        """
        # A list without faults, the usual case, is decoded in batches. With a fault only the strict reading
        # below determines which of the other values are valid, and the messages.
        parts = parts_of_list(self.text[at:limit])
        at, is_broken = self.skip_blanks(at + 1), False
        if parts:
            return (yield from self._parts(parts, at, between=_BETWEEN)) + 1
        while at < limit and self.text[at] != "]":
            element = self.element(at, limit=limit)
            yield element
            is_broken = element.fault is not None
            at = self._next_after(element.end)
        if at >= limit and not is_broken:
            yield self._broken(
                limit, limit, JsonFault(limit, "", "The list is not closed; the file may be cut off.", None)
            )
        return at + 1

    def _parts(
        self, parts: Sequence[msgspec.Raw], at: int, *, between: re.Pattern[str]
    ) -> Generator[JsonElement, None, int]:
        """Yield consecutive values from an offset on; return the offset after them.

        Args:
            parts: The undecoded values, all complete.
            at: Offset of the first value.
            between: Separator between two values, may be empty.
        """
        text, limit, step_over = self.text, len(self.text), between.match
        # Offsets count characters, and the parts are bytes.
        length: Callable[[msgspec.Raw], int] = len if text.isascii() else _characters
        for batch in batches(parts):
            quick = decoded(batch)
            for part, value, original in zip(batch, quick.values, quick.originals, strict=True):
                end = at + length(part)
                if original and end - at <= LARGEST_RECORD_CHARACTERS:
                    yield JsonElement(at, end, value, original)
                else:
                    yield self.element(at, limit=limit)
                found = step_over(text, end)
                at = found.end() if found else end
        return at

    def spans(self, at: int, *, limit: int) -> Iterator[JsonSpan]:
        """Yield where the elements of the array that begins at an offset stand."""
        at = self.skip_blanks(at + 1)
        while at < limit and self.text[at] != "]":
            span = self._span(at, limit)
            yield span
            at = self._next_after(span.end)

    def members(
        self, span: JsonSpan, *, undecoded: Callable[[str], bool]
    ) -> Iterator[tuple[str, JsonElement]]:
        """Yield keys and values of an object; an unreadable rest is yielded as one invalid value.

        Args:
            span: Position of the object.
            undecoded: Returns for a key whether its list or object is returned as a position, undecoded.
        """
        at = self.skip_blanks(span.start + 1)
        while (key := _KEY.match(self.text, at, span.end)) is not None:
            start = self.skip_blanks(key.end())
            name, name_error = _name_of(key[1])
            if self.text[start : start + 1] in _OPENING and undecoded(name):
                element = JsonElement(start, self._closing(start, span.end), None, b"null")
            else:
                element = self.element(start, limit=span.end)
            if name_error and element.fault is None:
                element = self._broken(start, element.end, JsonFault(key.start(), "", name_error))
            yield name, element
            at = self._next_after(element.end)
        if not self.text.startswith("}", at):
            unread = self._count_unread(at, at, span.end) if span.end >= len(self.text) else 0
            yield (
                "",
                self._broken(at, span.end, JsonFault(at, "", "This is not JSON: a key is expected.", unread)),
            )

    def entries(self) -> Iterator[tuple[str, JsonElement]]:
        """Yield keys and values of a text that is one object, as ``members`` does, all of them decoded."""
        start = self.skip_blanks(0)
        # Keys are not looked at again here: there is one for each part, in the same order, or no parts.
        parts = parts_of_object(self.text)
        if not parts:
            yield from self.members(JsonSpan(start, len(self.text)), undecoded=lambda _: False)
            return
        first = _BETWEEN_VALUES.match(self.text, start + 1)
        at = first.end() if first else start + 1
        yield from zip(parts, self._parts([*parts.values()], at, between=_BETWEEN_VALUES), strict=True)

    def element(self, start: int, *, limit: int) -> JsonElement:
        """Return the value that begins at an offset; a broken one ends where the next can begin."""
        try:
            value, end = self._decoder.decode(self.text, start)
        except json.JSONDecodeError as error:
            fault = JsonFault(
                error.pos, self._key_before(start, error.pos), f"This is not JSON: {error.msg}."
            )
        except RecursionError:
            # Inside deep nesting everything looks like the next element's beginning.
            return self._broken(start, self._closing(start, limit), JsonFault(start, "", TOO_DEEP))
        else:
            # The decoder knows no limit: of a part that is cut off it reads on into the next.
            if end <= limit:
                return self._checked(start, end, value)
            fault = JsonFault(limit, "", "The file ends inside this record.")
        end = self._end_of_broken(start, limit)
        if end >= len(self.text) and self._is_open(start, end):
            fault = replace(fault, unread=self._count_unread(start, start + 1, end))
        return self._broken(start, end, fault)

    def _is_open(self, start: int, end: int) -> bool:
        """Tell whether a part of the text does not end with the bracket that closes its first one."""
        opening = self.text[start : start + 1]
        return opening in _OPENING and not self.text.endswith(_CLOSING[opening], start, end)

    def _count_unread(self, at: int, start: int, end: int) -> int | None:
        """Return the number of records that begin in a part of the text; None if unknown.

        Args:
            at: Offset of the invalid record before the part; objects with its first key count as records.
            start: Offset of the part's start.
            end: Offset of its end.
        """
        first = _FIRST_KEY.match(self.text, at, end) or _FIRST_KEY.search(self.text, 0, RESYNC_CHARACTERS)
        begins = re.compile(r"\{\s*+" + re.escape(first[1]) + r"\s*+:") if first else None
        return sum(1 for _ in begins.finditer(self.text, start, end)) or None if begins else None

    def _values(self, start: int) -> Iterator[JsonElement]:
        for element in self._parts(parts_of_lines(self.text), start, between=_BETWEEN):
            # What a fault in a value over several lines takes along is decided below.
            if element.fault is not None:
                break
            yield element
            start = element.end
        start = self.skip_blanks(start)
        while start < len(self.text):
            element = self.element(start, limit=len(self.text))
            # In JSON lines a new line is the surest beginning of the next record.
            next_line = self.text.find("\n{", start, element.end + 1) if element.fault else -1
            if element.fault and next_line >= 0:
                fault = replace(element.fault, at=min(element.fault.at, next_line))
                element = self._broken(start, next_line, fault)
            yield element
            start = self.skip_blanks(element.end)

    def _checked(self, start: int, end: int, value: object) -> JsonElement:
        part = self.text[start:end]
        fault = self._fault_of(part, value)
        if fault is None:
            try:
                # Takes out the blanks and leaves numbers and escapes as they are spelt.
                original = msgspec.json.format(part.encode(), indent=-1)
                return JsonElement(start, end, value, original)
            except (msgspec.DecodeError, RecursionError) as error:
                fault = ("", f"This is not JSON: {error}.")
        field, message = fault
        broken = self._broken(start, end, JsonFault(start, field, message))
        return self._broken(start, end, JsonFault(self.offset_of(field, broken), field, message))

    def _fault_of(self, part: str, value: object) -> tuple[str, str] | None:
        """Return field and message of what is not allowed in a decoded value, or None."""
        if len(part) > LARGEST_RECORD_CHARACTERS:
            return "", f"The record has more than {LARGEST_RECORD_CHARACTERS >> 20} million characters."
        # Nearly every record passes these cheap questions; only the others are walked through with paths.
        may_be_deep = part.count("{") + part.count("[") > MAX_DEPTH and is_deep(value)
        is_escaped = "\\" in part and _ODD_ESCAPE.search(part)
        if self._decoder.has_invalid or may_be_deep or is_escaped or not (part.isascii() or is_utf8(part)):
            return find_fault(value)
        return None

    def _span(self, start: int, limit: int) -> JsonSpan:
        if self.text[start] not in _OPENING:
            # A number or word has no inside that could be looked through.
            return self.element(start, limit=limit)
        # Where a bracket is lost, the next element's beginning is nearer than the bracket that fits.
        return JsonSpan(start, self._closing(start, self._end_of_broken(start, limit)))

    def _end_of_broken(self, start: int, limit: int) -> int:
        """Return where the value after a broken one can begin: at the next object with the same first key."""
        if self.text[start : start + 1] not in _OPENING:
            bare = _BARE.match(self.text, start, limit)
            return max(bare.end() if bare else start, start + 1)
        first = _FIRST_KEY.match(self.text, start, limit)
        if first is not None:
            again = self._next_object(first[1], first.end(), min(limit, start + RESYNC_CHARACTERS))
            if again is not None:
                return again
        return self._closing(start, limit)

    def _next_object(self, first_key: str, at: int, limit: int) -> int | None:
        """Return the offset of the next object that begins with a key (with its quotation marks), or None."""
        while (at := self.text.find(first_key, at, limit)) >= 0:
            opening = at - 1
            while self.text[opening] in _BLANK:
                opening -= 1
            if self.text[opening] == "{" and _COLON.match(self.text, at + len(first_key), limit):
                return opening
            at += 1
        return None

    def _closing(self, start: int, limit: int) -> int:
        """Return the offset after the bracket that closes the list or object that begins at an offset."""
        if limit - start > LONG_CHARACTERS and (end := self._last_closing(start, limit)):
            return end
        depth, at = 0, start
        while (bracket := _NEXT_BRACKET.match(self.text, at, limit)) is not None:
            at = bracket.end()
            depth += _STEP[bracket[1]]
            if depth == 0:
                return at
        return limit

    def _last_closing(self, start: int, limit: int) -> int:
        """Return the offset after the last bracket of a kind where it closes the one at an offset, else 0."""
        end = self.text.rfind(_CLOSING[self.text[start]], start, limit) + 1
        try:
            # Only checks, and builds no values: what ends there is one whole value, or nothing is said.
            msgspec.json.decode(self.text[start:end].encode(), type=msgspec.Raw)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return 0
        return end

    def _key_before(self, start: int, end: int) -> str:
        keys = _KEY.findall(self.text, start, end + 1)
        return printable(keys[-1]) if keys else ""

    def offset_of(self, field: str, element: JsonSpan) -> int:
        """Return the offset of a field's key in an element, for the line that people look at."""
        name = re.split(r"[.\[]", field, maxsplit=1)[0]
        key = re.compile(f'"{re.escape(name)}"\\s*:').search(self.text, element.start, element.end)
        return key.start() if name and key else element.start

    def _broken(self, start: int, end: int, fault: JsonFault) -> JsonElement:
        return JsonElement(start, end, None, b"null", fault)

    def skip_blanks(self, at: int) -> int:
        """Return the offset of the first character from an offset on that is no blank."""
        found = _BLANKS.match(self.text, at)
        return found.end() if found else at

    def _next_after(self, end: int) -> int:
        """Return where the next value can begin: behind the blanks, and the comma where there is one."""
        found = _BETWEEN.match(self.text, end)
        return found.end() if found else end


def _characters(part: msgspec.Raw) -> int:
    return len(bytes(part).decode())


def _name_of(key: str) -> tuple[str, str]:
    """Return the name that a key spells, as it can be stored, and why it cannot be taken, "" where it can."""
    try:
        name = json.loads(f'"{key}"') if "\\" in key else key
    except json.JSONDecodeError as error:
        return printable(key), f"This is not JSON: {error.msg}."
    return printable(name), fault_of_text(name)
