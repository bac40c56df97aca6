"""Plans of runs: streamed, in a process for large projects, with the same result."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.domain.eval_settings import EvalSettings
from annotator.domain.run import Run
from annotator.domain.work import Estimate, JobPlan, RunOrder
from annotator.errors import Cancelled
from annotator.jobs import run_plan, runs
from annotator.jobs.job_type import WorkerContext
from annotator.jobs.job_types.evaluation import EvaluationJob
from annotator.jobs.profile_file import write_profiles
from annotator.jobs.run_plan import count_plan, enter_plan
from annotator.progress import Progress, ProgressUpdate
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from annotator.user_profile import config_folder
from tests.patience import PATIENCE_S
from tests.unit.jobs.job_types.asking import CHAT, choice, worker_context
from tests.unit.jobs.working import EchoKind, plans
from tests.unit.store.making import BEN, created, write

ORDER = RunOrder(
    kind="blind", models=("chat",), settings=EvalSettings(rotations=0).to_json(), title="t", limit_micro=7
)
ITEMS, JOBS = 5, 20


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Give a project with questions, and the model."""
    with Session.create(tmp_path / "p.vantage") as opened:
        write_profiles(config_folder(), [CHAT])
        write(opened, *(created("item", choice(question=f"Number {n}?")) for n in range(ITEMS)))
        yield opened


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat the project as a large one; a plan that is made in this process is an error."""
    monkeypatch.setattr(runs, "PROCESS_FROM", 1)

    def planned_here(*_: object, **__: object) -> Iterator[JobPlan]:
        raise AssertionError("The run is planned in the process of the window.")

    monkeypatch.setattr(EvaluationJob, "plan", planned_here)


def test_estimate_when_the_project_is_small_then_counts_its_jobs(session: Session) -> None:
    found = session.runs.estimate(ORDER).result(PATIENCE_S)
    assert found == Estimate(jobs=JOBS, cached=0, targets=ITEMS, worst_micro=0, by_model={"chat": JOBS})


@pytest.mark.usefixtures("in_process")
def test_estimate_when_the_project_is_large_then_another_process_counts_the_same(session: Session) -> None:
    found = session.runs.estimate(ORDER).result(PATIENCE_S)
    assert found == Estimate(jobs=JOBS, cached=0, targets=ITEMS, worst_micro=0, by_model={"chat": JOBS})


@pytest.mark.usefixtures("in_process")
def test_start_when_the_project_is_large_then_another_process_enters_the_jobs(session: Session) -> None:
    run, planned = session.runs.start(ORDER).result(PATIENCE_S)
    entered = session.reader.runs.get(run.id)
    assert entered is not None
    assert (planned.jobs, planned.cached) == (JOBS, 0)
    assert session.reader.runs.progress(run.id).waiting == JOBS
    assert session.runs.is_confirmed(entered)
    assert entered.limit_micro == 7


@pytest.mark.usefixtures("in_process")
def test_start_when_cancelled_then_nothing_is_entered(session: Session) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        session.runs.start(ORDER, progress=progress).result(PATIENCE_S)
    assert session.reader.runs.all() == []


def test_start_when_the_person_changes_while_runs_are_planned_then_all_are_the_former_persons(
    session: Session,
) -> None:
    former, reports = session.actor, []

    def report(update: ProgressUpdate) -> None:
        reports.append(update)
        session.use_actor(BEN)

    second = msgspec.structs.replace(ORDER, title="second")
    session.runs.start(ORDER, second, progress=Progress(report)).result(PATIENCE_S)
    assert reports
    assert [run.created_by for run in session.reader.runs.all()] == [former.id] * 2


class ManyKind(EchoKind):
    """Plans jobs of a kilobyte each."""

    def plan(self, run: Run, worker_context: WorkerContext, *, progress: Progress) -> Iterator[JobPlan]:
        for n in range(run.settings["count"]):
            (job,) = plans(1, first=n, text=f"{n}" + "x" * 1_000)
            yield job


@pytest.mark.parametrize("is_entered", [False, True])
def test_plan_when_there_are_many_jobs_then_they_are_not_in_memory_together(
    session: Session, is_entered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_plan, "job_type_of", lambda _kind: ManyKind())
    count = 24_000
    run = Run(id="r" * 32, kind="blind", models=("m",), settings={"count": count}, profiles={})
    work = WorkQueue.open(session.path)
    context = worker_context(session, CHAT)
    tracemalloc.start()
    try:
        if is_entered:
            assert enter_plan(run, context, work, progress=Progress()).jobs == count
        else:
            assert count_plan(run, context, progress=Progress()).jobs == count
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        work.close()
    # All of them are 24 MB; a batch that is entered is 5 MB.
    assert peak < 16 * 2**20
