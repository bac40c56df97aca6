"""The command ``worker``: process runs in a separate process."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import json_option, model_catalog, open_session, project_argument, workers_option
from annotator.cli.run_progress import RunProgressBar
from annotator.domain.run import Run
from annotator.domain.run_condition import CONDITION_TITLES, condition_of, run_title
from annotator.jobs.cluster_file import ClusterAddress, plain_text_warning, read_cluster
from annotator.jobs.confirmed_runs import ConfirmedRuns, refusal
from annotator.jobs.dispatcher import MakeCalls
from annotator.jobs.worker import Processes
from annotator.jobs.worker import create_worker as working
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.user_profile import config_folder

PRINT_EVERY_S = 1.0


@click.command()
@project_argument
@click.option("--until-done", is_flag=True, help="Exit when no active run has open questions.")
@click.option("--run", "run_id", default="", metavar="ID", help="Process only this run.")
@click.option(
    "--cluster",
    "address",
    default="",
    metavar="ADDRESS",
    help="Call models on the workers of this Dask scheduler; 'settings': the scheduler in cluster.json.",
)
@workers_option
@click.option(
    "--spread-only", is_flag=True, hidden=True, help="Process only runs that are distributed over GPUs."
)
@click.option(
    "--with-parent", is_flag=True, hidden=True, help="Finish open calls and exit when standard input ends."
)
@json_option
def worker(
    project: Path,
    until_done: bool,  # noqa: FBT001 - click hands it over by name
    run_id: str,
    address: str,
    workers: int | None,
    spread_only: bool,  # noqa: FBT001 - the same
    with_parent: bool,  # noqa: FBT001 - the same
    console: Console,
) -> int:
    """Process the runs of PROJECT: ask the models and store the answers.

    With --json each line of standard output is one object: began, progress, run, ended. The first SIGTERM or
    Ctrl+C waits for calls in progress; the second exits at once, and the result of those calls is unknown.
    """
    with open_session(project):
        # An older project is migrated, and a missing one is refused with a message.
        pass
    cluster_address = read_cluster(address, settings=config_folder()) if address else None
    with console.progress() as progress, _cluster_calls(cluster_address, console=console) as make_calls:
        output = _WorkerOutput(project, console=console, progress=progress, run=run_id)
        try:
            with working(
                project,
                catalogue=model_catalog(),
                confirmed=ConfirmedRuns(config_folder()),
                run=run_id,
                processes=Processes(count=workers, is_spread_only=spread_only),
                make_calls=make_calls,
                recorded=output.recorded,
                report=console.warn,
            ) as one:
                output.began(worker=one.id)
                with drain_on_signal(one.stop), _drain_without_parent(one.stop, is_watched=with_parent):
                    one.work(until_done=until_done)
            problems = output.ended()
        finally:
            output.close()
    # A supervisor treats status 1 as a crash, since Python exits with it after an unhandled exception.
    return 0 if with_parent else problems


class _WorkerOutput:
    """What a worker says while it works: lines of JSON, or a bar."""

    def __init__(self, project: Path, *, console: Console, progress: Progress, run: str) -> None:
        self._console, self._progress, self._only = console, progress, run
        self._reader = Reader.open(project)
        self._confirmed = ConfirmedRuns(config_folder())
        self._runs: dict[str, Run] = {}
        self._printed_at = 0.0
        self._cpu_s = time.process_time()

    _progress_bar: RunProgressBar

    def close(self) -> None:
        """Close the reader."""
        self._reader.close()

    def began(self, *, worker: str) -> None:
        """Print the name of the worker and the runs."""
        self._event({"event": "began", "worker": worker, "pid": os.getpid()})
        self._progress_bar = self._make_progress_bar()
        self._look()
        for run in self._runs.values():
            if run not in self._confirmed:
                error = refusal()
                self._console.warn(f"{run_title(run)} ({run.id}): {error}")

    def recorded(self, _count: int) -> None:
        """Print the progress of the runs."""
        if time.monotonic() - self._printed_at >= PRINT_EVERY_S:
            self._look()
            self._tell_progress()
        self._progress_bar.update()

    def ended(self) -> int:
        """Print the status of the runs, and return the exit status."""
        self._progress_bar.end()
        self._look()
        self._tell_progress()
        for run in self._runs.values():
            self._event({"event": "run", "run": run.id, "state": run.state, "message": run.message})
        self._event({"event": "ended", "cpu_s": round(time.process_time() - self._cpu_s, 3)})
        stopped = [run for run in self._runs.values() if run.state == "stopped"]
        if not self._console.as_json:
            for run in self._runs.values():
                self._console.print(self._end_text(run))
        return FOUND_PROBLEMS if stopped else 0

    def _end_text(self, run: Run) -> str:
        progress = self._reader.runs.progress(run.id)
        done = f"{progress.done:,} of {progress.total:,} answered, {progress.failed:,} failed"
        # Nobody else is asked: this worker is the one that ends.
        condition = condition_of(run, progress, has_worker=False, is_confirmed=run in self._confirmed)
        return f"{run_title(run)}: {CONDITION_TITLES[condition]}. {done}. {run.message}".strip()

    def _look(self) -> None:
        """Take in which runs there are to tell of: those that went on at some time since the beginning."""
        before = len(self._runs)
        for run in self._reader.runs.all():
            is_meant = run.id == self._only if self._only else run.state == "running"
            if is_meant or run.id in self._runs:
                self._runs[run.id] = run
        if len(self._runs) > before:
            # A worker without an end condition may start before any run exists.
            self._progress_bar = self._make_progress_bar()

    def _make_progress_bar(self) -> RunProgressBar:
        return RunProgressBar(
            self._reader, runs=tuple(self._runs), progress=self._progress, report=self._console.warn
        )

    def _tell_progress(self) -> None:
        for run in self._runs:
            progress = msgspec.to_builtins(self._reader.runs.progress(run))
            self._event({"event": "progress", "run": run, **progress})
        self._printed_at = time.monotonic()

    def _event(self, event: dict[str, Any]) -> None:
        if self._console.as_json:
            sys.stdout.write(msgspec.json.encode(event).decode() + "\n")
            sys.stdout.flush()


@contextmanager
def _cluster_calls(address: ClusterAddress | None, *, console: Console) -> Iterator[MakeCalls | None]:
    if address is None:
        yield None
        return
    from annotator.jobs.cluster import Cluster

    if warning := plain_text_warning(address):
        console.warn(str(warning))
    with Cluster(address, catalogue=model_catalog()) as cluster:
        if not cluster.threads:
            console.warn(
                f"The scheduler at {address.address} has no workers yet: calls wait until a worker joins."
            )
        yield cluster.calls


@contextmanager
def drain_on_signal(stop: Callable[[], None]) -> Iterator[None]:
    """Drain at the first signal; the second has its default effect."""
    kinds = (signal.SIGTERM, signal.SIGINT)
    before = {kind: signal.getsignal(kind) for kind in kinds}

    def drain(_number: int, _frame: object) -> None:
        for kind in kinds:
            signal.signal(kind, signal.SIG_DFL)
        stop()

    for kind in kinds:
        signal.signal(kind, drain)
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


@contextmanager
def _drain_without_parent(stop: Callable[[], None], *, is_watched: bool) -> Iterator[None]:
    """Drain when the process at the other end of standard input ends: nothing else would stop this worker."""
    if is_watched:
        threading.Thread(target=_wait_for_end, args=(stop,), name="vantage-parent", daemon=True).start()
    yield


def _wait_for_end(stop: Callable[[], None]) -> None:
    # Nothing is ever written there: the end of the pipe is awaited, which arrives however the other process
    # ends.
    while os.read(sys.stdin.fileno(), 1024):
        pass
    stop()


VERBS = (worker,)
