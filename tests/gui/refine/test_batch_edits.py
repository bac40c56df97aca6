from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QApplication

from annotator.domain.item import Item
from tests.gui.refine.refine_person import RefinePerson
from widgets.refine.batch_dialog import BatchDialog
from widgets.refine.batch_dialogs import IssueClassDialog, StateDialog, TaskDialog
from widgets.refine.rebalance_dialog import RebalanceDialog
from widgets.refine.replace_dialog import ReplaceDialog

D = TypeVar("D", bound=BatchDialog)


def open_dialog(person: RefinePerson, action: str, kind: type[D]) -> D:
    person.window.registry.run(action)
    person.settle()
    found = person.window.findChild(kind)
    assert found is not None
    return found


def items(person: RefinePerson) -> list[Item]:
    return list(person.session.reader.records(Item))


def test_state_when_set_for_the_queue_then_is_one_undo_step(person: RefinePerson) -> None:
    person.refine.queue.table.selectAll()
    person.settle()
    before = [one.state for one in items(person)]
    dialog = open_dialog(person, "items.state", StateDialog)
    dialog.state.setCurrentIndex(dialog.state.findData("rejected"))
    assert not dialog.main.isEnabled()
    dialog.reason.setText("MomentImages over by another file")
    dialog.main.click()
    person.settle()
    assert {one.state for one in items(person)} == {"rejected"}
    person.press("Ctrl+Z")
    assert [one.state for one in items(person)] == before


def test_state_when_some_items_cannot_follow_then_only_the_others_change(person: RefinePerson) -> None:
    person.refine.queue.table.selectAll()
    dialog = open_dialog(person, "items.state", StateDialog)
    dialog.state.setCurrentIndex(dialog.state.findData("accepted"))
    assert "(1 of 6)" in dialog.state.currentText()
    dialog.main.click()
    person.settle()
    assert [one.name for one in items(person) if one.state == "accepted"] == ["item_00005"]


def test_issue_classes_when_set_in_the_library_then_replace_those_of_the_selection(
    person: RefinePerson,
) -> None:
    person.window.show_workspace("library")
    library = person.window.library
    assert library is not None
    library.listings["item"].table.selectAll()
    person.settle()
    dialog = open_dialog(person, "items.issue_classes", IssueClassDialog)
    dialog.boxes["direction"].click()
    dialog.main.click()
    person.settle()
    assert {one.issue_classes for one in items(person)} == {("direction",)}
    person.press("Ctrl+Z")
    assert {one.issue_classes for one in items(person)} == {()}


def test_task_when_set_then_the_selected_items_have_it(person: RefinePerson) -> None:
    dialog = open_dialog(person, "items.task", TaskDialog)
    assert dialog.task.currentData() == "object_matching"
    dialog.task.setCurrentIndex(dialog.task.findData("region_recognition"))
    dialog.main.click()
    person.settle()
    assert person.stored("item_00001").task == "region_recognition"
    assert person.stored("item_00002").task == "object_matching"


def test_letters_when_balanced_then_change_with_the_seed_and_back_by_one_undo(person: RefinePerson) -> None:
    person.refine.queue.table.selectAll()
    before = [(one.answer_key, one.options) for one in items(person)]
    dialog = open_dialog(person, "items.rebalance", RebalanceDialog)
    assert "A 40%" in dialog.now.text()
    dialog.seed.setText("5")
    dialog.main.click()
    person.settle()
    after = [(one.answer_key, one.options) for one in items(person)]
    assert after != before
    right = [{option.letter: option.text for option in options}.get(key) for key, options in after]
    assert right == [{o.letter: o.text for o in options}.get(key) for key, options in before]
    person.press("Ctrl+Z")
    assert [(one.answer_key, one.options) for one in items(person)] == before


def test_text_when_replaced_then_the_preview_shows_what_changes_first(person: RefinePerson) -> None:
    person.refine.queue.table.selectAll()
    dialog = open_dialog(person, "items.replace", ReplaceDialog)
    assert not dialog.main.isEnabled()
    assert QApplication.focusWidget() is dialog.wanted
    person.write("Which region")
    dialog.new.setText("Which <b>box</b>")
    person.qtbot.waitUntil(lambda: dialog.list.count() > 0)
    assert "2 items change" in dialog.count.text()
    assert "Which <b>box</b> shows the van?" in dialog.list.item(1).text()
    dialog.main.click()
    person.settle()
    assert person.stored("item_00002").question == "Which <b>box</b> shows the van?"
    assert person.stored("item_00003").question == "How many cars are there?"
    person.press("Ctrl+Z")
    assert person.stored("item_00002").question == "Which region shows the van?"


def test_expression_when_it_is_not_valid_then_the_reason_is_shown_and_nothing_can_be_replaced(
    person: RefinePerson,
) -> None:
    dialog = open_dialog(person, "items.replace", ReplaceDialog)
    dialog.pattern.click()
    dialog.wanted.setText("(")
    person.qtbot.waitUntil(lambda: "not a valid regular expression" in dialog.count.text())
    assert not dialog.main.isEnabled()
    dialog.done(0)
