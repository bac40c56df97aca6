"""Handing work in: what the commands with which a person ends work do with the person's assignments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.command import Command
from annotator.commands.item_states import ChangeState
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.commands.scene_states import FinishScene, ReopenScene
from annotator.domain.assignment import Assignment, AssignmentRole
from annotator.domain.item import Item, Option
from annotator.domain.record import new_id
from annotator.domain.time_entry import TimeEntry
from annotator.session import Session
from tests.unit.store.making import ANNA, BEN, a_scene, created, problems, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session.create(tmp_path / "p.vantage", actor=ANNA)
    yield made
    made.close()


def whole_item() -> Item:
    options = (Option(letter="A", text="four"), Option(letter="B", text="seven"))
    return Item(
        id=new_id(),
        name="i1",
        task_set="t",
        task="count",
        question="How many?",
        options=options,
        answer_key="B",
    )


def assign(session: Session, role: AssignmentRole, target: str) -> None:
    pairs = tuple((target, person.id) for person in (ANNA, BEN))
    entity = "scene" if role == "annotate" else "item"
    session.execute(AssignRecords(entity=entity, role=role, pairs=pairs, people=(BEN,))).result()


def done(session: Session) -> set[str]:
    return {one.person for one in session.reader.find(Assignment, is_done=1)}


def do(session: Session, *commands: Command) -> None:
    for command in commands:
        session.execute(command).result()


@pytest.mark.parametrize("role", ["refine", "validate"])
def test_item_when_refined_by_a_person_then_the_own_refinement_is_done_with_its_time_and_undo_takes_it_back(
    session: Session, role: AssignmentRole
) -> None:
    item = whole_item()
    write(session, created("item", item))
    assign(session, role, item.id)
    do(session, ChangeState(items=(item.id,), state="refined", person=BEN.id, active_s=31.26))
    assert done(session) == ({BEN.id} if role == "refine" else set())
    entry = next(session.reader.find(TimeEntry, target=item.id))
    assert (entry.person, entry.role, entry.seconds) == (BEN.id, "refine", 31.3)
    session.undo().result()
    assert done(session) == set()
    assert list(session.reader.find(TimeEntry)) == []
    assert problems(session.path) == []


def test_item_when_nobody_hands_it_in_then_assignments_stay_and_no_time_is_stored(session: Session) -> None:
    item = whole_item()
    write(session, created("item", item))
    assign(session, "refine", item.id)
    do(session, ChangeState(items=(item.id,), state="refined", active_s=9.0))
    assert done(session) == set()
    assert list(session.reader.find(TimeEntry)) == []


def test_item_when_accepted_then_the_review_of_the_person_is_done(session: Session) -> None:
    item = whole_item()
    write(session, created("item", item))
    assign(session, "review", item.id)
    do(session, ChangeState(items=(item.id,), state="refined", person=ANNA.id))
    assert done(session) == set()
    do(session, ChangeState(items=(item.id,), state="rejected", reason="two are right", person=ANNA.id))
    assert done(session) == {ANNA.id}


def test_scene_when_finished_by_a_person_then_the_own_annotation_is_done_and_stays_so(
    session: Session,
) -> None:
    scene = a_scene()
    write(session, created("scene", scene))
    assign(session, "annotate", scene.id)
    do(session, FinishScene(scene=scene.id, person=BEN.id))
    assert done(session) == {BEN.id}
    do(session, ReopenScene(scene=scene.id), FinishScene(scene=scene.id, person=ANNA.id))
    assert done(session) == {ANNA.id, BEN.id}


def test_item_when_answered_then_the_validation_of_the_person_is_done(session: Session) -> None:
    item = whole_item()
    write(session, created("item", item))
    assign(session, "validate", item.id)
    do(session, AddResponses(answers=(GivenAnswer(item=item.id, answer="B", person=BEN.id),)))
    assert done(session) == {BEN.id}
    session.undo().result()
    assert done(session) == set()
