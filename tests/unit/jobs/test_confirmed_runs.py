"""Runs of a stranger's project: they use no server, key, path or program until the person confirms them."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import msgspec
import pytest

from annotator.domain.actor import Actor
from annotator.domain.run import Run
from annotator.domain.run_connections import connections_of
from annotator.errors import EnvironmentFailure, UserError
from annotator.jobs.confirmed_runs import FILE, ConfirmedRuns
from annotator.jobs.dispatcher import Dispatcher
from annotator.jobs.worker import create_worker
from annotator.jobs.worker_context import WorkerContexts
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.user_profile import config_folder
from models.model_catalog import InstalledModels
from tests.servers.chat_server import ChatServer, texts_of
from tests.unit.jobs.working import Voice, answers, echoed, enter, kind_of, plans, profile, work

SECRET = "sk-" + "canary" * 5


@pytest.fixture(autouse=True)
def repeating(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs only repeat."""
    monkeypatch.setitem(Dispatcher.__init__.__kwdefaults__, "kinds", kind_of)


@pytest.fixture
def stranger() -> ChatServer:
    """Return a server that keeps whatever is sent to it."""
    return ChatServer(answer=lambda body: texts_of(body).strip())


def _run(**changes: object) -> Run:
    values = {"id": "r1", "kind": "blind", "models": ("m",), "profiles": {"m": {"name": "m"}}}
    return msgspec.convert({**values, **changes}, Run)


