"""The second look in the real window: answers by keys, the key afterwards, decisions, the queue."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from annotator.commands.assignments import AssignRecords
from annotator.commands.item_edits import SetQuestion
from annotator.domain.assignment import Assignment
from annotator.domain.item import Item
from tests.gui.second_look.second_look_person import SecondLookPerson
from widgets.undo_steps import UndoQuestion


def names(person: SecondLookPerson) -> list[str]:
    """Return the names in the queue."""
    model = person.second_look.queue.model
    return [str(model.index(row, 1).data()) for row in range(model.rowCount())]


def question_of_undo(person: SecondLookPerson) -> UndoQuestion:
    """Return the question that undo asks."""
    found = person.window.findChildren(UndoQuestion)
    assert len(found) == 1
    return found[0]


def test_answer_when_it_equals_the_key_then_three_keys_answer_keep_and_show_the_next(
    person: SecondLookPerson,
) -> None:
    assert person.shown.item.name == "item_00001"
    person.press("B")
    person.press("Return")
    assert person.shown.phase == "key_shown"
    assert person.form.comparison.result.text() == "✓ Your answer agrees with the answer key."
    person.press("K")
    assert person.keys == 3
    assert person.shown.item.name == "item_00002"
    (answer,) = person.answers()
    assert (answer.answer, answer.decision, answer.is_key_shown) == ("B", "keep", True)
    assert person.flags("item_00001") == {}


def test_answer_when_it_differs_from_the_key_then_the_flag_is_raised_and_undone_with_it(
    person: SecondLookPerson,
) -> None:
    person.press("C")
    person.press("4")
    person.press("Return")
    flags = person.flags("item_00001")
    assert {kind: flag.state for kind, flag in flags.items()} == {
        "person_against_key": "open",
        "person_reports_issue": "open",
    }
    assert person.form.comparison.own.text() == "C  Region 9"
    assert person.form.comparison.key.text() == "B  Region 7"
    person.press("Ctrl+Z")
    question_of_undo(person).act.click()
    person.settle()
    assert person.answers() == []
    assert person.flags("item_00001") == {}


def test_answer_when_withdrawn_after_the_key_was_shown_then_no_other_answer_is_taken(
    person: SecondLookPerson,
) -> None:
    person.press("C")
    person.press("Return")
    person.press("A")
    assert person.form.answer.widget is not None
    assert person.form.answer.widget.text() == "C"
    person.press("Ctrl+Z")
    question = question_of_undo(person)
    question.act.click()
    person.settle()
    assert person.shown.phase == "key_seen"
    assert person.shown.comparison is None
    for key in ("B", "Return"):
        person.press(key)
    assert person.answers() == []
    person.press("Ctrl+Shift+Z")
    assert [one.answer for one in person.answers()] == ["C"]
    assert person.shown.phase == "key_shown"


def test_answer_when_not_handed_in_then_can_be_changed_and_nothing_is_stored(
    person: SecondLookPerson,
) -> None:
    for key in ("A", "D", "1", "1", "2"):
        person.press(key)
    assert person.form.text() == "D"
    assert person.form.issue_classes == ("hallucination",)
    assert person.answers() == []
    person.press("Return")
    assert [(one.answer, one.issue_classes) for one in person.answers()] == [("D", ("hallucination",))]


def test_answer_when_missing_then_says_so_and_stores_nothing(person: SecondLookPerson) -> None:
    person.press("Return")
    assert person.form.bar.note.text() == "Answer the question first."
    assert person.answers() == []
    assert person.shown.phase == "answering"


def test_key_when_objected_to_then_needs_a_reason_and_shows_the_next(person: SecondLookPerson) -> None:
    person.press("B")
    person.press("Return")
    person.press("O")
    assert person.form.reason.hasFocus()
    assert "what is wrong" in person.form.bar.note.text()
    assert person.answers()[0].decision == ""
    person.write("Region 7 is a van")
    person.press("Return")
    (answer,) = person.answers()
    assert (answer.decision, answer.reason) == ("object", "Region 7 is a van")
    assert person.flags("item_00001")["person_against_key"].message.endswith("'B': Region 7 is a van")
    assert person.shown.item.name == "item_00002"


def test_reason_when_given_with_the_answer_then_the_objection_is_one_key(person: SecondLookPerson) -> None:
    person.press("C")
    person.form.reason.setFocus()
    person.write("both are red")
    person.press("Return")
    assert person.shown.phase == "key_shown"
    person.press("O")
    (answer,) = person.answers()
    assert (answer.decision, answer.reason) == ("object", "both are red")
    assert person.shown.item.name == "item_00002"


def test_decision_when_undone_then_the_item_waits_again(person: SecondLookPerson) -> None:
    for key in ("B", "Return", "K"):
        person.press(key)
    assert person.second_look.queue.count.text() == "2 items wait for your answer"
    person.press("Ctrl+Z")
    assert person.answers()[0].decision == ""
    assert person.second_look.queue.count.text() == "3 items wait for your answer"
    person.window.banner.findChild(QPushButton).click()
    person.settle()
    assert (person.shown.item.name, person.shown.phase) == ("item_00001", "key_shown")


def test_queue_when_items_are_assigned_then_has_them_alone_and_completes_them(
    person: SecondLookPerson,
) -> None:
    third = next(one for one in person.session.reader.records(Item) if one.name == "item_00003")
    pairs = ((third.id, person.session.actor.id),)
    person.session.execute(AssignRecords(entity="item", role="validate", pairs=pairs)).result()
    person.press("Ctrl+3")
    person.press("Ctrl+7")
    assert names(person) == ["item_00003"]
    for key in ("B", "Return", "K"):
        person.press(key)
    assert [one.is_done for one in person.session.reader.find(Assignment)] == [True]
    assert person.second_look.queue.count.text() == "0 items wait for your answer"
    person.press("Ctrl+3")
    person.press("Ctrl+7")
    assert names(person) == []
    assert person.second_look.reasons["nothing"].isVisible()


def test_queue_when_an_assigned_person_changes_the_item_then_says_why_it_is_not_listed(
    person: SecondLookPerson,
) -> None:
    items = list(person.session.reader.records(Item))
    pairs = tuple((one.id, person.session.actor.id) for one in items)
    person.session.execute(AssignRecords(entity="item", role="validate", pairs=pairs)).result()
    assert not person.second_look.queue.barred.isVisible()
    person.session.execute(SetQuestion(item=items[0].id, text="Which region shows the red car?")).result()
    person.settle()
    assert person.second_look.queue.barred.text() == (
        "1 assigned item does not wait: you worked on it or saw its answer key"
    )
    assert person.second_look.queue.barred.isVisible()


def test_queue_when_its_last_item_is_answered_then_the_decided_item_stays(person: SecondLookPerson) -> None:
    for _ in range(3):
        for key in ("B", "Return", "K"):
            person.press(key)
    assert len(person.answers()) == 3
    assert person.shown.phase == "key_shown"
    assert "You kept the answer key." in person.form.comparison.note.text()


def test_queue_when_it_does_not_show_keys_then_answers_are_handed_in_and_can_be_withdrawn(
    person: SecondLookPerson,
) -> None:
    pairs = tuple((one.id, person.session.actor.id) for one in person.session.reader.records(Item))
    assert not person.second_look.queue.pills["reference"].isVisible()
    person.session.execute(AssignRecords(entity="item", role="reference", pairs=pairs)).result()
    person.settle()
    assert person.second_look.queue.pills["reference"].text() == "Reference 3"
    person.second_look.queue.pills["reference"].click()
    person.settle()
    person.press("C")
    person.press("Return")
    assert person.shown.item.name == "item_00002"
    assert [(one.answer, one.is_key_shown) for one in person.answers()] == [("C", False)]
    assert len(list(person.session.reader.find(Assignment, is_done=1))) == 1
    person.press("PgUp")
    assert (person.shown.phase, person.shown.comparison) == ("handed_in", None)
    person.press("Ctrl+Z")
    assert person.answers() == []
    assert person.shown.phase == "answering"
    person.press("B")
    person.press("Return")
    assert [one.answer for one in person.answers()] == ["B"]


def test_question_when_changed_by_others_while_answering_then_the_answer_begins_again(
    person: SecondLookPerson,
) -> None:
    person.press("A")
    person.form.reason.setText("two buses")
    person.form.toggle_class("question")
    item = person.shown.item.id
    person.session.execute(SetQuestion(item=item, text="Which region shows the bus?")).result()
    person.settle()
    assert person.form.question.text() == "Which region shows the bus?"
    assert person.form.text() == ""
    assert "Answer it again" in person.form.bar.note.text()
    # What was said about the item stays.
    assert (person.form.reason.text(), person.form.issue_classes) == ("two buses", ("question",))


def test_answer_when_another_item_is_looked_at_then_is_still_there_afterwards(
    person: SecondLookPerson,
) -> None:
    person.press("B")
    person.press("1")
    person.form.reason.setText("the truck is no car")
    person.press("PgDown")
    assert (person.form.text(), person.form.reason.text(), person.form.issue_classes) == ("", "", ())
    person.press("PgUp")
    assert (person.form.text(), person.form.reason.text()) == ("B", "the truck is no car")
    assert len(person.form.issue_classes) == 1
    assert person.answers() == []


def test_time_when_an_answer_is_handed_in_then_is_the_active_time_since_the_question(
    person: SecondLookPerson,
) -> None:
    clock = person.second_look.clock.active_time
    clock.take(person.shown.item.id)
    clock.give_back(person.shown.item.id, 42.0)
    person.press("B")
    person.press("Return")
    assert 42.0 <= person.answers()[0].duration_s < 42.0 + clock.idle_limit_s


def test_refine_when_its_button_is_clicked_then_the_second_look_opens(person: SecondLookPerson) -> None:
    person.press("Ctrl+3")
    assert person.window.workspace == "refine"
    assert person.window.slots["refine"].workspace is not None
    person.window.slots["refine"].workspace.second_look.click()
    person.settle()
    assert person.window.workspace == "second_look"
    person.press("Ctrl+1")
    assert person.window.workspace == "library"
