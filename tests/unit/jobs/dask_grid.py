"""A Dask cluster of real processes on loopback, for tests that need the extra ``cluster``."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.patience import wait_until
from tests.servers.authority import Papers

REPO = Path(__file__).resolve().parents[3]
needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="the extra 'cluster' is not installed"
)


class Grid:
    """A scheduler and workers as processes on loopback.

    Args:
        folder: Their files.
        workers: Number of workers.
        threads: How many calls each makes at once.
        resources: What the first workers declare, as ``GPU=1``.
        papers: Certificates, None for a connection without TLS.
    """

    def __init__(
        self,
        folder: Path,
        *,
        workers: int = 2,
        threads: int = 4,
        resources: Sequence[str] = (),
        papers: Papers | None = None,
    ) -> None:
        self._file = folder / "scheduler.json"
        secret = papers.options() if papers else ()
        host = ("--host", f"{'tls' if papers else 'tcp'}://127.0.0.1", "--no-dashboard", *secret)
        self._processes = [
            self._start("scheduler", *host, "--port", "0", "--scheduler-file", self._file),
        ]
        wait_until(self._file.is_file)
        wait_until(lambda: bool(self._file.read_text()))
        self.address = json.loads(self._file.read_text())["address"]
        for number in range(workers):
            work = ("--nthreads", threads, "--no-nanny", "--name", number, "--local-directory", folder)
            declared = ("--resources", resources[number]) if number < len(resources) else ()
            self._processes.append(self._start("worker", self.address, *host, *work, *declared))

    def kill_a_worker(self) -> None:
        """Kill the youngest one that lives."""
        worker = next(one for one in reversed(self._processes[1:]) if one.poll() is None)
        worker.kill()
        worker.wait()

    def kill_the_scheduler(self) -> None:
        self._processes[0].kill()

    def hang_the_scheduler(self) -> None:
        """Have its process stand still, with its connections open."""
        self._processes[0].send_signal(signal.SIGSTOP)

    def hang_a_worker(self) -> None:
        """Have its process stand still, with its connections open."""
        self._processes[-1].send_signal(signal.SIGSTOP)

    def close(self) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait()

    def _start(self, *arguments: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *map(str, arguments)],
            # Dask itself may lie in a folder of the path that is set already.
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(REPO), os.environ.get("PYTHONPATH", "")])},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
