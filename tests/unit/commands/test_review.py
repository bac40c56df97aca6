"""Decisions of a reviewer: what each changes, what it refuses, and that one undo takes it back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.command import Command
from annotator.commands.item_edits import SetOptionText, SetQuestion
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.commands.review import (
    CorrectRecord,
    ForkChoice,
    KeepRecord,
    MergeForks,
    RejectItem,
    ReviewDecision,
    SendBack,
    change_key,
)
from annotator.domain.assignment import Assignment
from annotator.domain.comment import Comment, CommentPin
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.event import Edit
from annotator.domain.flag import Flag
from annotator.domain.item import Item, Option, Provenance
from annotator.domain.record import new_id
from annotator.domain.review import ReviewQuery
from annotator.domain.run import Prediction, Run, RunKind
from annotator.domain.scene import Scene
from annotator.domain.shown_record import ShownRecord
from annotator.domain.work import JobOutcome, JobPlan
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.blind import decide_all
from annotator.quality.consensus import find_disagreements
from annotator.quality.policy import Policy
from annotator.quality.predictions import collect_predictions
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from tests.unit.store.making import (
    ANNA,
    BEN,
    a_flag,
    a_label,
    a_medium,
    a_scene,
    an_item,
    changed,
    created,
    removed,
    visible_state,
    write,
)

REASON = "The shadow shows it."
OPTIONS = tuple(Option(letter=letter, text=f"{letter} text") for letter in "ABCD")


def an_own_item(**fields: Any) -> Item:
    values = {
        "id": "i1", "name": "item_1", "task": "object_counting", "state": "flagged", "question": "How many?",
        "options": OPTIONS, "answer_key": "B", "provenance": Provenance(made_by="rule"), "scene": "s1",
    }  # fmt: skip
    return an_item(**{**values, **fields})


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Give a project with a flagged item, and a label with a flag in a finished scene."""
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        write(
            session,
            created("medium", a_medium(id="m1")),
            created("scene", a_scene("m1", id="s1", state="finished")),
            created("event_label", a_label(id="l1", scene="s1", medium="m1")),
            created("item", an_own_item()),
            created("flag", key_flag("f1")),
            created("flag", a_flag("i1", id="f2", kind="option_style", raised_by="check", field="options")),
            created("flag", a_flag("l1", id="f3", entity="event_label", kind="view_unknown")),
        )
        yield session


def key_flag(flag_id: str, **fields: Any) -> Flag:
    values = {"kind": "people_disagree", "raised_by": "response", "field": "answer_key"}
    return a_flag("i1", id=flag_id, **{**values, **fields})


def do(session: Session, command: Command) -> None:
    session.execute(command).result()


def refusal(session: Session, command: Command) -> str:
    with pytest.raises(UserError) as error:
        session.execute(command).result()
    return str(error.value)


def item(session: Session) -> Item:
    return session.reader.require(Item, "i1")


def flags(session: Session) -> dict[str, tuple[str, str]]:
    return {flag.id: (flag.state, flag.resolution) for flag in session.reader.find(Flag)}


def comments(session: Session) -> list[tuple[str, str]]:
    return [(one.target, one.text) for one in session.reader.find(Comment)]


