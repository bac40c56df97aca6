"""Edits of many items at once: what they change, and that each is one step for undo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.item_batches import (
    EditItems,
    RebalanceLetters,
    ReplaceText,
    TextReplacement,
    preview_replacement,
)
from annotator.commands.item_edits import MoveOption, SetAnswerKey, SetQuestion
from annotator.domain.item import Item, Option
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import ANNA, an_item, created, problems, twin_projects, visible_state, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        yield session


def add_items(session: Session, count: int, *, options: str = "red green blue grey") -> list[Item]:
    choices = tuple(
        Option(letter=letter, text=text) for letter, text in zip("ABCDEFG", options.split(), strict=False)
    )
    items = [
        an_item(name=f"Colour_{n:05}", question="Which car is red?", options=choices, answer_key="A")
        for n in range(count)
    ]
    write(session, *(created("item", item) for item in items))
    return items


def stored(session: Session) -> list[Item]:
    return list(session.reader.records(Item))


def right_text(item: Item) -> str:
    return next(option.text for option in item.options if option.letter == item.answer_key)


def test_items_when_edited_together_then_is_one_step(session: Session) -> None:
    items = add_items(session, 3)
    before = visible_state(session.path)
    edits = (
        *(SetQuestion(item=item.id, text="Which bus is red?") for item in items),
        MoveOption(item=items[0].id, letter="A", index=2),
        SetAnswerKey(item=items[1].id, text="D"),
    )
    command = EditItems(edits=edits)
    assert str(command.summary) == "Edit 3 items"
    session.execute(command).result()
    assert [(item.question, item.answer_key) for item in stored(session)] == [
        ("Which bus is red?", "C"),
        ("Which bus is red?", "D"),
        ("Which bus is red?", "A"),
    ]
    session.undo().result()
    assert visible_state(session.path) == before


def test_items_when_one_edit_does_not_fit_then_none_is_changed(session: Session) -> None:
    items = add_items(session, 2)
    before = visible_state(session.path)
    edits = (SetQuestion(item=items[0].id, text="x"), SetAnswerKey(item=items[1].id, text="G"))
    with pytest.raises(UserError, match="Option G"):
        session.execute(EditItems(edits=edits)).result()
    assert visible_state(session.path) == before


REPLACEMENTS = {
    "plain": (TextReplacement(find="red", replace="b\\1lue"), "Which car is b\\1lue?", "b\\1lue"),
    "questions only": (
        TextReplacement(find="red", replace="blue", fields=("question",)),
        "Which car is blue?",
        "red",
    ),
    "any case": (
        TextReplacement(find="RED", replace="blue", has_case=False),
        "Which car is blue?",
        "blue",
    ),
    "pattern": (
        TextReplacement(find=r"(car) is (\w+)", replace=r"\2 \1", is_pattern=True),
        "Which red car?",
        "red",
    ),
    "dot is a dot": (TextReplacement(find="r.d", replace="x"), "Which car is red?", "red"),
}


@pytest.mark.parametrize(("replacement", "question", "option"), REPLACEMENTS.values(), ids=REPLACEMENTS)
def test_text_when_replaced_then_is_as_the_preview_says(
    session: Session, replacement: TextReplacement, question: str, option: str
) -> None:
    add_items(session, 2)
    before = stored(session)
    previewed = {old.id: new for old, new in preview_replacement(before, replacement)}
    session.execute(ReplaceText(items=tuple(item.id for item in before), replacement=replacement)).result()
    after = stored(session)
    assert [(item.question, item.options[0].text) for item in after] == [(question, option)] * 2
    for item, old in zip(after, before, strict=True):
        expected = previewed.get(item.id, old)
        assert (item.question, item.options) == (expected.question, expected.options)


@pytest.mark.parametrize(
    ("replacement", "message"),
    [
        (TextReplacement(find="", replace="x"), "no text to find"),
        (TextReplacement(find="(", replace="x", is_pattern=True), "not a valid regular expression"),
        (TextReplacement(find="red", replace=r"\7", is_pattern=True), "does not fit the expression"),
    ],
)
def test_replacement_when_it_is_not_valid_then_is_refused(
    session: Session, replacement: TextReplacement, message: str
) -> None:
    items = add_items(session, 1)
    with pytest.raises(UserError, match=message):
        session.execute(ReplaceText(items=(items[0].id,), replacement=replacement)).result()


def test_letters_when_rebalanced_then_are_even_and_the_right_texts_stay(session: Session) -> None:
    items = add_items(session, 42)
    command = RebalanceLetters(items=tuple(item.id for item in items), seed=7)
    session.execute(command).result()
    after = stored(session)
    assert sorted(Counter(item.answer_key for item in after).values()) == [10, 10, 11, 11]
    assert {right_text(item) for item in after} == {"red"}
    assert {frozenset(option.text for option in item.options) for item in after} == {
        frozenset({"red", "green", "blue", "grey"})
    }
    assert {item.state for item in after} == {"drafted"}
    session.undo().result()
    assert {item.answer_key for item in stored(session)} == {"A"}
    assert problems(session.path) == []


def test_letters_when_rebalanced_in_a_copy_then_are_the_same_and_another_project_differs(
    tmp_path: Path,
) -> None:
    keys = []
    with Session.create(tmp_path / "other.vantage", actor=ANNA):
        pass
    for path in (*twin_projects(tmp_path), tmp_path / "other.vantage"):
        with Session.open(path, actor=ANNA) as session:
            items = add_items(session, 12)
            session.execute(RebalanceLetters(items=tuple(item.id for item in items), seed=7)).result()
            keys.append({item.name: item.answer_key for item in stored(session)})
    assert keys[0] == keys[1] != keys[2]


def test_letters_when_options_refer_to_each_other_then_stay(session: Session) -> None:
    items = add_items(session, 8, options="red green all_of_the_above A_and_B")
    texts = [option.text.replace("_", " ") for option in items[0].options]
    assert texts[2] == "all of the above"
    session.execute(
        ReplaceText(items=tuple(i.id for i in items), replacement=TextReplacement(find="_", replace=" "))
    ).result()
    assert not session.execute(RebalanceLetters(items=tuple(i.id for i in items))).result().command
