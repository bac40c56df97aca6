"""CSV that somebody else wrote: read strictly, row by row; a broken row takes no other along."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from annotator.sources.input_file import chinese_legacy_text, fault_of_text, printable

DELIMITERS = ",;\t"
# An apostrophe before one of these is a guard: spreadsheet programs take the cell for a formula without it.
_GUARDED = re.compile("'+[=+\\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row of a table.

    Attributes:
        line: Line on which it begins, from 1.
        number: Number of the row, from 1, the header not counted.
        cells: Column name to text; missing last cells are left out.
        original: The same as it was written, guards against formulas included.
        fault: Why it cannot be taken, in words; "" where it can.
        field: Column of the fault, "" for the whole row.
    """

    line: int
    number: int
    cells: dict[str, str]
    original: dict[str, str]
    fault: str = ""
    field: str = ""


class _Lines(Iterator[str]):
    """The lines of a text, from which reading can begin again anywhere."""

    def __init__(self, text: str) -> None:
        # The csv module wants line ends as they are: those inside quoted cells are data.
        self.all = list(io.StringIO(text, newline=""))
        self.at = 0

    def __next__(self) -> str:
        if self.at >= len(self.all):
            raise StopIteration
        self.at += 1
        return self.all[self.at - 1]


class CsvText:
    """A CSV text with a header.

    Attributes:
        is_chinese_legacy: Whether the text was in GB 2312.
    """

    def __init__(
        self, text: str, *, needed: Sequence[str], begins_row: Callable[[dict[str, str]], bool]
    ) -> None:
        """Read the header.

        Args:
            text: As ``InputFile.text`` gives it; text that is really GB 2312 is put right.
            needed: Columns that every row must reach.
            begins_row: Tells from the cells of one line whether a row can begin there, so that reading
                goes on at the right place after a broken one.
        """
        put_right = chinese_legacy_text(text)
        self.is_chinese_legacy = put_right is not None
        text = put_right or text
        self._needed = needed
        self._begins_row = begins_row
        self._delimiter = delimiter_of(text)
        self._header = _distinct(header_of(text))
        self._lines = _Lines(text)
        self._lines.at = 1
        self._reader = csv.reader(self._lines, delimiter=self._delimiter, strict=True)

    def rows(self) -> Iterator[CsvRow]:
        """Yield the rows below the header, blank lines left out."""
        numbers = count(1)
        while self._lines.at < len(self._lines.all):
            # The reader takes as many lines as the cells of the next row hold.
            start = self._lines.at
            cells, fault = self._next_cells(start)
            if not cells and not fault:
                continue
            row = self._row(start + 1, next(numbers), cells, fault)
            yield self._after_lost_lines(row) if fault or row.field in self._needed else row

    def _next_cells(self, start: int) -> tuple[list[str], str]:
        """Return the cells of the row that begins at a line, or none and why there are none."""
        try:
            return next(self._reader, []), ""
        except csv.Error as error:
            # The quotation mark that is wrong may have swallowed the rows below.
            self._lines.at = start + 1
            return [], f"This is not CSV: {error}."

    def _row(self, line: int, number: int, cells: list[str], fault: str) -> CsvRow:
        original = dict(zip(self._header, cells, strict=False))
        named = {name: without_guard(cell) for name, cell in original.items()}
        field = ""
        if not fault and len(cells) > len(self._header):
            fault = f"It has {len(cells)} cells, the header has {len(self._header)}."
        if not fault:
            field, fault = _first_odd_cell(named, self._needed)
        return CsvRow(line=line, number=number, cells=named, original=original, fault=fault, field=field)

    def _after_lost_lines(self, row: CsvRow) -> CsvRow:
        """Pass over the lines that a broken row leaves behind, and tell so."""
        first = self._lines.at
        while self._lines.at < len(self._lines.all) and not self._can_begin(self._lines.all[self._lines.at]):
            self._lines.at += 1
        if self._lines.at == first:
            return row
        fault = f"{row.fault} The lines up to {self._lines.at} seem to belong to it."
        return replace(row, fault=fault)

    def _can_begin(self, line: str) -> bool:
        try:
            # Not strict: the line may end inside a quoted cell that goes on below.
            cells = next(csv.reader([line], delimiter=self._delimiter), [])
        except csv.Error:
            return False
        return self._begins_row(dict(zip(self._header, cells, strict=False)))


def without_guard(cell: str) -> str:
    """Return a cell without the apostrophe that keeps a spreadsheet program from running it as a formula.

    Of several apostrophes one goes: a release puts one before those that were there.
    """
    return cell[1:] if _GUARDED.match(cell) else cell


def header_of(text: str) -> list[str]:
    """Return the cells of a text's first line, none where it is no CSV."""
    first = io.StringIO(text, newline="").readline()
    try:
        return next(csv.reader([first], delimiter=delimiter_of(text)), [])
    except csv.Error:
        return []


def delimiter_of(text: str) -> str:
    """Return the delimiter that splits a text's first line most often, a comma where none does."""
    first = io.StringIO(text, newline="").readline()
    return max(DELIMITERS, key=first.count)


def _distinct(names: Sequence[str]) -> list[str]:
    """Return column names of which no two are equal, blanks around them left out."""
    distinct: list[str] = []
    for name in names:
        plain = printable(name.strip())
        copies = (f"{plain} ({n})" for n in count(2))
        distinct.append(plain if plain not in distinct else next(c for c in copies if c not in distinct))
    return distinct


def _first_odd_cell(cells: dict[str, str], needed: Sequence[str]) -> tuple[str, str]:
    """Return column and fault of the first cell that cannot be taken, or two blanks."""
    if missing := next((name for name in needed if name not in cells), ""):
        return missing, "The row ends before it."
    return next(((name, fault) for name, text in cells.items() if (fault := fault_of_text(text))), ("", ""))