DECISIONS: dict[str, ReviewDecision] = {
    "keep": KeepRecord(target="i1", reason=REASON),
    "change key": change_key(target="i1", text="C", reason=REASON),
    "edit": CorrectRecord(target="i1", reason=REASON, edits=(SetQuestion(item="i1", text="Which?"),)),
    "send back": SendBack(target="i1", reason=REASON),
    "send back a label": SendBack(entity="event_label", target="l1", reason=REASON),
    "keep a label": KeepRecord(entity="event_label", target="l1", reason=REASON),
    "reject": RejectItem(target="i1", reason=REASON),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_decision_when_undone_then_all_of_it_is_as_before_and_the_log_has_who_and_why(
    session: Session, name: str
) -> None:
    before = visible_state(session.reader.path)
    do(session, DECISIONS[name])
    after = visible_state(session.reader.path)
    assert after != before
    command = session.reader.log.next_undo(ANNA.id)
    assert command is not None
    assert command.details["reason"] == REASON
    session.undo().result()
    assert visible_state(session.reader.path) == before
    session.redo().result()
    assert visible_state(session.reader.path) == after


@pytest.mark.parametrize("name", DECISIONS)
def test_decision_when_it_has_no_reason_then_is_refused(session: Session, name: str) -> None:
    command = replace(DECISIONS[name], reason="  ")
    assert refusal(session, command) == "A decision needs a reason. Enter the reason, or choose a phrase."


def test_keep_when_flags_doubt_the_key_then_only_those_are_dismissed(session: Session) -> None:
    do(session, KeepRecord(target="i1", reason=REASON))
    assert flags(session)["f1"] == ("dismissed", REASON)
    assert flags(session)["f2"] == ("open", "")
    # The failed check is still open: the item waits for a decision on it.
    assert item(session).state == "flagged"
    do(session, KeepRecord(target="i1", reason="The style is the source's."))
    assert flags(session)["f2"] == ("dismissed", "The style is the source's.")
    assert item(session).state == "refined"
    assert session.reader.reviews.case(Item, "i1") is None


def test_keep_when_flags_are_named_then_exactly_those_are_dismissed(session: Session) -> None:
    do(session, KeepRecord(target="i1", reason=REASON, flags=("f2",)))
    assert (flags(session)["f1"][0], flags(session)["f2"][0]) == ("open", "dismissed")
    wrong = KeepRecord(target="i1", reason=REASON, flags=("f3",))
    assert refusal(session, wrong).startswith("The record has no flag f3.")


def test_keep_when_the_item_is_accepted_with_it_then_no_flag_may_be_left(session: Session) -> None:
    command = KeepRecord(target="i1", reason=REASON, accept=True)
    assert "item_1 cannot be accepted: open flags: 1 (option_style)" in refusal(session, command)
    assert flags(session)["f1"][0] == "open"
    do(session, KeepRecord(target="i1", reason=REASON, accept=True, flags=("f1", "f2")))
    assert item(session).state == "accepted"


def test_keep_when_nothing_is_open_then_says_so(session: Session) -> None:
    write(session, *changed("flag", "f1", state="resolved"), *changed("flag", "f2", state="resolved"))
    assert refusal(session, DECISIONS["keep"]).startswith("The record has no open flag.")
    do(session, KeepRecord(target="i1", reason=REASON, accept=True))
    assert item(session).state == "accepted"


def test_keep_when_the_record_is_a_task_then_its_flags_are_dismissed(session: Session) -> None:
    write(session, created("flag", a_flag("aircop/object_counting", id="f9", entity="task")))
    do(session, KeepRecord(entity="task", target="aircop/object_counting", reason=REASON))
    assert flags(session)["f9"] == ("dismissed", REASON)


def test_key_when_changed_then_its_flags_are_resolved_and_people_are_scored_by_the_new_one(
    session: Session,
) -> None:
    answers = tuple(GivenAnswer(item="i1", person=name, answer="C") for name in ("p1", "p2"))
    do(session, AddResponses(answers=answers))
    do(session, change_key(target="i1", text="c", reason=REASON))
    assert item(session).answer_key == "C"
    about_key = [one for one in session.reader.flags_of("i1") if one.field == "answer_key"]
    assert {(one.state, one.resolution) for one in about_key} == {("resolved", REASON)}
    assert flags(session)["f2"][0] == "open"
    # An answer that comes now is compared with the new key: C is right, B is not.
    do(session, AddResponses(answers=(GivenAnswer(item="i1", person="p3", answer="C"),)))
    assert not [one for one in session.reader.flags_of("i1") if one.state == "open" and one.id != "f2"]
    do(session, AddResponses(answers=(GivenAnswer(item="i1", person="p4", answer="B"),)))
    opened = {one.kind for one in session.reader.flags_of("i1") if one.state == "open"}
    assert opened == {"option_style", "person_against_key", "people_disagree"}


def stored_run(session: Session, *, kind: RunKind, answer: str) -> Run:
    """Enter a run in which two models give an answer to the item."""
    run = Run(id=new_id(), kind=kind, models=("m0", "m1"))
    jobs = [
        JobPlan(
            request_key=hashlib.sha256(f"{kind} {model}".encode()).digest(),
            model=model,
            target="i1",
            spec={"shown": prompt_digest(item(session))},
        )
        for model in run.models
    ]
    queue = WorkQueue.open(session.path)
    queue.runs.plan(run, jobs, progress=Progress())
    for model in run.models:
        for claim in queue.claim("w", run=run.id, model=model, count=1, now=1e9):
            prediction = Prediction(
                request_key=claim.request_key.hex(), kind="answer", target="i1", answer=answer, run=run.id
            )
            queue.mark_sent([claim], [b"?"])
            queue.record([JobOutcome(claim=claim, prediction=prediction)], now=1e9)
    queue.close()
    return run


def test_key_when_changed_then_stored_predictions_of_models_are_scored_by_the_new_one(
    session: Session,
) -> None:
    sighted = stored_run(session, kind="consensus", answer="C")
    blind = stored_run(session, kind="blind", answer="C")

    def outcome(run: Run) -> tuple[list[bool | None], int]:
        (found,) = collect_predictions(session.reader, run, progress=Progress())
        return [one.is_right for one in found.predictions], len(find_disagreements(found))

    def guessed() -> str:
        found = collect_predictions(session.reader, blind, progress=Progress())
        return decide_all(found, Policy(kind="all"))[0].decision

    assert (outcome(sighted), guessed()) == (([False, False], 1), "kept")
    do(session, change_key(target="i1", text="C", reason=REASON))
    assert (outcome(sighted), guessed()) == (([True, True], 0), "guessed")
    session.undo().result()
    assert (outcome(sighted), guessed()) == (([False, False], 1), "kept")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("E", "item_1: 'E' is not an answer."),
        ("blue", "item_1: 'blue' is not an answer."),
        ("B", "item_1 has these values already."),
    ],
)
def test_key_when_it_does_not_fit_the_format_then_is_refused_and_nothing_changes(
    session: Session, text: str, message: str
) -> None:
    before = visible_state(session.reader.path)
    assert refusal(session, change_key(target="i1", text=text, reason=REASON)).startswith(message)
    assert visible_state(session.reader.path) == before


