"""The clock of the machine is stepped by years during some work: nothing is lost or done twice."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from annotator.model_api import ChatRequest
from annotator.session import Session
from annotator.store.backup_thinning import thin_backups
from annotator.store.backups import STAMP, backup_folder, list_backups
from annotator.store.reader import Reader
from tests.unit.jobs.working import Voice, answers, echoed, enter, make_project, plans, work
from tests.unit.store.making import BEN, an_item, created, problems, write
from tests.unit.store.test_staging import Entry, items

YEARS_S = 10 * 365 * 86_400.0
JOBS = 12


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
