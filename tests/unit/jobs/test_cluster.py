"""Calls handed to a Dask cluster of two real worker processes."""

from __future__ import annotations

import base64
import json
import os
import queue
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from annotator.errors import UserError
from annotator.jobs.calls import CallDone, ModelCall
from annotator.jobs.cluster import Cluster
from annotator.jobs.cluster_file import ClusterAddress, is_for_window, read_cluster, window_warning
from annotator.jobs.cluster_worker import RemoteFailure
from annotator.model_api import CallFailed, ChatRequest, ModelImage
from annotator.queries.reader import Reader
from annotator.store.work.queue import WorkQueue
from annotator.user_profile import config_folder
from models.model_catalog import InstalledModels
from tests.patience import PATIENCE_S, wait_until
from tests.servers.authority import Authority
from tests.servers.chat_server import Behaviour, ChatServer, texts_of
from tests.unit.jobs.dask_grid import Grid, needs_dask
from tests.unit.jobs.working import ECHO, answers, echoed, enter, make_project, plans, profile

WORST = 11
"""Millionths: ten tokens asked and one answered, at a price of one a million each."""
PROCESS = Path(__file__).with_name("work_process.py")
FILES = ("ca_file", "cert_file", "key_file")


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
        wait_until(lambda: reader.runs.progress("r1").done >= 100 or process.poll() is not None)
        grid.kill_a_worker()
        _, trouble = process.communicate(timeout=PATIENCE_S)
        asked = Counter(texts_of(call.body).strip() for call in server.calls)
    assert process.returncode == 0, trouble.decode()
    assert answers(reader) == echoed(400)
    # Of four threads.
    assert sum(asked.values()) - 400 <= 4
    run = reader.runs.get("r1")
    assert run is not None
    assert run.state == "done"
    reader.close()


