"""Parquet files and Excel workbooks for the tests of tables."""

from __future__ import annotations

import io
import itertools
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import openpyxl
from arro3.core import Array, DataType, Table, list_array
from arro3.io import write_parquet

_TYPES = {
    str: DataType.string(),
    int: DataType.int64(),
    float: DataType.float64(),
    bytes: DataType.binary(),
    bool: DataType.bool(),
}


def parquet(columns: Mapping[str, Sequence[Any]], **options: Any) -> bytes:
    """Return a Parquet file; the type of a column is that of its first value that is not None."""
    arrays = {}
    for name, values in columns.items():
        if isinstance(values, list):
            kind = type(next(value for value in values if value is not None))
            arrays[name] = Array(values, _TYPES[kind])
        else:
            arrays[name] = values
    stream = io.BytesIO()
    write_parquet(Table.from_pydict(arrays), stream, **options)
    return stream.getvalue()


def lists(values: Sequence[Sequence[str]]) -> Array:
    """Return a column of lists of texts."""
    ends = list(itertools.accumulate((len(value) for value in values), initial=0))
    texts = [text for value in values for text in value]
    return list_array(Array(ends, DataType.int32()), Array(texts, DataType.string()))


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """Return an Excel workbook with the rows of each sheet."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def with_part(book: bytes, name: str, content: bytes, *, claimed_bytes: int | None = None) -> bytes:
    """Return a workbook with another content of one part, whose directory may claim another size."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            new.writestr(entry.filename, content if entry.filename == name else old.read(entry.filename))
    data = stream.getvalue()
    if claimed_bytes is None:
        return data
    real = len(content).to_bytes(4, "little")
    crc = zlib.crc32(content).to_bytes(4, "little")
    assert real in data
    return data.replace(real, claimed_bytes.to_bytes(4, "little")).replace(crc, b"\0\0\0\0")
