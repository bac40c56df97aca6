"""Assigning from the Library: persons, numbers, preview, honeypots, and undo."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from annotator.commands.comments import WriteComment
from annotator.domain.actor import Actor
from annotator.domain.assignment import Assignment
from annotator.domain.item import Item
from tests.e2e.conftest import Open, Person, open_window, settings
from tests.windows import make_item, make_project
from widgets.library.assign_dialog import AssignDialog

__all__ = ["open_window", "settings"]


@pytest.fixture
def person(open_window: Open, tmp_path: Path) -> Person:
    items = [make_item(number) for number in range(6)]
    known = [make_item(number, state="accepted") for number in range(6, 10)]
    opened = open_window(make_project(tmp_path / "pilot.vantage", [*items, *known]))
    opened.library.show_list("item")
    opened.settle()
    return opened


def ask(person: Person) -> AssignDialog:
    person.window.registry.run("records.assign")
    person.settle()
    dialog = person.window.findChild(AssignDialog)
    assert dialog is not None
    return dialog


def add(person: Person, dialog: AssignDialog, name: str) -> None:
    dialog.name.setText(name)
    person.click(dialog.add)
    person.settle()


def cells(dialog: AssignDialog) -> list[list[str]]:
    assert dialog.table is not None
    return [line.split("\t") for line in dialog.table.text().splitlines()[1:]]


@pytest.mark.allow_messages("does not support")
def test_assign_when_persons_are_added_then_the_preview_says_who_gets_how_many_and_undo_takes_all_back(
    person: Person,
) -> None:
    session = person.window.controller.session
    assert session is not None
    person.library.listing().find_text("")
    person.toggle("state", "drafted")
    dialog = ask(person)
    assert not dialog.main.isEnabled()
    assert dialog.people.item(0).text() == "Ada"
    add(person, dialog, "Ben")
    add(person, dialog, "Cleo")
    assert cells(dialog) == [["Ben", "0", "3", "3"], ["Cleo", "0", "3", "3"]]
    dialog.fields["overlap"].setText("2")
    dialog.fields["overlap_share"].setText("50")
    person.settle()
    assert sorted(row[2] for row in cells(dialog)) == ["4", "5"]
    assert not list(session.reader.find(Assignment))
    person.click(dialog.main)
    person.settle()
    assert len(list(session.reader.find(Assignment, role="refine"))) == 9
    person.window.registry.run("edit.undo")
    person.settle()
    assert not list(session.reader.find(Assignment))
    assert {actor.name for actor in session.reader.records(Actor)} >= {"Ada"}


@pytest.mark.allow_messages("does not support")
def test_assign_when_items_are_to_be_answered_then_honeypots_are_mixed_in(person: Person) -> None:
    session = person.window.controller.session
    assert session is not None
    person.toggle("state", "drafted")
    dialog = ask(person)
    add(person, dialog, "Ben")
    assert not dialog.fields["honeypots"].isEnabled()
    dialog.roles.setCurrentIndex(dialog.roles.findData("validate"))
    dialog.fields["honeypots"].setText("50")
    person.settle()
    assert cells(dialog) == [["Ben", "0", "6", "3", "9"]]
    person.click(dialog.main)
    person.settle()
    assert sum(one.is_honeypot for one in session.reader.find(Assignment, role="validate")) == 3


@pytest.mark.allow_messages("does not support")
def test_assign_when_nobody_can_answer_an_item_then_the_preview_names_it(person: Person) -> None:
    session = person.window.controller.session
    assert session is not None
    name = session.actor.name
    touched = next(iter(session.reader.find(Item, state="drafted")))
    session.execute(WriteComment(entity="item", target=touched.id, text="The key is B.")).result()
    person.toggle("state", "drafted")
    dialog = ask(person)
    mine = next(row for row in range(dialog.people.count()) if dialog.people.item(row).text() == name)
    dialog.people.item(mine).setCheckState(Qt.CheckState.Checked)
    dialog.roles.setCurrentIndex(dialog.roles.findData("validate"))
    person.settle()
    assert touched.name in dialog.note.text()
    assert "Too few of these persons have not worked on: " in dialog.note.text()
    assert dialog.main.isEnabled()


@pytest.mark.allow_messages("does not support")
def test_assign_when_it_is_not_possible_then_says_why_and_offers_no_assignment(person: Person) -> None:
    dialog = ask(person)
    dialog.people.item(0).setCheckState(Qt.CheckState.Checked)
    dialog.fields["overlap"].setText("2")
    person.settle()
    assert "2 persons are required for each record, but 1 can have it." in dialog.problem.text()
    assert not dialog.main.isEnabled()
    dialog.fields["share"].setText("0")
    assert "Share to assign, %" in dialog.problem.text()
    add(person, dialog, "  ")
    assert dialog.people.count() == 2
