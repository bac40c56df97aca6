"""Tables that somebody else wrote, whatever kind of file they stand in: named columns, one record a row."""

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
        line: Line of the text or row of the sheet on which it begins, from 1.
        locator: Which row of the file it is: "row 17", "sheet Goal row 17".
        cells: Column name to value: text, or a JSON value where the file has types. Missing cells are None
            or left out.
        original: The row as it was written, JSON in UTF-8.
        notes: What was changed on the way into the cells.
        fault: Why it cannot be taken, in words; "" where it can.
        field: Column of the fault, "" for the whole row.
        unread: Number of rows behind it that are not read because of it; None where nobody knows.
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
        name: Name of the sheet, "" where the file holds one table.
        columns: Names of the columns in order, no two alike.
        total: Number of rows where that is known beforehand.
        needed: Columns that every row must reach.
        begins_row: Tells from the cells of one line whether a row can begin there, so that reading goes on
            at the right place after a broken one; only text without types asks it.
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
