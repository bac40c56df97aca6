"""The page about reliability names every test of faults, and its table is written from results."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from tests.faults.fault_rows import FaultRow, form_of

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
RESULT = {
    "fault": "A cable is pulled",
    "tried": 1_200,
    "counts": {"edits": 30_000},
    "fault_count": 0,
    "form": "short",
    "date": "2026-01-02",
    "test": "test_cables.py",
}
LINE = "| A cable is pulled | 1,200 | 30,000 edits | nothing | short | 2026-01-02 | `test_cables.py` |"


def _maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_reliability", DOCS / "make_reliability.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKER = _maker()
PAGE = (DOCS / "reliability.md").read_text(encoding="utf-8")


def test_page_when_a_test_keeps_rows_then_the_table_has_its_results() -> None:
    kept = [
        test.name
        for test in HERE.glob("test_*.py")
        if "with fault_row(" in test.read_text("utf-8") and test != Path(__file__)
    ]
    assert kept
    assert [name for name in kept if f"`{name}`" not in PAGE] == []


def test_table_when_written_without_new_results_then_is_the_same() -> None:
    assert MAKER.with_results(PAGE, []) == PAGE


def test_table_when_there_is_a_result_then_has_its_line_and_the_others() -> None:
    page = MAKER.with_results(PAGE, [RESULT])
    assert LINE in page
    assert len(page.splitlines()) == len(PAGE.splitlines()) + 1


def test_table_when_a_short_result_follows_a_full_one_then_the_full_one_stays() -> None:
    page = MAKER.with_results(PAGE, [RESULT | {"form": "full", "fault_count": 3}])
    assert MAKER.with_results(page, [RESULT]) == page
    newer = MAKER.with_results(page, [RESULT | {"form": "full", "date": "2026-03-04"}])
    assert "| 3 faults |" in page
    assert "| 3 faults |" not in newer
    assert "2026-03-04" in newer


def test_table_when_a_full_form_was_stopped_then_its_line_says_so_and_gives_way_to_a_whole_one() -> None:
    stopped = RESULT | {"form": form_of("full", FaultRow(tried=1_200, planned=5_000))}
    page = MAKER.with_results(MAKER.with_results(PAGE, [RESULT]), [stopped])
    assert "| full, stopped at 1,200 of 5,000 |" in page
    assert MAKER.with_results(page, [RESULT]) == page
    whole = MAKER.with_results(page, [RESULT | {"form": form_of("full", FaultRow(tried=2, planned=2))}])
    assert "stopped at 1,200 of 5,000" not in whole
    assert MAKER.with_results(whole, [stopped]) == whole
