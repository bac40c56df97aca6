"""Tables of all file types in one form: named columns, one record per row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from annotator.domain.record import FieldCorrection
from annotator.importers.record_fields import RecordError

MOST_ROWS = 5_000_000
MOST_COLUMNS = 1_000

Cells = Mapping[str, Any]
BeginsRow = Callable[[Cells], bool]


def any_row(_cells: Cells) -> bool:
    """Tell that a row can begin at any line."""
    return True


class TableRow(msgspec.Struct, frozen=True):
    """One row of a table.

    Attributes:
        line: First line of the text, or row of the sheet, from 1.
        locator: Position in the file: "row 17", "sheet Goal row 17".
        cells: Value by column name: text, or a JSON value in typed files. Missing cells are None or omitted.
        original: The original row as JSON in UTF-8.
        notes: Corrections of cells.
        fault: Reason why the row is rejected, "" for a valid row.
        field: Column of the fault, "" for the whole row.
        unread: Number of following rows that cannot be read because of it; None if unknown.
    """

    line: int
    locator: str
    cells: dict[str, Any]
    original: bytes
    notes: tuple[FieldCorrection, ...] = ()
    fault: str = ""
    field: str = ""
    unread: int | None = 0

    def error(self) -> RecordError:
        """Return its fault as the error of a record."""
        return RecordError(self.field, self.fault, unread=self.unread)


class Table(ABC):
    """One table: a whole text file, or one sheet of a workbook.

    Attributes:
        name: Name of the sheet, "" for a file with one table.
        columns: Unique names of the columns, in order.
        total: Number of rows if known in advance.
        needed: Minimum number of columns of each row.
        begins_row: Returns whether a row can begin with the cells of a line, to resume after an invalid row;
            used for untyped text only.
    """

    name: str = ""
    columns: tuple[str, ...] = ()
    total: int | None = None
    needed: Sequence[str] = ()
    begins_row: BeginsRow = staticmethod(any_row)

    @abstractmethod
    def rows(self) -> Iterator[TableRow]:
        """Yield the rows in order, broken ones with their fault; once."""


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return names of which no two are equal; later ones get a number."""
    taken: dict[str, int] = {}
    distinct: list[str] = []
    for name in names:
        fresh = name
        while fresh in taken:
            taken[name] += 1
            fresh = f"{name} ({taken[name]})"
        taken[fresh] = 1
        distinct.append(fresh)
    return distinct
