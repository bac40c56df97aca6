"""Doubts of models as flags: raised once, closed when they are gone, taken back in one step."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from annotator.commands.consensus_flags import FlagDisagreements
from annotator.commands.records import DecideFlags
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.flag import Flag
from annotator.domain.item import LETTERS, Item, ItemState, Option
from annotator.domain.record import new_id
from annotator.domain.run import Prediction, PredictionKind, Run
from annotator.domain.work import JobOutcome, JobPlan
from annotator.progress import Progress
from annotator.quality.consensus import find_disagreements
from annotator.quality.predictions import ItemPrediction, ItemPredictions
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from tests.item_fields import SetItemField
from tests.unit.release.samples import aircop_item, fill, release
from tests.unit.store.making import an_item, created, write

NOW = 1_800_000_000.0


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as opened:
        yield opened


def entered(session: Session, state: ItemState = "refined") -> Item:
    options = tuple(Option(letter=letter, text=f"text {letter}") for letter in LETTERS[:4])
    item = an_item(state=state, answer_key="A", options=options)
    write(session, created("item", item))
    return item


def flagged(session: Session, item: Item, *answers: str, run: str = "r") -> FlagDisagreements:
    predictions = tuple(
        ItemPrediction(
            model=f"m{n}",
            kind="answer",
            answer=answer,
            is_right=answer == item.answer_key,
            reply=f"It is {answer}.",
        )
        for n, told in enumerate(answers)
        for answer in told
    )
    disagreements = find_disagreements(ItemPredictions(item=item, chance=0.25, predictions=predictions))
    command = FlagDisagreements(run=run, items=[item.id], disagreements=disagreements)
    session.execute(command).result()
    return command


def state(session: Session, item: Item) -> str:
    found = session.reader.get(Item, item.id)
    assert found is not None
    return found.state


def flags(session: Session, item: Item) -> dict[str, Flag]:
    return {flag.kind: flag for flag in session.reader.flags_of(item.id)}


@pytest.mark.parametrize(
    ("before", "after"), [("refined", "flagged"), ("drafted", "drafted"), ("accepted", "accepted")]
)
def test_flag_doubts_when_models_agree_against_the_key_then_refined_items_go_to_review(
    session: Session, before: ItemState, after: str
) -> None:
    item = entered(session, before)
    command = flagged(session, item, "B", "B")
    assert (command.added, command.moved, state(session, item)) == (1, int(before == "refined"), after)
    flag = flags(session, item)["consensus_against_key"]
    assert (flag.state, flag.severity, flag.field) == ("open", "warning", "answer_key")
    assert flag.message == "2 of 2 models answer 'B', the answer key is 'A': m0, m1."
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
    assert (
        flag.message
        == "No model answers 'A', and the models do not agree on another answer: m0 'B', m1 'C', m2 'D'."
    )


def test_flag_doubts_when_done_twice_then_changes_nothing(session: Session) -> None:
    item = entered(session)
    flagged(session, item, "B", "B")
    before = session.reader.log.event_total()
    again = flagged(session, item, "B", "B")
    assert (again.added, again.closed) == (0, 0)
    assert session.reader.log.event_total() == before


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
    session.execute(DecideFlags(flags=(flag.id,), state="dismissed", resolution="The key is right.")).result()
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


def test_flag_doubts_when_a_release_holds_the_item_then_the_flag_names_it(
    session: Session, tmp_path: Path
) -> None:
    item = aircop_item(state="accepted", answer_key="A")
    fill(session, item)
    name = f"aircop {release(session, tmp_path / 'out', 'aircop').manifest.sha256[:12]}"
    command = flagged(session, item, "B", "B")
    assert command.released == {item.id: (name,)}
    raised = flags(session, item)["consensus_against_key"]
    assert raised.message.endswith(
        f"Release {name} contains it and does not change: decide before the next release."
    )
    assert raised.evidence["releases"] == [name]
    assert state(session, item) == "accepted"
    before = session.reader.log.event_total()
    assert flagged(session, item, "B", "B").added == 0
    assert session.reader.log.event_total() == before


def later(session: Session, item: Item, models: Sequence[str], *, kind: PredictionKind = "answer") -> str:
    """Enter a run of models, let each say something about an item, and return the run's id."""
    run = Run(id=new_id(), kind="consensus", models=tuple(models))
    jobs = [
        JobPlan(
            request_key=hashlib.sha256(model.encode()).digest(),
            model=model,
            target=item.id,
            spec={"shown": prompt_digest(item)},
        )
        for model in models
    ]
    queue = WorkQueue.open(session.path)
    queue.runs.plan(run, jobs, progress=Progress())
    for model in models:
        for claim in queue.claim("w", run=run.id, model=model, count=1, now=NOW):
            prediction = Prediction(
                request_key=claim.request_key.hex(), kind=kind, target=item.id, answer="A", run=run.id
            )
            queue.mark_sent([claim], [b"?"])
            queue.record([JobOutcome(claim=claim, prediction=prediction)], now=NOW)
    queue.close()
    return run.id


@pytest.mark.parametrize(
    ("models", "kind", "closed"),
    [
        (("m0", "m1"), "answer", 1),
        (("m0", "m1", "n"), "answer", 1),
        (("m0", "m1"), "unparsed", 0),
        (("m0", "n"), "answer", 0),
        (("n", "o"), "answer", 0),
    ],
    ids=["same", "more", "unread", "one of them", "others"],
)
def test_flag_doubts_when_a_later_run_finds_nothing_then_only_the_same_models_close_it(
    session: Session, models: tuple[str, ...], kind: PredictionKind, closed: int
) -> None:
    item = entered(session)
    flagged(session, item, "B", "B")
    command = FlagDisagreements(
        run=later(session, item, models, kind=kind), items=[item.id], disagreements=[]
    )
    session.execute(command).result()
    assert command.closed == closed
    assert (flags(session, item)["consensus_against_key"].state == "resolved") is bool(closed)


def test_flag_doubts_when_the_key_was_mended_then_any_later_run_closes_it(session: Session) -> None:
    item = entered(session)
    flagged(session, item, "B", "B")
    session.execute(SetItemField(item=item.id, field="answer_key", value="B")).result()
    command = FlagDisagreements(run=later(session, item, ("n", "o")), items=[item.id], disagreements=[])
    session.execute(command).result()
    assert command.closed == 1
