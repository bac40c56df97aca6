"""Two people edit the same text of an item at the same time: nobody's words are overwritten unseen."""

from __future__ import annotations

import pytest

from annotator.commands.item_edits import SetOptionText, SetQuestion
from annotator.domain.actor import Actor
from annotator.session import Session
from tests.gui.refine.refine_person import RefinePerson

COLLEAGUE = Actor(id="c" * 32, name="Li")
THEIRS = "How many lorries are there?"


def change_elsewhere(person: RefinePerson) -> None:
    with Session.open(person.session.path, actor=COLLEAGUE) as other:
        other.execute(SetQuestion(item=person.shown.id, text=THEIRS)).result()


@pytest.mark.parametrize(("key", "is_kept"), [("Return", True), ("Escape", False)])
def test_question_when_changed_elsewhere_while_it_is_typed_then_the_person_decides(
    person: RefinePerson, key: str, is_kept: bool
) -> None:
    form = person.refine.form
    person.press("M")
    person.write(" Now?")
    own = form.question.text()
    change_elsewhere(person)
    form.question.ended.emit()
    person.settle()

    assert person.stored("item_00001").question == THEIRS
    assert form.question.text() == own
    assert THEIRS in form.question_note.text()
    # Neither a pause nor another field decides.
    person.write("!")
    form.question.ended.emit()
    person.settle()
    assert person.stored("item_00001").question == THEIRS
    person.press(key)
    person.settle()

    assert person.stored("item_00001").question == (f"{own}!" if is_kept else THEIRS)
    assert form.question.text() == (f"{own}!" if is_kept else THEIRS)
    assert THEIRS not in form.question_note.text()


def test_option_when_changed_elsewhere_while_it_is_typed_then_is_not_overwritten(
    person: RefinePerson,
) -> None:
    form, item = person.refine.form, person.shown
    row = form.options.rows[1]
    row.field.take_keyboard()
    person.write(" own")
    with Session.open(person.session.path, actor=COLLEAGUE) as other:
        other.execute(SetOptionText(item=item.id, letter="B", text="theirs")).result()
    row.field.ended.emit()
    person.settle()

    assert "theirs" in row.note.text()
    person.press("Escape")
    person.settle()
    assert row.field.text() == "theirs"
    assert person.stored(item.name).options[1].text == "theirs"


def test_question_when_only_this_person_types_then_is_saved_again_and_again(person: RefinePerson) -> None:
    form = person.refine.form
    person.press("M")
    for letter in "abc":
        person.write(letter)
        person.refine.typed.save()
    form.question.ended.emit()
    person.settle()

    assert person.stored("item_00001").question.endswith("abc")
    assert form.question_note.text() == ""


def test_question_when_typed_again_after_enter_before_the_screen_has_read_it_then_is_no_conflict(
    person: RefinePerson,
) -> None:
    item, typed = person.shown, person.refine.typed

    def make(text: str, _gesture: str, seen: tuple[str, ...]) -> SetQuestion:
        return SetQuestion(item=item.id, text=text, seen=seen)

    for text in ("first", "second"):
        # What the screen showed at the first letter is the same both times.
        typed.type_text(item.id, "question", text, shown=item.question, make=make)
        typed.end()
        person.settle()

    assert typed.problem(item.id, "question") == ""
    assert person.stored(item.name).question == "second"
