from __future__ import annotations

import hashlib
import math
from itertools import pairwise

import msgspec
import pytest

from annotator.domain.actor import Actor
from annotator.domain.event import FIRST_HASH
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.domain.response import Response
from annotator.domain.trajectory import Pose, Trajectory
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import (
    ANNA,
    BEN,
    an_item,
    changed,
    created,
    events,
    problems,
    removed,
    visible_state,
    write,
)

SEALED = (
    "id, actor, incarnation, seq, lamport, parents, "
    "entity, entity_id, field, value, schema, command, wall_time"
)


def _edit_often(session: Session, *, times: int) -> None:
    item = an_item()
    write(session, created("item", item))
    for time in range(times):
        write(session, *changed("item", item.id, question=f"{time}"))


def test_log_when_events_are_written_then_each_hash_seals_the_event_and_the_one_before(
    session: Session,
) -> None:
    _edit_often(session, times=3)
    before = FIRST_HASH
    for *fields, prev_hash, sealed in events(session.path, f"{SEALED}, prev_hash, hash"):
        assert prev_hash == before
        text = msgspec.json.encode([*fields, prev_hash.hex()])
        assert sealed == hashlib.sha256(text).digest()
        before = sealed


def test_log_when_opened_again_then_counts_from_one_and_goes_on_from_the_last_hash(session: Session) -> None:
    _edit_often(session, times=1)
    session.close()
    with Session.open(session.path, actor=ANNA) as again:
        _edit_often(again, times=1)
    rows = events(session.path, "incarnation, seq, prev_hash, hash")
    of_each: dict[str, list[int]] = {}
    for session_id, seq, *_ in rows:
        of_each.setdefault(session_id, []).append(seq)
    # Making the file is an opening of its own.
    assert len(of_each) == 3
    assert all(found == list(range(1, len(found) + 1)) for found in of_each.values())
    assert all(before[3] == after[2] for before, after in pairwise(rows))


def test_log_when_two_people_write_in_turn_then_each_has_a_chain_of_its_own(session: Session) -> None:
    with Session.open(session.path, actor=BEN) as other:
        for name in ("a", "b", "c"):
            write(session, created("item", an_item(name=name)))
            write(other, created("item", an_item(name=name)))
    for actor in (ANNA, BEN):
        rows = events(session.path, "prev_hash, hash", f"actor='{actor.id}'")
        assert rows[0][0] == FIRST_HASH
        assert all(before[1] == after[0] for before, after in pairwise(rows))
    lamports = [row[0] for row in events(session.path, "lamport")]
    assert lamports == sorted(set(lamports))
    assert problems(session.path) == []


def test_log_when_somebody_comes_back_after_others_then_goes_on_from_their_own_last_event(
    session: Session,
) -> None:
    write(session, created("item", an_item()))
    session.close()
    with Session.open(session.path, actor=BEN) as other:
        write(other, created("item", an_item()))
    with Session.open(session.path, actor=ANNA) as again:
        write(again, created("item", an_item()))
    rows = events(session.path, "prev_hash, hash", f"actor='{ANNA.id}'")
    assert all(before[1] == after[0] for before, after in pairwise(rows))


def test_log_when_somebody_writes_for_the_first_time_then_is_entered_once(session: Session) -> None:
    with Session.open(session.path, actor=BEN) as other:
        write(other, created("item", an_item()))
        write(other, created("item", an_item()))
        assert session.reader.get(Actor, BEN.id) == BEN
    assert events(session.path, "entity, seq", f"actor='{BEN.id}' AND entity='actor'") == [("actor", 1)]


def _parents(session: Session, entity_id: str) -> list[tuple[str, str, list[str]]]:
    rows = events(session.path, "field, id, parents", f"entity_id='{entity_id}'")
    return [(field, event_id, parents.split(",") if parents else []) for field, event_id, parents in rows]


def test_log_when_a_field_changes_then_its_parent_is_what_held_the_value(session: Session) -> None:
    item = an_item()
    write(session, created("item", item))
    write(session, *changed("item", item.id, question="1", answer_key="A"))
    write(session, *changed("item", item.id, question="2"))
    made, question, key, again = _parents(session, item.id)
    assert made[2] == []
    assert (question[2], key[2]) == ([made[1]], [made[1]])
    assert again[2] == [question[1]]


