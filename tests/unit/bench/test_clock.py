from __future__ import annotations

import pytest

from annotator.errors import Cancelled
from annotator.progress import Progress, ProgressUpdate
from tests.bench.clock import interleaved, median, p95, timed


def test_rounds_when_interleaved_then_works_take_turns_and_warm_up_does_not_count() -> None:
    calls: list[str] = []
    works = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    seen: list[ProgressUpdate] = []
    progress = Progress(seen.append)
    progress.begin("Measuring", total=3)
    times = interleaved(works, rounds=3, warm_up=2, progress=progress)
    progress.end()
    assert (seen[-1].done, seen[-1].total) == (3, 3)
    assert calls == ["a", "b"] * 5
    assert [len(taken) for taken in times.values()] == [3, 3]


def test_rounds_when_cancelled_then_they_stop() -> None:
    progress = Progress()
    with pytest.raises(Cancelled):
        interleaved({"a": progress.cancel}, rounds=9, progress=progress)


def test_time_when_a_function_has_arguments_then_it_gets_them() -> None:
    seen: list[object] = []
    assert timed(lambda *values: seen.extend(values), 1, "two") >= 0
    assert seen == [1, "two"]


def test_shares_when_computed_then_they_are_median_and_95_percent() -> None:
    assert median([3, 1, 2]) == 2
    assert p95(list(range(101))) == 95
