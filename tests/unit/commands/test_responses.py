"""Independent answers: what is stored, which flags follow, and what a later decision changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.comments import WriteComment
from annotator.commands.item_edits import SetAnswerKey, SetQuestion
from annotator.commands.responses import AddResponses, DecideKey, GivenAnswer
from annotator.commands.review import CorrectRecord, KeepRecord, change_key
from annotator.domain.actor import Actor
from annotator.domain.assignment import Assignment
from annotator.domain.flag import Flag
from annotator.domain.item import Item, Option
from annotator.domain.response import Response
from annotator.domain.response_queue import ResponseQueue, validation_queue
from annotator.errors import UserError
from annotator.queries.response_queries import OPEN_ITEMS
from annotator.session import Session
from annotator.spreadsheets.response_sheet import read_responses
from tests.unit.store.making import ANNA, BEN, created, write

ITEM = Item(
    id="item",
    name="Real2_OC_1",
    task_set="aircop",
    task="object_counting",
    state="refined",
    question="How many cars are there?",
    options=tuple(Option(letter=letter, text=text) for letter, text in zip("ABCD", "1234", strict=True)),
    answer_key="B",
)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as session:
        write(session, created("item", ITEM))
        yield session


def _answer(session: Session, *answers: tuple[str, str], **fields: Any) -> None:
    given = tuple(
        GivenAnswer(item="item", person=person, answer=answer, **fields) for person, answer in answers
    )
    session.execute(AddResponses(answers=given)).result()


def _flags(session: Session) -> dict[str, Flag]:
    return {flag.kind: flag for flag in session.reader.flags_of("item")}


def _responses(session: Session) -> list[Response]:
    return list(session.reader.find(Response, item="item"))


def test_answer_when_it_equals_the_key_then_is_stored_in_canonical_form_without_a_flag(
    session: Session,
) -> None:
    _answer(session, ("ann", " the answer is b."), duration_s=12.34, reason=" the shadow helps ")
    (response,) = _responses(session)
    assert (response.answer, response.person, response.duration_s) == ("B", "ann", 12.3)
    assert response.reason == "the shadow helps"
    assert _flags(session) == {}


def test_answer_when_the_key_counts_it_as_wrong_then_flags_the_item_with_the_response(
    session: Session,
) -> None:
    _answer(session, ("ann", "C"))
    flag = _flags(session)["person_against_key"]
    assert flag.message == "A person answers 'C', the answer key is 'B'."
    assert flag.evidence == {"answer_key": "B", "responses": [_responses(session)[0].id]}
    assert (flag.severity, flag.raised_by, flag.field) == ("warning", "response", "answer_key")


def test_answers_when_people_differ_then_one_flag_grows_with_each_answer(session: Session) -> None:
    _answer(session, ("ann", "B"))
    _answer(session, ("bob", "C"))
    assert _flags(session)["people_disagree"].message == "People answer differently: 'B', 'C'."
    _answer(session, ("cid", "A"))
    flags = [flag for flag in session.reader.flags_of("item") if flag.kind == "people_disagree"]
    assert [flag.message for flag in flags] == ["People answer differently: 'A', 'B', 'C'."]
    assert len(flags[0].evidence["responses"]) == 3


def test_answer_when_given_again_then_is_refused_and_undo_makes_room(session: Session) -> None:
    _answer(session, ("ann", "B"))
    with pytest.raises(UserError, match="already answered Real2_OC_1"):
        _answer(session, ("ann", "C"))
    with pytest.raises(UserError, match="already answered"):
        _answer(session, ("bob", "A"), ("bob", "B"))
    assert len(_responses(session)) == 1
    session.undo().result()
    _answer(session, ("ann", "C"))
    assert [one.answer for one in _responses(session)] == ["C"]


def test_answer_when_the_question_has_changed_since_then_counts_as_one_about_another_item(
    session: Session,
) -> None:
    _answer(session, ("ann", "A"))
    session.execute(SetQuestion(item="item", text="How many red cars are there?")).result()
    _answer(session, ("ann", "B"), ("bob", "B"))
    assert len({one.shown for one in _responses(session)}) == 2
    assert "people_disagree" not in _flags(session)


@pytest.mark.parametrize("text", ["", "  "])
def test_answer_when_empty_then_is_refused(session: Session, text: str) -> None:
    with pytest.raises(UserError, match="The answer to Real2_OC_1 is empty"):
        _answer(session, ("ann", text))


def test_key_when_kept_after_ones_own_other_answer_then_closes_ones_own_flag_only(session: Session) -> None:
    _answer(session, ("ann", "C"))
    (response,) = _responses(session)
    session.execute(DecideKey(response=response.id, decision="keep")).result()
    assert _responses(session)[0].decision == "keep"
    assert _flags(session)["person_against_key"].state == "dismissed"
    session.undo().result()
    assert _flags(session)["person_against_key"].state == "open"
    assert _responses(session)[0].decision == ""


def test_key_when_objected_to_then_needs_a_reason_and_flags_the_item(session: Session) -> None:
    _answer(session, ("ann", "B"))
    (response,) = _responses(session)
    with pytest.raises(UserError, match="An objection needs a reason"):
        session.execute(DecideKey(response=response.id, decision="object")).result()
    session.execute(
        DecideKey(response=response.id, decision="object", reason="A fifth car is hidden.")
    ).result()
    assert _flags(session)["person_against_key"].message == (
        "A person objects to the answer key 'B': A fifth car is hidden."
    )
    session.execute(DecideKey(response=response.id, decision="keep")).result()
    assert _flags(session)["person_against_key"].state == "dismissed"
    session.execute(DecideKey(response=response.id, decision="object", reason="It is there.")).result()
    assert _flags(session)["person_against_key"].state == "open"


def _disagreements(session: Session, item: str = "item") -> list[tuple[str, str]]:
    flags = session.reader.flags_of(item)
    return [(flag.state, flag.message) for flag in flags if flag.kind == "people_disagree"]


def test_answers_when_the_format_counts_them_as_equal_then_people_do_not_disagree(session: Session) -> None:
    angle = Item(
        id="angle", name="A", task_set="aircop", state="refined", answer_format="angle", answer_key="30"
    )
    write(session, created("item", angle))
    for person, answer in (("ann", "30"), ("bob", "31"), ("cid", "120")):
        given = GivenAnswer(item="angle", person=person, answer=answer)
        session.execute(AddResponses(answers=(given,))).result()
        if person == "bob":
            assert _disagreements(session, "angle") == []
    assert _disagreements(session, "angle") == [
        ("open", "People answer differently: '120.0 degrees', '30.0 degrees'.")
    ]


def test_answer_when_withdrawn_by_another_person_than_raised_the_flag_then_people_no_longer_disagree(
    session: Session,
) -> None:
    session.use_actor(ANNA)
    _answer(session, (ANNA.id, "B"))
    session.use_actor(BEN)
    _answer(session, (BEN.id, "C"))
    session.use_actor(ANNA)
    session.undo().result()
    assert _disagreements(session) == []
    session.redo().result()
    assert _disagreements(session) == [("open", "People answer differently: 'B', 'C'.")]
    # What others did to the flag does not keep a person from withdrawing the own answer.
    session.use_actor(BEN)
    session.undo().result()
    assert [one.answer for one in _responses(session)] == ["B"]
    assert _disagreements(session) == []


def test_answer_when_one_of_three_is_withdrawn_then_the_flag_names_the_others(session: Session) -> None:
    session.use_actor(ANNA)
    _answer(session, (ANNA.id, "A"))
    session.use_actor(BEN)
    _answer(session, ("bob", "B"), (BEN.id, "C"))
    session.use_actor(ANNA)
    session.undo().result()
    assert _disagreements(session) == [("open", "People answer differently: 'B', 'C'.")]


def test_disagreement_when_dismissed_then_comes_back_with_an_answer_that_was_not_known_alone(
    session: Session,
) -> None:
    _answer(session, ("ann", "B"), ("bob", "C"))
    session.execute(KeepRecord(target="item", reason="The shadow shows four cars.")).result()
    _answer(session, ("cid", "B"))
    _answer(session, ("dan", "C"))
    assert [state for state, _ in _disagreements(session)] == ["dismissed"]
    _answer(session, ("eve", "D"))
    assert sorted(state for state, _ in _disagreements(session)) == ["dismissed", "open"]


def test_issue_when_reported_then_no_change_and_no_decision_on_the_key_closes_it(session: Session) -> None:
    _answer(session, ("ann", "C"), issue_classes=("question",))
    reported = _flags(session)["person_reports_issue"]
    assert reported.field == ""
    text = SetQuestion(item="item", text="How many red cars are there?")
    session.execute(CorrectRecord(target="item", reason="clearer", edits=(text,))).result()
    session.execute(change_key(target="item", text="C", reason="counted again")).result()
    assert _flags(session)["person_against_key"].state == "resolved"
    assert _flags(session)["person_reports_issue"].state == "open"
    session.execute(KeepRecord(target="item", reason="clear now", flags=(reported.id,))).result()
    assert _flags(session)["person_reports_issue"].state == "dismissed"


def test_key_when_kept_after_a_reviewer_has_decided_then_the_decision_stands(session: Session) -> None:
    _answer(session, ("ann", "C"), is_key_shown=True)
    session.execute(change_key(target="item", text="C", reason="counted again")).result()
    (response,) = _responses(session)
    session.execute(DecideKey(response=response.id, decision="keep")).result()
    flag = _flags(session)["person_against_key"]
    assert (flag.state, flag.resolution) == ("resolved", "counted again")
    assert _responses(session)[0].decision == "keep"


def _queued(session: Session, person: str, **fields: Any) -> list[str]:
    queue = ResponseQueue(person=person, **fields)
    return [
        one.id
        for one in session.reader.responses.queued_items(session.reader.responses.queued_numbers(queue))
    ]


def _assign(session: Session, person: str) -> None:
    command = AssignRecords(entity="item", role="validate", pairs=(("item", person),))
    session.execute(command).result()


def test_answer_when_the_key_was_shown_then_can_be_withdrawn_and_not_changed(session: Session) -> None:
    _answer(session, ("ann", "C"), is_key_shown=True)
    session.undo().result()
    assert _responses(session) == []
    assert _queued(session, "ann") == []
    with pytest.raises(UserError, match="has seen the answer key of Real2_OC_1"):
        _answer(session, ("ann", "B"), is_key_shown=True)
    session.redo().result()
    assert [one.answer for one in _responses(session)] == ["C"]
    assert _queued(session, "ann") == ["item"]


def test_answer_when_it_names_an_issue_then_flags_the_item_also_if_it_equals_the_key(
    session: Session,
) -> None:
    _answer(session, ("ann", "B"), issue_classes=("question", "options"))
    flag = _flags(session)["person_reports_issue"]
    assert flag.message == "A person reports an issue: question, options."
    (response,) = _responses(session)
    session.execute(DecideKey(response=response.id, decision="object")).result()
    assert _flags(session)["person_against_key"].message.endswith("'B': question, options")


def test_assignment_when_the_key_is_not_shown_then_the_answer_completes_it(session: Session) -> None:
    _assign(session, "ann")
    _answer(session, ("ann", "B"))
    assert [one.is_done for one in session.reader.find(Assignment)] == [True]
    assert _queued(session, "ann") == []
    session.undo().result()
    assert [one.is_done for one in session.reader.find(Assignment)] == [False]
    assert _queued(session, "ann") == ["item"]


def test_assignment_when_the_key_is_shown_then_the_decision_completes_it(session: Session) -> None:
    _assign(session, "ann")
    _answer(session, ("ann", "B"), is_key_shown=True)
    assert _queued(session, "ann") == ["item"]
    (response,) = _responses(session)
    session.execute(DecideKey(response=response.id, decision="keep")).result()
    assert [one.is_done for one in session.reader.find(Assignment)] == [True]
    assert _queued(session, "ann") == []


def test_queue_when_a_person_has_no_assignments_then_has_refined_items_that_the_person_did_not_touch(
    session: Session,
) -> None:
    write(session, created("item", Item(id="draft", name="draft", task_set="aircop")))
    own = session.actor.id
    assert _queued(session, "ann") == ["item"]
    # The item was made by this actor, by hand.
    assert _queued(session, own) == []
    assert _queued(session, "ann", is_open=False) == []
    session.use_actor(ANNA)
    assert _queued(session, ANNA.id) == ["item"]
    session.execute(WriteComment(entity="item", target="item", text="The key is B.")).result()
    assert _queued(session, ANNA.id) == []
    _answer(session, ("ann", "B"))
    assert _queued(session, "ann") == []


def test_queue_when_a_person_has_assignments_then_consists_of_them_alone(session: Session) -> None:
    other = Item(id="other", name="other", task_set="aircop", state="drafted")
    write(session, created("item", other))
    session.execute(AssignRecords(entity="item", role="validate", pairs=(("other", "ann"),))).result()
    assert _queued(session, "ann") == ["other"]
    assert _queued(session, "bob") == ["item"]


def test_answer_when_the_key_was_shown_for_an_earlier_form_then_is_refused_and_not_asked_for(
    session: Session,
) -> None:
    _assign(session, "ann")
    _answer(session, ("ann", "B"), is_key_shown=True)
    session.execute(SetQuestion(item="item", text="How many red cars are there?")).result()
    with pytest.raises(UserError, match="has seen the answer key of Real2_OC_1"):
        _answer(session, ("ann", "B"))
    assert _queued(session, "bob") == ["item"]
    assert session.reader.responses.barred_numbers(validation_queue("bob")) == []


def test_queue_when_an_assigned_person_works_on_the_item_then_leaves_it_out_and_counts_it(
    session: Session,
) -> None:
    _assign(session, BEN.id)
    session.use_actor(BEN)
    assert _queued(session, BEN.id) == ["item"]
    session.execute(SetAnswerKey(item="item", text="C")).result()
    assert _queued(session, BEN.id) == []
    assert len(session.reader.responses.barred_numbers(validation_queue(BEN.id))) == 1


@pytest.mark.parametrize("is_assigned", [True, False])
def test_queue_when_the_question_changes_before_the_decision_then_the_item_leaves_it(
    session: Session, is_assigned: bool
) -> None:
    if is_assigned:
        _assign(session, "ann")
    _answer(session, ("ann", "C"), is_key_shown=True)
    assert _queued(session, "ann") == ["item"]
    session.execute(SetQuestion(item="item", text="How many red cars are there?")).result()
    assert _queued(session, "ann") == []
    assert len(session.reader.responses.barred_numbers(validation_queue("ann"))) == is_assigned
    session.undo().result()
    assert _queued(session, "ann") == ["item"]


def test_queue_when_a_newer_answer_to_the_same_form_is_decided_then_the_item_leaves_it(
    session: Session,
) -> None:
    _answer(session, ("ann", "C"), is_key_shown=True)
    (first,) = _responses(session)
    # As another workstation records it, which has not received the first answer.
    newer = msgspec.structs.replace(first, id="newer", decision="keep")
    write(session, created("response", newer))
    assert _queued(session, "ann") == []


def test_queue_when_an_item_is_of_the_reference_then_its_key_is_not_shown_to_the_person(
    session: Session,
) -> None:
    session.execute(AssignRecords(entity="item", role="reference", pairs=(("item", "ann"),))).result()
    assert _queued(session, "ann") == []
    assert _queued(session, "ann", role="reference", is_open=False, shows_key=False) == ["item"]
    assert _queued(session, "bob") == ["item"]


def test_queue_when_a_wrong_answer_is_withdrawn_whose_key_was_not_shown_then_has_the_item_again(
    session: Session,
) -> None:
    _assign(session, BEN.id)
    session.use_actor(BEN)
    _answer(session, (BEN.id, "C"))
    assert _queued(session, BEN.id) == []
    session.undo().result()
    assert _queued(session, BEN.id) == ["item"]


def test_queue_when_a_person_wrote_very_many_items_then_is_read_by_item_and_not_by_person(
    session: Session,
) -> None:
    """Read by the events of the person, 10,000 items took minutes: all events again for each of them."""
    plan = session.query(
        lambda reader: reader._connection.execute(
            f"EXPLAIN QUERY PLAN {OPEN_ITEMS}", ("ann", "[]")
        ).fetchall()
    ).result()
    steps = [row[3] for row in plan if re.search(r"\bevent\b", row[3])]
    assert len(steps) == 3
    assert all("event_record (entity_id=?" in step for step in steps), steps


def test_answers_when_a_person_new_to_the_project_enters_the_own_ones_then_is_added_once(
    session: Session, tmp_path: Path
) -> None:
    cleo, table = Actor(id="cleo", name="Cleo"), tmp_path / "answers.csv"
    table.write_text(f"name,person,answer\n{ITEM.name},Cleo,B\n")
    with Session.open(session.path, actor=cleo) as own:
        own.execute(read_responses(table, own.reader, executing=cleo)).result()
        assert [one.person for one in own.reader.find(Response, item="item")] == ["cleo"]
        assert [one.id for one in own.reader.records(Actor) if one.name == "Cleo"] == ["cleo"]


def test_command_when_it_adds_the_person_who_executes_it_then_the_person_is_added_once(
    session: Session,
) -> None:
    cleo = Actor(id="cleo", name="Cleo")
    with Session.open(session.path, actor=cleo) as own:
        given = GivenAnswer(item="item", person="cleo", answer="B")
        own.execute(AddResponses(answers=(given,), people=(cleo,))).result()
        own.undo().result()
        assert own.reader.get(Actor, "cleo") == cleo
        assert not _responses(own)


def test_queue_when_an_answered_item_asks_something_else_then_its_assignment_counts_as_left_again(
    session: Session,
) -> None:
    def left() -> tuple[list[str], list[tuple[bool, bool]]]:
        queued = _queued(session, "ann", role="reference", is_open=False, shows_key=False)
        return queued, [(row.is_done, row.is_open) for row in session.reader.workload.assigned_rows()]

    session.execute(AssignRecords(entity="item", role="reference", pairs=(("item", "ann"),))).result()
    _answer(session, ("ann", "B"))
    assert left() == ([], [(True, False)])
    with Session.open(session.path, actor=BEN) as other:
        other.execute(SetQuestion(item="item", text="How many vans are there?")).result()
        assert left() == (["item"], [(False, True)])
        other.undo().result()
        assert left() == ([], [(True, False)])
        other.redo().result()
    _answer(session, ("ann", "C"))
    assert left() == ([], [(True, False)])


def test_queue_when_the_person_has_seen_the_key_then_a_changed_item_is_not_asked_again(
    session: Session,
) -> None:
    session.execute(AssignRecords(entity="item", role="validate", pairs=(("item", "ann"),))).result()
    _answer(session, ("ann", "B"), is_key_shown=True)
    (response,) = _responses(session)
    session.execute(DecideKey(response=response.id, decision="keep")).result()
    with Session.open(session.path, actor=BEN) as other:
        other.execute(SetQuestion(item="item", text="How many vans are there?")).result()
    assert _queued(session, "ann", role="validate", is_open=False) == []
    assert [(row.is_done, row.is_open) for row in session.reader.workload.assigned_rows()] == [(True, False)]
