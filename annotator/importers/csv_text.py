"""Reads CSV strictly, row by row; an invalid row does not affect the others."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import count

import msgspec
from msgspec.structs import replace

from annotator.importers.input_file import chinese_legacy_text, fault_of_text, is_utf8, printable
from annotator.importers.table_rows import BeginsRow, any_row, distinct_names

DELIMITERS = ",;\t"
# One \r\n, one \n or, from old Macs, one \r ends a line.
_LINE = re.compile(r"[^\r\n]*+(?:\r\n?|\n)|[^\r\n]++")
# An apostrophe before one of these is a guard: spreadsheet programs take the cell for a formula without it.
_GUARDED = re.compile("'+[=+\\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")
_OPEN_QUOTE = "unexpected end of data"
"""What the csv module says of a quotation mark that is never closed."""


class CsvRow(msgspec.Struct, frozen=True):
    """One row of a table.

    Attributes:
        line: Line on which it begins, from 1.
        number: Number of the row, from 1, the header not counted.
        cells: Text by column name; missing last cells are omitted.
        original: The unchanged cells, with guards against formulas; the same object if there are none.
        fault: Reason why the row is rejected, "" for a valid row.
        field: Column of the fault, "" for the whole row.
        is_cut_off: Whether the file ends inside it.
    """

    line: int
    number: int
    cells: dict[str, str]
    original: dict[str, str]
    fault: str = ""
    field: str = ""
    is_cut_off: bool = False


class _Lines(Iterator[str]):
    """The lines of a text, from which reading can begin again anywhere."""

    def __init__(self, text: str) -> None:
        # The csv module wants line ends as they are: those inside quoted cells are data. A StringIO, which
        # gives them so as well, holds four bytes a character.
        self.all: list[str] = _LINE.findall(text)
        self.at = 0

    def __next__(self) -> str:
        if self.at >= len(self.all):
            raise StopIteration
        self.at += 1
        return self.all[self.at - 1]


class CsvText:
    """A CSV text with a header.

    Attributes:
        is_chinese_legacy: Whether the text was in GB 2312, GBK or GB 18030.
        columns: Names of the columns, no two alike, blanks around them left out.
    """

    def __init__(self, text: str) -> None:
        """Read the header.

        Args:
            text: As ``InputFile.text`` gives it; text that is really GB 2312, GBK or GB 18030 is put right.
        """
        put_right = chinese_legacy_text(text)
        self.is_chinese_legacy = put_right is not None
        text = put_right or text
        self._needed: Sequence[str] = ()
        self._begins_row: BeginsRow = any_row
        self._short_rows = 0
        self._delimiter = delimiter_of(text)
        self.columns = tuple(distinct_names([printable(name.strip()) for name in header_of(text)]))
        self._lines = _Lines(text)
        self._lines.at = 1
        self._reader = csv.reader(self._lines, delimiter=self._delimiter, strict=True)

    def rows(self, *, needed: Sequence[str] = (), begins_row: BeginsRow = any_row) -> Iterator[CsvRow]:
        """Yield the rows below the header, without blank lines.

        Args:
            needed: Minimum number of columns of each row.
            begins_row: Returns whether a row can begin with the cells of a line, to resume after an invalid
                row.
        """
        self._needed, self._begins_row = needed, begins_row
        numbers = count(1)
        lines = self._lines
        while lines.at < len(lines.all):
            # The reader takes as many lines as the cells of the next row hold.
            start = lines.at
            cells, fault = self._next_cells(start)
            if not cells and not fault:
                continue
            row = self._row(start + 1, next(numbers), cells, fault)
            row = self._after_lost_lines(row) if fault or row.field in needed else row
            yield self._cut_off(row) if self._lines.at >= len(self._lines.all) else row

    def _next_cells(self, start: int) -> tuple[list[str], str]:
        """Return the cells of the row that begins at a line, or none and why there are none."""
        try:
            return next(self._reader, []), ""
        except csv.Error as error:
            # The quotation mark that is wrong may have swallowed the rows below.
            # So far and no further: the next row is tried at the very next line.
            self._lines.at = start + 1
            return [], f"This is not CSV: {error}."

    def _row(self, line: int, number: int, cells: list[str], fault: str) -> CsvRow:
        original = dict(zip(self.columns, cells, strict=False))
        named = original
        # Nearly no row has a guarded cell or an odd character: one look at all its text tells.
        text = "\n".join(cells)
        if text.startswith("'") or "\n'" in text:
            named = {name: without_guard(cell) for name, cell in original.items()}
        field = ""
        if not fault:
            field, fault = self._fault_of(named, text, count=len(cells))
        return CsvRow(line=line, number=number, cells=named, original=original, fault=fault, field=field)

    def _fault_of(self, cells: dict[str, str], text: str, *, count: int) -> tuple[str, str]:
        """Return column and fault of the cells of a row, two blanks where they can be taken."""
        if count > len(self.columns):
            return "", f"It has {count} cells, the header has {len(self.columns)}."
        if count < len(self.columns):
            self._short_rows += 1
            missing = next((name for name in self._needed if name not in cells), "")
            if missing:
                return missing, "The row ends before it."
        if "\0" in text or not (text.isascii() or is_utf8(text)):
            return _first_odd_cell(cells)
        return "", ""

    def _after_lost_lines(self, row: CsvRow) -> CsvRow:
        """Skip the remaining lines of an invalid row, and report them."""
        first = self._lines.at
        while self._lines.at < len(self._lines.all) and not self._can_begin(self._lines.all[self._lines.at]):
            self._lines.at += 1
        if self._lines.at == first:
            return row
        fault = f"{row.fault} The lines up to {self._lines.at} seem to belong to this row."
        return replace(row, fault=fault)

    def _cut_off(self, row: CsvRow) -> CsvRow:
        """Return the last row, with a fault where the file ends inside it: in quotation marks, or too early.

        Programs end each line, so that a row with too few cells and no end is cut off. In a file whose rows
        are all short it is one of them.
        """
        if _OPEN_QUOTE in row.fault:
            return replace(row, is_cut_off=True)
        is_short = row.number > 1 and len(row.original) < len(self.columns) and self._short_rows == 1
        if is_short and not self._lines.all[-1].endswith(("\r", "\n")):
            fault = row.fault or "The file ends inside this row."
            return replace(row, fault=fault, is_cut_off=True)
        return row

    def _can_begin(self, line: str) -> bool:
        try:
            # Not strict: the line may end inside a quoted cell that goes on below.
            cells = next(csv.reader([line], delimiter=self._delimiter), [])
        except csv.Error:
            return False
        return self._begins_row(dict(zip(self.columns, cells, strict=False)))


def without_guard(cell: str) -> str:
    """Return a cell without the apostrophe that keeps a spreadsheet program from running it as a formula.

    Of several apostrophes one goes: a release puts one before those that were there.
    """
    return cell[1:] if _GUARDED.match(cell) else cell


def header_of(text: str) -> list[str]:
    """Return the cells of a text's first line, none where it is no CSV."""
    first = _first_line(text)
    if not is_utf8(first):
        # The whole text is the surer witness; of the beginning of a file, the last line may be cut off.
        first = _first_line(
            chinese_legacy_text(text) or chinese_legacy_text(text.rpartition("\n")[0]) or text
        )
    try:
        return next(csv.reader([first], delimiter=delimiter_of(text)), [])
    except csv.Error:
        return []


def _first_line(text: str) -> str:
    first = _LINE.match(text)
    return first[0] if first else ""


def delimiter_of(text: str) -> str:
    """Return the delimiter that splits a text's first line most often, a comma where none does."""
    first = _first_line(text)
    return max(DELIMITERS, key=first.count)


def _first_odd_cell(cells: dict[str, str]) -> tuple[str, str]:
    """Return column and fault of the first cell that cannot be stored, or two blanks."""
    return next(((name, fault) for name, text in cells.items() if (fault := fault_of_text(text))), ("", ""))
