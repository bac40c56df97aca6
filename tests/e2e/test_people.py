"""Several persons at one window: who is recorded, and what each of them undoes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from annotator.commands.assignments import AssignRecords
from annotator.commands.item_states import ChangeState
from annotator.domain.actor import Actor
from annotator.domain.assignment import AssignedEntity
from annotator.domain.event import Edit
from annotator.domain.item import Item
from annotator.domain.scene import Scene
from annotator.edits.people import named_person
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.user_profile import current_actor, people_here, use_person
from tests.e2e.conftest import Open, Person
from tests.patience import PATIENCE_S
from tests.windows import AddRecords, make_item, make_project
from widgets.library.progress_page import ProgressPage
from widgets.text_prompt import LinePrompt

ANNA = Actor(id="a" * 32, name="Anna")
BEN = Actor(id="b" * 32, name="Ben")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    use_person(ANNA)
    return make_project(tmp_path / "pilot.vantage")


def open_menu(person: Person) -> QMenu:
    person.click(person.window.top_bar.person)
    person.settle()
    person.qtbot.waitUntil(lambda: any(menu.isVisible() for menu in person.window.findChildren(QMenu)))
    return next(menu for menu in person.window.findChildren(QMenu) if menu.isVisible())


def choose(person: Person, text: str) -> None:
    menu = open_menu(person)
    action: QAction = next(action for action in menu.actions() if action.text() == text)
    menu.close()
    action.trigger()
    person.settle()


def enter(person: Person, action: str, text: str) -> None:
    choose(person, action)
    prompt = person.window.findChild(LinePrompt)
    prompt.field.setText(text)
    person.click(prompt.main)
    person.settle()


def add_item(person: Person, number: int) -> Item:
    item = make_item(number)
    session = person.window.controller.session
    assert session is not None
    session.execute(AddRecords(records=[item])).result()
    person.settle()
    return item


def authors(session: Session, item: Item) -> set[str]:
    """Return the names of those who changed an item."""
    return {entry.actor for entry in session.reader.history.of(item.id)}


@pytest.mark.allow_messages("does not support")
def test_name_when_changed_then_the_next_edit_carries_it_and_it_stays(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    choose(person, "Change user name…")
    prompt = person.window.findChild(LinePrompt)
    assert prompt.field.text() == "Anna"
    prompt.field.setText("Ada  Lovelace ")
    person.click(prompt.main)
    person.settle()
    assert person.window.top_bar.person.text() == "Ada Lovelace"
    add_item(person, 7)
    reader = person.window.controller.session.reader
    assert reader.get(Actor, ANNA.id).name == "Ada Lovelace"
    assert current_actor() == Actor(id=ANNA.id, name="Ada Lovelace")


@pytest.mark.allow_messages("does not support")
def test_person_when_changed_in_the_window_then_is_another_actor_and_undoes_only_own_steps(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    session = person.window.controller.session
    by_anna = add_item(person, 7)
    enter(person, "Another person…", "Ben")
    assert person.window.top_bar.person.text() == "Ben"
    assert not person.window.registry.can_run("edit.undo")
    by_ben = add_item(person, 8)
    assert authors(session, by_anna) == {"Anna"}
    assert authors(session, by_ben) == {"Ben"}
    assert session.actor == named_person("Ben", project=session.reader.project.id)
    person.window.registry.run("edit.undo")
    person.settle()
    assert session.reader.get(Item, by_ben.id) is None
    assert session.reader.get(Item, by_anna.id) is not None
    assert not person.window.registry.can_run("edit.undo")
    choose(person, "Anna")
    assert person.window.registry.can_run("edit.undo")
    assert not person.window.registry.can_run("edit.redo")
    assert {one.name for one in people_here()} == {"Anna", "Ben"}


@pytest.mark.allow_messages("does not support")
def test_person_when_changed_while_an_edit_is_written_then_the_next_edit_is_already_the_new_persons(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    session = person.window.controller.session
    by_anna, by_ben, may_end = make_item(7), make_item(8), threading.Event()

    class SlowAddition(AddRecords):
        def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
            assert may_end.wait(PATIENCE_S)
            yield from super().plan(reader, progress=progress)

    session.execute(SlowAddition(records=[by_anna]))
    person.window.controller.use_person(BEN)
    assert person.window.top_bar.person.text() == "Ben"
    edit = session.execute(AddRecords(records=[by_ben]))
    may_end.set()
    edit.result(PATIENCE_S)
    person.settle()
    assert authors(session, by_anna) == {"Anna"}
    assert authors(session, by_ben) == {"Ben"}


@pytest.mark.allow_messages("does not support")
def test_person_when_changed_then_the_own_queue_is_the_new_persons(open_window: Open, project: Path) -> None:
    person = open_window(project)
    session = person.window.controller.session
    item = next(iter(session.reader.records(Item)))
    ben = named_person("Ben", project=session.reader.project.id)
    session.execute(
        AssignRecords(entity="item", role="refine", pairs=((item.id, ben.id),), people=(ben,))
    ).result()
    person.window.show_workspace("refine")
    person.settle()
    assert person.window.slots["refine"].workspace.queue.chips["mine"].text() == "Mine 0"
    choose(person, "Ben")
    assert person.window.workspace == "refine"
    assert person.window.slots["refine"].workspace.queue.chips["mine"].text() == "Mine 1"


@pytest.mark.allow_messages("does not support")
def test_person_when_the_name_was_added_by_somebody_else_then_it_is_the_same_person(
    open_window: Open, project: Path
) -> None:
    with Session.open(project) as session:
        item = next(iter(session.reader.records(Item)))
        ben = named_person("Ben", project=session.reader.project.id)
        pairs = ((item.id, ben.id),)
        session.execute(AssignRecords(entity="item", role="refine", pairs=pairs, people=(ben,))).result()
    use_person(Actor(id="c" * 32, name="ben"))
    person = open_window(project)
    assert person.window.controller.session.actor == ben


@pytest.mark.allow_messages("does not support")
def test_first_start_when_the_window_opens_then_asks_for_the_name_once(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    person.window.people.ask_first_name()
    prompt = person.window.findChild(LinePrompt)
    assert prompt.isVisible()
    prompt.reject()
    person.settle()
    person.window.people.ask_first_name()
    assert not any(prompt.isVisible() for prompt in person.window.findChildren(LinePrompt))


def assign_to_anna(path: Path, entity: AssignedEntity, name: str) -> None:
    with Session.open(path, actor=ANNA) as session:
        kind, role = (Item, "refine") if entity == "item" else (Scene, "annotate")
        (record,) = (one for one in session.reader.records(kind) if one.name == name)
        command = AssignRecords(entity=entity, role=role, pairs=((record.id, ANNA.id),))
        session.execute(command).result()


@pytest.mark.allow_messages("does not support")
def test_refine_when_the_person_has_items_left_then_begins_with_these_and_says_how_many(
    open_window: Open, project: Path
) -> None:
    assign_to_anna(project, "item", "item_00003")
    person = open_window(project)
    person.window.show_workspace("refine")
    person.settle()
    queue = person.window.slots["refine"].workspace.queue
    assert queue.chips["mine"].isChecked()
    assert [queue.row().name, len(queue.listing.model.numbers)] == ["item_00003", 1]
    assert "1 left for you" in queue.count.text()
    queue.choose_chip("all")
    person.settle()
    assert len(queue.listing.model.numbers) == 3


@pytest.mark.allow_messages("does not support")
def test_refine_when_an_item_was_chosen_in_the_library_then_shows_it(
    open_window: Open, project: Path
) -> None:
    assign_to_anna(project, "item", "item_00003")
    person = open_window(project)
    person.library.show_list("item")
    person.settle()
    person.library.listing().table.choose_row(1)
    person.settle()
    chosen = person.library.listing().current_row().name
    person.window.show_workspace("refine")
    person.settle()
    assert person.window.slots["refine"].workspace.queue.row().name == chosen


@pytest.mark.allow_messages("does not support")
def test_annotate_when_the_person_has_scenes_left_then_begins_with_these(
    open_window: Open, project: Path
) -> None:
    assign_to_anna(project, "scene", "0002")
    person = open_window(project)
    person.library.show_list("scene")
    person.settle()
    person.window.show_workspace("annotate")
    person.settle()
    queue = person.window.slots["annotate"].workspace.queue
    assert queue.chips["mine"].isChecked()
    assert [queue.listing.current_row().name, len(queue.listing.model.numbers)] == ["0002", 1]
    queue.choose_chip("all")
    person.settle()
    assert len(queue.listing.model.numbers) == 2


@pytest.mark.allow_messages("does not support")
def test_progress_page_when_people_have_work_then_lists_them_by_name_with_time_and_what_is_left(
    open_window: Open, project: Path
) -> None:
    with Session.open(project, actor=ANNA) as session:
        items = [item for item in session.reader.records(Item) if item.state == "drafted"]
        ben = named_person("Ben", project=session.reader.project.id)
        pairs = ((items[0].id, ben.id), (items[1].id, ben.id), (items[1].id, ANNA.id))
        done = ChangeState(items=(items[0].id,), state="rejected", reason="twice", person=ben.id, active_s=80)
        for command in (AssignRecords(entity="item", role="refine", pairs=pairs, people=(ben,)), done):
            session.execute(command).result()
    person = open_window(project)
    person.library.pages.open_progress()
    person.settle()
    table = person.window.findChild(ProgressPage).people
    lines = [line.split("\t") for line in table.text().splitlines()]
    assert lines[1:] == [
        ["Anna", "Refine", "1", "0", "1", "", "", "80 s (80 s to 80 s)"],
        ["Ben", "Refine", "2", "1", "1", "80 s", "80 s", "80 s (80 s to 80 s)"],
    ]
