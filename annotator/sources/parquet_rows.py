"""Parquet as a table: looked over first, then decoded in batches that fit into memory."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from annotator.errors import UserError
from annotator.sources.input_file import LARGEST_TEXT_BYTES, InputFile, printable
from annotator.sources.parquet_pages import ParquetShape, look_over
from annotator.sources.parquet_trial import try_decoding
from annotator.sources.plain_values import PlainRow, Unreadable, is_plain_column
from annotator.sources.table_rows import Table, TableRow, distinct_names

if TYPE_CHECKING:
    from arro3.core import Array, Scalar

BATCH_BYTES = 64 * 1024 * 1024
LARGEST_BATCH_ROWS = 1024
# The writer's own schema beside that of Parquet: it can ask for types whose empty cells are huge.
_OWN_SCHEMA, _HIDDEN = b"ARROW:schema", b"ARROW:hidden"


class ParquetTable(Table):
    """The rows of a Parquet file."""

    def __init__(self, file: InputFile) -> None:
        """Look over the file.

        Raises:
            UserError: It is damaged, of a kind not known here, or would take too much memory.
            HostError: The disk refused.
        """
        if file.size_bytes > LARGEST_TEXT_BYTES:
            raise UserError(f"{file.name} is larger than {LARGEST_TEXT_BYTES >> 20} MiB.", hint="Split it.")
        self._file_name = file.name
        data = file.read_bytes()
        self._shape: ParquetShape = look_over(data, name=file.name)
        # Same length, so that no offset in the footer moves.
        footer = data[self._shape.footer_at :].replace(_OWN_SCHEMA, _HIDDEN)
        # A view: the file is copied once here, not twice.
        self._data = b"".join((memoryview(data)[: self._shape.footer_at], footer))
        self.columns = tuple(distinct_names(self._shape.columns))
        self.total = self._shape.rows

    def rows(self) -> Iterator[TableRow]:
        """Yield the rows.

        Raises:
            UserError: A page is damaged; the rows before it have been given.
        """
        encode = msgspec.json.encode
        number = 0
        for columns in self._batches():
            # One look at a column tells about all its cells, as nearly all are.
            is_plain = all(map(is_plain_column, columns))
            for cells in self._named(columns):
                number += 1
                if is_plain:
                    yield TableRow(number, f"row {number}", cells, encode(cells))
                    continue
                plain = PlainRow(cells)
                yield TableRow(
                    line=number,
                    locator=f"row {number}",
                    cells=plain.cells,
                    original=b"null" if plain.fault else encode(plain.cells),
                    notes=plain.notes,
                    fault=plain.fault,
                    field=plain.field,
                )

    def _batches(self) -> Iterator[list[list[Any]]]:
        """Yield the columns of groups of rows."""
        # 20 ms that the start of the window does not need.
        from arro3.io import read_parquet

        # Rows of the worst case, not of the mean: a batch is decoded as a whole.
        fit = BATCH_BYTES // max(self._shape.widest_row_bytes, 1)
        batch_rows = max(1, min(fit, LARGEST_BATCH_ROWS))
        try_decoding(self._data, batch_rows=batch_rows, name=self._file_name)
        with self._telling_damage():
            reader = read_parquet(io.BytesIO(self._data), batch_size=batch_rows)
        while True:
            with self._telling_damage():
                batch = next(reader, None)
                columns = [] if batch is None else [_values(column) for column in batch.columns]
            if batch is None:
                return
            yield columns

    @contextmanager
    def _telling_damage(self) -> Iterator[None]:
        try:
            yield
        # The decoder is written in Rust; where it does not expect a damage it panics, which is no Exception.
        except BaseException as error:
            if not _is_damage(error):
                raise
            message = f"{self._file_name} is damaged: {printable(str(error)[:200])}."
            raise UserError(message, hint="Get the file again.") from error

    def _named(self, columns: list[list[Any]]) -> Iterator[dict[str, Any]]:
        names = self.columns
        for values in zip(*columns, strict=True):
            yield dict(zip(names, values))  # noqa: B905 - as many as there are columns


def _values(column: Array) -> list[Any]:
    try:
        return list(column.to_pylist())
    # A date after the year 9999 or a time zone that nobody knows: the other values are good.
    except (ValueError, OverflowError, TypeError, LookupError):
        return [_value(column[index]) for index in range(len(column))]


def _value(scalar: Scalar) -> object:
    try:
        return scalar.as_py()
    except (ValueError, OverflowError, TypeError, LookupError):
        return Unreadable()


def _is_damage(error: BaseException) -> bool:
    is_panic = type(error).__name__ == "PanicException"
    return is_panic or (isinstance(error, Exception) and not isinstance(error, MemoryError))
