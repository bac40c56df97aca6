"""Workbooks that claim much, or become much: none is handed to the decoder."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from annotator.errors import UserError
from annotator.importers import excel_table
from annotator.importers.excel_table import excel_tables
from annotator.importers.input_file import InputFile
from tests.unit.importers.workbooks import with_part, workbook

BOOK = workbook({"S": [("id", "text"), (1, "up")]})
SHEET = "xl/worksheets/sheet1.xml"
HEAD = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
END = b"</sheetData></worksheet>"


def refusal(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    with pytest.raises(UserError) as caught:
        excel_tables(InputFile.open(path))
    return str(caught.value)


def sheet(cells: bytes) -> bytes:
    return with_part(BOOK, SHEET, HEAD + cells + END)


def test_workbook_when_whole_then_its_sheet(tmp_path: Path) -> None:
    (tmp_path / "b.xlsx").write_bytes(BOOK)
    assert [table.columns for table in excel_tables(InputFile.open(tmp_path / "b.xlsx"))] == [("id", "text")]


@pytest.mark.parametrize(
    "cells",
    [
        b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        b"<row r='1'><c r = 'A1'/></row><x:row r='900000'><x:c r='xfd900000'/></x:row>",
        b'<row r="1048576">' + b"<c><v>1</v></c>" * 16_000 + b"</row>",
        b'<row r="1"><c r="A1"/></row><row r="1048576"><c' + b" " * 30_000 + b'r="XFD1048576"/></row>',
    ],
)
def test_sheet_when_two_cells_span_a_giant_rectangle_then_refused(tmp_path: Path, cells: bytes) -> None:
    assert "a sheet contains" in refusal(tmp_path / "b.xlsx", sheet(cells))


def test_sheet_when_a_cell_stands_where_a_piece_ends_then_still_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = sheet(b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')
    for size in (7, 8, 11):
        monkeypatch.setattr(excel_table, "_PIECE_BYTES", size)
        assert "a sheet contains" in refusal(tmp_path / "b.xlsx", far)


def test_sheet_when_a_tag_is_longer_than_any_then_refused(tmp_path: Path) -> None:
    cells = b'<row r="1048576"><c' + b" " * 3_000_000 + b'r="XFD1048576"/></row>'
    assert "a tag in it has no end" in refusal(tmp_path / "b.xlsx", sheet(cells))


def test_part_when_it_becomes_more_than_its_directory_claims_then_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excel_table, "LARGEST_UNPACKED_BYTES", 200_000)
    content = HEAD + b"<!--" + b" " * 300_000 + b"-->" + END
    bomb = with_part(BOOK, SHEET, content, claimed_bytes=100)
    assert len(bomb) < 20_000
    assert "unpacked it has more than" in refusal(tmp_path / "b.xlsx", bomb)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (BOOK[:200], "damaged archive"),
        (BOOK.replace(b"xl/workbook.xml", b"xl/workboox.xml"), "not an Excel workbook"),
        (with_part(BOOK, "xl/workbook.xml", b"<workbook><broken"), "damaged"),
        (with_part(BOOK, SHEET, b"\xff\xfe not xml <"), "damaged"),
    ],
)
def test_workbook_when_damaged_then_words(tmp_path: Path, data: bytes, text: str) -> None:
    assert text in refusal(tmp_path / "b.xlsx", data)


def test_workbook_when_encrypted_then_words(tmp_path: Path) -> None:
    at = BOOK.index(b"PK\x01\x02") + 8
    flags = struct.unpack("<H", BOOK[at : at + 2])[0] | 1
    assert "encrypted" in refusal(tmp_path / "b.xlsx", BOOK[:at] + struct.pack("<H", flags) + BOOK[at + 2 :])


def test_workbook_when_it_has_too_many_parts_then_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excel_table, "MOST_FILES", 3)
    assert "more than 3 parts" in refusal(tmp_path / "b.xlsx", BOOK)
    monkeypatch.setattr(excel_table, "LARGEST_FILE_BYTES", 100)
    assert "larger than" in refusal(tmp_path / "b.xlsx", BOOK)
