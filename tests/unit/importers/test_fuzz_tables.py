"""Parquet files with odd values in typed columns: a reader ends with records or words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.importers.input_file import is_utf8
from tests.unit.importers.fuzz_samples import URBAN
from tests.unit.importers.fuzzing import ODD_TEXTS, QUICK, odd_values, survives
from tests.unit.importers.workbooks import parquet

CELLS = st.sampled_from([text for text in ODD_TEXTS if is_utf8(text)]) | st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), max_size=8
)
TEXTS = st.lists(CELLS, min_size=10, max_size=10)
VALUES = st.lists(odd_values, min_size=4, max_size=4)
READERS = st.sampled_from(["urbanvideo", "table"])


# Few: each case starts processes that decode.
@settings(QUICK, max_examples=3)
@given(reader_id=READERS, texts=TEXTS, numbers=VALUES)
def test_typed_cells_when_odd_then_it_ends_in_records_or_words(
    tmp_path: Path, reader_id: str, texts: list[str], numbers: list[Any]
) -> None:
    check(tmp_path, reader_id, texts, numbers)


# 2,000: a file is decoded in a process of its own, 0.2 to 0.5 s a case.
@pytest.mark.slow
@settings(QUICK, derandomize=False, max_examples=2_000)
@given(reader_id=READERS, texts=TEXTS, numbers=VALUES)
def test_typed_cells_when_odd_thousands_of_times_then_no_bug_shows(
    tmp_path: Path, reader_id: str, texts: list[str], numbers: list[Any]
) -> None:
    check(tmp_path, reader_id, texts, numbers)


def check(folder: Path, reader_id: str, texts: list[str], numbers: list[Any]) -> None:
    columns: dict[str, list[Any]] = {name: texts[at::5] for at, name in enumerate(URBAN[0])}
    columns["whole"] = [n if type(n) is int and abs(n) < 2**63 else 0 for n in numbers[:2]]
    columns["number"] = [n if type(n) is float else 0.5 for n in numbers[2:]]
    path = folder / "file"
    path.write_bytes(parquet(columns))
    survives(reader_id, path)
