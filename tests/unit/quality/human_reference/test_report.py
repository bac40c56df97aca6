"""The figures of the human reference: people, models and random answers on the same items."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.item_edits import SetQuestion
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item, Option
from annotator.domain.medium import Medium
from annotator.domain.response import Response
from annotator.domain.run import Prediction, Run
from annotator.domain.work import JobOutcome, JobPlan
from annotator.progress import Progress
from annotator.quality.human_reference.report import (
    ALL_TASKS,
    NO_BASELINE,
    NOT_ANSWERED,
    UNKNOWN_BASELINE,
    TaskReference,
    measure_reference,
)
from annotator.quality.predictions import collect_predictions
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from tests.unit.store.making import ANNA, BEN, an_item, changed, created, write

NOW = 1_800_000_000.0
OPTIONS = tuple(Option(letter=letter, text=f"text {letter}") for letter in "ABCD")
PEOPLE = ("ann", "bob")


def letter_item(n: int) -> Item:
    return an_item(id=f"l{n}", name=f"L{n}", task="letters", options=OPTIONS, answer_key="A")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Four items with letters and one each with pairs, text and a box, all in the sample of two people."""
    others = (
        an_item(id="p", name="P", task="pairs", answer_format="pair_list", answer_key="1-2, 3-4"),
        an_item(id="t", name="T", task="text", answer_format="free_text", answer_key="a red car"),
        an_item(id="b", name="B", task="box", answer_format="bbox", answer_key="[1, 2, 30, 40]"),
    )
    items = [*map(letter_item, range(4)), *others]
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as opened:
        write(opened, *(created("item", item) for item in items))
        pairs = tuple((item.id, person) for item in items for person in PEOPLE)
        opened.execute(AssignRecords(entity="item", role="reference", pairs=pairs)).result()
        yield opened


def answer(session: Session, *rows: tuple[str, str, str]) -> None:
    given = tuple(GivenAnswer(item=item, person=person, answer=text) for item, person, text in rows)
    session.execute(AddResponses(answers=given)).result()


def measured(session: Session) -> dict[str, TaskReference]:
    return {one.task: one for one in measure_reference(session.reader)}


def test_people_when_scored_then_an_item_is_the_mean_of_its_answers(session: Session) -> None:
    answer(
        session, ("l0", "ann", "A"), ("l0", "bob", "B"), ("l1", "ann", "A"), ("l2", "ann", "cannot tell"),
        ("p", "ann", "1-2, 3-5"),
    )  # fmt: skip
    found = measured(session)
    letters = found["aircop/letters"]
    assert (letters.sampled, letters.people.items, letters.people.answers) == (4, 3, 4)
    assert letters.people.unparsed == 1
    assert letters.people.score.value == pytest.approx((0.5 + 1 + 0) / 3)
    assert letters.people.exact.low is not None
    assert letters.people.exact.low < 0.5 < (letters.people.exact.high or 0)
    pairs = found["aircop/pairs"].people
    assert (pairs.score.value, pairs.exact.value) == (pytest.approx(0.5), 0.0)
    # One item has no spread: an interval of no width would say that the figure is certain.
    assert (pairs.score.low, pairs.score.high) == (None, None)
    total = found[ALL_TASKS]
    assert (total.sampled, total.people.items, total.answer_format) == (7, 4, "")


def test_random_when_a_format_has_a_baseline_then_it_is_that_of_the_answered_items(session: Session) -> None:
    answer(session, ("l0", "ann", "A"), ("t", "ann", "a car"), ("b", "ann", "[1, 2, 30, 40]"))
    found = measured(session)
    letters = found["aircop/letters"].random
    assert (letters.items, letters.score.value, letters.exact.value) == (1, 0.25, 0.25)
    assert letters.score.low is None
    assert found["aircop/text"].random.score.reason == NO_BASELINE
    assert found["aircop/box"].random.score.reason == UNKNOWN_BASELINE
    assert found["aircop/pairs"].random.score.reason == NOT_ANSWERED
    assert found["aircop/pairs"].people.score.reason == NOT_ANSWERED
    # All that is known: one of four.
    assert found[ALL_TASKS].random.items == 1


def test_box_when_the_size_of_its_image_is_known_then_has_a_random_baseline(session: Session) -> None:
    medium = Medium(id="m", name="m.jpg", width_px=400, height_px=300)
    item = an_item(
        id="b2", name="B2", task="box", answer_format="bbox", answer_key="[1, 2, 300, 240]", media=("m",)
    )
    write(session, created("medium", medium), created("item", item))
    session.execute(AssignRecords(entity="item", role="reference", pairs=(("b2", "ann"),))).result()
    answer(session, ("b2", "ann", "[1, 2, 300, 240]"))
    random = measured(session)["aircop/box"].random
    assert random.exact.value is not None
    assert 0 < random.exact.value < 0.5


def test_answer_when_its_item_has_changed_then_is_counted_as_outdated(session: Session) -> None:
    answer(session, ("l0", "ann", "A"), ("l1", "ann", "A"))
    session.execute(SetQuestion(item="l0", text="Which one?")).result()
    letters = measured(session)["aircop/letters"]
    assert (letters.outdated, letters.people.answers) == (1, 1)
    answer(session, ("l0", "ann", "B"))
    assert measured(session)["aircop/letters"].people.score.value == pytest.approx(0.5)


