"""The form of UrbanVideo-Bench's published table: its questions as Parquet.

Source: UrbanVideo-Bench, ``MCQ.parquet``.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from annotator.domain.item import Item
from annotator.release.cells import INDEX_COLUMN
from annotator.release.exporters.urbanvideo import COLUMNS, UrbanVideoExporter, row_of
from annotator.release.release_folder import ReleaseFolder
from annotator.release.release_items import BATCH, ReleaseItems
from annotator.release.variant_fields import extra_names

if TYPE_CHECKING:
    from arro3.core import RecordBatch, Schema

FILE = "MCQ.parquet"
CREATED_BY = "Vantage"
"""In place of the writer's name and version, which would make other bytes with every version."""

# At most 18 digits, which fit into int64.
_WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")


class UrbanVideoParquetExporter(UrbanVideoExporter):
    """Questions in the shape of UrbanVideo-Bench's Parquet file."""

    id = "urbanvideo-parquet"
    title = "UrbanVideo-Bench questions (Parquet)"
    files = "MCQ.parquet: the columns of urbanvideo; Question_id is a number if all ids are"

    def write_members(self, members: ReleaseItems[Item], *, folder: ReleaseFolder) -> None:
        """Write the table; a first pass collects the extra columns and whether ids are numbers."""
        # Imported here: no other form needs the library.
        from arro3.core import DataType, Field, RecordBatchReader, Schema
        from arro3.io import write_parquet

        extras, is_numbered = set[str](), True
        for item in members:
            extras |= extra_names(item)
            is_numbered &= _WHOLE.fullmatch(item.name) is not None
        names = [*COLUMNS, *sorted(extras - {INDEX_COLUMN})]
        kinds = [DataType.int64() if is_numbered else DataType.utf8(), *[DataType.utf8()] * len(names[1:])]
        schema = Schema([Field(name, kind, nullable=False) for name, kind in zip(names, kinds, strict=True)])
        table = RecordBatchReader.from_batches(schema, _batches(members, schema=schema))
        text = io.BytesIO()
        write_parquet(table, text, compression="snappy", created_by=CREATED_BY)
        folder.file(FILE).write(text.getvalue(), records=members.totals.records)


def _batches(members: ReleaseItems[Item], *, schema: Schema) -> Iterator[RecordBatch]:
    rows: list[list[str]] = []
    extras = schema.names[len(COLUMNS) :]
    for item in members:
        rows.append(row_of(item, lookup=members.lookup, extras=extras))
        if len(rows) >= BATCH:
            yield _batch(rows, schema=schema)
            rows = []
    if rows:
        yield _batch(rows, schema=schema)


def _batch(rows: list[list[str]], *, schema: Schema) -> RecordBatch:
    from arro3.core import Array, DataType, RecordBatch

    ids, *texts = (list(column) for column in zip(*rows, strict=True))
    kind = schema.field(0).type
    first = Array([int(text) for text in ids] if kind == DataType.int64() else ids, type=kind)
    return RecordBatch.from_arrays(
        [first, *(Array(column, type=DataType.utf8()) for column in texts)], schema=schema
    )
