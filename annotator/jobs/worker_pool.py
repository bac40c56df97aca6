"""Starts further worker processes: one per GPU, or a requested number."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.domain.run import Run
from annotator.errors import EnvironmentFailure
from annotator.jobs.gpus import VISIBLE, runs_on_each_gpu, visible_gpus
from annotator.jobs.supervisor import FIRST_PAUSE_S, Supervisor, WorkerState, worker_command
from annotator.queries.reader import Reader
from annotator.store.connection import convert_disk_errors

CHECK_EVERY_S = 1.0
"""Seconds between two checks for runs that can use more workers."""
ALONE = ("--workers", "1")
SPREAD_ONLY = "--spread-only"
# Worked out here, on one thread: see store/projections.
msgspec.json.Decoder(ModelProfile)


def _wants_gpu(run: Run) -> bool:
    profiles = (msgspec.convert(value, ModelProfile) for value in run.profiles.values())
    return any(map(runs_on_each_gpu, profiles))


class WorkerPool:
    """Starts workers when a run can use them, and restarts those that crash; a context manager.

    With several GPUs, models that run on a single GPU are processed by separate processes with one GPU each;
    the caller processes all other models. The processes end with this one, and when they have no jobs left.

    Args:
        project: The project file.
        is_confirmed: Returns whether the person at this machine allows a run.
        run: Id of the one run to work on, "" for all.
        workers: Number of processes, the caller's included; on a machine with GPUs, of those that use them;
            None for one per GPU.
        report: Receives messages about failures, on other threads.
        first_pause_s: Delay before the first restart of a crashed process; it doubles with each further one.
        environment: Of this process, passed on to the others.

    Raises:
        EnvironmentFailure: The file cannot be opened; raised on entry.
    """

    def __init__(
        self,
        project: Path,
        *,
        is_confirmed: Callable[[Run], bool],
        run: str = "",
        workers: int | None = None,
        report: Callable[[str], None] | None = None,
        first_pause_s: float = FIRST_PAUSE_S,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._project, self._only, self._workers = project, run, workers
        self._is_confirmed = is_confirmed
        self._tell, self._first_pause_s = report, first_pause_s
        self._environment = os.environ if environment is None else environment
        self._gpus: tuple[str, ...] | None = None
        self._members: Mapping[str, Supervisor] = {}
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> WorkerPool:
        if self._workers != 1:
            # Opened here, where the caller hears what is wrong with it.
            reader = Reader.open(self._project)
            self._thread = threading.Thread(
                target=self._watch, args=(reader,), name="vantage-worker-pool", daemon=True
            )
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """Have all finish their calls and end; from a signal or any thread."""
        # No more than this, which a signal may do in the middle of anything: the pool's thread tells them.
        self._stopping.set()

    def handles(self, profile: ModelProfile) -> bool:
        """Tell whether a model's jobs are the caller's to do, and not those of processes with a GPU each."""
        if self._workers == 1 or not runs_on_each_gpu(profile):
            return True
        if self._gpus is None:
            # Counted by the pool's own thread: a driver may take seconds.
            return False
        return not self._is_spread or self._has_refused

    def states(self) -> dict[str, WorkerState]:
        """Return how each stands, by the GPU or number that it goes by."""
        return {name: member.state() for name, member in self._members.items()}

    @property
    def _is_spread(self) -> bool:
        return bool(self._gpus) and (self._workers or len(self._gpus or ())) > 1

    @property
    def _has_refused(self) -> bool:
        states = self.states().values()
        return bool(states) and all(state.condition == "refused" for state in states)

    def _watch(self, reader: Reader) -> None:
        try:
            if self._workers is not None:
                self._gpus = visible_gpus(self._environment)
            while not self._stopping.is_set():
                # The dispatcher of the caller meets the same error of the file, and reports or retries it.
                with contextlib.suppress(EnvironmentFailure), convert_disk_errors():
                    self._check_workers(reader)
                self._stopping.wait(CHECK_EVERY_S)
        finally:
            reader.close()
            self._end()

    def _check_workers(self, reader: Reader) -> None:
        running = [run for run in reader.runs.all() if run.state == "running" and self._only in {"", run.id}]
        # The profiles of others are not even read: they can be anything.
        going = [run for run in running if self._is_confirmed(run)]
        wants_gpu = any(map(_wants_gpu, going))
        if wants_gpu and self._gpus is None:
            self._gpus = visible_gpus(self._environment)
        if wants_gpu if self._is_spread else going:
            self._start()

    def _start(self) -> None:
        self._members = self._members or self._make()
        for member in self._members.values():
            if member.state().condition == "off":
                member.start()

    def _make(self) -> dict[str, Supervisor]:
        if not self._is_spread:
            count = (self._workers or 1) - 1
            return {f"{number + 2}": self._member(f"{number + 2}", {}, ALONE) for number in range(count)}
        gpus = self._gpus or ()
        made: dict[str, Supervisor] = {}
        for number in range(self._workers or len(gpus)):
            gpu = gpus[number % len(gpus)]
            name = gpu if number < len(gpus) else f"{gpu} ({number // len(gpus) + 1})"
            made[name] = self._member(name, {VISIBLE: gpu}, (*ALONE, SPREAD_ONLY))
        return made

    def _member(self, name: str, environment: Mapping[str, str], options: tuple[str, ...]) -> Supervisor:
        only = ("--run", self._only) if self._only else ()
        return Supervisor(
            self._project,
            command=worker_command(self._project, *options, *only),
            environment={**self._environment, **environment},
            first_pause_s=self._first_pause_s,
            changed=lambda: self._on_changed(name),
        )

    def _on_changed(self, name: str) -> None:
        state = self._members[name].state()
        if state.condition == "resting" and state.last_output:
            self._notify(f"The worker {name} ended and is restarted. {state.last_output}")
        elif state.condition == "refused":
            self._notify(f"The worker {name} cannot run. {state.last_output}")

    def _notify(self, message: str) -> None:
        if self._tell is not None:
            self._tell(message)

    def _end(self) -> None:
        # All are asked to stop before the first is awaited, so that they finish their calls at the same time.
        for member in self._members.values():
            member.stop(wait_s=0)
        for member in self._members.values():
            member.wait()