def test_answer_when_the_person_worked_on_the_item_before_then_does_not_count(session: Session) -> None:
    pairs = (("l0", BEN.id), ("l1", BEN.id))
    session.execute(AssignRecords(entity="item", role="reference", pairs=pairs, people=(BEN,))).result()
    session.use_actor(BEN)
    session.execute(SetQuestion(item="l0", text="Which one?")).result()
    answer(session, ("l0", BEN.id, "A"), ("l1", BEN.id, "A"))
    # What comes after the answer takes nothing from it; the key is no part of what was shown.
    write(session, *changed("item", "l1", answer_key="B"))
    letters = measured(session)["aircop/letters"]
    assert (letters.not_independent, letters.people.answers) == (1, 1)
    assert letters.people.score.value == 0.0


def test_answer_when_the_person_was_shown_the_key_of_an_earlier_form_then_does_not_count(
    session: Session,
) -> None:
    given = GivenAnswer(item="l0", person="ann", answer="A", is_key_shown=True)
    session.execute(AddResponses(answers=(given,))).result()
    (first,) = session.reader.find(Response, item="l0")
    # As another workstation records it, which has not received the first answer.
    session.execute(SetQuestion(item="l0", text="Which one?")).result()
    shown = prompt_digest(session.reader.require(Item, "l0"))
    second = msgspec.structs.replace(first, id="second", shown=shown, is_key_shown=False)
    write(session, created("response", second))
    letters = measured(session)["aircop/letters"]
    assert (letters.outdated, letters.not_independent, letters.people.answers) == (1, 1, 0)


def test_answers_when_not_of_the_sample_then_do_not_count(session: Session) -> None:
    answer(session, ("l0", "somebody else", "A"))
    assert measured(session)["aircop/letters"].people.items == 0


def test_models_when_asked_with_images_then_are_scored_on_the_items_that_people_answered(
    session: Session,
) -> None:
    answer(session, ("l0", "ann", "A"), ("l1", "ann", "A"))
    _predicted(session, "old", {"l0": ("answer", "B"), "l1": ("answer", "B")}, model="m1")
    new = _predicted(
        session, "new", {"l0": ("answer", "A"), "l1": ("unparsed", ""), "l2": ("answer", "B")}, model="m1"
    )
    _predicted(session, "blind", {"l0": ("answer", "A")}, model="m2", kind="blind")
    models = measured(session)["aircop/letters"].models
    assert set(models) == {"m1"}
    assert (models["m1"].items, models["m1"].answers, models["m1"].unparsed) == (2, 2, 1)
    assert models["m1"].score.value == pytest.approx(0.5)
    # The same answers are right for the human reference and for the report of the run.
    judged = collect_predictions(session.reader, new, progress=Progress(), only={"l0"})
    assert [one.is_right for entry in judged for one in entry.predictions] == [True]


def test_models_when_evaluated_then_the_newest_run_with_all_images_counts(session: Session) -> None:
    answer(session, ("l0", "ann", "A"), ("l1", "ann", "A"))
    _predicted(session, "old", {"l0": ("answer", "B")}, model="m1")
    _predicted(session, "new", {"l0": ("answer", "A")}, model="m1", kind="evaluation")
    fewer = {"given": {"variants": [{"kind": "images", "most": 1}]}}
    _predicted(session, "few", {"l0": ("answer", "B")}, model="m1", kind="evaluation", settings=fewer)
    models = measured(session)["aircop/letters"].models
    assert models["m1"].score.value == pytest.approx(1.0)


def test_report_when_there_is_no_sample_then_is_empty(tmp_path: Path) -> None:
    with Session.create(tmp_path / "q.vantage") as session:
        assert measure_reference(session.reader) == []


def _predicted(
    session: Session,
    run_id: str,
    rows: dict[str, tuple[str, str]],
    *,
    model: str,
    kind: str = "consensus",
    settings: dict[str, Any] | None = None,
) -> Run:
    """Add a run of one model; ids of runs rise with their number."""
    run = Run(
        id=f"{len(session.reader.runs.all()):032d}",
        kind=kind,  # type: ignore[arg-type]
        models=(model,),
        settings=settings or {},
    )
    jobs = [
        JobPlan(
            request_key=hashlib.sha256(f"{run_id}{target}".encode()).digest(),
            model=model,
            target=target,
            spec={"shown": prompt_digest(session.reader.require(Item, target))},
        )
        for target in rows
    ]
    queue = WorkQueue.open(session.path)
    queue.runs.plan(run, jobs, progress=Progress())
    targets = {job.request_key: job.target for job in jobs}
    for claim in queue.claim("w", run=run.id, model=model, count=len(jobs), now=NOW):
        target = targets[claim.request_key]
        found, text = rows[target]
        prediction = Prediction(
            request_key=claim.request_key.hex(),
            kind=found,
            target=target,
            answer=text,
            run=run.id,  # type: ignore[arg-type]
        )
        queue.mark_sent([claim], [b"?"])
        queue.record([JobOutcome(claim=claim, prediction=prediction)], now=NOW)
    queue.close()
    return run
