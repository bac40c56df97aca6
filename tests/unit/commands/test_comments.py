"""Comments: written, answered, edited and deleted, with pins, mentions and questions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from annotator.commands.command import Command
from annotator.commands.comments import LONGEST, DeleteComment, EditComment, WriteComment
from annotator.commands.records import DecideFlags
from annotator.comment_read_state import CommentReadState
from annotator.domain.comment import OPEN_QUESTION, Comment, CommentPin
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery, SceneQuery
from annotator.domain.record import new_id
from annotator.domain.record_types import record_type
from annotator.domain.region import Box, Region
from annotator.domain.rows import CommentRow
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import (
    ANNA,
    BEN,
    a_flag,
    a_medium,
    a_scene,
    an_item,
    changed,
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
    """Ids of the records that are commented."""

    item: str
    scene: str
    still: str
    video: str
    region: str


@pytest.fixture
def ids(session: Session) -> Ids:
    still = a_medium(width_px=640, height_px=480)
    video = a_medium(name="v.mp4", media_type="video", width_px=640, height_px=480, frames=10)
    scene = a_scene(still.id, video.id)
    item = an_item(scene=scene.id, media=(still.id,))
    region = Region(id=new_id(), medium=still.id, number=3, box=Box(x1=1, y1=2, x2=30, y2=40))
    records = {"medium": (still, video), "scene": (scene,), "region": (region,), "item": (item,)}
    write(session, *(created(entity, one) for entity, several in records.items() for one in several))
    write(session, created("actor", BEN))
    return Ids(item.id, scene.id, still.id, video.id, region.id)


def comment(session: Session, ids: Ids, **fields: Any) -> CommentRow:
    given = {"entity": "item", "target": ids.item, "text": "Is it so?", "person": ANNA.id, **fields}
    session.execute(WriteComment(**given)).result()
    return session.reader.comments.of(record_type(given["entity"]), given["target"])[-1]


def test_comment_when_written_edited_and_deleted_then_each_step_is_undone_and_redone(
    session: Session, ids: Ids
) -> None:
    pin = CommentPin(medium=ids.video, x=639.5, y=0.0, frame=9)
    made = comment(session, ids, text=" @Ben, is it so? ", pin=pin, is_question=True)
    assert (made.comment.pin, made.comment.text, made.question) == (pin, "@Ben, is it so?", "open")
    steps: list[Command] = [
        EditComment(comment=made.comment.id, text="No, @Anna", person=ANNA.id),
        DeleteComment(comment=made.comment.id, person=ANNA.id),
    ]
    for command in steps:
        before = visible_state(session.path)
        session.execute(command).result()
        after = visible_state(session.path)
        assert after != before
        session.undo().result()
        assert visible_state(session.path) == before
        session.redo().result()
        assert visible_state(session.path) == after
    assert session.reader.comments.of(Item, ids.item) == []
    assert problems(session.path) == []


def test_comment_when_edited_then_mentions_flag_and_mark_follow_and_the_same_text_writes_nothing(
    session: Session, ids: Ids
) -> None:
    made = comment(session, ids, text="@Ben?", is_question=True)
    command = EditComment(comment=made.comment.id, text="@Anna!", person=ANNA.id)
    session.execute(command).result()
    (row,) = session.reader.comments.of(Item, ids.item)
    assert [one.person for one in row.comment.mentions] == [ANNA.id]
    assert row.is_edited
    assert session.reader.require(Flag, row.comment.flag).message == "@Anna!"
    count = len(events(session.path))
    session.execute(command).result()
    assert len(events(session.path)) == count


def test_reply_when_it_answers_a_reply_then_is_in_the_thread_of_the_first_comment(
    session: Session, ids: Ids
) -> None:
    first = comment(session, ids)
    reply = comment(session, ids, text="Yes", parent=first.comment.id)
    third = comment(session, ids, text="Sure", parent=reply.comment.id)
    assert {reply.thread, third.thread} == {first.comment.id}


def test_question_when_its_flag_is_decided_then_is_answered_and_open_again_after_undo(
    session: Session, ids: Ids
) -> None:
    made = comment(session, ids, is_question=True)
    (flag,) = session.reader.flags_of(ids.item)
    assert (flag.id, flag.kind, flag.raised_by) == (made.comment.flag, OPEN_QUESTION, "hand")
    session.execute(DecideFlags(flags=(flag.id,), state="resolved", resolution="It is.")).result()
    assert session.reader.comments.of(Item, ids.item)[0].question == "resolved"
    session.undo().result()
    assert session.reader.comments.of(Item, ids.item)[0].question == "open"


def test_question_when_about_a_region_then_flags_its_medium_and_is_listed_with_the_scene(
    session: Session, ids: Ids
) -> None:
    made = comment(session, ids, entity="region", target=ids.region, is_question=True)
    flag = session.reader.require(Flag, made.comment.flag)
    assert (flag.entity, flag.target) == ("medium", ids.still)
    comment(session, ids, entity="medium", target=ids.video)
    comment(session, ids, entity="scene", target=ids.scene)
    rows = session.reader.comments.of(Scene, ids.scene)
    assert [(row.comment.entity, row.subject) for row in rows] == [
        ("region", "3"),
        ("medium", "v.mp4"),
        ("scene", ""),
    ]
    assert len(session.reader.comments.all()) == 3


def test_mention_when_the_person_is_renamed_then_the_text_has_the_present_name(
    session: Session, ids: Ids
) -> None:
    comment(session, ids, text="@Ben, look")
    write(session, *changed("actor", BEN.id, name="Benjamin"))
    (row,) = session.reader.comments.of(Item, ids.item)
    assert row.text == "@Benjamin, look"
    assert row.comment.mentions[0].person == BEN.id


def outside(ids: Ids, **pin: Any) -> WriteComment:
    location = CommentPin(**{"medium": ids.video, "x": 1.0, "y": 1.0, **pin})
    return WriteComment(entity="scene", target=ids.scene, text="x", pin=location)


WRONG: dict[str, Any] = {
    "The comment is empty": lambda ids, _: WriteComment(entity="item", target=ids.item, text=" \n"),
    "at most 10,000": lambda ids, _: WriteComment(entity="item", target=ids.item, text="x" * (LONGEST + 1)),
    "There is no item": lambda _ids, _: WriteComment(entity="item", target=new_id(), text="x"),
    "There is no comment": lambda ids, _: WriteComment(
        entity="item", target=ids.item, text="x", parent=new_id()
    ),
    "about another record": lambda ids, made: WriteComment(
        entity="scene", target=ids.scene, text="x", parent=made
    ),
    "outside v.mp4": lambda ids, _: outside(ids, x=641.0),
    "outside": lambda ids, _: outside(ids, y=-0.5),
    "outside ": lambda ids, _: outside(ids, frame=10),
    "outside v": lambda ids, _: outside(ids, x=math.inf),
    "There is no medium": lambda ids, _: outside(ids, medium=new_id()),
    "of another person": lambda _ids, made: EditComment(comment=made, text="x", person=BEN.id),
    "another person": lambda _ids, made: DeleteComment(comment=made, person=BEN.id),
    "comment is empty": lambda _ids, made: EditComment(comment=made, text="", person=ANNA.id),
    "kind flag": lambda _ids, made: WriteComment(entity="flag", target=made, text="x", is_question=True),
}


@pytest.mark.parametrize("message", WRONG)
def test_comment_when_something_is_wrong_then_words_say_so_and_nothing_is_written(
    session: Session, ids: Ids, message: str
) -> None:
    made = comment(session, ids).comment.id
    if message == "kind flag":
        flag = a_flag(ids.item)
        write(session, created("flag", flag))
        made = flag.id
    before = events(session.path)
    with pytest.raises(UserError, match=message.strip()) as caught:
        session.execute(WRONG[message](ids, made)).result()
    assert caught.value.hint
    assert events(session.path) == before


def test_comment_when_its_author_is_another_workstation_of_the_log_then_the_log_decides(
    session: Session, ids: Ids
) -> None:
    forged = Comment(id=new_id(), entity="item", target=ids.item, text="x", person=BEN.id)
    write(session, created("comment", forged))
    with pytest.raises(UserError, match="another person"):
        session.execute(DeleteComment(comment=forged.id, person=BEN.id)).result()


def test_unread_when_a_person_meets_the_project_then_only_earlier_mentions_are_unread(
    session: Session, ids: Ids
) -> None:
    comment(session, ids, text="old")
    mention = comment(session, ids, text="@Ben, old")
    project = session.reader.project.id
    read_state = CommentReadState(project=project, person=BEN.id)
    assert [one.id for one in read_state.unread(session.reader)] == [mention.comment.id]
    new = comment(session, ids, entity="region", target=ids.region, text="new")
    unread = read_state.unread(session.reader)
    assert [(one.entity, one.target, one.mentions_person) for one in unread] == [
        ("item", ids.item, True),
        ("scene", ids.scene, False),
    ]
    read_state.mark_read([mention.comment.id])
    again = CommentReadState(project=project, person=BEN.id)
    assert [one.id for one in again.unread(session.reader)] == [new.comment.id]
    assert CommentReadState(project=project, person=ANNA.id).unread(session.reader) == []


def test_unread_when_the_read_state_cannot_be_written_then_they_last_as_long_as_the_process(
    session: Session, ids: Ids
) -> None:
    read_state = CommentReadState(project=session.reader.project.id, person=BEN.id)
    read_state.file.parent.parent.parent.mkdir(parents=True, exist_ok=True)
    read_state.file.parent.parent.write_text("in the way")
    mention = comment(session, ids, text="@Ben")
    assert [one.id for one in read_state.unread(session.reader)] == [mention.comment.id]
    read_state.mark_read([mention.comment.id])
    assert read_state.unread(session.reader) == []


def test_lists_when_filtered_by_a_mentioned_person_then_have_the_records_with_such_comments(
    session: Session, ids: Ids
) -> None:
    other = an_item(name="other", scene=ids.scene)
    write(session, created("item", other), created("scene", a_scene(name="far")))
    reader = session.reader
    items, scenes = ItemQuery(mentions=(BEN.id,)), SceneQuery(mentions=(BEN.id,))
    assert (reader.items.count(items), reader.scenes.count(scenes)) == (0, 0)
    comment(session, ids, text="@Ben")
    comment(session, ids, target=other.id, text="@Anna")
    comment(session, ids, entity="region", target=ids.region, text="@Ben")
    assert [row.id for row in reader.items.page(items)] == [ids.item]
    assert reader.items.count(items) == 1
    assert [row.id for row in reader.scenes.page(scenes)] == [ids.scene]
    assert (reader.scenes.count(scenes), len(reader.scenes.numbers(scenes))) == (1, 1)
    assert reader.scenes.count(SceneQuery(mentions=(BEN.id,), text="zzz")) == 0
    assert {one.value: one.count for one in reader.scenes.facets(scenes)["annotation"]} == {"open": 1}
    both = ItemQuery(mentions=(BEN.id, ANNA.id))
    assert reader.items.count(both) == 2
    session.undo().result()
    assert reader.scenes.count(scenes) == 0
