"""Starts a worker as a process of its own, watches it, and starts it again where it dies."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

import annotator

REFUSED = 2
"""Exit status of a worker that cannot work at all: to start it again would be of no use."""
ENDED = frozenset({0, 130})
"""Done, and cancelled. Python itself ends with 1 where a bug ended it, so a watched worker never does."""
START_FAILURES = 1
"""Stands for the status of a process that could not be started; like one that died, it is tried again."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
STEADY_S = 60.0
"""A worker that lived for so long has not died of what it found at its start: the pauses begin anew."""
OUTPUT_KEPT = 2_000
NICE = 10
"""Increment of the nice value of a window's worker: it uses idle processors without slowing the window."""
DRAIN_S = 5.0
"""A window that closes a project stands still for no longer; most calls are over by then."""
WorkerCondition = Literal["off", "running", "resting", "refused"]


@dataclass(frozen=True, kw_only=True)
class WorkerState:
    """The state of the worker.

    Attributes:
        condition: Idle (not started, or finished), running, waiting for a restart, or failed for good.
        pid: Process id, 0 for none.
        restarts: Number of restarts after crashes.
        last_output: Last line of its output before it crashed or failed, "" for none.
    """

    condition: WorkerCondition = "off"
    pid: int = 0
    restarts: int = 0
    last_output: str = ""


