"""What blind runs say of one item: models, share over rotations, chance, and answers to an earlier form."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item, Option
from annotator.domain.run import Prediction, Run, RunKind
from annotator.domain.work import JobOutcome, JobPlan
from annotator.progress import Progress
from annotator.quality.blind_summary import BlindSummary, summarize_blind
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from tests.unit.store.making import ANNA, an_item, created, write

OPTIONS = tuple(
    Option(letter=letter, text=text)
    for letter, text in zip("ABCD", ("one", "two", "three", "four"), strict=True)
)
ITEM = an_item(task="object_counting", question="How many cars are there?", options=OPTIONS, answer_key="B")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as opened:
        write(opened, created("item", ITEM))
        yield opened


def answer(session: Session, answers: dict[str, str], *, kind: RunKind = "blind", shown: str = "") -> None:
    """Record a run in which each model gives these letters, one for each rotation."""
    run = Run(id=f"run-{kind}-{shown[:4]}", kind=kind, models=tuple(answers))
    digest = shown or prompt_digest(ITEM)
    jobs = [
        JobPlan(
            request_key=hashlib.sha256(f"{run.id} {model} {turn}".encode()).digest(),
            model=model,
            target=ITEM.id,
            spec={"shown": digest, "turn": turn},
        )
        for model, letters in answers.items()
        for turn in range(len(letters))
    ]
    queue = WorkQueue.open(session.path)
    try:
        queue.runs.plan(run, jobs, progress=Progress())
        for model, letters in answers.items():
            claims = queue.claim("w", run=run.id, model=model, count=99, now=1.0)
            queue.mark_sent(claims, [b"?"] * len(claims))
            outcomes = [
                JobOutcome(
                    claim=claim,
                    prediction=Prediction(
                        request_key=claim.request_key.hex(),
                        kind="answer",
                        target=ITEM.id,
                        answer=letter,
                        run=run.id,
                        model={"name": model},
                        spec=dict(claim.spec),
                    ),
                    raw=b"{}",
                )
                for claim, letter in zip(claims, letters, strict=True)
            ]
            assert all(queue.record(outcomes, now=2.0))
    finally:
        queue.close()


def summary(session: Session, item: Item = ITEM) -> BlindSummary | None:
    return summarize_blind(session.reader, item)


def test_summarize_blind_when_models_were_asked_in_rotations_then_models_and_share_are_counted(
    session: Session,
) -> None:
    answer(session, {"small": "BBBA", "large": "ACDA", "third": "CCCC", "last": "DDAD"})
    found = summary(session)
    assert found == BlindSummary(models=4, right_models=1, answers=16, right=3, chance=0.25)
    assert not found.is_guessed
    # The answer key decides what is right: a corrected one judges the same answers anew.
    other = summary(session, msgspec.structs.replace(ITEM, answer_key="C"))
    assert other is not None
    assert (other.right_models, other.right, other.is_guessed) == (1, 5, True)


def test_summarize_blind_when_the_question_was_changed_then_its_answers_are_outdated(
    session: Session,
) -> None:
    answer(session, {"small": "BB"})
    found = summary(session, msgspec.structs.replace(ITEM, question="How many cars drive there?"))
    assert found == BlindSummary(models=0, right_models=0, answers=0, right=0, chance=0.25, outdated=2)


def test_summarize_blind_when_no_blind_run_asked_then_there_is_none(session: Session) -> None:
    assert summary(session) is None
    answer(session, {"sighted": "BBBB"}, kind="consensus")
    assert summary(session) is None
    assert summary(session, msgspec.structs.replace(ITEM, answer_format="trajectory")) is None
