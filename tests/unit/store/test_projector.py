from __future__ import annotations

import pytest

from annotator.domain.event import CREATED, Edit
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.errors import UserError
from annotator.session import Session
from annotator.store.connection import IntegrityError
from tests.unit.store.making import an_item, changed, created, events, in_sight, problems, removed, write


@pytest.fixture
def item(session: Session) -> str:
    item = an_item(question="How many?")
    write(session, created("item", item))
    return item.id


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("state", "nonsense", 'The state of the item cannot be "nonsense"'),
        ("question", 7, "The question of the item cannot be 7"),
        ("options", [{"letter": "A"}], "The options of the item cannot be"),
        ("colour", "red", "no editable field 'colour'"),
        ("id", "f" * 32, "no editable field 'id'"),
    ],
)
def test_project_when_a_value_does_not_fit_then_refuses_and_keeps_the_state(
    session: Session, item: str, field: str, value: object, words: str
) -> None:
    before = in_sight(session.path), events(session.path)
    with pytest.raises(UserError, match=words):
        write(session, created("item", an_item()), *changed("item", item, **{field: value}))
    assert (in_sight(session.path), events(session.path)) == before


def test_project_when_the_record_does_not_exist_then_refuses(session: Session) -> None:
    with pytest.raises(UserError, match=r"The item .* does not exist.*undone"):
        write(session, *changed("item", new_id(), answer_key="A"))


def test_project_when_an_id_is_taken_then_nothing_of_the_command_stays(session: Session, item: str) -> None:
    before = in_sight(session.path)
    with pytest.raises(IntegrityError):
        write(session, created("item", an_item()), created("item", an_item(id=item)))
    assert in_sight(session.path) == before
    assert problems(session.path) == []


def test_project_when_one_field_changes_then_the_others_stay_as_they_came(
    session: Session, item: str
) -> None:
    before = session.reader.get(Item, item)
    write(session, *changed("item", item, answer_key="C"))
    after = session.reader.get(Item, item)
    assert after.answer_key == "C"
    assert {f for f in before.__struct_fields__ if getattr(before, f) != getattr(after, f)} == {"answer_key"}


def test_project_when_a_record_out_of_sight_changes_then_it_comes_back_changed(
    session: Session, item: str
) -> None:
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
