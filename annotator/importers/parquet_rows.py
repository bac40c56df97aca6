"""Parquet as a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from weakref import WeakKeyDictionary

import msgspec

from annotator.errors import UserError
from annotator.importers.input_file import LARGEST_TEXT_BYTES, InputFile
from annotator.importers.parquet_process import ParquetProcess
from annotator.importers.table_rows import MOST_ROWS, Table, TableRow

MARK = b"PAR1"
# Detection and reading ask for the columns of the same file, and each answer takes a process.
_COLUMNS: WeakKeyDictionary[InputFile, tuple[str, ...]] = WeakKeyDictionary()


class ParquetTable(Table):
    """The rows of a Parquet file."""

    def __init__(self, file: InputFile) -> None:
        """Read the names of the columns.

        Raises:
            UserError: The file is damaged, too large, or needs too much memory.
            EnvironmentFailure: The disk failed, or no process can be started.
        """
        if file.size_bytes > LARGEST_TEXT_BYTES:
            raise UserError(
                f"{file.name} is larger than {LARGEST_TEXT_BYTES >> 20} MiB.", hint="Split the file."
            )
        self._file = file
        self.columns = parquet_columns(file)

    def rows(self) -> Iterator[TableRow]:
        """Yield the rows.

        Raises:
            UserError: A page is damaged, or there are too many rows; the rows before have been given.
            EnvironmentFailure: The disk failed, or no process can be started.
        """
        decode = msgspec.json.decode
        with ParquetProcess(_source(self._file), name=self._file.name) as process:
            process.columns()
            for number, row in enumerate(process.rows(), start=1):
                if number > MOST_ROWS:
                    raise UserError(
                        f"{self._file.name} has more than {MOST_ROWS:,} rows.", hint="Split the file."
                    )
                yield TableRow(
                    line=number,
                    locator=f"row {number}",
                    cells=decode(row.original) or {},
                    original=row.original,
                    notes=row.notes,
                    fault=row.fault,
                    field=row.field,
                )


def parquet_columns(file: InputFile) -> tuple[str, ...]:
    """Return the names of a Parquet file's columns, no two alike.

    Raises:
        UserError: The file is damaged, or needs too much memory.
        EnvironmentFailure: The disk failed, or no process can be started.
    """
    if file not in _COLUMNS:
        # A file that was cut off needs no process to be refused.
        if file.read_end(len(MARK)) != MARK:
            raise UserError(f"{file.name} is damaged: its end is missing.", hint="Download the file again.")
        with ParquetProcess(_source(file), name=file.name) as process:
            _COLUMNS[file] = process.columns()
    return _COLUMNS[file]


def _source(file: InputFile) -> Path | bytes:
    """Return what the child process reads: files on the disk by their path, those in archives as bytes."""
    return file.read_bytes() if file.is_archived else file.path.absolute()
