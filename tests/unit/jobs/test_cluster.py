"""Calls handed to a Dask cluster of two real worker processes."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.errors import UserError
from annotator.jobs.cluster import Failed
from annotator.jobs.cluster_file import ClusterPlace, read_cluster
from annotator.predictor import CallFailed
from annotator.store.reader import Reader
from tests.servers.chat_server import Behaviour, ChatServer, texts_of
from tests.unit.jobs.working import answers, echoed, enter, make_project, plans, profile

REPO = Path(__file__).resolve().parents[3]
PROCESS = Path(__file__).with_name("work_process.py")
TLS = {"ca_file": "ca.pem", "cert_file": "cert.pem", "key_file": "key.pem"}
needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="the extra 'cluster' is not installed"
)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


class Grid:
    """A scheduler and two workers as processes on loopback."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "scheduler.json"
        quiet = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self._processes = [self._start("scheduler", *quiet, "--scheduler-file", self._file)]
        until(self._file.is_file)
        until(lambda: bool(self._file.read_text()))
        self.address = json.loads(self._file.read_text())["address"]
        for name in ("one", "two"):
            work = ("--nthreads", "4", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
            self._processes.append(
                self._start("worker", self.address, *work, "--name", name, "--local-directory", folder)
            )

    def kill_a_worker(self) -> None:
        self._processes[-1].kill()

    def close(self) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait()

    def _start(self, *arguments: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(REPO)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@pytest.fixture
def grid(tmp_path: Path) -> Iterator[Grid]:
    made = Grid(tmp_path)
    yield made
    made.close()


@needs_dask
@pytest.mark.slow
def test_cluster_when_a_worker_is_killed_midway_then_every_job_is_answered_once(
    grid: Grid, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "p.vantage")
    with ChatServer(answer=lambda body: texts_of(body).strip(), behaviour=Behaviour(delay_s=0.05)) as server:
        enter(project, plans(400), model=profile(base_url=server.base_url, in_flight=8))
        process = subprocess.Popen(
            [sys.executable, PROCESS, "worker", project, "--until-done", "--cluster", grid.address],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        reader = Reader.open(project)
        until(lambda: reader.run_progress("r1").done >= 100 or process.poll() is not None)
        grid.kill_a_worker()
        _, trouble = process.communicate(timeout=120)
        asked = Counter(texts_of(call.body).strip() for call in server.calls)
    assert process.returncode == 0, trouble.decode()
    assert answers(reader) == echoed(400)
    # Dask hands what the dead worker had to the other one: four threads, and what waited for them.
    assert sum(asked.values()) - 400 <= 8
    run = reader.run("r1")
    assert run is not None
    assert run.state == "done"
    reader.close()


@needs_dask
@pytest.mark.slow
def test_cluster_when_nobody_answers_then_says_so(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p.vantage")
    ended = subprocess.run(
        [sys.executable, PROCESS, "worker", project, "--until-done", "--cluster", "tcp://127.0.0.1:9"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 3
    assert b"No Dask scheduler answers at tcp://127.0.0.1:9" in ended.stderr


def test_failed_when_it_comes_back_as_a_value_then_is_the_failure_that_it_was() -> None:
    error = CallFailed(
        "Too fast.", kind="rate", is_retryable=True, retry_after_s=3.0, status=429, raw=b"{}", was_sent=False
    )
    again = Failed.of(error).error
    assert isinstance(again, CallFailed)
    assert vars(again) == vars(error)
    assert not isinstance(Failed.of(UserError("It is not installed.")).error, CallFailed)


def test_read_cluster_when_an_address_is_given_then_certificates_come_from_the_settings(
    tmp_path: Path,
) -> None:
    assert read_cluster("tcp://h:1", settings=tmp_path) == ClusterPlace(address="tcp://h:1")
    kept = {"address": "tls://kept:1", **TLS}
    (tmp_path / "cluster.json").write_text(json.dumps(kept))
    assert read_cluster("settings", settings=tmp_path) == ClusterPlace(**kept)
    assert read_cluster("tls://h:2", settings=tmp_path) == ClusterPlace(**{**kept, "address": "tls://h:2"})


@pytest.mark.parametrize(
    ("address", "content", "words"),
    [
        ("settings", None, "There is no"),
        ("settings", "{", "cannot be understood"),
        ("settings", '{"address": "tcp://h:1", "password": "x"}', "cannot be understood"),
        ("tls://h:1", None, "needs certificates"),
    ],
)
def test_read_cluster_when_it_cannot_work_then_says_so(
    tmp_path: Path, address: str, content: str | None, words: str
) -> None:
    if content is not None:
        (tmp_path / "cluster.json").write_text(content)
    with pytest.raises(UserError, match=words):
        read_cluster(address, settings=tmp_path)
