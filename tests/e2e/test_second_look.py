"""The second look from start to end: two people, a restart, and what a reviewer finds afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.commands.assignments import AssignRecords
from annotator.domain.assignment import Assignment
from annotator.domain.item import Item
from annotator.domain.response import Response
from annotator.edits.people import named_person
from annotator.user_profile import use_person
from tests.e2e.conftest import Open, Person
from tests.unit.store.making import ANNA
from tests.windows import make_item, make_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    use_person(ANNA)
    items = [make_item(number, state="refined") for number in (1, 2)]
    return make_project(tmp_path / "pilot.vantage", list(items))


def keys(person: Person, *names: str) -> None:
    for name in names:
        person.press(name)
        person.settle()


def phase(person: Person) -> str:
    workspace = person.window.slots["second_look"].workspace
    assert workspace is not None
    view = workspace.loader.view
    return f"{view.item.name} {view.phase}" if view is not None else ""


@pytest.mark.allow_messages("does not support")
def test_second_look_when_the_window_is_closed_before_the_decision_then_it_is_asked_for_again(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    session = person.window.controller.session
    ids = [one.id for one in session.reader.records(Item)]
    ben = named_person("Ben", project=session.reader.project.id)
    pairs = tuple((item, one) for item in ids for one in (ANNA.id, ben.id))
    session.execute(AssignRecords(entity="item", role="validate", pairs=pairs, people=(ben,))).result()
    keys(person, "Ctrl+7")
    assert phase(person) == "item_00001 answering"
    keys(person, "A", "Return")
    assert phase(person) == "item_00001 key_shown"
    person.window.close()

    person = open_window(project)
    session = person.window.controller.session
    keys(person, "Ctrl+7")
    assert phase(person) == "item_00001 key_shown"
    keys(person, "K")
    assert phase(person) == "item_00002 answering"
    person.window.controller.use_person(ben)
    person.settle()
    # The screens were made again; the first window of this test is gone.
    person.window.activateWindow()
    person.qtbot.waitUntil(person.window.isActiveWindow)
    # Ben sees neither Anna's answer nor her decision.
    assert phase(person) == "item_00001 answering"
    keys(person, "B", "Return", "K")
    reader = session.reader
    assert [(one.person, one.answer, one.decision) for one in reader.find(Response)] == [
        (ANNA.id, "A", "keep"),
        (ben.id, "B", "keep"),
    ]
    assert sorted(one.person for one in reader.find(Assignment, is_done=1)) == sorted((ANNA.id, ben.id))
    states = {flag.kind: flag.state for flag in reader.flags_of(ids[0])}
    assert states == {"person_against_key": "dismissed", "people_disagree": "open"}