def test_edit_when_fields_change_then_the_flags_about_them_are_resolved(session: Session) -> None:
    edits = (SetOptionText(item="i1", letter="A", text="one"),)
    do(session, CorrectRecord(target="i1", reason=REASON, edits=edits))
    assert (flags(session)["f1"][0], flags(session)["f2"]) == ("open", ("resolved", REASON))
    assert item(session).options[0].text == "one"


def test_edit_when_another_item_is_named_then_is_refused(session: Session) -> None:
    command = CorrectRecord(target="i1", reason=REASON, edits=(SetQuestion(item="other", text="x"),))
    assert refusal(session, command).startswith("Only the item of the decision can be changed.")
    label = CorrectRecord(entity="event_label", target="l1", reason=REASON, edits=command.edits)
    assert refusal(session, label).startswith("Only the item of the decision can be changed.")


def test_correct_when_a_record_was_mended_elsewhere_then_its_flags_are_resolved(session: Session) -> None:
    do(session, CorrectRecord(entity="event_label", target="l1", reason=REASON))
    assert flags(session)["f3"] == ("resolved", REASON)


def test_correct_when_the_item_was_accepted_then_it_is_in_refinement_again(session: Session) -> None:
    for flag in ("f1", "f2"):
        write(session, *changed("flag", flag, state="resolved"))
    do(session, KeepRecord(target="i1", reason=REASON, accept=True))
    do(session, change_key(target="i1", text="C", reason=REASON))
    assert item(session).state == "in_refinement"


def test_send_back_when_an_item_is_sent_then_it_leaves_the_queue_with_its_flags_open(
    session: Session,
) -> None:
    do(session, SendBack(target="i1", reason=REASON))
    assert (item(session).state, comments(session)) == ("in_refinement", [("i1", REASON)])
    assert flags(session)["f1"][0] == "open"
    assert [case.target for case in _queue(session)] == ["l1"]


def test_send_back_when_a_label_is_sent_then_its_scene_is_open_again(session: Session) -> None:
    do(session, SendBack(entity="event_label", target="l1", reason=REASON))
    assert session.reader.require(Scene, "s1").state == "open"
    assert comments(session) == [("l1", REASON)]
    medium = SendBack(entity="medium", target="m1", reason=REASON)
    assert "Only items, scenes, event labels and links can be sent back." in refusal(session, medium)


def test_send_back_when_pinned_then_the_comment_has_the_place_and_its_author(session: Session) -> None:
    pin = CommentPin(medium="m1", x=120.5, y=40.0)
    do(session, SendBack(target="i1", reason=REASON, person=ANNA.id, pin=pin))
    (comment,) = session.reader.find(Comment)
    assert (comment.pin, comment.person, comment.text) == (pin, ANNA.id, REASON)
    outside = SendBack(target="i1", reason=REASON, pin=CommentPin(medium="m1", x=-1.0, y=0.0))
    assert "The place of the comment is outside 01-UAV1.jpg." in refusal(session, outside)


def test_reject_when_the_record_is_no_item_or_rejected_then_is_refused(session: Session) -> None:
    label = RejectItem(entity="event_label", target="l1", reason=REASON)
    assert refusal(session, label).startswith("Only an item can be rejected.")
    do(session, RejectItem(target="i1", reason=REASON))
    assert comments(session) == [("i1", REASON)]
    assert "i1" not in {case.target for case in _queue(session)}
    assert "cannot be set to rejected" in refusal(session, RejectItem(target="i1", reason=REASON))


