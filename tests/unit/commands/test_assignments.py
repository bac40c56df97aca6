"""Assigning records to persons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.assignments import AssignRecords, UnassignRecords
from annotator.domain.actor import Actor
from annotator.domain.assignment import Assignment, assignee
from annotator.domain.query import ItemQuery, SceneQuery
from annotator.edits.people import find_people, named_person
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import ANNA, BEN, a_scene, an_item, created, problems, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session.create(tmp_path / "p.vantage", actor=ANNA)
    yield made
    made.close()


def test_assign_when_done_then_lists_find_the_record_by_person_and_undo_takes_it_back(
    session: Session,
) -> None:
    scene, item = a_scene(), an_item()
    write(session, created("scene", scene), created("item", item))
    mine = (assignee("annotate", ANNA.id),)
    session.execute(AssignRecords(entity="scene", role="annotate", pairs=((scene.id, ANNA.id),))).result()
    assert session.reader.scenes.count(SceneQuery(assignees=mine)) == 1
    assert session.reader.scenes.count(SceneQuery(assignees=(assignee("annotate", BEN.id),))) == 0
    session.undo().result()
    assert session.reader.scenes.count(SceneQuery(assignees=mine)) == 0
    command = AssignRecords(entity="item", role="refine", pairs=((item.id, BEN.id),), people=(BEN,))
    session.execute(command).result()
    assert session.reader.items.count(ItemQuery(assignees=(assignee("refine", BEN.id),))) == 1
    assert problems(session.path) == []


def test_assign_when_the_person_has_the_record_already_then_nothing_is_written(session: Session) -> None:
    scene = a_scene()
    write(session, created("scene", scene))
    command = AssignRecords(entity="scene", role="annotate", pairs=((scene.id, ANNA.id),) * 2)
    assert session.execute(command).result().counts["assignment"] == 1
    assert session.execute(command).result().counts.get("assignment", 0) == 0


def test_unassign_when_a_person_is_named_then_others_keep_the_record(session: Session) -> None:
    scene = a_scene()
    write(session, created("scene", scene))
    pairs = tuple((scene.id, person.id) for person in (ANNA, BEN))
    session.execute(AssignRecords(entity="scene", role="annotate", pairs=pairs, people=(BEN,))).result()
    command = UnassignRecords(entity="scene", role="annotate", targets=(scene.id,), persons=(BEN.id,))
    session.execute(command).result()
    counts = {one.value: one.count for one in session.reader.scenes.facets(SceneQuery())["assignee"]}
    assert counts == {assignee("annotate", ANNA.id): 1}


def test_assign_when_a_record_is_unknown_then_says_so(session: Session) -> None:
    with pytest.raises(UserError, match="no scene nowhere"):
        session.execute(
            AssignRecords(entity="scene", role="annotate", pairs=(("nowhere", ANNA.id),))
        ).result()


def test_people_when_a_name_is_unknown_then_are_refused_or_new(session: Session) -> None:
    with pytest.raises(UserError, match="no person 'Cleo'"):
        find_people(("Cleo",), session.reader, may_be_new=False)
    people, new = find_people((" anna ", "Cleo", "Cleo"), session.reader, may_be_new=True)
    assert [person.name for person in people] == ["Anna", "Cleo"]
    assert [person.name for person in new] == ["Cleo"]


def test_people_when_the_name_is_the_own_one_then_is_this_person_before_the_first_change(
    session: Session,
) -> None:
    cleo = Actor(id="c" * 32, name="Cleo")
    assert find_people(("cleo",), session.reader, may_be_new=True, executing=cleo) == ((cleo,), ())


def test_people_when_two_have_the_name_then_says_so(session: Session) -> None:
    write(session, created("actor", Actor(id="c" * 32, name="Anna")))
    with pytest.raises(UserError, match="2 persons are named 'Anna'"):
        find_people(("Anna",), session.reader, may_be_new=False)


def test_people_when_added_by_name_then_the_id_follows_from_project_and_name(session: Session) -> None:
    people, new = find_people(("Cleo", " cleo"), session.reader, may_be_new=True)
    assert people == new
    project = session.reader.project.id
    assert [one.id for one in new] == [named_person("CLEO", project=project).id]
    assert new[0].id != named_person("Cleo", project="another").id
    assert new[0].id != named_person("Leo", project=project).id


def test_assign_when_a_new_person_is_in_the_project_by_now_then_is_not_added_twice(session: Session) -> None:
    scene = a_scene()
    write(session, created("scene", scene))
    (person,), new = find_people(("Cleo",), session.reader, may_be_new=True)
    command = AssignRecords(entity="scene", role="annotate", pairs=((scene.id, person.id),), people=new)
    session.execute(command).result()
    session.undo().result()
    session.execute(command).result()
    assert session.reader.require(Actor, person.id).name == "Cleo"
    assert problems(session.path) == []


def test_assign_when_the_name_holds_half_a_character_then_refuses_in_words(session: Session) -> None:
    scene = a_scene()
    write(session, created("scene", scene))
    (person,), new = find_people(("Cl\ud83d",), session.reader, may_be_new=True)
    command = AssignRecords(entity="scene", role="annotate", pairs=((scene.id, person.id),), people=new)
    with pytest.raises(UserError, match="invalid character"):
        session.execute(command).result()


def test_assign_when_honeypots_are_mixed_in_then_they_stand_at_random_places_among_their_task(
    session: Session,
) -> None:
    usual = [an_item(id=f"{task}{n}", name=f"{task}{n}", task=task) for task in "ab" for n in range(20)]
    honeypots = [an_item(id=f"h{task}{n}", name=f"h{task}{n}", task=task) for task in "ab" for n in range(5)]
    write(session, *(created("item", item) for item in (*honeypots, *usual)))

    def queue(seed: int) -> list[str]:
        command = AssignRecords(
            entity="item",
            role="validate",
            pairs=tuple((item.id, BEN.id) for item in usual),
            honeypots=tuple((item.id, BEN.id) for item in honeypots),
            seed=seed,
        )
        session.execute(command).result()
        found = [one.target for one in session.reader.find(Assignment, person=BEN.id)]
        session.undo().result()
        return found

    order = queue(1)
    assert [one for one in order if not one.startswith("h")] == [item.id for item in usual]
    assert sorted(order[:5]) != [f"ha{n}" for n in range(5)]
    assert {order.index(f"ha{n}") for n in range(5)} <= set(range(26))
    assert {order.index(f"hb{n}") for n in range(5)} <= set(range(24, 50))
    assert queue(1) == order
    assert queue(2) != order
