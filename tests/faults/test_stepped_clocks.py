"""The clock of the machine is stepped by years during some work: nothing is lost or done twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from annotator.jobs.dispatcher import Dispatcher
from annotator.model_api import CallFailed, ChatRequest
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.store.backup_thinning import thin_backups
from annotator.store.backups import STAMP, backup_folder, list_backups
from annotator.store.work.queue import LEASE_S, WorkQueue
from tests.patience import PATIENCE_S
from tests.unit.jobs.working import (
    Voice,
    answers,
    dispatcher,
    echoed,
    enter,
    make_project,
    plans,
    profile,
    work,
)
from tests.unit.store.making import BEN, an_item, created, problems, write
from tests.unit.store.test_staging import Entry, items

YEARS_S = 10 * 365 * 86_400.0
JOBS = 12
MOST_TURNS = 400


@dataclass
class SteppedClock:
    """The wall clock of this process; the steady one goes on as before."""

    step_s: float = 0.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[SteppedClock]:
    """Give a clock that can be stepped."""
    clock, right = SteppedClock(), time.time
    monkeypatch.setattr(time, "time", lambda: right() + clock.step_s)
    yield clock
    monkeypatch.undo()


@pytest.mark.parametrize("steps", [(YEARS_S,), (-YEARS_S,), (YEARS_S, 0.0), (-YEARS_S, YEARS_S, 0.0)])
def test_run_when_the_clock_is_stepped_while_calls_are_out_then_each_job_is_asked_and_answered_once(
    tmp_path: Path, clock: SteppedClock, steps: tuple[float, ...]
) -> None:
    path, left = make_project(tmp_path / "p.vantage"), list(steps)
    enter(path, plans(JOBS))

    def answer(request: ChatRequest) -> str:
        if left:
            clock.step_s = left.pop(0)
        return request.text

    voice = Voice(answer=answer)
    work(path, voice)

    with closing(Reader.open(path)) as reader:
        assert answers(reader) == echoed(JOBS)
    assert sorted(voice.asked) == sorted(f"{number}" for number in range(JOBS))
    assert problems(path) == []


def turns(one: Dispatcher, *, until: Callable[[], bool]) -> None:
    """Let a dispatcher work; it has long been done where it needs so many turns."""
    for _ in range(MOST_TURNS):
        if until():
            return
        one.turn()
    raise AssertionError("The dispatcher stands still.")


def test_paced_run_when_the_clock_is_set_back_then_goes_on_at_its_pace(
    tmp_path: Path, clock: SteppedClock
) -> None:
    path = make_project(tmp_path / "p.vantage")
    enter(path, plans(JOBS), model=profile(requests_per_minute=60_000))

    def answer(request: ChatRequest) -> str:
        clock.step_s = -YEARS_S
        return request.text

    with closing(Reader.open(path)) as reader, dispatcher(path, Voice(answer=answer)) as one:
        turns(one, until=lambda: len(answers(reader)) == JOBS)


def test_retry_when_the_clock_is_set_back_then_is_not_postponed_by_years(
    tmp_path: Path, clock: SteppedClock
) -> None:
    path, key = make_project(tmp_path / "p.vantage"), plans(1)[0].request_key
    failures = [CallFailed("Overloaded.", kind="server", is_retryable=True)]
    enter(path, plans(1))
    clock.step_s = YEARS_S
    voice = Voice(answer=lambda request: failures.pop() if failures else request.text)

    with closing(Reader.open(path)) as reader, dispatcher(path, voice) as one:
        turns(one, until=lambda: [each.state for each in reader.runs.attempts_of(key)] == ["failed"])
        clock.step_s = 0.0
        turns(one, until=lambda: answers(reader) == echoed(1))


@pytest.mark.parametrize("step_s", [YEARS_S, -YEARS_S])
def test_worker_when_the_clock_is_stepped_then_sees_new_runs_and_holds_its_claims(
    tmp_path: Path, clock: SteppedClock, step_s: float
) -> None:
    path, may_answer = make_project(tmp_path / "p.vantage"), threading.Event()

    def answer(request: ChatRequest) -> str:
        may_answer.wait(PATIENCE_S)
        return request.text

    voice = Voice(answer=answer)
    with ExitStack() as last:
        queue = last.enter_context(closing(WorkQueue.open(path)))
        one = last.enter_context(dispatcher(path, voice))
        # Before the dispatcher ends, which waits for its calls.
        last.callback(may_answer.set)
        one.turn()
        clock.step_s = step_s
        enter(path, plans(2))
        turns(one, until=lambda: len(voice.asked) == 2)
        clock.step_s = 0.0
        # Others see that it lives: its leases are those of the new time.
        turns(one, until=lambda: {*(0 < end - time.time() <= LEASE_S for _, end in queue.leases())} == {True})
        may_answer.set()
        reader = last.enter_context(closing(Reader.open(path)))
        turns(one, until=lambda: answers(reader) == echoed(2))


@pytest.mark.parametrize("step_s", [YEARS_S, -YEARS_S])
def test_entry_when_the_clock_is_stepped_while_it_is_staged_then_is_entered_once(
    tmp_path: Path, clock: SteppedClock, step_s: float
) -> None:
    path, seen = tmp_path / "p.vantage", []

    def look() -> None:
        clock.step_s = step_s
        with Session.open(path, actor=BEN) as other:
            write(other, created("item", an_item(name="of Ben")))
        seen.append(clock.step_s)

    with Session.create(path) as session:
        edits = items()
        session.execute(Entry(edits=tuple(edits), meanwhile=look)).result()
        # Another window may take it for abandoned; then it is planned again, and Ben edits again.
        assert session.reader.counts()["item"] == len(edits) + len(seen)
    assert problems(path) == []


def test_backups_when_the_clock_was_stepped_by_years_then_those_of_the_last_days_stay(
    tmp_path: Path,
) -> None:
    path, now = tmp_path / "p.vantage", datetime(2026, 5, 20, 12, tzinfo=UTC)
    backup_folder(path).mkdir()
    for age in range(5):
        stamp = (now - timedelta(days=age)).strftime(STAMP)
        (backup_folder(path) / f"{stamp}-timer.vantage").touch()
    before = list_backups(path)
    wrong = now + timedelta(seconds=YEARS_S)
    (backup_folder(path) / f"{wrong.strftime(STAMP)}-timer.vantage").touch()

    thin_backups(path, now=wrong)
    thin_backups(path, now=now)

    assert {backup.path for backup in before} <= {backup.path for backup in list_backups(path)}
