"""A worker: works on a project's queue in this process until it is stopped or nothing is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError
from annotator.jobs.dispatcher import Dispatcher, MakeCalls
from annotator.jobs.gpus import runs_on_each_gpu
from annotator.jobs.worker_pool import WorkerPool
from annotator.model_api import Model, ModelCatalog
from annotator.progress import Progress
from annotator.store.reader import Reader


class Worker:
    """A dispatcher, and the pool beside it.

    Args:
        dispatcher: Works in this process.
        pool: Works in processes of its own.
    """

    def __init__(self, dispatcher: Dispatcher, *, pool: WorkerPool) -> None:
        self.id = dispatcher.id
        self._dispatcher, self._pool = dispatcher, pool

    def work(self, *, until_done: bool) -> None:
        """Work until stopped, or until no run that goes on has anything left.

        Raises:
            EnvironmentFailure: The project file cannot be written, for longer than trouble passes by itself.
        """
        self._dispatcher.work(until_done=until_done)

    def stop(self) -> None:
        """Begin nothing more; from a signal or any thread. What is in flight is waited for."""
        self._pool.stop()
        self._dispatcher.stop()


@contextmanager
def create_worker(
    project: Path,
    *,
    catalogue: ModelCatalog,
    run: str = "",
    workers: int | None = 1,
    is_spread_only: bool = False,
    make_calls: MakeCalls | None = None,
    recorded: Callable[[int], None] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Iterator[Worker]:
    """Give a worker that opens models of a catalogue; ``work`` and ``stop`` are its caller's.

    Args:
        project: The project file, of this version.
        catalogue: Opens models.
        run: Id of the one run to work on, "" for all.
        workers: Processes that work together, with those that this one starts; None for one more a GPU.
        is_spread_only: Do only what is spread over GPUs: this is one of the processes of a pool.
        make_calls: Makes calls somewhere else than in this process.
        recorded: Told how many jobs ended with each commit, and where others wrote meanwhile.
        tell: Gets words of what goes wrong with processes of the pool, on other threads.

    Raises:
        UserError: There is no such project or run.
        EnvironmentFailure: The file cannot be opened.
    """
    if run:
        require_run(project, run)

    def open_model(profile: ModelProfile, progress: Progress) -> Model:
        return catalogue.open(msgspec.to_builtins(profile), progress=progress)

    with ExitStack() as opened:
        pool = opened.enter_context(
            WorkerPool(project, run=run, workers=1 if make_calls else workers, tell=tell)
        )
        dispatcher = opened.enter_context(
            Dispatcher(
                project,
                open_model=open_model,
                run=run,
                make_calls=make_calls,
                recorded=recorded,
                takes=runs_on_each_gpu if is_spread_only else pool.handles,
            )
        )
        yield Worker(dispatcher, pool=pool)


def require_run(project: Path, run: str) -> None:
    """Refuse to work on a run that is not there.

    Raises:
        UserError: There is no such project or run.
        EnvironmentFailure: The file cannot be opened.
    """
    reader = Reader.open(project)
    try:
        if reader.run(run) is None:
            raise UserError(f"There is no run {run!r}.", hint="List them with: runs")
    finally:
        reader.close()
