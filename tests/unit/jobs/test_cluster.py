"""Calls handed to a Dask cluster of two real worker processes."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError
from annotator.jobs.cluster import ClusterCallExecutor, RemoteFailure
from annotator.jobs.cluster_file import ClusterAddress, is_for_window, read_cluster, window_warning
from annotator.model_api import CallFailed
from annotator.queries.reader import Reader
from annotator.user_profile import config_folder
from tests.patience import PATIENCE_S, wait_until
from tests.servers.authority import Authority, Papers
from tests.servers.chat_server import Behaviour, ChatServer, texts_of
from tests.unit.jobs.working import answers, echoed, enter, make_project, plans, profile

REPO = Path(__file__).resolve().parents[3]
PROCESS = Path(__file__).with_name("work_process.py")
FILES = ("ca_file", "cert_file", "key_file")
needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="the extra 'cluster' is not installed"
)


class Grid:
    """A scheduler and workers as processes on loopback."""

    def __init__(self, folder: Path, *, workers: int = 2, papers: Papers | None = None) -> None:
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
            work = ("--nthreads", "4", "--no-nanny", "--name", number, "--local-directory", folder)
            self._processes.append(self._start("worker", self.address, *host, *work))

    def kill_a_worker(self) -> None:
        self._processes[-1].kill()

    def kill_the_scheduler(self) -> None:
        self._processes[0].kill()

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
        wait_until(lambda: reader.run_progress("r1").done >= 100 or process.poll() is not None)
        grid.kill_a_worker()
        _, trouble = process.communicate(timeout=PATIENCE_S)
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
def test_cluster_when_the_scheduler_dies_for_good_then_says_so_and_all_waits_again(
    grid: Grid, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "p.vantage")
    with ChatServer(answer=lambda body: texts_of(body).strip(), behaviour=Behaviour(delay_s=0.05)) as server:
        enter(project, plans(400), model=profile(base_url=server.base_url))
        process = subprocess.Popen(
            [sys.executable, PROCESS, "worker", project, "--until-done", "--cluster", grid.address],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        reader = Reader.open(project)
        wait_until(lambda: reader.run_progress("r1").done >= 20 or process.poll() is not None)
        grid.kill_the_scheduler()
        _, trouble = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3
    assert "The connection to the Dask scheduler was lost. Restart the scheduler" in trouble
    assert "Traceback" not in trouble
    progress = reader.run_progress("r1")
    assert (progress.in_flight, progress.failed) == (0, 0)
    assert progress.done + progress.waiting == 400
    reader.close()


@needs_dask
@pytest.mark.slow
def test_cluster_when_nobody_answers_then_says_so(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p.vantage")
    ended = subprocess.run(
        [sys.executable, PROCESS, "worker", project, "--until-done", "--cluster", "tcp://127.0.0.1:9"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 3
    assert b"The Dask scheduler at tcp://127.0.0.1:9 does not answer" in ended.stderr


def test_failed_when_it_comes_back_as_a_value_then_is_the_failure_that_it_was() -> None:
    error = CallFailed(
        "Too fast.", kind="rate", is_retryable=True, retry_after_s=3.0, status=429, raw=b"{}", was_sent=False
    )
    again = RemoteFailure.of(error).error
    assert isinstance(again, CallFailed)
    assert vars(again) == vars(error)
    assert not isinstance(RemoteFailure.of(UserError("It is not installed.")).error, CallFailed)


def keep(settings: Path, **values: object) -> None:
    settings.mkdir(exist_ok=True)
    (settings / "cluster.json").write_text(json.dumps(values))


def with_files(settings: Path) -> dict[str, str]:
    """Lay files where certificates would lie, and return their paths as a person writes them."""
    for name in FILES:
        (settings / f"{name}.pem").write_text("x")
    return {name: f"{name}.pem" for name in FILES}


def test_read_cluster_when_an_address_is_given_then_certificates_come_from_beside_the_settings(
    tmp_path: Path,
) -> None:
    assert read_cluster("tcp://h:1", settings=tmp_path) == ClusterAddress(address="tcp://h:1")
    keep(tmp_path, address="tls://kept:1", **with_files(tmp_path))
    paths = {name: str(tmp_path / f"{name}.pem") for name in FILES}
    assert read_cluster("settings", settings=tmp_path) == ClusterAddress(address="tls://kept:1", **paths)
    assert read_cluster("tls://h:2", settings=tmp_path) == ClusterAddress(address="tls://h:2", **paths)


@pytest.mark.parametrize(
    ("address", "content", "words"),
    [
        ("settings", None, "There is no"),
        ("settings", "{", "is not valid"),
        ("settings", '{"address": "tcp://h:1", "password": "x"}', "is not valid"),
        ("tls://h:1", None, "needs certificates: ca_file, cert_file, key_file"),
    ],
)
def test_read_cluster_when_it_cannot_work_then_says_so(
    tmp_path: Path, address: str, content: str | None, words: str
) -> None:
    if content is not None:
        (tmp_path / "cluster.json").write_text(content)
    with pytest.raises(UserError, match=words):
        read_cluster(address, settings=tmp_path)


@pytest.mark.parametrize("address", ["settings", "tcp://other:2"])
def test_read_cluster_when_certificates_are_named_and_the_address_is_not_secret_then_says_so(
    tmp_path: Path, address: str
) -> None:
    keep(tmp_path, address="tcp://h:1", **with_files(tmp_path))
    with pytest.raises(UserError, match="is not encrypted") as caught:
        read_cluster(address, settings=tmp_path)
    assert "Set tls://" in caught.value.hint


def test_read_cluster_when_a_certificate_is_not_there_then_names_it(tmp_path: Path) -> None:
    keep(tmp_path, address="tls://h:1", **with_files(tmp_path))
    (tmp_path / "key_file.pem").unlink()
    with pytest.raises(UserError, match=r"no file .*key_file\.pem") as caught:
        read_cluster("settings", settings=tmp_path)
    assert "Correct key_file" in caught.value.hint


@pytest.mark.parametrize(
    "content", [None, "{", '{"address": "tcp://h:1"}', '{"address": "tls://h:1", "in_window": true}']
)
def test_warning_when_no_window_uses_a_cluster_in_plain_text_then_there_is_none(
    tmp_path: Path, content: str | None
) -> None:
    if content is not None:
        (tmp_path / "cluster.json").write_text(content)
    assert window_warning(tmp_path) is None


def test_warning_when_a_window_uses_a_cluster_in_plain_text_then_names_it(tmp_path: Path) -> None:
    keep(tmp_path, address="tcp://h:1", in_window=True)
    warning = window_warning(tmp_path)
    assert warning is not None
    assert "tcp://h:1 is not encrypted" in str(warning)


def test_is_for_window_when_the_settings_say_so_then_the_worker_of_a_window_goes_there(
    tmp_path: Path,
) -> None:
    assert not is_for_window(tmp_path)
    keep(tmp_path, address="tcp://h:1")
    assert not is_for_window(tmp_path)
    keep(tmp_path, address="tcp://h:1", in_window=True)
    assert is_for_window(tmp_path)
    # The worker says what is wrong with it, where the window can show it.
    (tmp_path / "cluster.json").write_text("{")
    assert is_for_window(tmp_path)


@needs_dask
@pytest.mark.slow
def test_cluster_when_it_speaks_tls_then_the_work_is_done_by_two_workers_and_strangers_are_refused(
    tmp_path: Path, private_home: Path
) -> None:
    authority = Authority(tmp_path / "authority")
    grid = Grid(tmp_path, papers=authority.papers("grid"))
    settings = config_folder()
    settings.mkdir(parents=True, exist_ok=True)
    bare = grid.address.removeprefix("tls://")
    try:
        project = make_project(tmp_path / "p.vantage")
        with ChatServer(
            answer=lambda body: texts_of(body).strip(), behaviour=Behaviour(delay_s=0.2)
        ) as server:
            enter(project, plans(60), model=profile(base_url=server.base_url, in_flight=8))
            stranger = Authority(tmp_path / "elsewhere").papers("stranger")
            keep(settings, address=grid.address, **{**asdict(stranger), "ca_file": authority.ca_file})
            assert "rejects the client certificate" in refused(project, "settings")
            (settings / "cluster.json").unlink()
            assert f"Set tls://{bare}" in refused(project, f"tcp://{bare}")
            assert not server.calls
            keep(settings, address=grid.address, **asdict(authority.papers("us")))
            ended = ask_cluster(project, "settings")
            at_once = server.most_in_flight
        assert ended.returncode == 0, ended.stderr
        reader = Reader.open(project)
        assert answers(reader) == echoed(60)
        reader.close()
        # One worker has four threads.
        assert at_once > 4
    finally:
        grid.close()


def ask_cluster(project: Path, address: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, PROCESS, "worker", project, "--until-done", "--cluster", address],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def refused(project: Path, address: str) -> str:
    ended = ask_cluster(project, address)
    assert ended.returncode == 2
    return ended.stderr


class _Unanswered:
    def add_done_callback(self, call: object) -> None:
        pass


class _SilentClient:
    """A client whose calls never end."""

    def __init__(self, *, resources: dict[str, float]) -> None:
        self._worker = {"resources": resources}
        self.asked: list[object] = []

    def submit(self, *_arguments: object, resources: object, **_more: object) -> _Unanswered:
        self.asked.append(resources)
        return _Unanswered()

    def scheduler_info(self, n_workers: int) -> dict[str, object]:
        assert n_workers == -1
        return {"workers": {"one": self._worker}}


def _silent(client: _SilentClient, done: list[Any], **changes: Any) -> ClusterCallExecutor:
    told = ModelProfile(**{"name": "m", "adapter": "transformers", "timeout_s": 0.01, **changes})
    return ClusterCallExecutor(
        told, client=cast("Any", client), catalogue=cast("Any", None), on_done=done.append
    )


def _a_call() -> Any:
    claim = SimpleNamespace(request_key=b"k", fence=1)
    return SimpleNamespace(kind=None, materials=(), claims=(claim,))


@needs_dask
@pytest.mark.parametrize(
    ("resources", "adapter", "asked"),
    [
        ({"GPU": 1.0}, "transformers", {"GPU": 1}),
        ({}, "transformers", None),
        ({"GPU": 1.0}, "openai", None),
    ],
)
def test_call_when_workers_declare_gpus_then_a_local_model_asks_for_one(
    resources: dict[str, float], adapter: str, asked: object
) -> None:
    client = _SilentClient(resources=resources)
    _silent(client, [], adapter=adapter).make(_a_call())
    assert client.asked == [asked]
