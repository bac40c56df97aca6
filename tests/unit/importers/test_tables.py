from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from arro3.core import Array, DataType, Field, Table, struct_array
from arro3.io import write_parquet

from annotator.errors import UserError
from annotator.importers.input_file import InputFile
from annotator.importers.table_rows import TableRow, distinct_names
from annotator.importers.tables import first_columns, open_tables
from tests.unit.importers.workbooks import lists, parquet, workbook

NAMES = ("id", "text")
ROWS = (("1", "up"), ("2", "down"))


def opened(path: Path, content: bytes) -> InputFile:
    path.write_bytes(content)
    return InputFile.open(path)


def rows_of(path: Path, content: bytes) -> list[TableRow]:
    return [row for table in open_tables(opened(path, content)) for row in table.rows()]


KINDS = {
    "csv": b"id,text\n1,up\n2,down\n",
    "tsv": b"id\ttext\n1\tup\n2\tdown\n",
    "json": json.dumps([dict(zip(NAMES, row, strict=True)) for row in ROWS]).encode(),
    "jsonl": b"".join(json.dumps(dict(zip(NAMES, row, strict=True))).encode() + b"\n" for row in ROWS),
    "parquet": parquet({"id": ["1", "2"], "text": ["up", "down"]}),
    "xlsx": workbook({"Sheet1": [NAMES, *ROWS]}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_file_when_of_any_kind_then_the_same_columns_and_cells(tmp_path: Path, kind: str) -> None:
    file = opened(tmp_path / f"file.{kind}", KINDS[kind])
    (table,) = open_tables(file)
    assert (table.columns, first_columns(file)) == (NAMES, [NAMES])
    rows = list(table.rows())
    assert [tuple(row.cells.values()) for row in rows] == list(ROWS)
    assert [json.loads(row.original) for row in rows] == [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    assert not any(row.fault for row in rows)
    assert [row.line for row in rows] == (
        [1, 1] if kind == "json" else [1, 2] if kind in {"jsonl", "parquet"} else [2, 3]
    )


def test_parquet_when_typed_then_values_that_json_can_hold(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    columns = {
        "whole": Array([1, None], DataType.int32()),
        "number": Array([0.5, float("nan")], DataType.float64()),
        "yes": Array([True, False], DataType.bool()),
        "day": Array([19844, 0], DataType.int32()).cast(DataType.date32()),
        "raw": Array([b"plain", b"\xff\xd8"], DataType.binary()),
        "list": lists([["a", "b"], []]),
    }
    write_parquet(Table.from_pydict(columns), path)
    first, second = rows_of(path, path.read_bytes())
    assert first.cells == {
        "whole": 1, "number": 0.5, "yes": True, "day": "2024-05-01", "raw": "plain", "list": ["a", "b"],
    }  # fmt: skip
    assert (second.cells["whole"], second.cells["number"], second.cells["list"]) == (None, None, [])
    assert second.cells["raw"].startswith("sha256:")
    assert second.cells["raw"].endswith("(2 bytes)")
    assert [note.field for note in second.notes] == ["raw"]


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("a\0b", "NUL"),
        (float("inf"), "finite"),
        ("x" * 2_000_000, "more than 1,048,576 characters"),
    ],
)
def test_parquet_when_a_value_cannot_be_kept_then_its_row_alone_is_told(
    tmp_path: Path, value: Any, fault: str
) -> None:
    first, second = rows_of(tmp_path / "t.parquet", parquet({"id": [1, 2], "odd": [value, type(value)(1)]}))
    assert (first.field, fault in first.fault) == ("odd", True)
    assert second.fault == ""


def test_parquet_when_numbers_pass_64_bits_then_told(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_parquet(Table.from_pydict({"n": Array([2**64 - 1, 7], DataType.uint64())}), path)
    first, second = rows_of(path, path.read_bytes())
    assert "outside the supported range" in first.fault
    assert second.cells == {"n": 7}


def test_parquet_when_it_has_more_rows_than_a_batch_then_all_come_in_order(tmp_path: Path) -> None:
    rows = rows_of(tmp_path / "t.parquet", parquet({"n": list(range(5000))}))
    assert [row.cells["n"] for row in rows] == list(range(5000))
    assert (rows[-1].line, rows[-1].locator) == (5000, "row 5000")


def test_parquet_when_columns_are_structs_then_objects(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parts = [Array([b"\x89\0"], DataType.binary()), Array(["a.png"], DataType.string())]
    fields = [Field("bytes", DataType.binary()), Field("path", DataType.string())]
    write_parquet(Table.from_pydict({"image": struct_array(parts, fields=fields)}), path)
    (row,) = rows_of(path, path.read_bytes())
    assert row.cells["image"]["path"] == "a.png"
    assert row.cells["image"]["bytes"].endswith("(2 bytes)")
    assert first_columns(InputFile.open(path)) == [("image",)]


def test_workbook_when_it_has_several_sheets_then_a_table_each_and_places_tell_the_sheet(
    tmp_path: Path,
) -> None:
    book = workbook({"Basic": [NAMES, (1, "up")], "Empty": [], "Goal": [(), ("id",), (2.5,), (), (3,)]})
    tables = open_tables(opened(tmp_path / "b.xlsx", book))
    assert [(table.name, table.columns) for table in tables] == [("Basic", NAMES), ("Goal", ("id",))]
    basic, goal = (list(table.rows()) for table in tables)
    assert [(row.locator, row.line, row.cells) for row in basic] == [
        ("sheet Basic row 2", 2, {"id": 1, "text": "up"})
    ]
    assert [(row.line, row.cells) for row in goal] == [(3, {"id": 2.5}), (5, {"id": 3})]


def test_workbook_when_cells_are_of_all_kinds_then_plain_values(tmp_path: Path) -> None:
    moment = dt.datetime(2024, 5, 1, 12, 30)  # noqa: DTZ001 - a workbook knows no time zones
    (row,) = rows_of(
        tmp_path / "b.xlsx", workbook({"S": [("a", "b", "c", "d", "e"), (1.0, True, moment, None, "图像")]})
    )
    assert row.cells == {"a": 1, "b": True, "c": "2024-05-01T12:30:00", "e": "图像"}


def test_json_when_an_element_is_no_object_then_told_with_its_line(tmp_path: Path) -> None:
    rows = rows_of(tmp_path / "t.json", b'[{"id": 1},\n 7,\n {"id": NaN},\n {"id": 2}]')
    assert [(row.line, bool(row.fault), row.field) for row in rows] == [
        (1, False, ""), (2, True, ""), (3, True, "id"), (4, False, ""),
    ]  # fmt: skip


def test_columns_when_a_file_is_damaged_then_none_and_no_exception(tmp_path: Path) -> None:
    for content in (b"PAR1 no", b"PK\x03\x04 no", b"[7", b"{", b""):
        assert not any(first_columns(opened(tmp_path / "f", content)))


@pytest.mark.parametrize("content", [b"PAR1 no", b"PK\x03\x04 no", KINDS["parquet"][:-20] + b"PAR1"])
def test_file_when_damaged_then_words(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UserError, match=r"damaged|not read|cannot be decoded"):
        rows_of(tmp_path / "f", content)


def test_names_when_they_repeat_then_later_ones_get_a_number() -> None:
    assert distinct_names(["a", "a", "a (2)", "b", "a"]) == ["a", "a (2)", "a (2) (2)", "b", "a (3)"]
    assert len(set(distinct_names(["x"] * 20_000))) == 20_000
