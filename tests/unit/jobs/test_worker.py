"""A worker over a catalogue of models, and the one that a project's runs have."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.actor import Actor
from annotator.errors import UserError
from annotator.jobs import supervisor as supervising
from annotator.jobs.confirmed_runs import ConfirmedRuns
from annotator.jobs.dispatcher import Dispatcher
from annotator.jobs.worker import create_worker
from annotator.model_api import Model
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.user_profile import config_folder
from models.model_catalog import InstalledModels
from tests.patience import PATIENCE_S
from tests.servers.chat_server import Behaviour, ChatServer, texts_of
from tests.unit.jobs import work_process
from tests.unit.jobs.working import Voice, answers, echoed, enter, kind_of, plans, profile


class OneModel:
    """A catalogue that notes what was opened."""

    def __init__(self, model: Voice) -> None:
        self.opened: list[Mapping[str, Any]] = []
        self._model = model

    def open(self, profile: Mapping[str, Any], *, progress: Progress) -> Model:
        self.opened.append(profile)
        return self._model


@pytest.fixture(autouse=True)
def repeating(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs only repeat."""
    monkeypatch.setitem(Dispatcher.__init__.__kwdefaults__, "kinds", kind_of)


def test_worker_when_it_works_then_opens_each_model_once_by_its_profile(
    project: Path, reader: Reader
) -> None:
    enter(project, plans(30), model=profile(in_flight=3))
    catalogue = OneModel(Voice())
    told: list[int] = []
    with create_worker(
        project, catalogue=catalogue, confirmed=ConfirmedRuns(config_folder()), recorded=told.append
    ) as one:
        one.work(until_done=True)
    (opened,) = catalogue.opened
    assert (opened["name"], opened["in_flight"]) == ("m", 3)
    assert answers(reader) == echoed(30)
    assert sum(told) == 30


def test_worker_when_the_run_is_not_there_then_says_so(project: Path) -> None:
    with (
        pytest.raises(UserError, match="no run 'nobody'"),
        create_worker(
            project, catalogue=OneModel(Voice()), confirmed=ConfirmedRuns(config_folder()), run="nobody"
        ),
    ):
        raise AssertionError


def test_worker_when_the_server_has_bad_moments_then_every_answer_comes_over_http(
    project: Path, reader: Reader
) -> None:
    with ChatServer(answer=lambda body: texts_of(body).strip()) as server:
        enter(project, plans(60), model=profile(base_url=server.base_url, in_flight=8, tries=9))
        server.behave(Behaviour(status=503), times=5)
        server.behave(Behaviour(status=429, headers={"Retry-After": "0"}), times=5)
        server.behave(Behaviour(is_dropped=True), times=3)
        server.behave(Behaviour(cut_at=20), times=3)
        with create_worker(
            project, catalogue=InstalledModels(), confirmed=ConfirmedRuns(config_folder())
        ) as one:
            one.work(until_done=True)
        asked = len(server.calls)
    assert answers(reader) == echoed(60)
    assert asked == 76
    failures = {one.kind: one.count for one in reader.runs.failures("r1")}
    assert sum(failures.values()) == 16
    assert (failures["server"], failures["rate"]) == (5, 5)


def test_worker_when_the_key_is_not_accepted_then_the_run_stops_and_no_more_is_asked(
    project: Path, reader: Reader
) -> None:
    with ChatServer(behaviour=Behaviour(status=401, body=b"{}")) as server:
        enter(project, plans(100), model=profile(base_url=server.base_url, in_flight=4))
        with create_worker(
            project, catalogue=InstalledModels(), confirmed=ConfirmedRuns(config_folder())
        ) as one:
            one.work(until_done=True)
        asked = len(server.calls)
    run = reader.runs.get("r1")
    assert run is not None
    assert run.state == "stopped"
    assert asked <= 8
    assert reader.runs.progress("r1").waiting == 100


def test_runs_worker_when_asked_for_twice_then_is_the_same_and_ends_with_the_session(
    project: Path, reader: Reader
) -> None:
    with Session.open(project, actor=Actor(id="a" * 32, name="Ann")) as session:
        supervisor = session.runs.worker
        assert session.runs.worker is supervisor
        # Nothing waits: the real program starts, finds that, and ends.
        supervisor.start()
        assert supervisor.wait(PATIENCE_S)
        assert supervisor.state().condition == "off"
        assert supervisor.state().last_output == ""
    assert [one.status for one in reader.runs.workers()] == ["ended"]


def test_close_when_a_call_is_under_way_then_does_not_wait_and_the_answer_is_kept_once(
    project: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "program", lambda: (sys.executable, work_process.__file__))
    asked, may_answer = threading.Event(), threading.Event()

    def answer(body: dict[str, Any]) -> str:
        asked.set()
        may_answer.wait(PATIENCE_S)
        return texts_of(body).strip()

    with ChatServer(answer=answer) as server:
        # Paid for: nothing is noted as sent ahead, so that what is let go was never asked.
        enter(project, plans(4), model=profile(base_url=server.base_url, in_flight=1, price_in=1.0))
        session = Session.open(project, actor=Actor(id="a" * 32, name="Ann"))
        watching = session.runs.worker
        watching.start()
        assert asked.wait(PATIENCE_S)
        session.close()
        # Whoever waited for the worker would have waited for an answer that comes only now.
        assert watching.state().condition == "running"
        assert not watching.wait(0)
        assert reader.runs.progress("r1").done == 0
        may_answer.set()
        assert watching.wait(PATIENCE_S)
        (question,) = (texts_of(call.body).strip() for call in server.calls)
    assert answers(reader) == [(question, "answer", question)]
    progress = reader.runs.progress("r1")
    assert (progress.done, progress.waiting, progress.in_flight) == (1, 3, 0)
    assert [one.status for one in reader.runs.workers()] == ["ended"]


def test_runs_worker_when_the_settings_send_windows_to_a_cluster_then_goes_there(
    project: Path, private_home: Path
) -> None:
    settings = config_folder()
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "cluster.json").write_text('{"address": "http://nowhere", "in_window": true}')
    with Session.open(project, actor=Actor(id="a" * 32, name="Ann")) as session:
        session.runs.worker.start()
        assert session.runs.worker.wait(PATIENCE_S)
        state = session.runs.worker.state()
    assert state.condition == "refused"
    reasons = ("not the address of a Dask scheduler", "Dask is not installed")
    assert any(reason in state.last_output for reason in reasons)
