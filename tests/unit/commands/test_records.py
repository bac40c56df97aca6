from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from annotator.commands.command import Command
from annotator.commands.comments import WriteComment
from annotator.commands.item_edits import SetQuestion
from annotator.commands.item_states import ChangeState
from annotator.commands.records import DecideFlags
from annotator.commands.tags import ChangeTags
from annotator.domain.comment import Comment
from annotator.domain.item import Item, Option
from annotator.domain.record import new_id
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.session import Session
from tests.item_fields import SetItemField
from tests.unit.store.making import (
    ANNA,
    a_flag,
    a_scene,
    an_item,
    created,
    events,
    problems,
    visible_state,
    write,
)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        yield session


@dataclass(frozen=True)
class Ids:
    """Ids of the records that the commands are tried on."""

    items: tuple[str, ...]
    scenes: tuple[str, ...]
    flags: tuple[str, ...]


@pytest.fixture
def ids(session: Session) -> Ids:
    scenes = [a_scene(name=f"{n}") for n in range(2)]
    items = [an_item(name=f"{n}", question="How many?", scene=scenes[0].id) for n in range(3)]
    flags = [a_flag(items[0].id), a_flag(scenes[0].id, entity="scene", kind="odd")]
    edits = [("scene", scene) for scene in scenes] + [("item", item) for item in items]
    write(session, *(created(entity, record) for entity, record in edits))
    write(session, *(created("flag", flag) for flag in flags))
    return Ids(*(tuple(record.id for record in records) for records in (items, scenes, flags)))


COMMANDS: dict[str, Any] = {
    "edit a text": lambda ids: SetItemField(item=ids.items[0], field="question", value="How many cars?"),
    "edit options": lambda ids: SetItemField(
        item=ids.items[0], field="options", value=(Option(letter="A", text="red"),)
    ),
    "edit a field with words in it": lambda ids: SetItemField(
        item=ids.items[0], field="answer_key", value='"; DROP'
    ),
    "reject": lambda ids: ChangeState(items=ids.items, state="rejected", reason="blurred"),
    "refine": lambda ids: ChangeState(items=ids.items[:1], state="in_refinement"),
    "dismiss": lambda ids: DecideFlags(flags=ids.flags, state="dismissed", resolution="it is so"),
    "resolve": lambda ids: DecideFlags(flags=ids.flags[:1], state="resolved"),
    "tag": lambda ids: ChangeTags(scenes=ids.scenes, added=("night", "雨")),
    "comment on an item": lambda ids: WriteComment(entity="item", target=ids.items[0], text="Is it so?"),
    "comment on a scene": lambda ids: WriteComment(entity="scene", target=ids.scenes[0], text="Dark."),
}


@pytest.mark.parametrize("make", COMMANDS.values(), ids=COMMANDS)
def test_command_when_done_undone_and_redone_then_the_project_follows(
    session: Session, ids: Ids, make
) -> None:
    before = visible_state(session.path)
    session.execute(make(ids)).result()
    after = visible_state(session.path)
    assert after != before
    session.undo().result()
    assert visible_state(session.path) == before
    session.redo().result()
    assert visible_state(session.path) == after
    assert problems(session.path) == []


@pytest.mark.parametrize("name", [name for name in COMMANDS if "comment" not in name])
def test_command_when_done_twice_then_the_second_time_changes_nothing(
    session: Session, ids: Ids, name: str
) -> None:
    session.execute(COMMANDS[name](ids)).result()
    before = events(session.path)
    assert session.execute(COMMANDS[name](ids)).result().command == ""
    assert events(session.path) == before


LABELS: list[tuple[Command, str]] = [
    (SetItemField(item="x", field="answer_key", value="A"), "Edit answer_key"),
    (ChangeState(items=("x",), state="rejected"), "Reject 1 item"),
    (ChangeState(items=("x", "y"), state="accepted"), "Accept 2 items"),
    (ChangeState(items=("x",), state="drafted"), "Restore 1 item"),
    (ChangeState(items=("x",), state="in_refinement"), "Take 1 item into refinement"),
    (ChangeState(items=("x",), state="in_refinement", reason="Blurred."), "Send back 1 item"),
    (DecideFlags(flags=("x",), state="resolved"), "Resolve 1 flag"),
    (DecideFlags(flags=("x", "y"), state="dismissed"), "Dismiss 2 flags"),
    (DecideFlags(flags=(), state="open"), "Reopen 0 flags"),
    (ChangeTags(scenes=("x",)), "Tag 1 scene"),
    (ChangeTags(scenes=("x", "y")), "Tag 2 scenes"),
    (WriteComment(entity="item", target="x", text="t"), "Write comment"),
]


@pytest.mark.parametrize(("command", "label"), LABELS, ids=[label for _, label in LABELS])
def test_command_when_shown_in_the_undo_menu_then_says_what_it_does(command: Command, label: str) -> None:
    assert str(command.summary) == label


