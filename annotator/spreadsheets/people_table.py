"""Writes the figures of people's answers as a table, one row for each figure."""

from __future__ import annotations

from pathlib import Path

from annotator.errors import EnvironmentFailure
from annotator.quality.people_figures import COLUMNS, PeopleFigures
from annotator.release.cells import guard_cell, joined_line

NUMBERS = frozenset({"value", "low", "high", "units"})
"""Columns that stay as they are: a negative number is no formula."""


def write_people_table(figures: PeopleFigures, file: Path) -> None:
    """Write agreement and human reference as CSV, UTF-8.

    Raises:
        EnvironmentFailure: The file cannot be written.
    """
    try:
        with file.open("wb") as opened:
            opened.write(joined_line(COLUMNS))
            opened.writelines(joined_line(_cells(row)) for row in figures.rows())
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be written: {error.strerror}.") from error


def _cells(row: tuple[str, ...]) -> list[str]:
    named = zip(COLUMNS, row, strict=True)
    return [cell if column in NUMBERS else guard_cell(cell) for column, cell in named]
