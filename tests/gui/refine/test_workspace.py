from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from annotator.commands.assignments import AssignRecords
from annotator.commands.command import Command
from annotator.commands.item_edits import RemoveOption, SetQuestion
from annotator.commands.item_states import ChangeState
from annotator.commands.regions import RemoveRegions
from annotator.domain.changes import Changes
from annotator.domain.event import Edit
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.errors import EnvironmentFailure
from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.gui.refine.refine_person import RefinePerson
from widgets.medium_view import MediumView
from widgets.stage.image_cache import pyramid_request


def test_refine_when_opened_then_shows_the_current_item_of_the_library(person: RefinePerson) -> None:
    person.window.show_workspace("library")
    assert person.window.library is not None
    person.window.library.listings["item"].table.choose_row(2)
    person.settle()
    person.press("Ctrl+3")
    assert person.shown.name == "item_00003"
    assert [one.medium.id for one in person.refine.stage.shown.media] == ["m2"]  # type: ignore[union-attr]
    person.press("PgDown")
    person.press("Ctrl+1")
    assert person.window.library.inspector.detail is not None
    assert person.window.library.inspector.detail.name == "item_00004"
    person.press("Ctrl+3")
    assert person.shown.name == "item_00004"


def test_item_when_it_has_a_scene_then_its_views_are_shown_as_released(person: RefinePerson) -> None:
    stage = person.refine.stage
    assert [canvas.shown.view for canvas in stage.canvases] == ["UAV1", "UAV2"]
    assert stage.rendering == "detected"
    person.press("F7")
    assert stage.rendering == "clean"
    person.press("F5")
    assert stage.is_model
    person.press("F5")
    person.press("PgDown")
    assert stage.rendering == "detected"


def test_item_when_it_has_no_media_then_a_page_says_so_and_it_can_be_edited(person: RefinePerson) -> None:
    for _ in range(3):
        person.press("PgDown")
    assert person.shown.name == "item_00004"
    assert person.refine.reasons["no_media"].isVisible()
    person.press("A")
    assert person.stored("item_00004").answer_key == "A"


def test_refinement_when_done_by_keys_then_needs_few_beyond_the_text(person: RefinePerson) -> None:
    person.keys = 0
    person.press("Shift+C")
    person.replace("Region 12")
    person.keys += 1  # select all before typing
    person.press("Return")
    person.press("B")
    person.press("4")
    person.press("Return")
    assert person.keys <= 12
    done = person.stored("item_00001")
    assert [one.text for one in done.options] == ["Region 0", "Region 7", "Region 12", "Region 5"]
    assert (done.answer_key, done.issue_classes, done.state) == ("B", ("options",), "refined")
    assert person.shown.name == "item_00002"


def test_item_when_kept_then_one_key_accepts_it_and_shows_the_next(person: RefinePerson) -> None:
    person.keys = 0
    person.press("Return")
    assert person.keys == 1
    assert person.stored("item_00001").state == "refined"
    assert person.shown.name == "item_00002"


def test_text_when_typed_then_is_stored_without_leaving_the_field(person: RefinePerson) -> None:
    person.press("M")
    person.write(" Answer with the letter.")
    wanted = "Which region shows the red car? Answer with the letter."
    person.qtbot.waitUntil(lambda: person.stored("item_00001").question == wanted)
    assert person.refine.form.question.hasFocus()
    assert person.stored("item_00001").state == "in_refinement"


def test_typing_when_undone_then_is_one_step(person: RefinePerson) -> None:
    person.press("M")
    person.write("abc")
    person.refine.typed.save()
    person.settle()
    person.write("def")
    person.press("Return")
    assert person.stored("item_00001").question.endswith("abcdef")
    person.press("Ctrl+Z")
    assert person.stored("item_00001").question == "Which region shows the red car?"
    assert person.refine.form.question.text() == "Which region shows the red car?"


def test_undo_when_pressed_while_typing_then_takes_back_what_is_typed(person: RefinePerson) -> None:
    person.press("4")
    person.press("M")
    person.write("abc")
    person.press("Ctrl+Z")
    assert person.stored("item_00001").issue_classes == ("options",)
    assert person.refine.form.question.text() == "Which region shows the red car?"
    assert person.stored("item_00001").question == "Which region shows the red car?"


