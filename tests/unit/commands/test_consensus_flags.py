"""Doubts of models as flags: raised once, closed when they are gone, taken back in one step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.consensus_flags import FlagDoubts
from annotator.commands.records import DecideFlags
from annotator.domain.flag import Flag
from annotator.domain.item import LETTERS, Item, Option, State
from annotator.quality.consensus import doubts_about
from annotator.quality.hearing import Heard, Hearing
from annotator.session import Session
from tests.unit.store.making import an_item, created, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as opened:
        yield opened


def entered(session: Session, state: State = "refined") -> Item:
    options = tuple(Option(letter=letter, text=f"text {letter}") for letter in LETTERS[:4])
    item = an_item(state=state, key="A", options=options)
    write(session, created("item", item))
    return item


def flagged(session: Session, item: Item, *answers: str) -> FlagDoubts:
    hearings = tuple(
        Hearing(
            model=f"m{n}", kind="answer", answer=answer, is_right=answer == item.key, said=f"It is {answer}."
        )
        for n, told in enumerate(answers)
        for answer in told
    )
    doubts = doubts_about(Heard(item=item, chance=0.25, hearings=hearings))
    command = FlagDoubts(run="r", items=[item.id], doubts=doubts)
    session.do(command).result()
    return command


def state(session: Session, item: Item) -> str:
    found = session.reader.get("item", item.id)
    assert isinstance(found, Item)
    return found.state


def flags(session: Session, item: Item) -> dict[str, Flag]:
    return {flag.kind: flag for flag in session.reader.flags_of(item.id)}


@pytest.mark.parametrize(
    ("before", "after"), [("refined", "flagged"), ("drafted", "drafted"), ("accepted", "accepted")]
)
def test_flag_doubts_when_models_agree_against_the_key_then_refined_items_go_to_review(
    session: Session, before: State, after: str
) -> None:
    item = entered(session, before)
    command = flagged(session, item, "B", "B")
    assert (command.added, command.moved, state(session, item)) == (1, int(before == "refined"), after)
    flag = flags(session, item)["consensus_against_key"]
    assert (flag.state, flag.severity, flag.field) == ("open", "warning", "key")
    assert flag.message == "2 of 2 models say 'B', the key is 'A': m0, m1."
    assert flag.evidence["models"]["m1"]["said"] == "It is B."


def test_flag_doubts_when_a_model_wavers_then_is_a_note_and_nobody_is_sent_for(session: Session) -> None:
    item = entered(session)
    flagged(session, item, "AAB", "AAA")
    assert flags(session, item)["consensus_unstable"].severity == "note"
    assert state(session, item) == "refined"


def test_flag_doubts_when_every_model_says_something_else_then_names_what(session: Session) -> None:
    item = entered(session)
    flagged(session, item, "B", "C", "D")
    flag = flags(session, item)["consensus_ambiguous"]
    assert flag.message == "No model says 'A', and each says something else: m0 'B', m1 'C', m2 'D'."


def test_flag_doubts_when_done_twice_then_changes_nothing(session: Session) -> None:
    item = entered(session)
    flagged(session, item, "B", "B")
    before = session.reader.event_total()
    again = flagged(session, item, "B", "B")
    assert (again.added, again.closed) == (0, 0)
    assert session.reader.event_total() == before


def test_flag_doubts_when_the_reason_is_gone_then_closes_and_comes_back_when_it_does(
    session: Session,
) -> None:
    item = entered(session)
    flagged(session, item, "B", "B")
    assert flagged(session, item, "A", "B").closed == 1
    assert flags(session, item)["consensus_against_key"].state == "resolved"
    assert flagged(session, item, "B", "B").added == 1
    assert flags(session, item)["consensus_against_key"].state == "open"


def test_flag_doubts_when_a_person_dismissed_it_then_only_another_answer_opens_it(session: Session) -> None:
    item = entered(session)
    flagged(session, item, "B", "B")
    flag = flags(session, item)["consensus_against_key"]
    session.do(DecideFlags(flags=(flag.id,), state="dismissed", resolution="The key is right.")).result()
    flagged(session, item, "B", "B")
    assert flags(session, item)["consensus_against_key"].state == "dismissed"
    flagged(session, item, "C", "C")
    assert flags(session, item)["consensus_against_key"].state == "open"


def test_flag_doubts_when_undone_then_item_and_flags_are_as_before(session: Session) -> None:
    item = entered(session)
    flagged(session, item, "B", "B")
    session.undo().result()
    assert flags(session, item) == {}
    assert state(session, item) == "refined"
    session.redo().result()
    assert state(session, item) == "flagged"
