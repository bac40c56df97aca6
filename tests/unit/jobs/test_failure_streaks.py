"""Runs whose server is gone, silent, or another one: they stop after few calls, and resume goes on."""

from __future__ import annotations

import socket
from contextlib import closing
from pathlib import Path

import pytest

from annotator.jobs.confirmed_runs import ConfirmedRuns
from annotator.jobs.dispatcher import Dispatcher
from annotator.jobs.failure_streaks import FailureStreaks
from annotator.jobs.worker import create_worker
from annotator.model_api import CallFailed
from annotator.queries.reader import Reader
from annotator.store.work.queue import WorkQueue
from annotator.user_profile import config_folder
from models.model_catalog import InstalledModels
from tests.patience import PATIENCE_S
from tests.servers.chat_server import Behaviour, ChatServer, texts_of
from tests.unit.jobs.working import enter, kind_of, plans, profile

IN_FLIGHT = 3
JOBS = 60
FAULTS = {
    "a web page": Behaviour(body=b"<html><title>Sign in</title></html>"),
    "a wrong address": Behaviour(status=404, body=b'{"error": "not found"}'),
    "refused": Behaviour(status=400, body=b'{"error": "no such model"}'),
    "broken": Behaviour(status=500, body=b'{"error": "out of memory"}'),
    "cut": Behaviour(cut_at=5),
    "without an answer": Behaviour(body=b"{}"),
    "dropped": Behaviour(is_dropped=True),
    "silent": Behaviour(delay_s=30.0),
}


def work(project: Path) -> None:
    with create_worker(
        project, catalogue=InstalledModels(), confirmed=ConfirmedRuns(config_folder()), run="r1"
    ) as worker:
        worker.work(until_done=True)


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Dispatcher.__init__.__kwdefaults__, "kinds", kind_of)


def resume(project: Path) -> None:
    with closing(WorkQueue.open(project)) as queue:
        queue.runs.resume("r1")
        queue.runs.retry_failed("r1")


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_run_when_every_call_fails_alike_then_stops_after_few_and_resume_goes_on(
    project: Path, reader: Reader, fault: Behaviour
) -> None:
    with ChatServer(answer=lambda body: texts_of(body).strip()) as server:
        server.behave(fault, times=10 * JOBS)
        # A call that is answered may take its time on a busy machine; the limit is for the silent server.
        timeout_s = 1.0 if fault.delay_s else PATIENCE_S
        model = profile(base_url=server.base_url, in_flight=IN_FLIGHT, timeout_s=timeout_s)
        enter(project, plans(JOBS), model=model)
        work(project)
        run = reader.runs.get("r1")
        assert run is not None
        assert run.state == "stopped"
        assert run.message.startswith(f"{2 * IN_FLIGHT} calls in a row failed in the same way. ")
        # And those that were under way when the last of them failed.
        assert len(server.calls) <= 4 * IN_FLIGHT
        assert reader.runs.progress("r1").waiting >= JOBS - 4 * IN_FLIGHT
        server.behave_as_usual()
        resume(project)
        work(project)
    assert reader.runs.progress("r1").done == JOBS


@pytest.mark.parametrize("body", [b"{}", b'{"error": {"message": "overloaded"}}'])
def test_run_when_replies_have_status_200_and_no_answer_then_each_is_asked_once_more(
    project: Path, reader: Reader, body: bytes
) -> None:
    with ChatServer(answer=lambda asked: texts_of(asked).strip()) as server:
        server.behave(Behaviour(body=body), times=2)
        enter(project, plans(3), model=profile(base_url=server.base_url, in_flight=3))
        work(project)
        assert reader.runs.progress("r1").done == 3
        assert len(server.calls) == 5


def test_run_when_a_reply_never_has_an_answer_then_it_fails_with_words_after_two_calls(
    project: Path, reader: Reader
) -> None:
    with ChatServer() as server:
        server.behave(Behaviour(body=b'{"error": {"message": "overloaded"}}'), times=2)
        enter(project, plans(1), model=profile(base_url=server.base_url, in_flight=3))
        work(project)
        assert len(server.calls) == 2
    (prediction,) = reader.runs.predictions("r1")
    assert prediction.kind == "error"
    assert "reports an error with status 200. Server message: overloaded" in prediction.message


def test_run_when_nobody_listens_then_stops_after_few_calls(project: Path, reader: Reader) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    model = profile(base_url=f"http://127.0.0.1:{port}/v1", in_flight=IN_FLIGHT)
    enter(project, plans(JOBS), model=model)
    work(project)
    run = reader.runs.get("r1")
    assert run is not None
    assert run.state == "stopped"
    assert "cannot be reached" in run.message
    assert reader.runs.progress("r1").waiting >= JOBS - 4 * IN_FLIGHT


def failure(**changes: object) -> CallFailed:
    return CallFailed("x.", **{"kind": "server", "is_retryable": True, "status": 500, **changes})


def stops(*errors: CallFailed | None) -> list[bool]:
    streaks = FailureStreaks()
    return [bool(streaks.note("r1", error, profile=profile(in_flight=2))) for error in errors]


def test_streak_when_a_success_or_another_failure_comes_between_then_begins_anew() -> None:
    same, other = failure(), failure(status=503)
    assert stops(same, same, same, same, same) == [False, False, False, True, False]
    assert stops(same, same, same, None, same, same, same) == [False] * 7
    assert stops(same, same, same, other, same, same, same) == [False] * 7


def test_streak_when_failures_of_several_kinds_come_by_turns_then_stops_later() -> None:
    turns = (failure(), failure(status=503), failure(kind="timeout", status=0))
    assert [n for n, is_stopped in enumerate(stops(*turns * 12), start=1) if is_stopped] == [16, 32]
    assert stops(*(*turns * 5, None, *turns * 5)) == [False] * 31
    streaks, one = FailureStreaks(), profile(in_flight=2)
    assert [streaks.note("r1", error, profile=one) for error in turns * 6][15] == (
        "16 calls in a row failed in several ways. x."
    )


def test_streak_when_the_server_asks_to_wait_then_is_none() -> None:
    assert stops(*[failure(kind="rate", status=429)] * 9) == [False] * 9
