"""Large JSON files as tables: the lists of objects in them, row by row, through a window in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

import msgspec

from annotator.importers.byte_stream import utf8_stream
from annotator.importers.input_file import InputFile, printable
from annotator.importers.json_batches import decode_value, has_all_keys, parts_of_list
from annotator.importers.json_decoder import MAX_DEPTH
from annotator.importers.json_text import (
    LARGEST_RECORD_CHARACTERS,
    RESYNC_CHARACTERS,
    JsonElement,
    JsonText,
)
from annotator.importers.record_fields import RecordError

WINDOW_BYTES = 1 << 20
"""What is read at once; it grows to a record that is longer, up to ``LARGEST_RECORD_CHARACTERS``."""

# Possessive: a broken text must not be tried again with its blanks parted in every other way.
_BLANKS = re.compile(rb"[ \t\r\n]*+")
_BETWEEN = re.compile(rb"[ \t\r\n]*+,?[ \t\r\n]*+")
LONGEST_MATCH_BYTES = 4096
"""A row's beginning, with its first key, that is looked for at the end of a window."""
LARGEST_IN_ONE_PIECE_BYTES = 8 << 20
"""Lists up to this size are read whole, which is faster than through a window."""
# Bytes, not text: offsets are those of the file, and most of it is never decoded.
_TEXT = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_KEY = re.compile(rb"(%s)[ \t\r\n]*+:[ \t\r\n]*+" % _TEXT, re.DOTALL)
_NEXT_BRACKET = re.compile(rb"(?:[^\"\[\]{}]++|%s)*+([\[\]{}])" % _TEXT, re.DOTALL)
_SCALAR = re.compile(rb"(?:%s|[^,\[\]{}\"]++)++" % _TEXT, re.DOTALL)
_CLOSING = {b"{": b"}", b"[": b"]"}
_CUT_OFF = "The list is not closed; the file may be cut off."


def _nested(depth: int) -> bytes:
    """Return the pattern of lists and objects of so many levels, brackets paired by their kind."""
    inside = rb"[^\"\[\]{}]++|" + _TEXT
    for _ in range(depth):
        inside = rb"[^\"\[\]{}]++|%s|\{(?:%s)*+\}|\[(?:%s)*+\]" % (_TEXT, inside, inside)
    return inside


# Rows of up to three levels, which nearly all are, are found in one step; the rest by their brackets.
_ROW = re.compile(rb"\{(?:%s)*+\}" % _nested(2), re.DOTALL)


class JsonRow(msgspec.Struct, frozen=True):
    """One row of a table.

    Attributes:
        table: Key of the table, "" for a file that is one list.
        number: Index in the table, from 1.
        line: First line, from 1.
        data: Its JSON text, b"" for a row that is only a fault.
        fault: Reason why it is not a readable object, "" for none.
        unread: Number of following rows that cannot be read because of it; None if unknown.
    """

    table: str
    number: int
    line: int
    data: bytes = b""
    fault: str = ""
    unread: int | None = 0

    @property
    def locator(self) -> str:
        """Which row of the file it is: "annotations 17"."""
        return f"{self.table or 'record'} {self.number}"

    def line_of(self, field: str) -> int:
        """Return the line of a field, or of the row where it is not in it."""
        name = re.split(r"[.\[]", field, maxsplit=1)[0]
        at = self.data.find(f'"{name}"'.encode(errors="replace")) if name else -1
        return self.line + self.data.count(b"\n", 0, max(at, 0))


def decoded(row: JsonRow) -> JsonElement:
    """Return the value of a row, checked as strictly as ``JsonText`` does.

    Raises:
        RecordError: It cannot be taken.
    """
    if row.fault:
        raise RecordError("", row.fault, unread=row.unread)
    try:
        value, original = decode_value(row.data), msgspec.json.format(row.data, indent=-1)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _decode_strictly(row)
    # The decoder takes NUL and half characters where they are spelt as escapes.
    if b"\\u" in original or not has_all_keys(value, original):
        return _decode_strictly(row)
    return JsonElement(0, len(row.data), value, original)


def _decode_strictly(row: JsonRow) -> JsonElement:
    json = JsonText(InputFile.decoded(row.data))
    element = json.element(0, limit=len(json.text))
    if element.fault is not None:
        raise element.fault.error()
    if json.skip_blanks(element.end) < len(json.text):
        raise RecordError("", "This is not JSON: there is more text after its end.")
    return element