def test_change_from_elsewhere_when_another_field_is_typed_in_then_both_are_kept(
    person: RefinePerson,
) -> None:
    person.press("Shift+B")
    person.write("x")
    item = person.shown.id
    person.session.execute(SetQuestion(item=item, text="Another question?")).result()
    person.qtbot.waitUntil(lambda: person.refine.form.question.text() == "Another question?")
    row = person.refine.form.options.row("B")
    assert row is not None
    assert row.field.text() == "Region 7x"
    person.press("Return")
    stored = person.stored("item_00001")
    assert (stored.question, stored.options[1].text) == ("Another question?", "Region 7x")


def test_change_from_elsewhere_when_the_same_field_is_typed_in_then_the_typed_text_stays(
    person: RefinePerson,
) -> None:
    person.press("M")
    person.write("!")
    item = person.shown.id
    person.session.execute(SetQuestion(item=item, text="Another question?")).result()
    person.qtbot.waitUntil(lambda: person.refine.loader.view.item.question == "Another question?")  # type: ignore[union-attr]
    assert person.refine.form.question.text() == "Which region shows the red car?!"
    # The first Enter asks, the second one decides; test_two_editors has the rest.
    person.press("Return")
    person.press("M")
    person.press("Return")
    assert person.stored("item_00001").question == "Which region shows the red car?!"


