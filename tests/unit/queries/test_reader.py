from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.domain.link import Link
from annotator.domain.record import new_id, to_json
from annotator.domain.region import Box, Region
from annotator.domain.trajectory import Pose, Trajectory
from annotator.errors import EnvironmentFailure, UserError
from annotator.queries.history_queries import LONGEST_VALUE
from annotator.queries.past_records import RecordHistory
from annotator.queries.reader import Reader
from annotator.queries.record_stream import FETCH
from annotator.session import Session
from annotator.store import packing
from tests.unit.store.making import (
    BEN,
    a_flag,
    a_label,
    a_scene,
    an_item,
    changed,
    created,
    events,
    removed,
    undo_label,
    write,
)


def test_open_when_it_is_no_project_then_refuses(path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises(UserError, match="not a Vantage project"):
        Reader.open(path)


def test_records_when_many_then_come_in_order_of_arrival_without_those_hidden(session: Session) -> None:
    items = [an_item(name=f"{number}") for number in range(2 * FETCH + 3)]
    write(session, *(created("item", item) for item in items))
    write(session, removed("item", items[1].id), *changed("item", items[0].id, answer_key="A"))
    names = [record.name for record in session.reader.records(Item)]
    assert names == [item.name for item in items if item is not items[1]]
    assert session.reader.counts()["item"] == len(names)


def test_records_when_ids_are_given_then_keep_their_order(session: Session) -> None:
    first, second = an_item(name="first"), an_item(name="second")
    write(session, created("item", first), created("item", second))
    ids = [second.id, new_id(), first.id]
    assert [record.name for record in session.reader.records(Item, ids=ids)] == ["second", "first"]


def test_find_when_columns_are_given_then_all_must_fit(session: Session) -> None:
    scene = a_scene()
    held = [
        an_item(name="a", scene=scene.id),
        an_item(name="b", scene=scene.id, task="oc"),
        an_item(name="b"),
    ]
    write(session, created("scene", scene), *(created("item", item) for item in held))
    found = session.reader.find
    assert [item.name for item in found(Item, scene=scene.id)] == ["a", "b"]
    assert [item.id for item in found(Item, name="b", task="oc")] == [held[1].id]
    # Without a scene the column is null, and so is what is asked for.
    assert [item.id for item in found(Item, scene=None)] == [held[2].id]
    assert list(found(Item, name="nobody")) == []


def test_find_when_there_is_no_such_column_then_is_a_bug(session: Session) -> None:
    with pytest.raises(KeyError, match="no column colour, size"):
        list(session.reader.find(Item, colour="red", size="big"))


def test_require_when_there_is_no_such_record_then_is_said(session: Session) -> None:
    with pytest.raises(UserError, match="There is no item x"):
        session.reader.require(Item, "x")


@pytest.mark.parametrize(
    ("entity", "record"),
    [
        ("region", Region(id=new_id(), medium="m", number=3, box=Box(x1=1.0, y1=2.0, x2=3.5, y2=4.0))),
        ("link", Link(id=new_id(), scene="s", regions=("a", "b"))),
        (
            "trajectory",
            Trajectory(
                id=new_id(),
                scene="s",
                poses=(Pose(x_m=0.5, y_m=1.0, z_m=2.0, yaw_deg=-90.0),),
                key_frames=(0,),
            ),
        ),
        ("event_label", a_label(who=("UAV1", "UAV3"), when=False, count=None)),
        ("item", an_item(extras={"年": [1, None, {"a": "b"}]}, media=("m1", "m2"))),
    ],
)
def test_get_when_a_record_was_written_then_is_the_same(session: Session, entity: str, record) -> None:
    write(session, created(entity, record))
    found = session.reader.get(type(record), record.id)
    assert to_json(found) == to_json(record)
    assert type(found) is type(record)


def test_stream_json_when_read_then_gives_the_text_of_each_record_visible(session: Session) -> None:
    items = [an_item(name=f"{number}", question="哪") for number in range(FETCH + 1)]
    write(session, *(created("item", item) for item in items))
    write(session, removed("item", items[0].id))
    texts = list(session.reader.stream_json(Item))
    assert texts == [to_json(item).encode() for item in items[1:]]
    assert json.loads(texts[0])["question"] == "哪"


def test_flags_of_when_some_are_closed_then_open_ones_come_first(session: Session) -> None:
    item = an_item()
    states = ("resolved", "open", "dismissed", "open")
    flags = [a_flag(item.id, kind=f"k{n}", state=state) for n, state in enumerate(states)]
    write(session, created("item", item), *(created("flag", flag) for flag in flags))
    assert [flag.kind for flag in session.reader.flags_of(item.id)] == ["k1", "k3", "k0", "k2"]
    assert session.reader.open_flag_counts() == {"k1": 1, "k3": 1}
    write(session, removed("flag", flags[1].id))
    assert [flag.kind for flag in session.reader.flags_of(item.id)] == ["k3", "k0", "k2"]
    assert session.reader.open_flag_counts() == {"k3": 1}


def test_labels_and_items_of_a_scene_when_asked_then_are_its_own(session: Session) -> None:
    scene, other = a_scene(), a_scene(name="02")
    labels = [a_label(scene=scene.id, view=view) for view in ("UAV2", "UAV1")]
    item = an_item(scene=scene.id)
    write(session, created("scene", scene), created("scene", other), created("item", item))
    write(session, *(created("event_label", label) for label in labels))
    assert [label.view for label in session.reader.labels_of(scene.id)] == ["UAV2", "UAV1"]
    assert [found.id for found in session.reader.find(Item, scene=scene.id)] == [item.id]
    assert session.reader.labels_of(other.id) == list(session.reader.find(Item, scene=other.id)) == []


def test_history_when_people_worked_on_a_record_then_tells_newest_first_who_did_what(
    session: Session,
) -> None:
    item = an_item()
    write(session, created("item", item), label="Make")
    with Session.open(session.path, actor=BEN) as other:
        write(other, *changed("item", item.id, answer_key="B"), label="Edit answer key")
    undo_label(session)
    entries = session.reader.history.of(item.id)
    told = [(str(entry.summary), entry.actor, entry.field, entry.kind) for entry in entries]
    assert told == [("Edit answer key", "Ben", "answer_key", "do"), ("Make", "Anna", "*", "do")]
    assert entries[0].value == '"B"'
    assert entries[0].wall_time.endswith("+00:00")
    assert [str(entry.summary) for entry in session.reader.history.of(item.id, limit=1)] == [
        "Edit answer key"
    ]


def test_snapshot_when_sqlite_has_rolled_back_already_then_the_cause_is_told(session: Session) -> None:
    reader = session.reader

    def fail_to_read() -> None:
        with reader.snapshot():
            # As SQLite does after an I/O error.
            reader._connection.execute("ROLLBACK")
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        fail_to_read()


def test_history_when_a_value_is_long_then_has_its_beginning(session: Session) -> None:
    item = an_item()
    write(session, created("item", item))
    write(session, *changed("item", item.id, question="x" * 3 * LONGEST_VALUE))
    assert session.reader.history.of(item.id)[0].value == '"' + "x" * (LONGEST_VALUE - 1)


def test_record_history_when_a_value_cannot_be_read_then_says_so(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = an_item()
    write(session, created("item", item))
    write(session, *changed("item", item.id, question="long" * 1000))
    monkeypatch.setattr(packing, "MOST_BYTES", 1000)
    with pytest.raises(EnvironmentFailure, match="An earlier value of the item cannot be read") as refused:
        RecordHistory.of(session.reader, item.id).at(1 << 60, kind=Item)
    assert "newest backup" in refused.value.hint


def test_heads_when_two_wrote_then_tell_how_far_each_came(session: Session) -> None:
    write(session, created("item", an_item()))
    with Session.open(session.path, actor=BEN) as other:
        write(other, created("item", an_item()))
    wanted = dict(
        events(session.path, "actor || '/' || incarnation, max(seq)", "1 GROUP BY actor, incarnation")
    )
    assert session.reader.log.heads() == wanted
    assert len(wanted) == 3


def test_reader_when_somebody_commits_then_sees_it_at_the_next_question(session: Session) -> None:
    reader = session.reader
    assert reader.counts()["item"] == 0
    write(session, created("item", an_item()))
    assert reader.counts()["item"] == 1


def test_snapshot_when_somebody_commits_in_it_then_keeps_its_state_until_it_ends(session: Session) -> None:
    reader = session.reader
    with reader.snapshot():
        write(session, created("item", an_item()))
        assert reader.counts()["item"] == 0
    assert reader.counts()["item"] == 1


def test_snapshot_when_inside_another_one_then_sees_the_state_of_the_outer_one(session: Session) -> None:
    reader = session.reader
    with reader.snapshot():
        write(session, created("item", an_item()))
        with reader.snapshot():
            assert reader.counts()["item"] == 0
        assert reader.counts()["item"] == 0
    assert reader.counts()["item"] == 1


def test_snapshot_when_it_ends_then_a_stream_left_half_read_does_not_hold_it(session: Session) -> None:
    write(session, *(created("item", an_item(name=f"{number}")) for number in range(2 * FETCH)))
    reader = session.reader
    with reader.snapshot():
        stream = reader.records(Item)
        assert len(list(islice(stream, 3))) == 3
    write(session, created("item", an_item(name="late")))
    with reader.snapshot():
        assert reader.counts()["item"] == 2 * FETCH + 1
        assert isinstance(next(reader.find(Item, name="late")), Item)
    stream.close()


def test_first_version_when_a_record_was_changed_then_is_what_was_stored_first(session: Session) -> None:
    item = an_item(question="First?")
    write(session, created("item", item))
    write(session, *changed("item", item.id, question="Second?"))
    first = session.reader.history.first_version(item.id)
    assert first is not None
    assert json.loads(first)["question"] == "First?"
    assert session.reader.history.first_version("unknown") is None


def test_decided_items_when_counted_then_each_counts_once_for_its_person_since_the_event(
    session: Session,
) -> None:
    items = [an_item(name=f"{number}") for number in range(3)]
    write(session, *(created("item", item) for item in items))
    write(session, *changed("item", items[0].id, state="refined"))
    later = new_id()
    write(session, *changed("item", items[1].id, state="refined"))
    write(session, *changed("item", items[1].id, state="accepted"))
    write(session, *changed("item", items[2].id, state="flagged"))
    with Session.open(session.path, actor=BEN) as other:
        write(other, *changed("item", items[2].id, state="rejected"))
    states = ("refined", "accepted", "rejected")
    actor = session.actor.id
    assert session.reader.history.decided_since("", actor=actor, states=states) == 2
    assert session.reader.history.decided_since(later, actor=actor, states=states) == 1
    assert session.reader.history.decided_since("", actor=BEN.id, states=states) == 1


def test_decided_items_when_a_decision_is_undone_then_it_does_not_count(session: Session) -> None:
    items = [an_item(name=f"{number}") for number in range(2)]
    write(session, *(created("item", item) for item in items))
    for item, state in ((items[0], "refined"), (items[1], "accepted"), (items[1], "in_refinement")):
        write(session, *changed("item", item.id, state=state))
    states, actor = ("refined", "accepted", "rejected"), session.actor.id
    assert session.reader.history.decided_since("", actor=actor, states=states) == 2
    # The undo writes the earlier state, which is one of those: it is no decision.
    session.undo().result()
    assert session.reader.history.decided_since("", actor=actor, states=states) == 2
    session.undo().result()
    assert session.reader.history.decided_since("", actor=actor, states=states) == 1
    session.undo().result()
    assert session.reader.history.decided_since("", actor=actor, states=states) == 0
    session.redo().result()
    assert session.reader.history.decided_since("", actor=actor, states=states) == 1