class Supervisor:
    """Starts and restarts the worker process of a project until its queue is empty. Thread-safe.

    The worker ends with this process: its standard input is a pipe from here, and when the pipe closes the
    worker finishes its calls and exits.

    Args:
        project: The project file.
        command: Command line of the worker; by default the verb ``worker`` of this installation.
        environment: Of the worker; by default that of this process.
        has_low_priority: Run the worker with lower priority, for one beside a window in use.
        first_pause_s: Delay before the first restart; it doubles with each further one.
        changed: Called on the watching thread after each change of the state.
    """

    def __init__(
        self,
        project: Path,
        *,
        command: tuple[str, ...] | None = None,
        environment: Mapping[str, str] | None = None,
        has_low_priority: bool = False,
        first_pause_s: float = FIRST_PAUSE_S,
        changed: Callable[[], None] | None = None,
    ) -> None:
        self._command = command or worker_command(project)
        self._environment = environment
        self._has_low_priority = has_low_priority
        self._first_pause_s, self._changed = first_pause_s, changed
        self._condition = threading.Condition()
        self._state = WorkerState()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_wanted = self._is_stopping = False
        self._thread: threading.Thread | None = None

    def state(self) -> WorkerState:
        """Return how the worker stands."""
        with self._condition:
            return self._state

    def start(self) -> None:
        """Have a worker work until nothing is left; call it whenever there is something new to do."""
        with self._condition:
            self._is_wanted, self._is_stopping = True, False
            if self._thread is None or not self._thread.is_alive() or self._state.condition == "off":
                # One that has reported its end may still run: the new one waits for it.
                before = self._thread
                self._state = WorkerState(condition="resting")
                self._thread = threading.Thread(
                    target=self._watch, args=(before,), name="vantage-worker-watch", daemon=True
                )
                self._thread.start()
            self._condition.notify_all()

    def stop(self, *, wait_s: float = DRAIN_S) -> None:
        """Let the worker finish its calls and end; one that takes longer ends by itself later.

        Args:
            wait_s: So long it is waited for; 0 for not at all.
        """
        with self._condition:
            self._is_wanted, self._is_stopping = False, True
            process, thread = self._process, self._thread
            # The worker finishes when its input ends, on every system; not all have a signal for it.
            if process is not None and process.stdin is not None:
                process.stdin.close()
            self._condition.notify_all()
        if thread is not None and wait_s:
            thread.join(wait_s)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the worker has ended and is not to be started again; return whether it has.

        Args:
            timeout_s: At most so long, None for as long as it takes.
        """
        thread = self._thread
        if thread is None:
            return True
        thread.join(timeout_s)
        return not thread.is_alive()

    def _watch(self, before: threading.Thread | None) -> None:
        if before is not None:
            before.join()
        pause_s, restarts = self._first_pause_s, 0
        while self._next_request():
            began = time.monotonic()
            status, last_output = self._run_once(restarts=restarts)
            if self._is_stopping or (status in ENDED and not self._is_wanted):
                self._show(WorkerState(restarts=restarts))
            elif status == REFUSED:
                self._show(WorkerState(condition="refused", restarts=restarts, last_output=last_output))
            elif status not in ENDED:
                pause_s = self._first_pause_s if time.monotonic() - began >= STEADY_S else pause_s
                self._show(WorkerState(condition="resting", restarts=restarts, last_output=last_output))
                self._wait_before_restart(pause_s)
                pause_s, restarts = min(LONGEST_PAUSE_S, pause_s * 2), restarts + 1

    def _next_request(self) -> bool:
        with self._condition:
            is_wanted, self._is_wanted = self._is_wanted, False
            if not is_wanted:
                last_output = self._state.last_output
                condition: WorkerCondition = "refused" if self._state.condition == "refused" else "off"
                self._state = WorkerState(
                    condition=condition, restarts=self._state.restarts, last_output=last_output
                )
            return is_wanted

    def _wait_before_restart(self, pause_s: float) -> None:
        with self._condition:
            if not self._condition.wait_for(lambda: self._is_stopping, timeout=pause_s):
                self._is_wanted = True

    def _run_once(self, *, restarts: int) -> tuple[int, str]:
        try:
            return self._ran(restarts=restarts)
        except OSError as error:
            # No memory or no room for one more process, or a full disk: it may pass.
            return START_FAILURES, f"The worker cannot be started: {error}."

    def _ran(self, *, restarts: int) -> tuple[int, str]:
        # A file and no pipe: nobody need read while it works, and the end of it is what matters.
        with tempfile.TemporaryFile() as error_output:
            with self._condition:
                # Under the lock of ``stop``, which otherwise finds no process to end.
                if self._is_stopping:
                    return 0, ""
                process = self._process = self._launched(error_output)
            self._show(WorkerState(condition="running", pid=process.pid, restarts=restarts))
            status = process.wait()
            with self._condition:
                self._process = None
                if process.stdin is not None:
                    process.stdin.close()
            return status, _last_output(error_output, status=status)

    def _launched(self, error_output: IO[bytes]) -> subprocess.Popen[bytes]:
        lower = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0) if self._has_low_priority else 0
        process = subprocess.Popen(  # noqa: S603 - our own program with our own arguments
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=error_output,
            env=self._environment,
            # Of Windows; POSIX lowers the priority below.
            creationflags=lower,
        )
        if self._has_low_priority and hasattr(os, "setpriority"):
            # At once, while it has one thread: on Linux each thread has a priority of its own.
            os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + NICE)
        return process

    def _show(self, state: WorkerState) -> None:
        with self._condition:
            self._state = state
        if self._changed is not None:
            self._changed()


def program() -> tuple[str, ...]:
    """Return what starts Vantage, in a frozen build the program itself."""
    if getattr(sys, "frozen", False):
        return (sys.executable,)
    return (sys.executable, str(Path(annotator.__file__).parent.parent / "main.py"))


def worker_command(project: Path, *options: str) -> tuple[str, ...]:
    """Return what starts a worker that ends with this process.

    Args:
        project: The project file.
        options: Further ones of the verb ``worker``.
    """
    return (*program(), "worker", str(project), "--until-done", "--with-parent", "--json", *options)


def _last_output(error_output: IO[bytes], *, status: int) -> str:
    size = error_output.seek(0, 2)
    error_output.seek(max(0, size - OUTPUT_KEPT))
    output = error_output.read().decode(errors="replace").strip()
    ended = f"It was ended by signal {-status}." if status < 0 else f"It ended with status {status}."
    return f"{output}\n{ended}".strip()
