"""Processes that the bench starts and watches from outside."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import annotator
from annotator.errors import EnvironmentFailure

TIMEOUT_S = 300
PROBE = ("-m", "tests.bench.probe")
"""How a piece of work is done in a process of its own."""
REPO = Path(annotator.__file__).parent.parent
_SAMPLE_EVERY_S = 0.01


@dataclass(frozen=True, kw_only=True)
class Ran:
    """A process that has ended.

    Attributes:
        lines: What it printed, line by line.
        at_s: When each line came, seconds after the process was asked for.
        peak_mb: Largest resident memory seen, 0.0 where the system does not tell.
    """

    lines: tuple[str, ...]
    at_s: tuple[float, ...]
    peak_mb: float


def run_python(
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
    good_ends: Collection[int] = (0,),
) -> Ran:
    """Run this Python on arguments, in the repository's root, to its end.

    Args:
        arguments: What stands behind ``python``.
        environment: Variables to set.
        timeout_s: It is ended after so long.
        good_ends: Exit statuses that are no failure.

    Raises:
        EnvironmentFailure: It failed or took too long; the hint is the end of what it said.
    """
    # A pipe that nobody reads would block a process that complains a lot.
    with tempfile.TemporaryFile("w+") as trouble:
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=REPO,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=trouble,
            text=True,
        )
        with _Watch(process, timeout_s=timeout_s) as watch:
            lines = _stamped(process, began=began, watch=watch)
            status = process.wait()
        trouble.seek(0)
        said = trouble.read().strip().rpartition("\n")[2]
    if status not in good_ends:
        raise EnvironmentFailure(f"{' '.join(arguments)} ended with status {status}.", hint=said)
    return Ran(
        lines=tuple(line for line, _ in lines), at_s=tuple(at_s for _, at_s in lines), peak_mb=watch.peak_mb
    )


def _stamped(process: subprocess.Popen[str], *, began: float, watch: _Watch) -> list[tuple[str, float]]:
    """Return what a process prints until it ends, with the seconds at which each line came."""
    if process.stdout is None:
        return []
    lines = []
    with process.stdout as output:
        for line in output:
            lines.append((line.rstrip("\n"), time.perf_counter() - began))
            # A process prints when its work is done: this sample holds what a late turn of the thread misses.
            watch.sample()
    return lines


class _Watch:
    """Follows a process's memory, and ends it where it takes too long.

    The system's own count for children (``ru_maxrss``) is no use: it starts with the parent's size.
    """

    def __init__(self, process: subprocess.Popen[str], *, timeout_s: float) -> None:
        self.peak_mb = 0.0
        self._timeout_s = timeout_s
        self._process = process
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="vantage-bench-watch")

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def sample(self) -> None:
        """Look at the memory of the process now."""
        self.peak_mb = max(self.peak_mb, high_water_mb(self._process.pid))

    def _follow(self) -> None:
        limit = time.monotonic() + self._timeout_s
        while not self._ended.wait(_SAMPLE_EVERY_S):
            self.sample()
            if time.monotonic() > limit:
                self._process.kill()
                return


def high_water_mb(process: int) -> float:
    """Return the largest resident memory that a running process had, 0.0 where the system does not tell."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    line = next((line for line in status.splitlines() if line.startswith("VmHWM:")), "VmHWM: 0 kB")
    return int(line.split()[1]) / 1024