def test_log_when_a_record_is_changed_in_the_command_that_makes_it_then_its_parent_is_the_making(
    session: Session,
) -> None:
    item = an_item()
    write(
        session,
        created("item", item),
        *changed("item", item.id, answer_key="A"),
        *changed("item", item.id, answer_key="B"),
    )
    made, first, second = _parents(session, item.id)
    assert first[2] == [made[1]]
    assert second[2] == [first[1]]
    assert session.reader.get(Item, item.id).answer_key == "B"


def test_log_when_a_record_is_taken_out_and_brought_back_then_parents_follow(session: Session) -> None:
    item = an_item()
    write(session, created("item", item))
    write(session, removed("item", item.id))
    write(session, removed("item", item.id, value=False))
    _made, out, back = _parents(session, item.id)
    assert (out[2], back[2]) == ([], [out[1]])


def test_log_when_a_command_is_longer_than_a_chunk_then_changes_find_what_the_first_chunk_made(
    session: Session, chunk: int
) -> None:
    items = [an_item(name=f"{number}") for number in range(chunk + 10)]
    made = [created("item", item) for item in items]
    # The first is made in the first chunk and changed in the second, the last made and changed in the second.
    write(
        session,
        *made,
        *changed("item", items[0].id, answer_key="A"),
        *changed("item", items[-1].id, answer_key="B"),
    )
    for item, key in ((items[0], "A"), (items[-1], "B")):
        (making, change) = _parents(session, item.id)
        assert change[2] == [making[1]]
        assert session.reader.get(Item, item.id).answer_key == key
    assert session.reader.counts()["item"] == chunk + 10
    assert problems(session.path) == []
    session.undo().result()
    assert session.reader.counts()["item"] == 0


def test_log_when_a_command_is_written_then_all_its_events_carry_its_id(session: Session) -> None:
    item = an_item()
    changes = write(session, created("item", item), *changed("item", item.id, answer_key="A"))
    rows = events(session.path, "entity, field", f"command='{changes.command}'")
    assert rows == [("command", "*"), ("item", "*"), ("item", "answer_key")]


def test_log_when_a_text_holds_half_a_character_then_refuses_in_words(session: Session) -> None:
    item = an_item()
    write(session, created("item", item))
    before = visible_state(session.path)
    with pytest.raises(UserError, match="invalid character"):
        write(session, *changed("item", item.id, question="\ud83d"))
    assert visible_state(session.path) == before


def test_log_when_ids_are_made_then_they_are_sorted_by_time(session: Session) -> None:
    _edit_often(session, times=20)
    ids = [row[0] for row in events(session.path, "id")]
    assert ids == sorted(ids)
    assert new_id() > ids[-1]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_number_when_not_finite_then_the_edit_is_refused_and_the_record_stays_readable(
    session: Session, number: float
) -> None:
    response = Response(id=new_id(), item="i", answer="B", person=ANNA.id)
    write(session, created("response", response))
    with pytest.raises(UserError, match="The response contains a number that is infinite or undefined"):
        write(session, *changed("response", response.id, duration_s=number))
    assert session.reader.require(Response, response.id) == response
    assert problems(session.path) == []


@pytest.mark.parametrize("original", ["null", "{}", '{"a":null,"b":"null"}'])
def test_number_when_not_finite_in_a_new_record_then_is_refused_whatever_the_original_has(
    session: Session, original: str
) -> None:
    def flight(height_m: float) -> Trajectory:
        poses = (Pose(x_m=0, y_m=0, z_m=height_m, yaw_deg=0),)
        return Trajectory(id=new_id(), scene="s", poses=poses, original=msgspec.Raw(original.encode()))

    with pytest.raises(UserError, match="The trajectory contains a number that is infinite or undefined"):
        write(session, created("trajectory", flight(math.nan)))
    write(session, created("trajectory", flight(2.0)))
    assert problems(session.path) == []
