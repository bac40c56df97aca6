"""The list of a run's jobs: selections, pages, pace."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest

from annotator.domain.item import Item
from annotator.domain.run import Prediction, Run
from annotator.domain.work import CallFailure, JobOutcome, JobPlan, JobQuery
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from tests.unit.store.making import changed, created, write

NOW = 1_800_000_000.0
RUN = Run(id="r1", kind="blind", models=("one", "two"))


@pytest.fixture
def queue(session: Session) -> Iterator[WorkQueue]:
    for name in ("a", "b"):
        write(session, created("item", Item(id=name, name=f"Item {name.upper()}", task_set="t", task="t")))
    opened = WorkQueue.open(session.path)
    jobs = [
        JobPlan(
            request_key=hashlib.sha256(f"{model}{target}".encode()).digest(),
            model=model,
            target=target,
            spec={"of": model},
        )
        for target in ("a", "b", "set")
        for model in RUN.models
    ]
    opened.runs.plan(RUN, jobs, progress=Progress())
    yield opened
    opened.close()


def answer(queue: WorkQueue, *, model: str, count: int, now: float = NOW, kind: str = "answer") -> None:
    claims = queue.claim("w", run="r1", model=model, count=count, now=now)
    queue.mark_sent(claims, [b"?"] * len(claims))
    outcomes = [
        JobOutcome(
            claim=claim,
            prediction=Prediction(
                request_key=claim.request_key.hex(), kind=kind, target=claim.target, run="r1"
            ),  # type: ignore[arg-type]
            failure=None if kind == "answer" else CallFailure(kind=kind, message="what?"),
        )
        for claim in claims
    ]
    queue.record(outcomes, now=now)


def test_numbers_when_nothing_is_filtered_then_are_all_in_order(session: Session, queue: WorkQueue) -> None:
    numbers = session.reader.runs.job_numbers(JobQuery(run="r1"))
    assert len(numbers) == 6
    assert numbers == sorted(numbers)
    assert session.reader.runs.job_numbers(JobQuery(run="another")) == []


def test_numbers_when_filtered_then_are_those_of_the_selection(session: Session, queue: WorkQueue) -> None:
    answer(queue, model="one", count=2)
    answer(queue, model="one", count=1, kind="unparsed")
    reader = session.reader

    def told(**query: object) -> list[tuple[str, str]]:
        numbers = reader.runs.job_numbers(JobQuery(run="r1", **query))  # type: ignore[arg-type]
        return [(job.model, job.target) for job in reader.runs.jobs_at(numbers)]

    assert told(kinds=("answer",)) == [("one", "a"), ("one", "b")]
    assert told(kinds=("unparsed", "waiting"), models=("one",)) == [("one", "set")]
    assert told(models=("two",)) == [("two", "a"), ("two", "b"), ("two", "set")]
    assert told(text="item b") == [("one", "b"), ("two", "b")]
    write(session, *changed("item", "b", name="Öde B"))
    assert told(text="Öde b") == [("one", "b"), ("two", "b")]
    assert reader.runs.item_names(["a", "b"], text="Öde") == {"b": "Öde B"}


def test_jobs_when_asked_for_then_have_names_and_predictions(session: Session, queue: WorkQueue) -> None:
    answer(queue, model="one", count=1)
    first, _second, *_rest, last = session.reader.runs.jobs_at(
        session.reader.runs.job_numbers(JobQuery(run="r1"))
    )
    assert (first.name, first.state, first.spec) == ("Item A", "done", {"of": "one"})
    assert first.prediction is not None
    assert first.prediction.request_key == first.request_key.hex()
    assert (last.name, last.target, last.prediction) == ("", "set", None)
    assert session.reader.runs.jobs_at([first.number, 10**9]) == [first]


def test_pace_when_answers_came_then_counts_them_by_their_time(session: Session, queue: WorkQueue) -> None:
    assert session.reader.runs.pace("r1").counts == ()
    answer(queue, model="one", count=2)
    answer(queue, model="one", count=1, now=NOW + 10)
    pace = session.reader.runs.pace("r1")
    assert (pace.began_at, pace.step_s) == (NOW, 1.0)
    assert pace.counts == (2, *[0] * 9, 1)


def test_pace_when_requests_failed_then_counts_only_answers(session: Session, queue: WorkQueue) -> None:
    answer(queue, model="one", count=1)
    answer(queue, model="two", count=2, kind="error")
    assert session.reader.runs.progress("r1").failed == 2
    assert session.reader.runs.pace("r1").counts == (1,)


def test_pace_when_a_run_was_long_then_has_a_bounded_number_of_steps(
    session: Session, queue: WorkQueue
) -> None:
    answer(queue, model="one", count=1)
    answer(queue, model="two", count=1, now=NOW + 100_000)
    pace = session.reader.runs.pace("r1")
    assert len(pace.counts) == 121
    assert sum(pace.counts) == 2
