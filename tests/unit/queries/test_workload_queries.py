"""Rows about assigned work: what is left of it, and in which role time was spent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.item_edits import SetQuestion
from annotator.commands.item_states import ChangeState
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.assignment import AssignmentRole
from annotator.domain.response_queue import validation_queue
from annotator.session import Session
from tests.unit.store.making import ANNA, BEN, an_item, created, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as opened:
        write(opened, created("actor", BEN), created("item", an_item(id="one", state="refined")))
        yield opened


def assign(session: Session, role: AssignmentRole) -> None:
    session.execute(AssignRecords(entity="item", role=role, pairs=(("one", BEN.id),))).result()


def answer(session: Session, *, is_key_shown: bool) -> None:
    given = GivenAnswer(item="one", person=BEN.id, answer="4", duration_s=40.0, is_key_shown=is_key_shown)
    session.execute(AddResponses(answers=(given,))).result()


def left(session: Session) -> list[bool]:
    found = [row.is_open for row in session.reader.workload.assigned_rows()]
    numbers = session.reader.responses.queued_numbers(validation_queue(BEN.id))
    assert sum(found) == len(numbers)
    return found


@pytest.mark.parametrize("role", ["validate", "review"])
def test_left_when_the_item_is_rejected_then_nothing_waits(session: Session, role: AssignmentRole) -> None:
    assign(session, role)
    assert [row.is_open for row in session.reader.workload.assigned_rows()] == [True]
    session.execute(ChangeState(items=("one",), state="rejected", reason="twice")).result()
    assert [(row.is_open, row.is_done) for row in session.reader.workload.assigned_rows()] == [(False, False)]


def test_left_when_an_answer_whose_key_was_shown_is_withdrawn_then_nothing_waits(session: Session) -> None:
    assign(session, "validate")
    session.use_actor(BEN)
    assert left(session) == [True]
    answer(session, is_key_shown=True)
    # The decision on the key is left.
    assert left(session) == [True]
    session.undo().result()
    assert left(session) == [False]


def test_left_when_the_person_changes_the_item_then_nothing_waits(session: Session) -> None:
    assign(session, "validate")
    session.use_actor(BEN)
    session.execute(SetQuestion(item="one", text="How many red cars are there?")).result()
    assert left(session) == [False]


def test_time_when_an_answer_is_of_the_reference_then_counts_in_that_role(session: Session) -> None:
    assign(session, "reference")
    answer(session, is_key_shown=False)
    assert [(row.role, row.seconds) for row in session.reader.workload.time_rows()] == [("reference", 40.0)]
    assert [(row.role, row.is_done) for row in session.reader.workload.assigned_rows()] == [
        ("reference", True)
    ]


def test_time_when_nobody_asked_for_the_answer_then_counts_as_validation(session: Session) -> None:
    answer(session, is_key_shown=True)
    assert [row.role for row in session.reader.workload.time_rows()] == ["validate"]
