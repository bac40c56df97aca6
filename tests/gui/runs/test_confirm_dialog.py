"""A run from another machine in the window: it stands still until the user has seen what it uses."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from annotator.domain.run import Run
from annotator.domain.run_connections import Connection
from annotator.jobs.confirmed_runs import FILE
from annotator.jobs.supervisor import Supervisor
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.gui.runs.conftest import Person, Work
from widgets.runs.confirm_dialog import ConfirmDialog, connection_texts
from widgets.runs.run_controller import RunController
from widgets.runs.run_model import STATE
from widgets.runs.run_model import text_of as list_text


@pytest.fixture
def foreign(work: Work) -> Run:
    """Return a run that somebody else started: nothing in the settings of this person allows it."""
    run = work.begin("One")
    (config_folder() / FILE).unlink()
    return run


@pytest.fixture
def begun_workers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note each wish for a worker in the place of starting a process."""
    wishes: list[str] = []
    monkeypatch.setattr(RunController, "start_worker", lambda self: wishes.append(self.run))
    return wishes


def asked(person: Person) -> ConfirmDialog:
    person.window.registry.run("runs.resume")
    dialog = person.window.findChild(ConfirmDialog)
    assert dialog is not None
    return dialog


def test_list_when_a_run_is_from_elsewhere_then_says_so_and_the_banner_what_to_do(
    foreign: Run, person: Person
) -> None:
    person.look()
    (row,) = person.runs.list.runs.rows
    assert row.condition == "unconfirmed"
    assert list_text(row, STATE).startswith("Not confirmed")
    assert "started on another machine" in person.window.banner.headline.text()
    assert "choose Resume" in person.window.banner.advice.text()


def test_resume_when_a_run_is_from_elsewhere_then_shows_what_it_uses_and_enter_keeps_it_still(
    foreign: Run, begun_workers: list[str], person: Person, session: Session
) -> None:
    person.open(foreign)
    dialog = asked(person)
    said = " ".join(label.text() for label in dialog.findChildren(QLabel))
    profile = session.runs.profiles()["One"]
    assert profile.base_url in said
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    person.settle()
    assert not session.runs.is_confirmed(foreign)
    assert begun_workers == []


def test_confirm_when_the_user_agrees_then_the_run_goes_on(
    foreign: Run, begun_workers: list[str], person: Person, session: Session
) -> None:
    person.open(foreign)
    asked(person).main.click()
    person.qtbot.waitUntil(lambda: begun_workers == [foreign.id])
    person.qtbot.waitUntil(lambda: session.runs.is_confirmed(foreign))
    person.look()
    (row,) = person.runs.list.runs.rows
    assert row.condition == "waiting"


def test_start_when_the_cluster_is_not_encrypted_then_the_window_warns_each_time(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Supervisor, "start", lambda _self: None)
    (config_folder() / "cluster.json").write_text('{"address": "tcp://h:1", "in_window": true}')
    for _ in range(2):
        person.window.registry.run("runs.work")
        assert "tcp://h:1 is not encrypted" in person.window.banner.headline.text()
        person.window.banner.clear()


def test_texts_when_a_stranger_names_programs_then_are_shown_as_they_are() -> None:
    uses = {"base_url": "http://203.0.113.7/<b>v1</b>", "options.arguments": "--allow all"}
    assert connection_texts(Connection(model="m", adapter="openai", uses=uses)) == [
        "Chat endpoint (OpenAI-compatible)",
        "Server URL: http://203.0.113.7/<b>v1</b>",
        "Option arguments: --allow all",
    ]
    assert connection_texts(Connection(model="m", adapter="probe", uses={}))[1] == (
        "Uses nothing outside the project."
    )