def values_of(file: InputFile) -> Iterator[JsonRow]:
    """Yield the values of a file that is one object, or one object after the other.

    Raises:
        UserError: The file is too large.
        EnvironmentFailure: The disk refused.
    """
    json = JsonText(file.text)
    for number, element in enumerate(json.top_elements(), start=1):
        fault = element.fault
        line = json.line_of(fault.at if fault else element.start)
        if fault is None:
            data = json.text[element.start : element.end].encode()
            yield JsonRow("", number, line, data)
        else:
            yield JsonRow("", number, line, fault=fault.message, unread=fault.unread)


class JsonTables:
    """The tables of one file.

    A file is an object whose members are lists of objects, or one such list, whose name is "".
    """

    def __init__(self, file: InputFile) -> None:
        self._file = file

    def rows(self, wanted: Callable[[str], bool]) -> Iterator[JsonRow]:
        """Yield the rows of the tables wanted, in the file's order; of the others only what is broken.

        Raises:
            UserError: An archived file is too large.
            EnvironmentFailure: The disk refused.
        """
        if self._file.size_bytes <= LARGEST_IN_ONE_PIECE_BYTES and wanted(""):
            content = self._file.read_bytes()
            rows = [bytes(part) for part in parts_of_list(content)]
            # What is no object, and what is no whole list, needs words, which the scan has.
            if rows and all(row.startswith(b"{") for row in rows):
                yield from _rows_of_list(content, rows)
                return
        with utf8_stream(self._file) as stream:
            yield from _Scanner(stream, wanted=wanted).rows()


def _rows_of_list(content: bytes, rows: Sequence[bytes]) -> Iterator[JsonRow]:
    """Yield the elements of a file that is one list of objects."""
    step_over, count = _BETWEEN.match, content.count
    line, seen, at = 1, 0, content.index(b"[") + 1
    for number, row in enumerate(rows, start=1):
        between = step_over(content, at)
        at = between.end() if between else at
        line, seen = line + count(b"\n", seen, at), at
        yield JsonRow("", number, line, row)
        at += len(row)


