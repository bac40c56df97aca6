"""The short form of the battery ends in time by what its tests state, without running them."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.faults import fault_rows
from tests.faults.fault_rows import FORM_LIMIT_S, LAST_TRIAL_S, OTHER_TEST_S, Trials

HERE = Path(__file__).parent
Test = Callable[..., None]


def _tests(module: ModuleType) -> Iterator[tuple[Test, list[pytest.Mark]]]:
    """Yield the tests of a module with their marks and those of the module."""
    of_module = getattr(module, "pytestmark", [])
    shared = [of_module] if isinstance(of_module, pytest.MarkDecorator) else of_module
    for name, test in vars(module).items():
        if name.startswith("test_") and getattr(test, "__module__", "") == module.__name__:
            marks = [*getattr(test, "pytestmark", []), *(one.mark for one in shared)]
            yield test, marks


def _slow_seconds(marks: list[pytest.Mark]) -> float:
    """Return how long the slow cases of a test take at most, 0 for a test without any."""
    of_rows, cases, is_row = 0.0, 1, False
    for mark in marks:
        if mark.name != "parametrize":
            continue
        if mark.args[0] == "trials":
            is_row = True
            of_rows = sum(_row_seconds(case) for case in mark.args[1])
        else:
            cases *= len(list(mark.args[1]))
    if is_row:
        return of_rows * cases
    return OTHER_TEST_S * cases if any(mark.name == "slow" for mark in marks) else 0.0


def _row_seconds(case: object) -> float:
    if isinstance(case, Trials):
        # A quick form: ``make faults`` runs slow ones alone.
        assert case.form == "quick"
        return 0.0
    (stated,) = case.values  # type: ignore[attr-defined]
    assert [mark.name for mark in case.marks] == ["slow"]  # type: ignore[attr-defined]
    return float(stated.limit_s) + LAST_TRIAL_S


def test_short_form_when_each_row_takes_all_of_its_time_then_ends_within_15_minutes() -> None:
    modules = [importlib.import_module(f"tests.faults.{file.stem}") for file in HERE.glob("test_*.py")]
    seconds = {
        f"{module.__name__}::{test.__name__}": slow
        for module in modules
        for test, marks in _tests(module)
        if (slow := _slow_seconds(marks))
    }
    assert len(seconds) >= 20
    assert sum(seconds.values()) <= FORM_LIMIT_S == 15 * 60


def test_make_faults_when_run_then_leaves_out_quick_forms_and_shares_no_time() -> None:
    lines = (HERE.parents[1] / "Makefile").read_text(encoding="utf-8").splitlines()
    (command,) = [line for line in lines if line.endswith(" tests/faults")]
    assert command == "\t@./vantage test -n 0 -m slow tests/faults"


def test_row_when_its_set_up_took_all_of_its_time_then_ends_after_one_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = Trials("short", 10, limit_s=40.0)
    monkeypatch.setitem(fault_rows._BEGAN, "test", time.monotonic() - 41.0)
    assert list(row) == [0]
    fault_rows.begin_test()
    assert list(row) == [*range(10)]
