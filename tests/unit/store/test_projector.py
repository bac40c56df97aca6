from __future__ import annotations

from contextlib import closing

import pytest

from annotator.domain.event import CREATED, Edit
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.domain.region import HAND, Box, Region
from annotator.errors import UserError
from annotator.session import Session
from annotator.store import replay
from annotator.store.connection import IntegrityError, connect, transaction
from annotator.store.projector import AppliedEvent, Projector
from tests.unit.store.making import (
    a_flag,
    a_medium,
    a_scene,
    an_item,
    changed,
    created,
    events,
    problems,
    removed,
    visible_state,
    write,
)


@pytest.fixture
def item(session: Session) -> str:
    item = an_item(question="How many?")
    write(session, created("item", item))
    return item.id


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("state", "nonsense", 'The state of the item cannot be "nonsense"'),
        ("question", 7, "The question of the item cannot be 7"),
        ("options", [{"letter": "A"}], "The options of the item cannot be"),
        ("colour", "red", "no editable field 'colour'"),
        ("id", "f" * 32, "no editable field 'id'"),
    ],
)
def test_project_when_a_value_does_not_fit_then_refuses_and_keeps_the_state(
    session: Session, item: str, field: str, value: object, text: str
) -> None:
    before = visible_state(session.path), events(session.path)
    with pytest.raises(UserError, match=text):
        write(session, created("item", an_item()), *changed("item", item, **{field: value}))
    assert (visible_state(session.path), events(session.path)) == before


def test_project_when_the_record_does_not_exist_then_refuses(session: Session) -> None:
    with pytest.raises(UserError, match=r"The item .* does not exist.*undone"):
        write(session, *changed("item", new_id(), answer_key="A"))


def test_project_when_an_id_is_taken_then_nothing_of_the_command_stays(session: Session, item: str) -> None:
    before = visible_state(session.path)
    with pytest.raises(IntegrityError):
        write(session, created("item", an_item()), created("item", an_item(id=item)))
    assert visible_state(session.path) == before
    assert problems(session.path) == []


def test_project_when_one_field_changes_then_the_others_stay_as_they_came(
    session: Session, item: str
) -> None:
    before = session.reader.get(Item, item)
    write(session, *changed("item", item, answer_key="C"))
    after = session.reader.get(Item, item)
    assert after.answer_key == "C"
    assert {f for f in before.__struct_fields__ if getattr(before, f) != getattr(after, f)} == {"answer_key"}


def test_project_when_a_record_hidden_changes_then_it_comes_back_changed(session: Session, item: str) -> None:
    write(session, removed("item", item))
    write(session, *changed("item", item, answer_key="C"))
    assert session.reader.get(Item, item) is None
    write(session, removed("item", item, value=False))
    assert session.reader.get(Item, item).answer_key == "C"
    assert problems(session.path) == []


def test_project_when_records_and_changes_alternate_then_the_order_of_the_log_holds(session: Session) -> None:
    first, second = an_item(name="first"), an_item(name="second")
    write(
        session,
        created("item", first),
        *changed("item", first.id, answer_key="A"),
        created("item", second),
        removed("item", first.id),
        *changed("item", second.id, answer_key="B"),
    )
    assert [item.name for item in session.reader.records(Item)] == ["second"]
    assert problems(session.path) == []


def test_project_when_an_entity_of_a_newer_version_is_met_then_its_event_is_kept(
    session: Session,
) -> None:
    edit = Edit(entity="hologram", entity_id=new_id(), field=CREATED, value={"name": "later"})
    write(session, edit)
    assert events(session.path, "value", "entity='hologram'") == [('{"name":"later"}',)]
    assert problems(session.path) == []


def test_project_when_a_record_changes_many_times_at_once_then_its_row_is_written_once(
    session: Session, item: str
) -> None:
    write_events = [
        AppliedEvent(
            n=100 + number,
            actor="a" * 32,
            entity="item",
            entity_id=item,
            field="question",
            value=f'"How many {number}?"',
        )
        for number in range(50)
    ]
    statements: list[str] = []
    with closing(connect(session.path, read_only=False)) as connection:
        connection.set_trace_callback(statements.append)
        with transaction(connection):
            Projector(connection).apply(write_events)
    assert sum(statement.startswith("UPDATE item SET") for statement in statements) == 1
    after = session.reader.get(Item, item)
    assert after is not None
    assert after.question == "How many 49?"


def test_project_when_events_come_at_once_then_tables_are_those_of_one_at_a_time(
    session: Session, item: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    medium, other = a_medium(), a_medium(name="01-UAV2.jpg")
    scene, made, gone = a_scene(medium.id), an_item(question="How many cars?"), an_item(name="gone")
    box = Box(x1=1.0, y1=2.0, x2=3.0, y2=4.0)
    region = Region(id=new_id(), medium=medium.id, number=1, box=box, made_by=HAND)
    flag = a_flag(made.id, kind="count_not_integer")
    write(
        session,
        *(created("medium", one) for one in (medium, other)),
        created("scene", scene),
        created("item", made),
        *changed("item", made.id, scene=scene.id, question="How many vans?", state="filtered"),
        created("item", gone),
        removed("item", gone.id),
        *changed("item", gone.id, question="Where?"),
        created("region", region),
        created("flag", flag),
        *changed("item", item, scene=scene.id),
    )
    write(
        session,
        *changed("region", region.id, number=2),
        removed("region", region.id),
        *changed("item", made.id, state="accepted", question="How many buses?"),
        removed("item", made.id),
        removed("item", made.id, value=False),
        *changed("item", item, scene="", question="Which?"),
        *changed("item", item, question="How many?"),
        *changed("flag", flag.id, state="dismissed"),
    )
    # Verification replays the log; here event by event, which is what folding has to equal.
    monkeypatch.setattr(replay, "AT_A_TIME", 1)
    assert problems(session.path) == []