def test_worker_when_a_run_is_a_strangers_then_his_server_gets_nothing_and_own_runs_go_on(
    project: Path, reader: Reader, stranger: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with stranger:
        evil = profile(base_url=stranger.base_url, key_from="env:OPENAI_API_KEY")
        enter(project, plans(5), run="foreign", model=evil, is_confirmed=False)
        with ChatServer(answer=lambda body: texts_of(body).strip()) as server:
            enter(project, plans(3, first=10), run="own", model=profile(base_url=server.base_url))
            with create_worker(
                project, catalogue=InstalledModels(), confirmed=ConfirmedRuns(config_folder())
            ) as one:
                one.work(until_done=True)
            assert len(server.calls) == 3
        assert stranger.calls == []
    assert reader.runs.progress("own").done == 3
    assert reader.runs.progress("foreign").waiting == 5
    assert reader.runs.progress("foreign").in_flight == 0


def test_worker_when_only_strangers_runs_are_left_then_ends(project: Path, reader: Reader) -> None:
    enter(project, plans(5), is_confirmed=False)
    with create_worker(project, catalogue=InstalledModels(), confirmed=ConfirmedRuns(config_folder())) as one:
        one.work(until_done=True)
    assert reader.runs.progress("r1").waiting == 5


def test_worker_when_it_is_started_for_a_strangers_run_then_refuses_with_what_to_do(project: Path) -> None:
    enter(project, plans(1), is_confirmed=False)
    with (
        pytest.raises(UserError, match="not started on this machine") as caught,
        create_worker(
            project, catalogue=InstalledModels(), confirmed=ConfirmedRuns(config_folder()), run="r1"
        ),
    ):
        raise AssertionError
    assert "runs confirm" in caught.value.hint


def test_worker_when_the_person_confirms_meanwhile_then_takes_the_run_up(
    project: Path, reader: Reader
) -> None:
    run = enter(project, plans(3), is_confirmed=False)
    confirmed = ConfirmedRuns(config_folder())
    with Dispatcher(project, open_model=lambda _profile, _progress: Voice(), confirmed=confirmed) as one:
        thread = threading.Thread(target=one.work, kwargs={"until_done": False})
        thread.start()
        try:
            ConfirmedRuns(config_folder()).add(run)
            while reader.runs.progress("r1").done < 3:
                thread.join(0.05)
        finally:
            one.stop()
            thread.join()
    assert answers(reader) == echoed(3)


def test_worker_when_a_confirmed_run_is_changed_in_the_file_then_leaves_it_alone(
    project: Path, reader: Reader, stranger: ChatServer
) -> None:
    with stranger:
        run = enter(project, plans(2), model=profile(base_url="http://127.0.0.1:9/v1"))
        assert run in ConfirmedRuns(config_folder())
        moved = enter(
            project, plans(0), run="r2", model=profile(base_url=stranger.base_url), is_confirmed=False
        )
        _overwrite(project, msgspec.structs.replace(moved, id="r1"))
        with create_worker(
            project, catalogue=InstalledModels(), confirmed=ConfirmedRuns(config_folder())
        ) as one:
            one.work(until_done=True)
        assert stranger.calls == []
    assert reader.runs.progress("r1").waiting == 2


def test_context_when_the_run_is_not_confirmed_then_gives_no_profiles(project: Path) -> None:
    enter(project, plans(1), is_confirmed=False)
    contexts = WorkerContexts(project, confirmed=ConfirmedRuns(config_folder()))
    try:
        with pytest.raises(UserError, match="not confirmed"):
            contexts.of("r1")
    finally:
        contexts.leave()


def test_start_when_a_person_starts_a_run_then_it_is_confirmed_for_the_person_alone(
    project: Path, tmp_path: Path
) -> None:
    run = enter(project, plans(1), is_confirmed=False)
    with Session.open(project, actor=Actor(id="a" * 32, name="Ann")) as session:
        assert not session.runs.is_confirmed(run)
        session.runs.confirm(run).result()
        assert session.runs.is_confirmed(run)
    assert run not in ConfirmedRuns(tmp_path / "somebody else")


@pytest.mark.parametrize(
    "change",
    [
        {"id": "r2"},
        {"kind": "detect"},
        {"models": ("m", "n")},
        {"settings": {"prompt": "other"}},
        {"profiles": {"m": {"name": "m", "key_from": "env:AWS_SECRET"}}},
    ],
)
def test_contains_when_anything_that_is_used_differs_then_is_not_confirmed(
    tmp_path: Path, change: dict[str, object]
) -> None:
    confirmed = ConfirmedRuns(tmp_path)
    confirmed.add(_run())
    assert _run() in confirmed
    assert _run(**change) not in confirmed


def test_contains_when_state_and_limit_change_then_stays_confirmed(tmp_path: Path) -> None:
    confirmed = ConfirmedRuns(tmp_path)
    confirmed.add(_run())
    assert _run(state="paused", limit_micro=5) in ConfirmedRuns(tmp_path)


def test_add_when_many_confirm_at_once_then_every_run_is_kept(tmp_path: Path) -> None:
    runs = [_run(id=f"r{n}") for n in range(40)]
    threads = [threading.Thread(target=ConfirmedRuns(tmp_path).add, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(run in ConfirmedRuns(tmp_path) for run in runs)


def test_add_when_the_folder_cannot_be_written_then_says_so(tmp_path: Path) -> None:
    (tmp_path / "settings").write_bytes(b"")
    with pytest.raises(EnvironmentFailure, match="cannot be"):
        ConfirmedRuns(tmp_path / "settings").add(_run())


def test_contains_when_the_file_is_no_text_then_says_so(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"\xff\xfe")
    with pytest.raises(EnvironmentFailure, match="cannot be read"):
        assert _run() in ConfirmedRuns(tmp_path)


def test_connections_when_a_run_names_server_key_program_and_certificate_then_lists_all(
    tmp_path: Path,
) -> None:
    options = {"ca_file": "/etc/ssl/his.pem", "arguments": ["--allow", "all"]}
    made = profile(
        base_url="http://203.0.113.7/v1", key_from="env:OPENAI_API_KEY", path="/w", options=options
    )
    (found,) = connections_of(_run(profiles={"m": msgspec.to_builtins(made)}))
    assert (found.model, found.adapter) == ("m", "openai")
    assert found.uses == {
        "base_url": "http://203.0.113.7/v1",
        "key_from": "env:OPENAI_API_KEY",
        "path": "/w",
        "options.ca_file": "/etc/ssl/his.pem",
        "options.arguments": '["--allow","all"]',
    }


def test_work_when_all_runs_are_allowed_then_the_strangers_is_too(project: Path, reader: Reader) -> None:
    class EveryRun(ConfirmedRuns):
        """Allows what the settings do not."""

        def __contains__(self, run: Run) -> bool:
            return True

    enter(project, plans(2), is_confirmed=False)
    work(project, Voice(), confirmed=EveryRun(config_folder()))
    assert answers(reader) == echoed(2)


def _overwrite(project: Path, run: Run) -> None:
    """Change a run in the file, as somebody with another program may."""
    connection = sqlite3.connect(project)
    with connection:
        connection.execute("UPDATE run SET record=? WHERE id=?", (msgspec.json.encode(run).decode(), run.id))
    connection.close()


def test_add_when_a_crash_cut_the_last_line_then_the_run_is_confirmed(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("0123456789abcdef")
    ConfirmedRuns(tmp_path).add(_run())
    assert _run() in ConfirmedRuns(tmp_path)
