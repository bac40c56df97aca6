"""The tables in a file, found from its content: CSV, TSV, Parquet, Excel workbooks, JSON lists and lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

from annotator.errors import EnvironmentFailure, UserError
from annotator.importers.csv_rows import CsvTable
from annotator.importers.csv_text import header_of
from annotator.importers.excel_table import ARCHIVE_MARK, excel_tables
from annotator.importers.input_file import InputFile
from annotator.importers.json_rows import JsonTable, first_keys
from annotator.importers.parquet_rows import ParquetTable, parquet_columns
from annotator.importers.table_rows import Table

_PARQUET_MARK = "PAR1"
# Several readers ask for the columns of the same file, one after the other.
_SEEN: WeakKeyDictionary[InputFile, list[tuple[str, ...]]] = WeakKeyDictionary()


def is_delimited(file: InputFile) -> bool:
    """Tell whether a file is read as CSV or TSV, since it is none of the kinds that its beginning tells."""
    return not file.head.startswith((_PARQUET_MARK, ARCHIVE_MARK)) and file.head.lstrip()[:1] not in {
        "[",
        "{",
    }


def open_tables(file: InputFile) -> Sequence[Table]:
    """Return the tables of a file; a workbook has one for each sheet with a header.

    Raises:
        UserError: It is damaged, or would take too much memory.
        EnvironmentFailure: The disk refused.
    """
    if file.head.startswith(_PARQUET_MARK):
        return [ParquetTable(file)]
    if file.head.startswith(ARCHIVE_MARK):
        return excel_tables(file)
    if file.head.lstrip()[:1] in {"[", "{"}:
        return [JsonTable(file.text)]
    return [CsvTable(file.text)]


def first_table(path: Path) -> Table | None:
    """Return the only table of a file, or the first of several; None for a workbook without any.

    Raises:
        UserError: It is damaged, or would take too much memory.
        EnvironmentFailure: The disk refused.
    """
    return next(iter(open_tables(InputFile.open(path))), None)


def first_columns(file: InputFile) -> list[tuple[str, ...]]:
    """Return the columns of each table of a file as far as its beginning tells; never raises."""
    if file not in _SEEN:
        _SEEN[file] = _columns_of(file)
    return _SEEN[file]


def _columns_of(file: InputFile) -> list[tuple[str, ...]]:
    try:
        if file.head.startswith(_PARQUET_MARK):
            return [parquet_columns(file)]
        if file.head.startswith(ARCHIVE_MARK):
            return [table.columns for table in excel_tables(file)]
    except (UserError, EnvironmentFailure):
        return []
    if file.head.lstrip()[:1] in {"[", "{"}:
        return [first_keys(file.head)]
    return [tuple(name.strip() for name in header_of(file.head))]
