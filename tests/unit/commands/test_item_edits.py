"""Edits of one item: what each changes, that it is undone, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.item_edits import (
    AddOption,
    ItemEdit,
    MoveOption,
    RemoveOption,
    SetAnswerKey,
    SetIssueClasses,
    SetOptionText,
    SetQuestion,
    SetTask,
    SwapOptions,
)
from annotator.commands.item_states import ChangeState
from annotator.domain.comment import Comment
from annotator.domain.item import Item, Option
from annotator.domain.region import Box, Region
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import ANNA, a_medium, an_item, created, problems, visible_state, write

OPTIONS = ("red", "green", "blue")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        yield session


def add_item(session: Session, **fields: object) -> Item:
    options = tuple(Option(letter=letter, text=text) for letter, text in zip("ABC", OPTIONS, strict=True))
    plain = {"task": "quality_assessment", "question": "Which colour?", "options": options, "answer_key": "B"}
    item = an_item(**{**plain, **fields})
    write(session, created("item", item))
    return item


def stored(session: Session, item: Item) -> Item:
    found = session.reader.get(Item, item.id)
    assert found is not None
    return found


def texts(item: Item) -> str:
    return " ".join(f"{option.letter}:{option.text}" for option in item.options) + f" = {item.answer_key}"


EDITS = {
    "question": (lambda id_: SetQuestion(item=id_, text="What colour?"), "A:red B:green C:blue = B"),
    "option text": (
        lambda id_: SetOptionText(item=id_, letter="C", text="navy"),
        "A:red B:green C:navy = B",
    ),
    "add": (lambda id_: AddOption(item=id_, text="black"), "A:red B:green C:blue D:black = B"),
    "remove before the key": (lambda id_: RemoveOption(item=id_, letter="A"), "A:green B:blue = A"),
    "remove the key": (lambda id_: RemoveOption(item=id_, letter="B"), "A:red B:blue = "),
    "move the key to the end": (
        lambda id_: MoveOption(item=id_, letter="B", index=99),
        "A:red B:blue C:green = C",
    ),
    "move over the key": (lambda id_: MoveOption(item=id_, letter="C", index=0), "A:blue B:red C:green = C"),
    "swap": (lambda id_: SwapOptions(item=id_, letters=("A", "B")), "A:green B:red C:blue = A"),
    "answer key": (lambda id_: SetAnswerKey(item=id_, text=" (c) "), "A:red B:green C:blue = C"),
    "no answer key": (lambda id_: SetAnswerKey(item=id_, text=""), "A:red B:green C:blue = "),
}


@pytest.mark.parametrize(("make", "after"), EDITS.values(), ids=EDITS)
def test_edit_when_done_undone_and_redone_then_the_item_follows(session: Session, make, after: str) -> None:
    item = add_item(session)
    session.execute(make(item.id)).result()
    changed = stored(session, item)
    assert (texts(changed), changed.state) == (after, "in_refinement")
    session.undo().result()
    assert stored(session, item) == item
    session.redo().result()
    assert stored(session, item) == changed
    assert problems(session.path) == []


@pytest.mark.parametrize(("make", "_after"), EDITS.values(), ids=EDITS)
def test_edit_when_the_item_was_accepted_then_it_is_in_refinement_again(
    session: Session, make, _after: str
) -> None:
    item = add_item(session, state="accepted")
    session.execute(make(item.id)).result()
    assert stored(session, item).state == "in_refinement"


def test_edit_when_it_changes_nothing_then_there_is_no_step(session: Session) -> None:
    item = add_item(session)
    assert session.execute(SetQuestion(item=item.id, text=item.question)).result().command == ""
    assert stored(session, item).state == "drafted"


REFUSED = {
    "no such option": (lambda id_: SetOptionText(item=id_, letter="F", text="x"), "has no option F"),
    "remove none": (lambda id_: RemoveOption(item=id_, letter=""), "has no option"),
    "not a letter": (lambda id_: SetAnswerKey(item=id_, text="the third"), "is not an answer"),
    "not among the options": (lambda id_: SetAnswerKey(item=id_, text="D"), "Option D does not exist"),
    "no such class": (
        lambda id_: SetIssueClasses(item=id_, issue_classes=("rain",)),
        "no issue class 'rain'",
    ),
    "no such task": (lambda id_: SetTask(item=id_, task_set="aircop", task="cooking"), "cooking"),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED)
def test_edit_when_it_does_not_fit_then_is_refused_in_words(session: Session, make, message: str) -> None:
    item = add_item(session)
    before = visible_state(session.path)
    with pytest.raises(UserError, match=message) as refused:
        session.execute(make(item.id)).result()
    assert refused.value.hint
    assert visible_state(session.path) == before


def test_options_when_there_are_nine_then_a_tenth_is_refused(session: Session) -> None:
    item = add_item(session, options=tuple(Option(letter=letter, text=letter) for letter in "ABCDEFGHI"))
    with pytest.raises(UserError, match="at most 9 options"):
        session.execute(AddOption(item=item.id, text="ten")).result()


def test_option_when_the_format_has_none_then_cannot_be_added(session: Session) -> None:
    item = add_item(session, options=(), answer_format="clock", answer_key="3 o'clock")
    with pytest.raises(UserError, match="without options"):
        session.execute(AddOption(item=item.id, text="x")).result()


def test_answer_key_when_it_names_a_region_that_is_not_there_then_is_refused(session: Session) -> None:
    medium = a_medium()
    regions = [
        Region(id=f"{number:032x}", medium=medium.id, number=number, box=Box(x1=0, y1=0, x2=9, y2=9))
        for number in (3, 4)
    ]
    write(session, created("medium", medium), *(created("region", region) for region in regions))
    item = add_item(
        session, options=(), answer_format="region_set", media=(medium.id,), answer_key="Region 3."
    )
    session.execute(SetAnswerKey(item=item.id, text="4 and 3")).result()
    assert stored(session, item).answer_key == "Region 3, 4"
    with pytest.raises(UserError, match="9"):
        session.execute(SetAnswerKey(item=item.id, text="Region 9")).result()


def test_task_when_its_format_is_another_then_a_key_that_it_cannot_read_is_emptied(session: Session) -> None:
    item = add_item(
        session, options=(), task_set="spatialuav", task="region_recognition", answer_key="Region 3, 4."
    )
    session.execute(SetTask(item=item.id, task_set="spatialuav", task="direction_recognition")).result()
    moved = stored(session, item)
    assert (moved.task, moved.answer_format, moved.answer_key) == ("direction_recognition", "clock", "")


def test_issue_classes_when_set_then_are_in_their_usual_order(session: Session) -> None:
    item = add_item(session)
    session.execute(SetIssueClasses(item=item.id, issue_classes=("options", "question"))).result()
    assert stored(session, item).issue_classes == ("question", "options")


def type_text(session: Session, item: Item, text: str, *, gesture: str) -> None:
    for end in range(1, len(text) + 1):
        edit: ItemEdit = SetQuestion(item=item.id, text=text[:end], gesture=gesture)
        session.execute(edit).result()


def test_typing_when_saved_at_each_letter_then_is_one_step_for_undo(session: Session) -> None:
    item = add_item(session)
    type_text(session, item, "Which car", gesture="1")
    type_text(session, item, "Which car is red?", gesture="2")
    assert session.reader.log.next_undo(ANNA.id) is not None
    session.undo().result()
    assert stored(session, item).question == "Which car"
    session.undo().result()
    assert stored(session, item) == item
    session.redo().result()
    session.redo().result()
    assert stored(session, item).question == "Which car is red?"
    assert problems(session.path) == []


def test_typing_when_another_command_comes_between_then_a_new_step_begins(session: Session) -> None:
    item = add_item(session)
    type_text(session, item, "Why", gesture="1")
    session.execute(SetAnswerKey(item=item.id, text="A")).result()
    type_text(session, item, "Why not", gesture="1")
    session.undo().result()
    assert (stored(session, item).question, stored(session, item).answer_key) == ("Why", "A")


def test_typing_when_its_step_was_undone_then_a_new_step_begins(session: Session) -> None:
    item = add_item(session)
    type_text(session, item, "Why", gesture="1")
    session.undo().result()
    type_text(session, item, "How", gesture="1")
    session.undo().result()
    assert stored(session, item) == item
    session.redo().result()
    assert stored(session, item).question == "How"


def test_typing_in_two_options_when_the_gesture_is_the_same_then_is_two_steps(session: Session) -> None:
    item = add_item(session)
    for letter in "AB":
        session.execute(SetOptionText(item=item.id, letter=letter, text="x", gesture="1")).result()
    session.undo().result()
    assert texts(stored(session, item)) == "A:x B:green C:blue = B"


HOSTILE = [
    "x" * 10_000,
    "\u202eabc\u202c",
    "a\u200bb",
    "<img src=file:///etc/passwd>",
    "=1+1",
    " ",
    "🚁" * 500,
]


@pytest.mark.parametrize(
    "text", HOSTILE, ids=["long", "right to left", "zero width", "html", "formula", "blank", "drones"]
)
def test_text_when_hostile_then_is_stored_as_it_is(session: Session, text: str) -> None:
    item = add_item(session)
    session.execute(SetQuestion(item=item.id, text=text)).result()
    session.execute(SetOptionText(item=item.id, letter="A", text=text)).result()
    changed = stored(session, item)
    assert (changed.question, changed.options[0].text) == (text, text)


def test_state_when_the_answer_key_is_missing_then_the_item_is_not_finished(session: Session) -> None:
    item = add_item(session, view="UAV1")
    session.execute(RemoveOption(item=item.id, letter="B")).result()
    with pytest.raises(UserError, match=r"is not complete: Empty: answer key"):
        session.execute(ChangeState(items=(item.id,), state="refined")).result()
    session.execute(SetAnswerKey(item=item.id, text="A")).result()
    session.execute(ChangeState(items=(item.id,), state="refined")).result()
    session.execute(ChangeState(items=(item.id,), state="accepted")).result()
    assert stored(session, item).state == "accepted"


def test_state_when_an_accepted_item_is_sent_back_then_a_reason_is_required(session: Session) -> None:
    item = add_item(session, state="accepted")
    with pytest.raises(UserError, match="needs a reason"):
        session.execute(ChangeState(items=(item.id,), state="in_refinement")).result()
    session.execute(ChangeState(items=(item.id,), state="in_refinement", reason="Two are green.")).result()
    assert [comment.text for comment in session.reader.find(Comment)] == ["Two are green."]  # type: ignore[attr-defined]


def test_state_when_a_draft_is_accepted_then_is_refused_with_what_is_allowed(session: Session) -> None:
    item = add_item(session)
    with pytest.raises(UserError, match="cannot be set to accepted") as refused:
        session.execute(ChangeState(items=(item.id,), state="accepted")).result()
    assert "refined" in str(refused.value.hint)
    assert "_" not in f"{refused.value.message} {refused.value.hint}".replace(item.name, "")


def test_item_when_an_option_is_empty_then_cannot_be_refined(session: Session) -> None:
    options = (Option(letter="A", text="red"), Option(letter="B", text=" "))
    item = add_item(session, options=options, state="in_refinement")
    with pytest.raises(UserError, match="Option B is empty"):
        session.execute(ChangeState(items=(item.id,), state="refined")).result()
