from __future__ import annotations

import threading

import pytest

from annotator import progress as progress_module
from annotator.errors import Cancelled
from annotator.progress import Progress, ProgressUpdate
from tests.patience import PATIENCE_S


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress_module, "time", clock)
    return clock


def test_begin_when_a_phase_begins_then_is_told_at_once(clock: Clock) -> None:
    told: list[ProgressUpdate] = []
    progress = Progress(told.append)
    progress.begin("Reading", total=10)
    progress.begin("Writing")
    assert told == [ProgressUpdate("Reading", 0, 10, 0.0), ProgressUpdate("Writing", 0, None, 0.0)]


def test_step_when_many_come_then_are_told_ten_times_a_second_at_most(clock: Clock) -> None:
    told: list[ProgressUpdate] = []
    progress = Progress(told.append)
    progress.begin("Reading", total=1000)
    for _ in range(1000):
        clock.now += 0.001
        progress.step()
    assert [step.done for step in told[1:]] == pytest.approx(range(100, 1001, 100), abs=10)
    assert len(told) <= 11
    progress.end()
    assert told[-1].done == 1000


def test_step_when_units_come_in_bunches_then_all_are_counted(clock: Clock) -> None:
    told: list[ProgressUpdate] = []
    progress = Progress(told.append)
    progress.begin("Reading", total=10)
    progress.step(3)
    progress.step(4)
    clock.now += 2.0
    progress.end()
    assert told[-1] == ProgressUpdate("Reading", 7, 10, 2.0)


def test_begin_when_a_new_phase_begins_then_counts_from_the_start(clock: Clock) -> None:
    told: list[ProgressUpdate] = []
    progress = Progress(told.append)
    progress.begin("Reading", total=10)
    progress.step(10)
    clock.now += 5.0
    progress.begin("Writing", total=2)
    clock.now += 1.0
    progress.step()
    assert told[-1] == ProgressUpdate("Writing", 1, 2, 1.0)


@pytest.mark.parametrize(
    ("step", "rate", "left_s"),
    [
        (ProgressUpdate("x", 50, 200, 10.0), 5.0, 30.0),
        (ProgressUpdate("x", 200, 200, 10.0), 20.0, 0.0),
        (ProgressUpdate("x", 250, 200, 10.0), 25.0, 0.0),
        (ProgressUpdate("x", 50, None, 10.0), 5.0, None),
        (ProgressUpdate("x", 0, 200, 10.0), 0.0, None),
        (ProgressUpdate("x", 0, 200, 0.0), 0.0, None),
        (ProgressUpdate("x", 5, 200, 0.0), 0.0, None),
    ],
)
def test_step_when_asked_for_its_rate_then_says_what_can_be_said(
    step: ProgressUpdate, rate: float, left_s: float | None
) -> None:
    assert (step.rate, step.left_s) == (rate, left_s)


def test_cancel_when_asked_from_another_thread_then_the_next_step_ends_the_work() -> None:
    progress = Progress()
    progress.begin("Reading")
    progress.step()
    thread = threading.Thread(target=progress.cancel)
    thread.start()
    thread.join(PATIENCE_S)
    for ask in (progress.step, progress.raise_if_cancelled, lambda: progress.begin("Writing")):
        with pytest.raises(Cancelled, match="the project is unchanged"):
            ask()


def test_progress_when_nobody_listens_then_works_all_the_same() -> None:
    progress = Progress()
    progress.begin("Reading", total=1)
    progress.step()
    progress.end()
    progress.raise_if_cancelled()


def test_expect_when_told_then_the_time_left_is_that_until_the_next_phase() -> None:
    told: list[ProgressUpdate] = []
    progress = Progress(told.append)
    progress.begin("Asking", total=10)
    progress.set_time_left(42.0)
    progress.end()
    assert told[-1].left_s == 42.0
    progress.set_time_left(None)
    progress.end()
    assert told[-1].left_s is None
    progress.begin("Writing", total=10)
    progress.step(5)
    progress.end()
    assert not told[-1].is_left_reported