@pytest.mark.parametrize(
    "text",
    [
        "<b>bold</b> & <img src=x>",
        "\u202eright to left\u202c שלום",
        "zero\u200bwidth\u00a0space",
        "停车场在哪里？",
        "x" * 10_000,
        "two\nlines",
    ],
    ids=["html", "rtl", "zero-width", "chinese", "long", "lines"],
)
def test_text_when_pasted_then_is_plain_and_nothing_is_lost(person: RefinePerson, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    data.setHtml(f"<i>{text}</i>")
    person.press("Shift+A")
    person.hurry("Ctrl+A")
    person.paste(data)
    person.press("Return")
    assert person.stored("item_00001").options[0].text == text
    row = person.refine.form.options.row("A")
    assert row is not None
    assert row.field.text() == text


def test_option_when_emptied_then_the_item_is_not_accepted_and_keeps_its_other_texts(
    person: RefinePerson,
) -> None:
    person.press("Shift+A")
    person.hurry("Ctrl+A")
    person.hurry("Del")
    person.press("Return")
    assert person.stored("item_00001").options[0].text == ""
    person.press("4")
    person.press("Return")
    assert person.shown.name == "item_00001"
    assert person.stored("item_00001").state == "in_refinement"


def test_key_option_when_removed_then_the_item_has_no_key_and_is_not_accepted(person: RefinePerson) -> None:
    person.press("Shift+A")
    person.press("Ctrl+Shift+Del")
    stored = person.stored("item_00001")
    assert ([one.text for one in stored.options], stored.answer_key) == (
        ["Region 7", "Region 9", "Region 5"],
        "",
    )
    assert not any(row.key.isChecked() for row in person.refine.form.options.rows)
    person.press("4")
    person.press("Return")
    assert person.shown.name == "item_00001"
    person.press("C")
    person.press("Return")
    assert person.stored("item_00001").state == "refined"


def test_options_when_moved_and_swapped_then_letters_follow(person: RefinePerson) -> None:
    person.press("Shift+A")
    person.press("Ctrl+Down")
    stored = person.stored("item_00001")
    assert ([one.text for one in stored.options], stored.answer_key) == (
        ["Region 7", "Region 0", "Region 9", "Region 5"],
        "B",
    )
    assert person.refine.form.options.letter_at_hand() == "B"
    person.press("Return")
    person.press("Ctrl+Shift+D")
    stored = person.stored("item_00001")
    assert ([one.text for one in stored.options], stored.answer_key) == (
        ["Region 7", "Region 5", "Region 9", "Region 0"],
        "D",
    )


def test_option_when_added_then_can_be_typed_at_once(person: RefinePerson) -> None:
    person.press("Ctrl+Return")
    assert person.refine.form.options.letter_at_hand() == "E"
    person.write("None of them")
    person.press("Return")
    assert person.stored("item_00001").options[4].text == "None of them"


def test_changed_item_when_accepted_without_a_class_then_the_proposal_is_asked_for(
    person: RefinePerson,
) -> None:
    person.press("B")
    person.press("Return")
    assert person.shown.name == "item_00001"
    assert "Options" in person.refine.form.classes.note.text()
    person.press("Return")
    done = person.stored("item_00001")
    assert (done.issue_classes, done.state) == (("options",), "refined")


def test_refined_item_when_accepted_then_is_accepted(person: RefinePerson) -> None:
    for _ in range(4):
        person.press("PgDown")
    assert person.shown.name == "item_00005"
    person.press("Return")
    assert person.stored("item_00005").state == "accepted"


def test_changed_item_when_kept_then_is_refused_with_a_reason(person: RefinePerson) -> None:
    person.press("B")
    person.press("K")
    assert person.stored("item_00001").state == "in_refinement"
    assert "differs" in person.refine.editor.bar.note.text()


def test_item_when_skipped_then_its_reason_is_a_comment_and_the_next_is_shown(person: RefinePerson) -> None:
    person.press("S")
    person.write("Image of UAV2 is missing")
    person.press("Return")
    assert person.shown.name == "item_00002"
    assert person.stored("item_00001").state == "drafted"
    person.press("PgUp")
    assert person.refine.editor.tabs.detail is not None
    assert [one.comment.text for one in person.refine.editor.tabs.detail.remarks] == [
        "Image of UAV2 is missing"
    ]


def test_item_when_rejected_then_needs_a_reason_and_the_next_is_shown(person: RefinePerson) -> None:
    person.press("Del")
    person.write("Two right answers")
    person.press("Return")
    assert person.stored("item_00001").state == "rejected"
    assert person.shown.name == "item_00002"


def test_queue_when_its_chips_are_used_then_shows_unfinished_and_flagged_items(person: RefinePerson) -> None:
    queue = person.refine.queue
    assert [chip.text() for chip in queue.chips.values()] == ["To do 5", "Mine 0", "Flagged 1", "All 6"]
    queue.chips["flagged"].click()
    person.settle()
    assert person.shown.name == "item_00002"
    queue.chips["todo"].click()
    person.settle()
    assert queue.listing.model.rowCount() == 5
    # The accepted item leaves the list; the one after it is shown, not the one after that.
    person.press("Return")
    assert queue.listing.model.rowCount() == 4
    assert person.shown.name == "item_00003"
    assert "1 done today" in queue.count.text()


def test_next_unfinished_when_asked_for_then_skips_the_finished(person: RefinePerson) -> None:
    for _ in range(3):
        person.press("PgDown")
    person.press("Shift+PgDown")
    assert person.shown.name == "item_00006"
    person.press("Shift+PgDown")
    assert person.shown.name == "item_00001"


def test_letters_when_pressed_in_the_list_and_on_the_stage_then_set_the_key(person: RefinePerson) -> None:
    person.refine.queue.table.setFocus()
    person.press("C")
    assert person.stored("item_00001").answer_key == "C"
    person.refine.stage.focus_view()
    assert QApplication.focusWidget() is person.refine.stage.front
    person.press("D")
    assert person.stored("item_00001").answer_key == "D"
    assert person.refine.stage.rendering == "detected"


def test_answer_when_its_format_has_no_options_then_is_entered_in_its_own_widget(
    person: RefinePerson,
) -> None:
    for _ in range(5):
        person.press("PgDown")
    assert person.shown.name == "item_00006"
    assert not person.refine.form.options.isVisible()
    person.press("Y")
    assert person.refine.form.answer.isAncestorOf(QApplication.focusWidget())


def test_words_when_changed_then_are_tinted_and_listed_until_hidden(person: RefinePerson) -> None:
    person.press("M")
    person.write(" Now?")
    person.press("Return")
    form = person.refine.form
    tints = form.question.extraSelections()
    assert [one.cursor.selectedText() for one in tints] == [" Now?"]
    assert form.changes.isVisible()
    assert "Now" in form.changes.lines[0].text()
    person.press("P")
    assert form.question.extraSelections() == []
    assert not form.changes.isVisible()


def test_text_when_it_cannot_be_saved_then_stays_and_is_saved_later(
    person: RefinePerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object, **_options: object) -> Future[Changes]:
        failed: Future[Changes] = Future()
        failed.set_exception(EnvironmentFailure("The disk is full.", hint="Free some space."))
        return failed

    question = person.refine.form.question
    person.press("M")
    with monkeypatch.context() as broken:
        broken.setattr(person.session, "execute", refuse)
        person.write(" Really?")
        person.press("Return")
        assert question.property("is_wrong")
        assert "The disk is full" in question.toolTip()
        # Not even on another item are the words lost, and the item is not accepted without them.
        person.press("Return")
        assert person.shown.name == "item_00001"
        person.press("PgDown")
        assert question.text() == "Which region shows the van?"
        person.press("PgUp")
        assert question.text() == "Which region shows the red car? Really?"
    assert person.stored("item_00001").question == "Which region shows the red car?"
    person.press("M")
    person.press("Return")
    assert person.stored("item_00001").question == "Which region shows the red car? Really?"
    assert not question.property("is_wrong")


def test_next_item_when_it_was_read_ahead_then_is_shown_without_waiting(person: RefinePerson) -> None:
    person.hurry("PgDown")
    assert person.refine.form.question.text() == "Which region shows the van?"
    person.settle()
    # The media of the third item are loaded while the second is looked at.
    medium = person.session.reader.require(Medium, "m2")
    view = MediumView(view="", medium=medium, file=person.session.roots.file_of(medium.path))
    assert person.window.library is not None
    loader = person.window.library.media
    person.qtbot.waitUntil(lambda: loader.get(pyramid_request(view).key) is not None)
    person.hurry("PgDown")
    assert person.refine.form.question.text() == "How many cars are there?"
    assert all(canvas.showing is not None for canvas in person.refine.stage.canvases)


def test_undo_of_a_refinement_when_asked_for_in_refine_then_needs_no_question(person: RefinePerson) -> None:
    person.press("B")
    person.press("Ctrl+Z")
    assert person.stored("item_00001").answer_key == "A"
    person.press("Ctrl+Shift+Z")
    assert person.stored("item_00001").answer_key == "B"


def test_annotations_when_changed_elsewhere_then_the_stage_shows_them(person: RefinePerson) -> None:
    person.session.execute(RemoveRegions(regions=("r0",))).result()
    shown = person.refine.stage
    person.qtbot.waitUntil(lambda: [one.id for one in shown.shown.marks.regions] == ["r1"])  # type: ignore[union-attr]


def test_search_when_nothing_matches_then_the_page_says_so_and_escape_brings_the_queue_back(
    person: RefinePerson,
) -> None:
    person.press("Ctrl+F")
    person.write("zebra")
    person.settle()
    assert person.refine.reasons["nothing"].isVisible()
    assert not person.window.registry.can_run("refine.accept")
    # A list without rows has to bear a new size.
    person.window.resize(1280, 720)
    person.settle()
    person.press("Escape")
    assert person.refine.queue.listing.model.rowCount() == 6
    assert person.refine.loader.view is not None


def test_filter_when_a_state_and_a_task_are_chosen_then_the_queue_is_narrowed(person: RefinePerson) -> None:
    queue = person.refine.queue
    actions = {action.text().split("   ")[0]: action for action in queue.make_filter_menu().actions()}
    actions["Refined"].trigger()
    person.settle()
    assert person.shown.name == "item_00005"
    assert not any(chip.isChecked() for chip in queue.chips.values())
    queue.chips["all"].click()
    person.settle()
    assert queue.listing.model.rowCount() == 6


def test_typing_when_it_pauses_then_the_next_letters_are_another_step(person: RefinePerson) -> None:
    person.press("M")
    person.write(" One.")
    person.qtbot.waitUntil(lambda: not person.refine.typed.is_in_gesture)
    person.write(" Two.")
    person.press("Return")
    assert person.stored("item_00001").question.endswith(" One. Two.")
    person.press("Ctrl+Z")
    assert person.stored("item_00001").question.endswith("car? One.")
    person.press("Ctrl+Z")
    assert person.stored("item_00001").question.endswith("car?")


def test_accept_when_pressed_twice_at_once_then_decides_on_one_item(person: RefinePerson) -> None:
    person.hurry("Return")
    person.hurry("Return")
    person.settle()
    assert person.stored("item_00001").state == "refined"
    assert person.stored("item_00002").state == "drafted"
    assert person.shown.name == "item_00002"
    assert not person.window.registry.action("refine.accept").autoRepeat()
    assert person.window.registry.action("refine.next").autoRepeat()


def test_text_of_an_option_when_the_option_is_removed_meanwhile_then_the_item_can_be_accepted(
    person: RefinePerson,
) -> None:
    person.press("Shift+D")
    person.write("!")
    item = person.shown.id
    person.session.execute(RemoveOption(item=item, letter="D")).result()
    person.refine.typed.end()
    person.settle()
    assert person.refine.typed.problem_of(item) == ""
    person.refine.editor.take_keyboard()
    person.press("4")
    person.press("Return")
    assert person.stored("item_00001").state == "refined"


def test_typing_when_stored_then_the_stage_is_not_painted_anew(person: RefinePerson) -> None:
    shown = person.refine.stage.shown
    person.press("M")
    person.write(" Now?")
    person.press("Return")
    assert person.stored("item_00001").question.endswith("Now?")
    assert person.refine.stage.shown is shown


def test_cursor_when_a_change_arrives_while_typing_then_stays(person: RefinePerson) -> None:
    person.press("Shift+B")
    person.write(" in the shade")
    item = person.shown.id
    person.session.execute(SetQuestion(item=item, text="Another question?")).result()
    person.qtbot.waitUntil(lambda: person.refine.form.question.text() == "Another question?")
    person.write(" of a tree")
    person.press("Return")
    assert person.stored("item_00001").options[1].text == "Region 7 in the shade of a tree"


def test_finding_when_it_concerns_a_field_then_stands_under_it_until_another_item_is_shown(
    person: RefinePerson,
) -> None:
    note = person.refine.form.question_note
    person.press("M")
    person.write(" Is it in the north?")
    person.qtbot.waitUntil(lambda: "north" in note.text())
    person.press("Return")
    assert note.isVisible()
    person.hurry("PgDown")
    assert not note.isVisible()


def test_answer_when_it_is_a_letter_then_the_key_for_corrections_asks_for_it(person: RefinePerson) -> None:
    person.press("Y")
    assert "letter" in person.refine.editor.bar.note.text()
    person.press("D")
    assert person.stored("item_00001").answer_key == "D"


def test_enter_when_a_button_or_a_line_uses_it_then_does_not_accept_the_item(person: RefinePerson) -> None:
    person.refine.form.classes.buttons["direction"].setFocus()
    person.press("Return")
    assert person.stored("item_00001").issue_classes == ("direction",)
    person.refine.editor.choose_tab(3)
    person.settle()
    person.refine.editor.tabs.history.comments.setFocus()
    person.press("Return")
    person.write("Looks good")
    person.press("Ctrl+Return")
    assert person.refine.editor.tabs.detail is not None
    assert [one.comment.text for one in person.refine.editor.tabs.detail.remarks] == ["Looks good"]
    person.press("Ctrl+F")
    person.write("item")
    person.press("Return")
    assert person.refine.queue.table.hasFocus()
    assert person.stored("item_00001").state == "in_refinement"
    # From the list, Enter accepts the item.
    person.press("Return")
    assert person.stored("item_00001").state == "refined"


def test_answer_when_it_was_typed_then_enter_goes_on_to_the_item(person: RefinePerson) -> None:
    for _ in range(5):
        person.press("PgDown")
    person.press("Y")
    person.replace("9")
    person.press("Return")
    assert person.stored("item_00006").answer_key == "9 o'clock"
    assert person.stored("item_00006").state == "in_refinement"
    assert "Options" in person.refine.form.classes.note.text()
    person.press("Return")
    assert person.stored("item_00006").issue_classes == ("options",)
    assert person.stored("item_00006").state == "refined"


def test_class_when_it_is_asked_for_in_a_low_window_then_is_visible(person: RefinePerson) -> None:
    person.window.resize(1280, 620)
    person.settle()
    person.press("B")
    person.press("Return")
    button = person.refine.form.classes.buttons["options"]
    person.qtbot.waitUntil(lambda: button.visibleRegion().boundingRect() == button.rect())


def test_text_when_its_step_is_undone_before_it_was_read_then_the_field_shows_the_project(
    person: RefinePerson,
) -> None:
    person.press("M")
    person.write("abc")
    person.refine.typed.save()
    # Both are stored before the window hears of either.
    person.session.undo().result()
    person.settle()
    assert person.stored("item_00001").question == "Which region shows the red car?"
    assert person.refine.form.question.text() == "Which region shows the red car?"


def test_last_item_when_accepted_then_the_bar_says_that_it_was_the_last(person: RefinePerson) -> None:
    for _ in range(5):
        person.press("PgDown")
    person.press("Return")
    assert person.stored("item_00006").state == "refined"
    assert "last item" in person.refine.editor.bar.note.text()
    person.press("PgUp")
    assert "last item" not in person.refine.editor.bar.note.text()


def test_classes_when_two_digits_are_pressed_at_once_then_both_are_set(person: RefinePerson) -> None:
    name = person.shown.name
    person.hurry("1")
    person.hurry("3")
    person.settle()
    assert person.stored(name).issue_classes == ("question", "direction")


def test_option_when_typed_into_right_after_it_was_moved_then_the_others_keep_their_texts(
    person: RefinePerson,
) -> None:
    name = person.shown.name
    before = [option.text for option in person.shown.options]
    person.press("Shift+B")
    person.hurry("Ctrl+Up")
    person.hurry("End")
    person.write("!")
    person.settle()
    person.qtbot.waitUntil(lambda: person.stored(name).options[0].text.endswith("!"))
    assert [one.text for one in person.stored(name).options] == [f"{before[1]}!", before[0], *before[2:]]


def test_queue_when_an_item_is_assigned_to_this_person_then_the_chip_mine_lists_it(
    person: RefinePerson,
) -> None:
    queue, actor = person.refine.queue, person.session.actor.id
    item = queue.row()
    assert item is not None
    person.session.execute(AssignRecords(entity="item", role="refine", pairs=((item.id, actor),))).result()
    person.qtbot.waitUntil(lambda: queue.chips["mine"].text() == "Mine 1")
    queue.chips["mine"].click()
    person.settle()
    assert queue.chips["mine"].isChecked()
    assert queue.listing.model.rowCount() == 1
    assert queue.row() == item


@pytest.mark.parametrize("key", ["Y", "M", "Ctrl+Tab"])
def test_editor_when_hidden_then_a_key_that_edits_shows_it(person: RefinePerson, key: str) -> None:
    person.refine.panes.show_right(is_shown=False)
    assert not person.refine.editor.isVisible()
    person.press(key)
    assert person.refine.editor.isVisible()


@pytest.mark.parametrize(
    ("keys", "command", "field", "value"),
    [
        ("M", SetQuestion, "question", "Which region shows the red car?!"),
        ("Return", ChangeState, "state", "refined"),
    ],
)
def test_item_when_the_project_is_closed_right_after_an_edit_then_it_is_stored_without_an_error(
    keys: str,
    command: type[Command],
    field: str,
    value: str,
    person: RefinePerson,
    project: Path,
    qtbot: PatientBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_closed, plan = threading.Event(), command.plan

    def plan_when_closed(self: Command, *values: Any, **named: Any) -> Iterator[Edit]:
        is_closed.wait()
        return plan(self, *values, **named)

    monkeypatch.setattr(command, "plan", plan_when_closed)
    controller, refine, name = person.window.controller, person.refine, person.shown.name
    person.hurry(keys)
    if field == "question":
        QTest.keyClicks(QApplication.focusWidget(), "!")
    QTimer.singleShot(0, controller, controller.close_project)
    qtbot.waitUntil(lambda: not isValid(refine))
    is_closed.set()
    qtbot.waitUntil(lambda: not controller.works)
    with Session.open_for_reading(project) as session:
        assert getattr(next(iter(session.reader.find(Item, name=name))), field) == value