@needs_dask
@pytest.mark.slow
def test_cluster_when_workers_with_paid_calls_are_killed_then_each_call_is_booked_and_no_limit_is_passed(
    tmp_path: Path,
) -> None:
    grid = Grid(tmp_path, workers=3)
    project = make_project(tmp_path / "p.vantage")
    try:
        with ChatServer(
            answer=lambda body: texts_of(body).strip(), behaviour=Behaviour(delay_s=0.4)
        ) as server:
            paid = profile(base_url=server.base_url, in_flight=12, price_in=1.0, price_out=1.0)
            enter(project, plans(100, worst=WORST), model=paid, limit_micro=60 * WORST)
            process = subprocess.Popen(
                [sys.executable, PROCESS, "worker", project, "--until-done", "--cluster", grid.address],
                stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            reader = Reader.open(project)
            for before in (12, 30):
                # All threads are in a call.
                wait_until(lambda n=before: len(server.calls) >= n)  # type: ignore[misc]
                grid.kill_a_worker()
            _, trouble = process.communicate(timeout=PATIENCE_S)
            asked = len(server.calls)
        assert process.returncode == 1, trouble.decode()
        progress = reader.runs.progress("r1")
        reader.close()
    finally:
        grid.close()
    assert asked * WORST <= progress.spent_micro <= 60 * WORST
    # Those that died with their worker are booked, too.
    assert progress.done < progress.spent_micro / WORST


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
        wait_until(lambda: reader.runs.progress("r1").done >= 20 or process.poll() is not None)
        grid.kill_the_scheduler()
        _, trouble = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3
    assert "The connection to the Dask scheduler was lost. Restart the scheduler" in trouble
    assert "Traceback" not in trouble
    progress = reader.runs.progress("r1")
    assert (progress.in_flight, progress.failed) == (0, 0)
    assert progress.done + progress.waiting == 400
    reader.close()


@needs_dask
@pytest.mark.slow
def test_cluster_when_the_scheduler_hangs_then_the_worker_ends_with_words_and_all_waits_again(
    grid: Grid, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "p.vantage")
    with ChatServer(answer=lambda body: texts_of(body).strip(), behaviour=Behaviour(delay_s=0.05)) as server:
        enter(project, plans(4000), model=profile(base_url=server.base_url))
        process = subprocess.Popen(
            [sys.executable, PROCESS, "worker", project, "--until-done", "--cluster", grid.address],
            env={**os.environ, "VANTAGE_TEST_SILENT_S": "3"},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        reader = Reader.open(project)
        wait_until(lambda: reader.runs.progress("r1").done >= 20 or process.poll() is not None)
        grid.hang_the_scheduler()
        _, trouble = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3
    assert f"The Dask scheduler at {grid.address} has not answered for" in trouble
    assert "Traceback" not in trouble
    progress = reader.runs.progress("r1")
    assert (progress.in_flight, progress.failed) == (0, 0)
    assert progress.done + progress.waiting == 4000
    reader.close()


@needs_dask
@pytest.mark.slow
@pytest.mark.parametrize("hangs", [False, True], ids=["workers run", "a worker hangs"])
def test_cluster_when_a_run_is_paused_then_calls_that_no_worker_has_begun_are_taken_back(
    tmp_path: Path, *, hangs: bool
) -> None:
    grid = Grid(tmp_path, threads=1)
    project = make_project(tmp_path / "p.vantage")
    try:
        # No call is answered before the test ends: what is under way stays so.
        with ChatServer(behaviour=Behaviour(delay_s=PATIENCE_S)) as server:
            enter(project, plans(40), model=profile(base_url=server.base_url, in_flight=16))
            process = subprocess.Popen(
                [sys.executable, PROCESS, "worker", project, "--cluster", grid.address],
                stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            reader = Reader.open(project)
            wait_until(lambda: len(server.calls) == 2 and reader.runs.progress("r1").in_flight >= 16)
            if hangs:
                grid.hang_a_worker()
            with closing(WorkQueue.open(project)) as work:
                work.runs.pause("r1")
            wait_until(lambda: reader.runs.progress("r1").in_flight == 2)
            assert reader.runs.progress("r1").waiting == 38
            assert len(server.calls) == 2
            process.kill()
            process.communicate()
            reader.close()
    finally:
        grid.close()


@needs_dask
@pytest.mark.slow
def test_cluster_when_a_profile_takes_gpus_then_so_many_calls_run_at_once_as_workers_declare(
    tmp_path: Path,
) -> None:
    grid = Grid(tmp_path, resources=["GPU=2"])
    project = make_project(tmp_path / "p.vantage")
    try:
        with ChatServer(
            answer=lambda body: texts_of(body).strip(), behaviour=Behaviour(delay_s=0.1)
        ) as server:
            model = profile(base_url=server.base_url, in_flight=8, resources={"GPU": 1})
            enter(project, plans(30), model=model)
            ended = ask_cluster(project, grid.address)
            assert ended.returncode == 0, ended.stderr
            # Of eight threads on two workers.
            assert server.most_in_flight == 2
    finally:
        grid.close()


@needs_dask
@pytest.mark.slow
def test_cluster_when_calls_share_an_image_then_it_is_sent_once_even_if_a_worker_that_holds_it_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = Grid(tmp_path)
    image = ModelImage(data=random.Random(7).randbytes(600_000), label="UAV1")
    try:
        with ChatServer(answer=lambda body: str(body).partition("base64,")[2][:40]) as server:
            done: queue.SimpleQueue[CallDone] = queue.SimpleQueue()
            with Cluster(ClusterAddress(address=grid.address), catalogue=InstalledModels()) as cluster:
                wait_until(lambda: cluster.threads == 8)
                sent: list[str] = []
                submit = cluster._client.submit
                monkeypatch.setattr(
                    cluster._client,
                    "submit",
                    lambda *given, **more: sent.append(more["key"]) or submit(*given, **more),
                )
                calls = cluster.calls(profile(base_url=server.base_url), done.put)
                results = []
                for first in (0, 12):
                    for number in range(first, first + 12):
                        request = ChatRequest(text=f"{number}", pictures=(image,))
                        claim: Any = SimpleNamespace(request_key=b"k", fence=number, run="r1")
                        calls.make(ModelCall(kind=ECHO, claims=(claim,), materials=(request,), bodies=(b"",)))
                    results += [done.get(timeout=PATIENCE_S).made for _ in range(12)]
                    # Both workers hold the image by now, or the one that is killed alone does.
                    grid.kill_a_worker()
                calls.close()
        start = base64.b64encode(image.data).decode()[:40]
        assert [result.error for result in results] == [None] * 24
        assert {result.results[0].text for result in results} == {start}  # type: ignore[attr-defined]
        assert sum(key.startswith("vantage-payload-") for key in sent) == 1
        assert len(sent) == 25
    finally:
        grid.close()
        _end_callback_thread()


def _end_callback_thread() -> None:
    """End the thread that Dask keeps for the callbacks of all clients of a process."""
    from distributed import Future

    Future._cb_executor.shutdown()
    Future._cb_executor = None


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
    ("address", "content", "message"),
    [
        ("settings", None, "There is no"),
        ("settings", "{", "is not valid"),
        ("settings", '{"address": "tcp://h:1", "password": "x"}', "is not valid"),
        ("tls://h:1", None, "needs certificates: ca_file, cert_file, key_file"),
    ],
)
def test_read_cluster_when_it_cannot_work_then_says_so(
    tmp_path: Path, address: str, content: str | None, message: str
) -> None:
    if content is not None:
        (tmp_path / "cluster.json").write_text(content)
    with pytest.raises(UserError, match=message):
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
