"""A worker: works on a project's queue in this process until it is stopped or nothing is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError
from annotator.jobs.confirmed_runs import ConfirmedRuns, refusal
from annotator.jobs.dispatcher import Dispatcher, MakeCalls
from annotator.jobs.gpus import runs_on_each_gpu
from annotator.jobs.worker_pool import WorkerPool
from annotator.model_api import Model, ModelCatalog
from annotator.progress import Progress
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class Processes:
    """How work is distributed over processes.

    Attributes:
        count: Total number of processes, this one included; None for one more per GPU.
        is_spread_only: Process only models that are distributed over GPUs, for a process of a pool.
    """

    count: int | None = 1
    is_spread_only: bool = False


ONE_PROCESS = Processes()


class Worker:
    """A dispatcher together with the pool of its further processes.

    Args:
        dispatcher: Runs in this process.
        pool: Runs further processes.
    """

    def __init__(self, dispatcher: Dispatcher, *, pool: WorkerPool) -> None:
        self.id = dispatcher.id
        self._dispatcher, self._pool = dispatcher, pool

    def work(self, *, until_done: bool) -> None:
        """Run until stopped, or until no active run has an open job.

        Raises:
            EnvironmentFailure: The project file cannot be written, even after retries.
        """
        self._dispatcher.work(until_done=until_done)

    def stop(self) -> None:
        """Begin nothing more; from a signal or any thread. What is in flight is waited for."""
        self._pool.stop()
        self._dispatcher.stop()


def _open_model(catalogue: ModelCatalog, profile: ModelProfile, progress: Progress) -> Model:
    return catalogue.open(msgspec.to_builtins(profile), progress=progress)


@contextmanager
def create_worker(
    project: Path,
    *,
    catalogue: ModelCatalog,
    confirmed: ConfirmedRuns,
    run: str = "",
    processes: Processes = ONE_PROCESS,
    make_calls: MakeCalls | None = None,
    recorded: Callable[[int], None] | None = None,
    report: Callable[[str], None] | None = None,
) -> Iterator[Worker]:
    """Yield a worker that opens models of a catalogue; the caller calls ``work`` and ``stop``.

    Args:
        project: The project file, of this version.
        catalogue: Opens models.
        confirmed: The runs that the person at this machine allows; others are left alone.
        run: Id of the one run to work on, "" for all.
        processes: How the work is distributed.
        make_calls: Makes calls elsewhere than in this process.
        recorded: Called after each commit with the number of jobs that ended, and after commits of others.
        report: Receives messages about failures of the pool's processes, on other threads, and of the disk.

    Raises:
        UserError: There is no such project or run, or the run is not confirmed.
        EnvironmentFailure: The file cannot be opened.
    """
    if run:
        require_run(project, run, confirmed=confirmed)

    with ExitStack() as opened:
        # Calls that are made elsewhere need no further processes on this machine.
        count, is_confirmed = 1 if make_calls else processes.count, confirmed.__contains__
        pool = WorkerPool(project, is_confirmed=is_confirmed, run=run, workers=count, report=report)
        opened.enter_context(pool)
        dispatcher = opened.enter_context(
            Dispatcher(
                project,
                open_model=partial(_open_model, catalogue),
                confirmed=confirmed,
                run=run,
                make_calls=make_calls,
                recorded=recorded,
                takes=runs_on_each_gpu if processes.is_spread_only else pool.handles,
            )
        )
        dispatcher.tell = report or dispatcher.tell
        yield Worker(dispatcher, pool=pool)


def require_run(project: Path, run: str, *, confirmed: ConfirmedRuns) -> None:
    """Refuse to work on a run that does not exist or is not confirmed.

    Raises:
        UserError: There is no such project or run, or the run is not confirmed.
        EnvironmentFailure: A file cannot be opened.
    """
    reader = Reader.open(project)
    try:
        found = reader.runs.get(run)
        if found is None:
            raise UserError(f"There is no run {run!r}.", hint="List them with: runs")
        if found not in confirmed:
            raise refusal()
    finally:
        reader.close()
