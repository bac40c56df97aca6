"""Further workers beside a worker: one process a GPU, or as many as somebody asked for."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.errors import EnvironmentFailure
from annotator.jobs.gpus import VISIBLE, runs_on_each_gpu, visible_gpus
from annotator.jobs.supervisor import FIRST_PAUSE_S, Supervisor, WorkerState, worker_command
from annotator.store.connection import disk_trouble
from annotator.store.reader import Reader

LOOK_S = 1.0
"""So often runs that want more workers are looked for."""
ALONE = ("--workers", "1")
SPREAD_ONLY = "--spread-only"
# Worked out here, on one thread: see store/projections.
msgspec.json.Decoder(ModelProfile)


class WorkerPool:
    """Starts workers where a run has use for them, and starts those again that die; leave it as a context.

    Models that run on any one GPU are left to processes of their own where there are several GPUs, each with
    one of them; all else is the caller's. Processes end with this one, and when nothing is left for them.

    Args:
        project: The project file.
        run: Id of the one run to work on, "" for all.
        workers: Processes together with the caller's, or on a machine with GPUs, for what is spread over
            them; None for one a GPU.
        tell: Gets words of what goes wrong, on other threads.
        first_pause_s: Before one that died is started again; each further time takes twice as long.
        environment: Of this process, for other ones.

    Raises:
        EnvironmentFailure: The file cannot be opened; as a context.
    """

    def __init__(
        self,
        project: Path,
        *,
        run: str = "",
        workers: int | None = None,
        tell: Callable[[str], None] | None = None,
        first_pause_s: float = FIRST_PAUSE_S,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._project, self._only, self._workers = project, run, workers
        self._tell, self._first_pause_s = tell, first_pause_s
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
                # The caller's own work meets trouble with the file as well, and says so or bears it.
                with contextlib.suppress(EnvironmentFailure), disk_trouble():
                    self._check_workers(reader)
                self._stopping.wait(LOOK_S)
        finally:
            reader.close()
            self._end()

    def _check_workers(self, reader: Reader) -> None:
        going = [run for run in reader.runs() if run.state == "running" and self._only in {"", run.id}]
        wants_gpu = any(
            runs_on_each_gpu(msgspec.convert(value, ModelProfile))
            for run in going
            for value in run.profiles.values()
        )
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
        if state.condition == "resting" and state.words:
            self._notify(f"The worker {name} ended and is restarted. {state.words}")
        elif state.condition == "refused":
            self._notify(f"The worker {name} cannot run. {state.words}")

    def _notify(self, words: str) -> None:
        if self._tell is not None:
            self._tell(words)

    def _end(self) -> None:
        # All are told first: each waits for calls of its own, and together they take as long as the longest.
        for member in self._members.values():
            member.stop(wait_s=0)
        for member in self._members.values():
            member.wait()
