from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotator.release.cells import csv_line, guard_cell, tsv_line


def _without_guard(cell: str) -> str:
    """Take the guard away as a reader does: one apostrophe of those before a formula's first character."""
    return cell[1:] if re.match("'+[=+\\-@\uff1d\uff0b\uff0d\uff20\t\r\n]", cell) else cell


@pytest.mark.parametrize("start", list("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"))
def test_guard_cell_when_a_formula_could_start_then_an_apostrophe_makes_it_text(start: str) -> None:
    assert guard_cell(f"{start}cmd|' /C calc'!A0") == f"'{start}cmd|' /C calc'!A0"
    assert guard_cell(f"'{start}1") == f"''{start}1"


@pytest.mark.parametrize("text", ["", "A", "1-2", "'quoted'", " =1", "Question: = ?"])
def test_guard_cell_when_no_formula_can_start_then_the_cell_stays(text: str) -> None:
    assert guard_cell(text) == text


@given(st.text(alphabet="'=+-@\t\n ab\uff1d"))
@example("''=")
def test_guard_cell_when_taken_away_again_then_the_text_is_back(text: str) -> None:
    assert _without_guard(guard_cell(text)) == text


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=2))
def test_csv_line_when_read_by_csv_then_the_cells_are_the_guarded_ones(cells: list[str]) -> None:
    line = csv_line(cells).decode()
    assert line.endswith("\n")
    assert next(csv.reader(io.StringIO(line, newline=""), strict=True)) == [
        guard_cell(cell) for cell in cells
    ]


def _cells_of(line: bytes, separators: str) -> list[str]:
    """Split a line as a spreadsheet program does: quotes count only at the start of a cell."""
    cells, rest = [], line.decode().removesuffix("\n")
    while rest:
        pattern = rf'"((?:[^"]|"")*)"(?:[{separators}]|$)|([^{separators}]*)(?:[{separators}]|$)'
        found = re.match(pattern, rest)
        assert found
        cells.append(found[1].replace('""', '"') if found[1] is not None else found[2])
        rest = rest[found.end() :]
    return cells


@pytest.mark.parametrize("line", [csv_line, tsv_line])
@pytest.mark.parametrize("text", ["x;=cmd", "x\t=cmd", "x,=cmd", 'a";=cmd', "x\n=cmd", ";=cmd;"])
def test_line_when_a_program_splits_at_commas_semicolons_and_tabs_then_no_formula_begins(
    line: Callable[[list[str]], bytes], text: str
) -> None:
    assert _cells_of(line(["q1", text, "end"]), ",;\t") == ["q1", text, "end"]
