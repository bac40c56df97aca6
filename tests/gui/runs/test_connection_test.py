"""The trial of a model in the sheet of models: another process, over HTTP to a server on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from PySide6.QtCore import QProcess

from tests.gui.runs.conftest import ONE, Person, Work
from tests.gui.runs.test_sheets_of_runs import opened_models
from tests.servers.chat_server import Behaviour, ChatServer
from widgets.runs import connection_test
from widgets.runs.models_dialog import ModelsDialog


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(answer=lambda body: "B") as made:
        yield made


def chosen(person: Person, work: Work, server: ChatServer, **values: object) -> ModelsDialog:
    """Open the sheet at a model that the server answers for."""
    kept = work.session.runs.profiles()
    served = msgspec.structs.replace(ONE, base_url=server.base_url, **values)
    work.session.runs.save_profiles(kept | {"One": served})
    sheet = opened_models(person)
    sheet.names.setCurrentRow([profile.name for profile in sheet.profiles].index("One"))
    return sheet


def awaited(person: Person, sheet: ModelsDialog) -> str:
    person.qtbot.waitUntil(lambda: not sheet.connection_test.is_trying)
    return sheet.connection_test.text.text()


@pytest.mark.slow
def test_connection_test_when_the_server_answers_then_says_answer_time_tokens_and_cost(
    person: Person, work: Work, server: ChatServer
) -> None:
    sheet = chosen(person, work, server, price_in=1000.0)
    assert sheet.connection_test.button.text() == "Test model"
    sheet.connection_test.button.click()
    assert sheet.connection_test.button.text() == "Stop test"
    assert sheet.connection_test.text.text() == "Testing One …"
    told = awaited(person, sheet).splitlines()
    assert told[0].startswith("one answered in ")
    assert " tokens for 0." in told[0]
    assert told[0].endswith("'B'.")
    assert told[1] == "Images: yes."
    assert sheet.connection_test.button.text() == "Test model"
    assert len(server.calls) == 4
    sheet.connection_test.button.click()
    assert awaited(person, sheet).startswith("one answered in ")


@pytest.mark.slow
def test_connection_test_when_the_form_was_changed_then_keeps_and_tries_what_stands_there(
    person: Person, work: Work, server: ChatServer
) -> None:
    sheet = chosen(person, work, server)
    sheet.form.fields["model"].setText("another")
    sheet.form.fields["model"].textEdited.emit("another")
    sheet.connection_test.button.click()
    assert awaited(person, sheet).startswith("another answered in ")
    assert work.session.runs.profiles()["One"].model == "another"


@pytest.mark.slow
def test_connection_test_when_nobody_is_there_then_says_so_and_what_to_do(person: Person, work: Work) -> None:
    sheet = opened_models(person)
    sheet.names.setCurrentRow(2)
    sheet.connection_test.button.click()
    told = awaited(person, sheet)
    assert told.startswith("'One' does not answer. http://127.0.0.1:9 cannot be reached")
    assert "Check that the server is running" in told
    assert sheet.connection_test.text.property("role") == "warn"


@pytest.mark.slow
def test_connection_test_when_a_detector_has_no_file_then_says_so(person: Person, work: Work) -> None:
    sheet = opened_models(person)
    sheet.names.setCurrentRow(4)
    sheet.connection_test.button.click()
    assert "finder.onnx" in awaited(person, sheet)


def test_connection_test_when_stopped_then_the_process_is_gone(person: Person, work: Work) -> None:
    with ChatServer(behaviour=Behaviour(delay_s=600.0)) as server:
        sheet = chosen(person, work, server)
        sheet.connection_test.button.click()
        (process,) = sheet.connection_test.findChildren(QProcess)
        person.qtbot.waitUntil(lambda: bool(server.calls))
        sheet.connection_test.button.click()
        assert sheet.connection_test.text.text() == "Stopped."
        assert process.state() == QProcess.ProcessState.NotRunning
        assert not sheet.connection_test.is_trying


def test_connection_test_when_the_sheet_is_closed_then_the_process_is_gone(
    person: Person, work: Work
) -> None:
    with ChatServer(behaviour=Behaviour(delay_s=600.0)) as server:
        sheet = chosen(person, work, server)
        sheet.connection_test.button.click()
        (process,) = sheet.connection_test.findChildren(QProcess)
        ends: list[int] = []
        process.finished.connect(lambda status, _how: ends.append(status))
        person.press("Esc")
        assert ends == [9]


def test_connection_test_when_it_cannot_be_started_then_says_why(
    person: Person, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_test, "command_of_test", lambda name: ("/nowhere/vantage", name))
    sheet = opened_models(person)
    sheet.names.setCurrentRow(2)
    sheet.connection_test.button.click()
    assert awaited(person, sheet).startswith("The test cannot be started: ")


def test_connection_test_when_a_key_was_pasted_then_nothing_is_kept_or_started(
    person: Person, work: Work
) -> None:
    sheet = opened_models(person)
    sheet.names.setCurrentRow(2)
    sheet.form.fields["key_from"].setText("sk-abcdefghijklmnopqrstuvwx")
    sheet.form.fields["key_from"].textEdited.emit("")
    sheet.connection_test.button.click()
    assert not sheet.connection_test.is_trying
    assert "env:NAME or keyring:NAME" in sheet.problem_label.text()
    assert work.session.runs.profiles()["One"].key_from == ""


def test_connection_test_when_another_model_is_chosen_then_forgets_what_was_said(
    person: Person, work: Work
) -> None:
    sheet = opened_models(person)
    sheet.connection_test.text.setText("It answered.")
    sheet.names.setCurrentRow(1)
    assert sheet.connection_test.text.text().startswith("Saves the models, then sends")
