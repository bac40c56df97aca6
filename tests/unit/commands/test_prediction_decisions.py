from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.command import Command
from annotator.commands.prediction_decisions import ErrorDecision, LabelErrors, SettleTexts, TextDecision
from annotator.domain.error_label import ErrorLabel
from annotator.domain.latest_decision import latest_decisions
from annotator.domain.settled_text import SettledText
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import ANNA, BEN, created, events, problems, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session.create(tmp_path / "p.vantage", actor=ANNA)
    yield made
    made.close()


def settle(answer: str | None, *, item: str = "i1", text: str = "l**k", model: str = "") -> SettleTexts:
    decision = TextDecision(text=text, answer=answer, item=item, model=model)
    return SettleTexts(decisions=(decision,), person=ANNA.id)


def mark(name: str, *, item: str = "i1", model: str = "m", note: str = "") -> LabelErrors:
    decision = ErrorDecision(release="r1", item=item, model=model, error_class=name, note=note)
    return LabelErrors(decisions=(decision,), person=ANNA.id)


def settled(session: Session) -> list[tuple[str, str, str]]:
    return [(one.item, one.text, one.answer) for one in session.reader.find(SettledText)]


def labels(session: Session) -> list[tuple[str, str, str, str]]:
    found = session.reader.find(ErrorLabel, release="r1")
    return [(one.item, one.model, one.error_class, one.note) for one in found]


def test_settle_when_decided_changed_and_withdrawn_then_one_step_each_is_undone(session: Session) -> None:
    for command in (settle("A"), settle("B"), settle(None)):
        session.execute(command).result()
    assert settled(session) == []
    seen = []
    for _ in range(3):
        session.undo().result()
        seen.append(settled(session))
    assert seen == [[("i1", "l**k", "B")], [("i1", "l**k", "A")], []]
    for _ in range(3):
        session.redo().result()
    assert settled(session) == []
    session.execute(settle("")).result()
    (record,) = session.reader.find(SettledText)
    assert (record.answer, record.person, bool(record.decided_at)) == ("", ANNA.id, True)
    assert problems(session.path) == []


def test_settle_when_many_texts_are_decided_then_it_is_one_step(session: Session) -> None:
    decisions = tuple(TextDecision(text=f"reply {n}", answer="A") for n in range(1000))
    command = SettleTexts(decisions=decisions)
    assert str(command.summary) == "Settle 1,000 texts"
    session.execute(command).result()
    assert len(settled(session)) == 1000
    before = events(session.path)
    assert session.execute(command).result().command == ""
    assert events(session.path) == before
    session.undo().result()
    assert settled(session) == []


def test_settle_when_a_text_is_named_twice_then_the_last_decision_counts(session: Session) -> None:
    decisions = (TextDecision(text="t", answer="A"), TextDecision(text="t", answer="B"))
    session.execute(SettleTexts(decisions=decisions)).result()
    assert settled(session) == [("", "t", "B")]


def test_label_when_set_changed_and_withdrawn_then_there_is_one_label_of_a_prediction(
    session: Session,
) -> None:
    session.execute(mark("spatial", note=" turned left ")).result()
    session.execute(mark("format", model="other")).result()
    assert labels(session) == [("i1", "m", "spatial", "turned left"), ("i1", "other", "format", "")]
    session.execute(mark("motion")).result()
    assert labels(session) == [("i1", "other", "format", ""), ("i1", "m", "motion", "")]
    session.execute(mark("")).result()
    assert labels(session) == [("i1", "other", "format", "")]
    session.undo().result()
    session.undo().result()
    assert labels(session)[0] == ("i1", "m", "spatial", "turned left")
    assert problems(session.path) == []


def test_label_when_two_came_from_a_merge_then_one_takes_their_place(session: Session) -> None:
    for n, name in enumerate(("spatial", "format")):
        label = ErrorLabel(
            id=f"{n:032x}", release="r1", item="i1", model="m", error_class=name, person=BEN.id
        )
        write(session, created("error_label", label))
    session.execute(mark("motion")).result()
    assert labels(session) == [("i1", "m", "motion", "")]
    session.execute(mark("")).result()
    assert labels(session) == []


WRONG = {
    "an empty text": (settle("A", text=" \n"), "reply is empty"),
    "a long answer": (settle("A" * 1001), "answer is longer than 1,000 characters"),
    "a text with a NUL": (settle("A", text="a\0"), "reply cannot be stored"),
    "half a character": (settle("A", text="\ud83d"), "reply cannot be stored"),
    "no item": (mark("spatial", item=" "), "names no item"),
    "a class with blanks": (mark("Spatial reasoning"), "is not the id of an error class"),
    "a long note": (mark("spatial", note="a" * 10_001), "note is longer than 10,000 characters"),
}


@pytest.mark.parametrize(("command", "message"), WRONG.values(), ids=WRONG)
def test_decision_when_it_cannot_be_kept_then_is_refused_and_nothing_is_written(
    session: Session, command: Command, message: str
) -> None:
    before = events(session.path)
    with pytest.raises(UserError, match=message):
        session.execute(command).result()
    assert events(session.path) == before


@pytest.mark.parametrize(
    ("command", "label"),
    [
        (settle("A"), "Settle 1 text"), (settle(None), "Withdraw 1 settled text"),
        (mark("spatial"), "Label 1 error"), (mark(""), "Withdraw 1 error label"),
    ],
)  # fmt: skip
def test_decision_when_shown_in_the_undo_menu_then_says_what_it_does(command: Command, label: str) -> None:
    assert str(command.summary) == label


def test_decisions_when_two_workstations_decide_anew_then_a_merge_has_no_fork_and_the_later_one_counts(
    session: Session, tmp_path: Path
) -> None:
    session.execute(settle("A")).result()
    session.execute(mark("motion")).result()
    session.export_bundle(tmp_path / "p.bundle")
    with Session.create_from_bundle(tmp_path / "q.vantage", tmp_path / "p.bundle", actor=BEN) as other:
        assert settled(other) == [("i1", "l**k", "A")]
        assert labels(other) == [("i1", "m", "motion", "")]
        session.execute(mark("spatial")).result()
        session.execute(settle("B")).result()
        other.execute(mark("format")).result()
        other.execute(settle("C")).result()
        other.export_bundle(tmp_path / "q.bundle")
    session.merge(tmp_path / "q.bundle").result()
    assert {one[2] for one in labels(session)} == {"spatial", "format"}
    assert list(session.reader.reviews.forked_fields()) == []
    (latest,) = latest_decisions(session.reader.find(SettledText))
    assert latest.answer == "C"
    assert problems(session.path) == []
