"""Answers to honeypots: which of them say how careful a person is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.item_edits import SwapOptions
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.item import Option
from annotator.domain.response import Response
from annotator.quality.honeypots import HoneypotScore, score_honeypots
from annotator.session import Session
from tests.unit.store.making import ANNA, BEN, an_item, created, write

OPTIONS = tuple(Option(letter=letter, text=f"text {letter}") for letter in "ABCD")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as opened:
        item = an_item(id="h", name="H", state="accepted", options=OPTIONS, answer_key="A")
        write(opened, created("item", item))
        honeypots = (("h", BEN.id),)
        command = AssignRecords(entity="item", role="validate", pairs=(), honeypots=honeypots, people=(BEN,))
        opened.execute(command).result()
        given = GivenAnswer(item="h", person=BEN.id, answer="A", is_key_shown=True)
        opened.execute(AddResponses(answers=(given,))).result()
        yield opened


def score(session: Session) -> HoneypotScore:
    (found,) = score_honeypots(session.reader)
    return found


def test_score_when_the_honeypot_was_changed_after_the_answer_then_the_answer_does_not_count(
    session: Session,
) -> None:
    assert (score(session).answered, score(session).correct) == (1, 1)
    session.execute(SwapOptions(item="h", letters="AB")).result()
    assert (score(session).honeypots, score(session).answered, score(session).correct) == (1, 0, 0)


def test_score_when_a_person_has_two_answers_to_a_honeypot_then_the_first_counts(session: Session) -> None:
    (first,) = session.reader.find(Response, item="h")
    # As two workstations record them, of which neither has received the other's.
    second = Response(id="second", item="h", person=BEN.id, answer="B", shown=first.shown)
    write(session, created("response", second))
    assert (score(session).answered, score(session).correct) == (1, 1)