class _Scanner:
    """One way through a file."""

    def __init__(self, stream: BinaryIO, *, wanted: Callable[[str], bool]) -> None:
        self._stream = stream
        self._wanted = wanted
        self._window = b""
        self._at = 0
        self._line = 1
        self._is_whole = False
        self._is_given_up = False

    def rows(self) -> Iterator[JsonRow]:
        if self._peek() == b"[":
            yield from self._table("")
        elif self._peek() == b"{":
            yield from self._members()
        else:
            yield JsonRow(
                "", 1, self._line, fault="This is not JSON: an object or a list is expected.", unread=None
            )
            return
        if self._peek():
            yield JsonRow(
                "", 1, self._line, fault="There is more text after the end of the list.", unread=None
            )

    def _members(self) -> Iterator[JsonRow]:
        self._move(1)
        while self._peek() == b'"':
            key = self._key()
            if key is None:
                break
            if self._peek() == b"[":
                yield from self._table(key)
            elif not self._skip_value():
                break
            if self._peek() == b",":
                self._move(1)
        # Of an end that was given up it is told already.
        if self._is_given_up:
            return
        if self._peek() != b"}":
            yield JsonRow("", 1, self._line, fault="This is not JSON: a key is expected.", unread=None)
            # After an invalid key the following members cannot be separated.
            self._at, self._is_whole, self._window = 0, True, b""
            return
        self._move(1)

    def _key(self) -> str | None:
        while (found := _KEY.match(self._window, self._at)) is None:
            if not self._read_more():
                return None
        self._move(found.end() - self._at)
        return printable(InputFile.decoded(found[1][1:-1]))

    def _skip_value(self) -> bool:
        if self._peek() == b"{":
            end, _ = self._end_of_row()
            self._move(max(end - self._at, 0))
            return end >= 0
        return bool(self._scalar())

    def _table(self, key: str) -> Iterator[JsonRow]:
        is_wanted, number = self._wanted(key), 0
        self._move(1)
        while (first := self._peek()) not in {b"]", b""}:
            if first == b",":
                self._move(1)
                continue
            number += 1
            row = self._row(key, number) if first in _CLOSING else self._no_row(key, number)
            if is_wanted or row.fault:
                yield row
        if first == b"]":
            self._move(1)
        elif not self._is_given_up:
            yield JsonRow(key, number + 1, self._line, fault=_CUT_OFF, unread=None)

    def _row(self, key: str, number: int) -> JsonRow:
        line = self._line
        end, fault = self._end_of_row()
        if end >= 0:
            data = self._window[self._at : end]
            self._move(end - self._at)
            return JsonRow(key, number, line, data=data)
        return JsonRow(key, number, line, fault=fault, unread=self._resync())

    def _no_row(self, key: str, number: int) -> JsonRow:
        line = self._line
        if not self._scalar():
            # A bracket that closes nothing here.
            self._move(1)
        return JsonRow(key, number, line, fault="It should be an object.")

    def _scalar(self) -> bytes:
        """Pass over a text, number or word, and return its beginning; b"" where there is none."""
        # At the window's end it may go on in what is read next.
        while (found := _SCALAR.match(self._window, self._at)) is None or found.end() == len(self._window):
            if not self._read_more():
                break
        data = found[0] if found else b""
        self._move(len(data))
        return data

    def _end_of_row(self) -> tuple[int, str]:
        """Return the offset after the list or object that begins here, or -1 and why it has no end."""
        while True:
            found = _ROW.match(self._window, self._at)
            if found is not None:
                return found.end(), ""
            end, fault = self._end_by_brackets()
            if end >= 0 or fault:
                return end, fault
            if not self._read_more():
                return -1, "The file ends inside this record."

    def _end_by_brackets(self) -> tuple[int, str]:
        """Return the same for any depth, or -1 and "" where the window ends before."""
        at, waiting = self._at, []
        while (bracket := _NEXT_BRACKET.match(self._window, at)) is not None:
            at = bracket.end()
            if bracket[1] in _CLOSING:
                waiting.append(_CLOSING[bracket[1]])
                if len(waiting) > MAX_DEPTH:
                    return -1, f"It is nested more than {MAX_DEPTH} levels deep."
            elif waiting.pop() != bracket[1]:
                return -1, "This is not JSON: a bracket is missing."
            if not waiting:
                return at, ""
        return -1, ""

    def _resync(self) -> int | None:
        """Resume at the next object with the same first key, or at the end of the file.

        Returns:
            0 if reading continues; otherwise the number of objects that are not read, None if unknown.
        """
        # Objects of one table mostly begin with the same key.
        first = re.compile(rb"\{[ \t\r\n]*+(%s)" % _TEXT, re.DOTALL).match(self._window, self._at)
        while first and len(self._window) - self._at < RESYNC_CHARACTERS and self._read_more():
            pass
        again = pattern = None
        if first is not None:
            pattern = re.compile(rb"\{[ \t\r\n]*+" + re.escape(first[1]) + rb"[ \t\r\n]*+:")
            again = pattern.search(self._window, self._at + 1, self._at + RESYNC_CHARACTERS)
        if again is not None:
            self._move(again.start() - self._at)
            return 0
        self._is_given_up = True
        unread = self._count_rest(pattern) if pattern else 0
        self._window, self._at, self._is_whole = b"", 0, True
        return unread or None

    def _count_rest(self, pattern: re.Pattern[bytes]) -> int:
        """Return how often a pattern occurs from here to the end of the file."""
        count, self._at = 0, self._at + 1
        while True:
            end = 0
            for found in pattern.finditer(self._window, self._at):
                count, end = count + 1, found.end()
            # What may have begun at the window's end is looked at again with what follows.
            self._at = max(end, len(self._window) - LONGEST_MATCH_BYTES, self._at)
            if not self._read_more():
                return count

    def _peek(self) -> bytes:
        """Return the next byte that is no blank, b"" at the end."""
        while True:
            found = _BLANKS.match(self._window, self._at)
            self._move(found.end() - self._at if found else 0)
            if self._at < len(self._window):
                return self._window[self._at : self._at + 1]
            if not self._read_more():
                return b""

    def _move(self, count: int) -> None:
        self._line += self._window.count(b"\n", self._at, self._at + count)
        self._at += count

    def _read_more(self) -> bool:
        """Take the next bytes of the file in; what was passed goes. Tell whether there were any."""
        kept = len(self._window) - self._at
        # One record that is longer than this is no record.
        if self._is_whole or kept > LARGEST_RECORD_CHARACTERS:
            return False
        # Twice as much each time: a long record is looked through a few times, not hundreds.
        more = self._stream.read(max(WINDOW_BYTES, kept))
        self._is_whole = not more
        self._window, self._at = self._window[self._at :] + more, 0
        return bool(more)
