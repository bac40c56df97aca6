"""Comments in Refine and the Library: questions, answers, and who may change what."""

from __future__ import annotations

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.commands.comments import WriteComment
from annotator.domain.actor import Actor
from annotator.domain.comment import CommentPin
from annotator.domain.flag import Flag
from tests.gui.refine.refine_person import RefinePerson
from widgets.comment_actions import CommentActions

BEN = Actor(id="b" * 32, name="Ben")


def actions(person: RefinePerson) -> CommentActions:
    assert person.window.project is not None
    return person.window.project.comments


def test_question_when_asked_and_resolved_then_flags_the_item_until_then_and_keeps_the_answer_as_reason(
    person: RefinePerson,
) -> None:
    item, panel = person.shown, actions(person).panel
    person.press("Ctrl+M")
    QTest.keyClicks(QApplication.focusWidget(), "Is A right?")
    panel.form.is_question.click()
    panel.form.send.click()
    person.settle()
    (flag,) = person.session.reader.flags_of(item.id)
    assert (flag.kind, flag.state, flag.message) == ("comment_open", "open", "Is A right?")
    (question,) = panel.cards
    question.buttons["reply"].click()
    assert panel.form.purpose.text() == f"Reply to {person.session.actor.name}"
    QTest.keyClicks(QApplication.focusWidget(), "Yes, see UAV2.")
    person.press("Ctrl+Return")
    assert [card.row.comment.parent for card in panel.cards] == ["", question.row.comment.id]
    panel.cards[0].buttons["resolve"].click()
    person.settle()
    decided = person.session.reader.require(Flag, flag.id)
    assert (decided.state, decided.resolution) == ("resolved", "Yes, see UAV2.")
    assert set(panel.cards[0].buttons) == {"reply", "reopen", "edit", "delete"}
    panel.cards[0].buttons["reopen"].click()
    person.settle()
    assert person.session.reader.require(Flag, flag.id).state == "open"


def test_own_comment_when_edited_and_deleted_then_follows_and_letters_typed_there_set_no_answer(
    person: RefinePerson,
) -> None:
    panel, before = actions(person).panel, person.shown
    person.press("Ctrl+M")
    QTest.keyClicks(QApplication.focusWidget(), "abcd")
    person.press("Ctrl+Return")
    assert person.shown == before
    panel.cards[0].buttons["edit"].click()
    assert panel.form.send.text() == "Save"
    QTest.keyClicks(QApplication.focusWidget(), "e")
    person.press("Ctrl+Return")
    assert [card.row.text for card in panel.cards] == ["abcde"]
    assert panel.cards[0].row.is_edited
    panel.cards[0].buttons["delete"].click()
    person.settle()
    assert panel.cards == []
    person.press("Escape")
    assert panel.isHidden()


def test_unread_when_another_person_comments_on_an_item_then_the_queue_marks_it_until_it_is_shown(
    person: RefinePerson,
) -> None:
    item, me = person.shown, person.session.actor
    person.session.use_actor(BEN)
    command = WriteComment(entity="item", target=item.id, text="x", person=BEN.id)
    person.session.execute(command).result()
    person.session.use_actor(me)
    person.settle()
    model, table = person.refine.queue.listing.model, person.refine.queue.table
    assert model.unread == {item.id}
    marked = table.grab().toImage()
    actions(person).open()
    person.settle()
    assert model.unread == frozenset()
    assert table.grab().toImage() != marked


def test_pin_when_its_button_is_clicked_in_the_library_then_opens_the_item_at_the_place(
    person: RefinePerson,
) -> None:
    item = person.shown
    pin = CommentPin(medium="m1", x=30.0, y=20.0)
    command = WriteComment(
        entity="item", target=item.id, text="here", pin=pin, person=person.session.actor.id
    )
    person.session.execute(command).result()
    person.window.show_workspace("library")
    person.settle()
    actions(person).open()
    person.settle()
    actions(person).panel.cards[0].buttons["pin"].click()
    person.settle()
    assert person.window.workspace == "refine"
    stage = person.refine.stage
    assert stage.front is not None
    assert stage.front.medium == "m1"
    assert [(mark.number, mark.is_current) for mark in stage.pins.at("m1", None)] == [(1, True)]


def test_filter_when_a_comment_mentions_the_person_then_is_offered_counted_and_shows_the_record(
    person: RefinePerson,
) -> None:
    item, me = person.shown, person.session.actor
    # The project knows the name of a person from the own first change on.
    for text in ("mine", f"@{me.name}, look"):
        command = WriteComment(entity="item", target=item.id, text=text, person=me.id)
        person.session.execute(command).result()
    person.window.show_workspace("library")
    person.settle()
    library = person.window.library
    assert library is not None
    library.show_list("item")
    person.settle()
    listing = library.listings["item"]
    (row,) = [row for row in listing.facet_model.rows if row.text == "Mentions me"]
    assert row.count == 1
    listing.facets.toggled.emit(row.facet.field, row.value)
    person.settle()
    assert listing.model.rowCount() == 1
    assert listing.current_row().id == item.id