def test_decision_when_the_record_is_gone_then_is_refused(session: Session) -> None:
    write(session, removed("item", "i1"))
    assert refusal(session, DECISIONS["keep"]).startswith("There is no item i1.")


def test_decision_when_the_reviewer_is_assigned_then_the_assignment_is_done(session: Session) -> None:
    do(session, AssignRecords(entity="item", role="review", pairs=(("i1", ANNA.id),)))
    do(session, KeepRecord(target="i1", reason=REASON, person=ANNA.id, active_s=12.0))
    (assignment,) = session.reader.find(Assignment)
    assert assignment.is_done


@pytest.fixture
def forked(session: Session, tmp_path: Path) -> Session:
    """Give the project after two workstations changed question and key of the item independently."""
    first, second = tmp_path / "a.vantage-bundle", tmp_path / "b.vantage-bundle"
    session.export_bundle(first, progress=Progress())
    with Session.create_from_bundle(tmp_path / "other.vantage", first, actor=BEN) as other:
        write(other, *changed("item", "i1", question="Ben?", answer_key="C"))
        write(session, *changed("item", "i1", question="Anna?", answer_key="D"))
        other.export_bundle(second, progress=Progress())
    session.merge(second, progress=Progress()).result()
    return session


def test_forks_when_merged_field_by_field_then_each_has_the_chosen_value(forked: Session) -> None:
    by_field = {fork.field: fork for fork in forked.reader.forks.all()}
    assert set(by_field) == {"question", "answer_key"}
    chosen = {"question": '"Anna?"', "answer_key": '"C"'}
    choices = tuple(
        ForkChoice(entity_id="i1", field=name, event=value.event)
        for name, text in chosen.items()
        for value in by_field[name].values
        if value.value == text
    )
    twice = MergeForks(target="i1", reason=REASON, choices=(*choices, choices[0]))
    assert refusal(forked, twice).startswith("Each forked field needs one choice.")
    do(forked, MergeForks(target="i1", reason=REASON, choices=choices))
    assert (item(forked).question, item(forked).answer_key) == ("Anna?", "C")
    assert forked.reader.forks.all() == []
    assert comments(forked) == [("i1", REASON)]


def test_key_when_the_item_is_forked_then_no_decision_hides_the_fork(forked: Session) -> None:
    assert "Two workstations have changed" in refusal(
        forked, change_key(target="i1", text="A", reason=REASON)
    )
    accept = KeepRecord(target="i1", reason=REASON, flags=("f1", "f2"), accept=True)
    assert "independently" in refusal(forked, accept)


def _queue(session: Session) -> list[Any]:
    return session.reader.reviews.rows(session.reader.reviews.numbers(ReviewQuery()))


UNSEEN: dict[str, tuple[tuple[Edit, ...], str]] = {
    "key": (
        changed("item", "i1", answer_key="D"),
        "The answer key of item_1 has changed since it was shown: D.",
    ),
    "options": (changed("item", "i1", options=OPTIONS[:3]), "item_1 has changed since it was shown."),
    "a new flag": (
        (created("flag", key_flag("f9")),),
        "The open flags have changed since the record was shown.",
    ),
    "a closed flag": (
        changed("flag", "f1", state="resolved"),
        "The open flags have changed since the record was shown.",
    ),
}


@pytest.mark.parametrize("change", UNSEEN)
@pytest.mark.parametrize("name", ["keep", "change key", "send back"])
def test_decision_when_the_record_is_other_than_was_shown_then_is_refused_and_changes_nothing(
    session: Session, change: str, name: str
) -> None:
    shown = ShownRecord.of(item(session), session.reader.flags_of("i1"))
    edits, text = UNSEEN[change]
    write(session, *edits)
    before = item(session), flags(session)
    command = replace(DECISIONS[name], shown=shown)
    assert refusal(session, command).startswith(text)
    assert (item(session), flags(session)) == before
    do(session, replace(command, shown=ShownRecord.of(item(session), session.reader.flags_of("i1"))))


def test_decision_when_a_label_has_another_flag_than_was_shown_then_is_refused(session: Session) -> None:
    command = replace(DECISIONS["keep a label"], shown=ShownRecord(flags=frozenset({"f3"})))
    write(session, created("flag", a_flag("l1", id="f9", entity="event_label", kind="count")))
    assert refusal(session, command).startswith("The open flags have changed since the record was shown.")
    assert flags(session)["f3"] == ("open", "")
