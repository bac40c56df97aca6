"""Error labels as a table, for people who label or count them elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from annotator.domain.error_label import ErrorLabel
from annotator.errors import UserError
from annotator.importers.csv_rows import CsvTable
from annotator.importers.input_file import InputFile, printable
from annotator.release.cells import csv_line

COLUMNS = ("release", "item", "model", "error_class", "note", "reply_sha256")
REQUIRED = COLUMNS[:4]
"""Columns that a table must have."""


def write_error_labels(path: Path, labels: Iterable[ErrorLabel]) -> int:
    """Write labels as a table; return their number."""
    rows = [(one.release, one.item, one.model, one.error_class, one.note, one.reply_sha256) for one in labels]
    path.write_bytes(b"".join(map(csv_line, [COLUMNS, *rows])))
    return len(rows)


def _table_of_labels(path: Path) -> CsvTable:
    table = CsvTable(InputFile.open(path).text)
    if missing := [column for column in REQUIRED if column not in table.columns]:
        raise UserError(
            f"{printable(path.name)} has no column {', '.join(missing)}.",
            hint="It needs release, item, model and error_class; note and reply_sha256 are optional.",
        )
    return table


def read_error_labels(path: Path) -> list[ErrorLabel]:
    """Return the labels of a table; a row with an empty class withdraws a label.

    Raises:
        UserError: The table lacks a column, a row is damaged, or two rows label one error in two ways.
        EnvironmentFailure: The disk refused.
    """
    name = printable(path.name)
    table = _table_of_labels(path)
    labels: dict[tuple[str, ...], tuple[int, ErrorLabel]] = {}
    for row in table.rows():
        if row.fault:
            raise UserError(f"{name}, {row.locator}: {row.fault}")
        cells = {column: str(row.cells.get(column) or "") for column in COLUMNS}
        label = ErrorLabel(**cells)
        line, known = labels.setdefault(label.subject, (row.line, label))
        if any(getattr(known, column) != cells[column] for column in COLUMNS):
            raise UserError(
                f"Lines {line} and {row.line} of {name} label the same error in two ways.",
                hint="Keep one of the two rows.",
            )
    return [label for _, label in labels.values()]
