"""A blind filter from the first click to the flags: the window, a worker process, a server over HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from annotator.domain.item import Item
from annotator.domain.profile import ModelProfile
from annotator.quality.policy import DEFAULT_POLICY
from tests.e2e.conftest import Open, Person
from tests.servers.chat_server import ChatServer, Json
from tests.windows import make_item, make_project
from widgets.runs.blind_panel import BlindPanel
from widgets.runs.new_run_dialog import NewRunDialog
from widgets.runs.workspace import RunsWorkspace

COUNT = 12


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a project of items whose key is A for the even ones, else B."""
    items = [make_item(number, answer_key="AB"[number % 2]) for number in range(1, COUNT + 1)]
    return make_project(tmp_path / "pilot.vantage", [*items])


def guess(body: Json) -> str:
    """Say A, whatever is asked; once without a letter."""
    return "No idea." if "picture 12?" in json.dumps(body) else "A"


def workspace(person: Person) -> RunsWorkspace:
    found = person.window.slots["runs"].workspace
    assert found is not None
    return found


def awaited(person: Person, kind: type[QWidget]) -> QWidget:
    person.qtbot.waitUntil(lambda: person.window.findChild(kind) is not None)
    found = person.window.findChild(kind)
    assert isinstance(found, QWidget)
    return found


@pytest.mark.slow
def test_blind_filter_when_begun_in_the_window_then_a_worker_answers_and_enter_sends_items_back(
    open_window: Open, project: Path
) -> None:
    with ChatServer(answer=guess) as server:
        person = open_window(project)
        session = person.window.controller.session
        assert session is not None
        served = ModelProfile(name="Served", adapter="openai", model="served", base_url=server.base_url)
        session.runs.save_profiles({"Served": served})
        person.press("Ctrl+5")
        person.settle()
        person.click(workspace(person).empty.steps[0])
        sheet = awaited(person, NewRunDialog)
        assert isinstance(sheet, NewRunDialog)
        person.click(sheet.models.boxes["Served"])
        assert sheet.policy.policy() == DEFAULT_POLICY
        person.click(sheet.policy.buttons["all"])
        person.qtbot.waitUntil(sheet.main.isEnabled)
        assert f"{COUNT} requests" in sheet.estimate.text()
        person.click(sheet.main)
        person.qtbot.waitUntil(lambda: bool(session.reader.runs.all()))
        watch = person.window.slots["runs"].watch
        assert watch is not None
        person.qtbot.waitUntil(
            lambda: watch.statuses is not None and [row.run.state for row in watch.statuses.rows] == ["done"],
        )
        assert len(server.calls) == COUNT
        person.settle()
        person.press("Return", at=workspace(person).list)
        person.settle()
        person.press("O", at=workspace(person).page.predictions.table)
        person.settle()
        part = workspace(person).page.outcome.part
        assert isinstance(part, BlindPanel)
        outcome = part.outcome
        assert outcome is not None
        assert (outcome.report.guessed, outcome.report.kept, outcome.report.undecided) == (5, 6, 1)
        person.press("Return", at=workspace(person).page.outcome)
        person.settle()
        items = list(session.reader.records(Item))
        flagged = {
            item.name
            for item in items
            if any(flag.kind == "blind_guessed" for flag in session.reader.flags_of(item.id))
        }
        assert flagged == {f"item_{number:05}" for number in (2, 4, 6, 8, 10)}
