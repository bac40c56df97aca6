"""The page of agreement and the reference sample in the real window."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from annotator.commands.assignments import AssignRecords
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.actor import Actor
from annotator.domain.assignment import Assignment
from annotator.domain.item import Item
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.windows import AddRecords, make_item
from widgets.library import people_tables
from widgets.library.agreement_page import AgreementPage
from widgets.reference_dialog import ReferenceDialog

ANNA, BEN = Actor(id="a" * 32, name="Anna"), Actor(id="b" * 32, name="Ben")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Eight items written by Anna; Anna and Ben answered six of them, Ben one for the reference."""
    path = tmp_path / "people.vantage"
    with Session.create(path, actor=ANNA) as session:
        items = [make_item(number, id=f"i{number}") for number in range(8)]
        session.execute(AddRecords(records=[BEN, *items])).result()
        session.execute(AssignRecords(entity="item", role="reference", pairs=(("i0", BEN.id),))).result()
        answers = [
            GivenAnswer(item=f"i{n}", person=person.id, answer="A" if n == 1 and person is BEN else "B")
            for n in range(6)
            for person in (ANNA, BEN)
        ]
        session.execute(AddResponses(answers=tuple(answers))).result()
    return path


def open_page(person: Person) -> AgreementPage:
    person.press("Alt+E")
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, AgreementPage)
    return page


def texts(page: AgreementPage, table: int, row: int) -> list[str]:
    model = page.tables[table].model()
    return [str(model.data(model.index(row, column))) for column in range(model.columnCount())]


def test_agreement_when_opened_then_tasks_pairs_and_reference_are_shown_with_intervals(
    project: Path, open_window: Open
) -> None:
    page = open_page(open_window(project))
    assert len(page.tables) == 3
    task, people, shared, percent, *_ = texts(page, 0, 0)
    assert (task, people, shared) == ("Object Counting", "2", "6")
    assert percent.startswith("0.833 (0.50 to 1.00)")
    assert texts(page, 1, 0)[1] == "Anna / Ben"
    assert texts(page, 2, 0)[1:3] == ["People", "1 of 1"]
    assert texts(page, 2, 1)[1] == "Random answers"
    assert texts(page, 2, 1)[-1] == "0.500"


def test_agreement_when_a_row_is_opened_then_its_items_are_listed(project: Path, open_window: Open) -> None:
    person = open_window(project)
    page = open_page(person)
    page.tables[1].setFocus()
    page.tables[1].selectRow(0)
    person.press("Return", at=page.tables[1])
    person.settle()
    assert person.library.pages.shown is None
    assert person.names() == [f"item_{n:05}" for n in range(6)]
    session = person.window.controller.session
    assert session is not None
    for row in people_tables.reference_rows(page.figures):
        assert row.find is not None
        assert row.find(session.reader).ids == ("i0",)


def test_agreement_when_exported_then_each_figure_is_a_row(
    project: Path, open_window: Open, tmp_path: Path
) -> None:
    person = open_window(project)
    page = open_page(person)
    file = tmp_path / "figures.csv"
    page.write_table(file)
    person.settle()
    assert page.status.text() == f"The figures are written to {file}"
    with file.open(encoding="utf-8", newline="") as opened:
        rows = {(row["part"], row["who"], row["figure"]): row for row in csv.DictReader(opened)}
    assert float(rows["agreement", "", "percent"]["value"]) == pytest.approx(5 / 6)
    assert rows["pair", "Anna / Ben", "cohens_kappa"]["value"] == "0.0"


def test_agreement_when_answers_are_added_then_says_so_and_measures_on_request(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    page = open_page(person)
    session = person.window.controller.session
    assert session is not None
    given = tuple(GivenAnswer(item="i6", person=one.id, answer="B") for one in (ANNA, BEN))
    session.execute(AddResponses(answers=given)).result()
    person.settle()
    assert page.status.text().startswith("The project has changed")
    assert texts(page, 0, 0)[2] == "6"
    person.click(page.measure)
    person.settle()
    assert texts(page, 0, 0)[2] == "7"


def test_agreement_when_nobody_answered_then_says_what_to_do(tmp_path: Path, open_window: Open) -> None:
    path = tmp_path / "empty.vantage"
    Session.create(path).close()
    page = open_page(open_window(path))
    assert page.tables == []
    assert page.status.text().startswith("Nobody has answered an item yet.")
    assert not page.export.isEnabled()


def test_sample_when_persons_are_chosen_then_is_counted_and_assigned_and_undone(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    dialog = ask(person)
    assert not dialog.main.isEnabled()
    assert dialog.result_text.text() == "Check the persons who answer the sample."
    check(dialog, "Anna")
    person.settle()
    # The author of all items, who has answered some of them too.
    assert "0 new assignments" in dialog.result_text.text()
    assert "Too few of these persons have not worked on: " in dialog.result_text.text()
    assert not dialog.main.isEnabled()
    dialog.new_person.setText("Cleo")
    person.press("Return", at=dialog.new_person)
    person.settle()
    dialog.share.setText("50")
    person.settle()
    # One of four is Ben's already.
    assert dialog.result_text.text().startswith("The sample has 4 items of 1 task: ")
    person.click(dialog.main)
    person.settle()
    session = person.window.controller.session
    assert session is not None
    names = {actor.id: actor.name for actor in session.reader.records(Actor)}
    people = [names[one.person] for one in session.reader.find(Assignment, role="reference")]
    assert set(people) == {"Ben", "Cleo"}
    person.press("Ctrl+Z")
    person.settle()
    assert [one.person for one in session.reader.find(Assignment, role="reference")] == [BEN.id]


def test_sample_when_a_number_is_missing_then_says_what_to_enter(project: Path, open_window: Open) -> None:
    person = open_window(project)
    dialog = ask(person)
    check(dialog, "Ben")
    person.settle()
    assert dialog.main.isEnabled()
    dialog.share.setText("")
    assert dialog.result_text.text().startswith("Enter a share from 1 to 100 %")
    assert not dialog.main.isEnabled()
    dialog.share.setText("20")
    dialog.per_item.setText("2")
    person.settle()
    assert "2 persons are required for each item, but 1 are chosen" in dialog.result_text.text()
    dialog.reject()
    session = person.window.controller.session
    assert session is not None
    assert len(list(session.reader.find(Item))) == 8


def ask(person: Person) -> ReferenceDialog:
    person.window.registry.run("items.reference")
    person.settle()
    dialog = person.window.findChild(ReferenceDialog)
    assert dialog is not None
    return dialog


def check(dialog: ReferenceDialog, name: str) -> None:
    (entry,) = dialog.people.findItems(name, Qt.MatchFlag.MatchExactly)
    entry.setCheckState(Qt.CheckState.Checked)
