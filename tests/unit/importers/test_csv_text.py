from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.importers.csv_text import CsvRow, CsvText, delimiter_of, header_of


def rows(text: str) -> list[CsvRow]:
    table = CsvText(text)
    return list(table.rows(needed=("id", "b"), begins_row=lambda cells: cells.get("id", "").isdecimal()))


def good(text: str) -> list[dict[str, str]]:
    return [row.cells for row in rows(text) if not row.fault]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_when_cells_hold_lines_and_quotes_then_text_and_lines_are_right(end: str) -> None:
    text = end.join(("id,b,c", '1,"two', 'lines ""quoted""",x', "", "2,y,z", ""))
    first = {"id": "1", "b": f'two{end}lines "quoted"', "c": "x"}
    second = {"id": "2", "b": "y", "c": "z"}
    assert rows(text) == [
        CsvRow(line=2, number=1, cells=first, original=first),
        CsvRow(line=5, number=2, cells=second, original=second),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiter_when_any_of_three_then_found_from_the_header(delimiter: str) -> None:
    assert good(f"id{delimiter}b\n1{delimiter}x\n") == [{"id": "1", "b": "x"}]


def test_header_when_names_repeat_or_are_blank_then_all_columns_are_kept() -> None:
    assert good(",id,b, b ,b\n0,1,x,y,z\n") == [{"": "0", "id": "1", "b": "x", "b (2)": "y", "b (3)": "z"}]


def test_row_when_last_cells_are_missing_then_taken_unless_one_is_needed() -> None:
    short, shorter = rows("id,b,c\n1,x\n2\n")
    assert (short.cells, short.fault) == ({"id": "1", "b": "x"}, "")
    assert (shorter.field, shorter.fault) == ("b", "The row ends before it.")


def test_row_when_it_has_more_cells_than_the_header_then_told() -> None:
    (long, after) = rows("id,b\n1,x,y\n2,z\n")
    assert long.fault == "It has 3 cells, the header has 2."
    assert after.cells == {"id": "2", "b": "z"}


@pytest.mark.parametrize(
    "broken",
    [
        '2,"never closed\nmore\nand more',
        '2,"closed" too early\nmore,"x\n',
        "2\nA. the lines of a cell\nthat lost, its quotes",
        '2,x,y,"z\nmore',
    ],
)
def test_broken_row_when_between_others_then_only_it_is_lost(broken: str) -> None:
    text = f'id,b\n1,"a\nb"\n{broken}\n3,"c"\n4,d\n'
    assert [cells["id"] for cells in good(text)] == ["1", "3", "4"]
    (bad,) = [row for row in rows(text) if row.fault]
    assert (bad.line, bad.number) == (4, 2)


def test_lines_when_passed_over_after_a_broken_row_then_told() -> None:
    bad = rows('id,b\n1,"x\ny\nz\n2,w\n')[0]
    assert bad.fault.endswith("The lines up to 4 seem to belong to this row.")


def test_cell_when_it_cannot_be_stored_then_row_and_column_are_told() -> None:
    (odd, nul, fine) = rows("id,b\n1,a\udcff\n2,a\0\n3,x\n")
    assert (odd.field, odd.fault) == ("b", "It is not UTF-8: byte 0xff.")
    assert (nul.field, nul.fault) == ("b", "The text contains a NUL character.")
    assert not fine.fault


def test_text_when_really_gb2312_then_put_right_and_told() -> None:
    text = "id,b\n1,无人机\n".encode("gb2312").decode("utf-8", errors="surrogateescape")
    table = CsvText(text)
    assert table.is_chinese_legacy
    assert [row.cells["b"] for row in table.rows()] == ["无人机"]


def test_cell_when_larger_than_any_question_then_only_its_row_is_lost() -> None:
    text = f"id,b\n1,{'x' * 200_000}\n2,y\n"
    assert [(row.cells.get("id"), bool(row.fault)) for row in rows(text)] == [(None, True), ("2", False)]


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@given(st.lists(st.tuples(st.integers(0, 99).map(str), CELLS, CELLS)))
def test_any_table_when_written_by_the_standard_module_then_same_cells(
    table: list[tuple[str, str, str]],
) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows([("id", "b", "c"), *table])
    assert [tuple(row.original.values()) for row in rows(stream.getvalue())] == table


@given(st.text(st.sampled_from('",;\t\n\r ab1\0\udcff'), max_size=60))
def test_any_text_when_read_then_reading_ends_without_an_exception(text: str) -> None:
    lines = len(io.StringIO(text, newline="").readlines())
    assert all(1 < row.line <= lines for row in rows(text))
    assert delimiter_of(text) in ",;\t"
    assert isinstance(header_of(text), list)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("'=1+1", "=1+1"),
        ("''-5", "'-5"),
        ("'@x", "@x"),
        ("'tis", "'tis"),
        ("'", "'"),
        ("=1", "=1"),
        ("a'=", "a'="),
    ],
)
def test_cell_when_guarded_against_formulas_then_taken_without_and_kept_with(cell: str, text: str) -> None:
    (row,) = rows(f"id,b\n1,{cell}\n")
    assert (row.cells["b"], row.original["b"]) == (text, cell)