def test_edit_item_when_done_then_only_that_field_is_other(session: Session, ids: Ids) -> None:
    session.execute(SetItemField(item=ids.items[1], field="question", value="Which car?")).result()
    assert [item.question for item in session.reader.records(Item)] == [
        "How many?",
        "Which car?",
        "How many?",
    ]


def test_change_state_when_rejecting_then_the_reason_stands_as_a_comment_at_each_item(
    session: Session, ids: Ids
) -> None:
    session.execute(ChangeState(items=ids.items[:2], state="rejected", reason=" blurred ")).result()
    assert [item.state for item in session.reader.records(Item)] == ["rejected", "rejected", "drafted"]
    comments = list(session.reader.records(Comment))
    assert [(c.entity, c.target, c.text) for c in comments] == [
        ("item", item, "blurred") for item in ids.items[:2]
    ]


def test_change_state_when_no_reason_is_needed_then_writes_no_comment(session: Session, ids: Ids) -> None:
    session.execute(ChangeState(items=ids.items, state="in_refinement")).result()
    assert session.reader.counts()["comment"] == 0


def test_change_state_when_some_have_the_state_then_only_the_others_change(
    session: Session, ids: Ids
) -> None:
    session.execute(ChangeState(items=ids.items[:1], state="in_refinement")).result()
    changes = session.execute(ChangeState(items=ids.items, state="in_refinement")).result()
    assert changes.ids["item"] == set(ids.items[1:])


def test_decide_flags_when_dismissed_then_lists_no_longer_show_them(session: Session, ids: Ids) -> None:
    assert session.reader.open_flag_counts() == {"doubt": 1, "odd": 1}
    session.execute(DecideFlags(flags=ids.flags[:1], state="dismissed", resolution=" it is so ")).result()
    (flag,) = session.reader.flags_of(ids.items[0])
    assert (flag.state, flag.resolution) == ("dismissed", "it is so")
    assert session.reader.open_flag_counts() == {"odd": 1}
    session.execute(DecideFlags(flags=ids.flags[:1], state="open")).result()
    (flag,) = session.reader.flags_of(ids.items[0])
    assert (flag.state, flag.resolution) == ("open", "")


def test_change_tags_when_done_then_new_tags_stand_in_place_of_the_old(session: Session, ids: Ids) -> None:
    session.execute(ChangeTags(scenes=ids.scenes[:1], added=("night", "rain"))).result()
    session.execute(ChangeTags(scenes=ids.scenes, added=("day",), removed=("night", "rain"))).result()
    assert [scene.tags for scene in session.reader.records(Scene)] == [("day",), ("day",)]


REFUSED: dict[str, tuple[Any, str]] = {
    "a rejection without a reason": (
        lambda ids: ChangeState(items=ids.items, state="rejected", reason=" \n"),
        "A rejection needs a reason",
    ),
    "a dismissal without a reason": (
        lambda ids: DecideFlags(flags=ids.flags, state="dismissed"),
        "A dismissal needs a reason",
    ),
    "an empty comment": (
        lambda ids: WriteComment(entity="item", target=ids.items[0], text=" "),
        "The comment is empty",
    ),
    "a comment on nothing": (
        lambda ids: WriteComment(entity="item", target=new_id(), text="x"),
        "There is no item",
    ),
    "an unknown item": (lambda ids: SetQuestion(item=new_id(), text="Why?"), "There is no item"),
    "one unknown item among others": (
        lambda ids: ChangeState(items=(*ids.items, new_id()), state="in_refinement"),
        "There is no item",
    ),
    "an unknown flag": (
        lambda ids: DecideFlags(flags=(*ids.flags, new_id()), state="resolved"),
        "There is no flag",
    ),
    "an unknown scene": (
        lambda ids: ChangeTags(scenes=(*ids.scenes, new_id()), added=("x",)),
        "There is no scene",
    ),
    "a state that there is not": (
        lambda ids: SetItemField(item=ids.items[0], field="state", value="nice"),
        "The state of the item cannot be",
    ),
    "another id": (
        lambda ids: SetItemField(item=ids.items[0], field="id", value="x"),
        "no editable field 'id'",
    ),
    "half a character": (
        lambda ids: WriteComment(entity="item", target=ids.items[0], text="\udcff"),
        "invalid character",
    ),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED)
def test_command_when_it_cannot_be_done_then_refuses_in_words_and_changes_nothing(
    session: Session, ids: Ids, make, message: str
) -> None:
    before = visible_state(session.path), events(session.path)
    with pytest.raises(UserError, match=message) as refused:
        session.execute(make(ids)).result()
    assert str(refused.value).endswith(".")
    assert (visible_state(session.path), events(session.path)) == before


def test_command_when_its_record_was_undone_in_the_meantime_then_refuses(session: Session, ids: Ids) -> None:
    session.undo().result()
    with pytest.raises(UserError, match=r"There is no flag .*It may have been undone"):
        session.execute(DecideFlags(flags=ids.flags, state="resolved")).result()
