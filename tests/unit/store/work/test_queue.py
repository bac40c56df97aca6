"""The queue: claims, fences, outcomes, money, what builds on what."""

from __future__ import annotations

import hashlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from annotator.domain.run import Prediction, Run
from annotator.domain.work import WORKER_ENDED, CallFailure, Claim, JobOutcome, JobPlan, RunCost
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.store.work.queue import DEATHS, WorkQueue

NOW = 1_800_000_000.0
RUN = Run(id="r1", kind="blind", models=("m",))


@pytest.fixture
def queue(session: Session) -> Iterator[WorkQueue]:
    opened = WorkQueue.open(session.path)
    yield opened
    opened.close()


@pytest.fixture
def reader(session: Session) -> Reader:
    return session.reader


def key(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def plans(*names: str, worst: int = 0, model: str = "m") -> list[JobPlan]:
    return [
        JobPlan(request_key=key(name), model=model, target=name, spec={"q": name}, worst_micro=worst)
        for name in names
    ]


def entered(queue: WorkQueue, jobs: Sequence[JobPlan], run: Run = RUN) -> None:
    queue.runs.plan(run, jobs, progress=Progress())


def claimed(
    queue: WorkQueue, *, count: int = 10, run: str = "r1", now: float = NOW, worker: str = "w"
) -> list[Claim]:
    return queue.claim(worker, run=run, model="m", count=count, now=now)


def answer(claim: Claim, *, text: str = "A", cost: int = 0) -> JobOutcome:
    prediction = Prediction(
        request_key=claim.request_key.hex(), kind="answer", target=claim.target, answer=text, run=claim.run
    )
    return JobOutcome(claim=claim, prediction=prediction, raw=b'{"text": "A"}', cost_micro=cost)


def failure(claim: Claim, *, retry_at: float | None, kind: str = "server", cost: int = 0) -> JobOutcome:
    prediction = (
        Prediction(request_key=claim.request_key.hex(), kind="error", target=claim.target, message="500")
        if retry_at is None
        else None
    )
    return JobOutcome(
        claim=claim,
        prediction=prediction,
        failure=CallFailure(kind=kind, message="500", retry_at=retry_at),
        cost_micro=cost,
    )


def answered(queue: WorkQueue, claims: Sequence[Claim], *, now: float = NOW) -> None:
    queue.mark_sent(claims, [b"?"] * len(claims))
    assert all(queue.record([answer(claim) for claim in claims], now=now))


def test_claim_when_jobs_wait_then_gives_them_in_their_order_once(queue: WorkQueue) -> None:
    entered(queue, plans("a", "b", "c"))
    assert [claim.target for claim in claimed(queue, count=2)] == ["a", "b"]
    assert [claim.target for claim in claimed(queue, count=2)] == ["c"]
    assert claimed(queue) == []


def test_claim_when_another_model_is_meant_then_gives_nothing(queue: WorkQueue) -> None:
    entered(queue, plans("a", model="other"))
    assert claimed(queue) == []


def test_record_when_answered_then_keeps_request_reply_prediction_and_ends_the_run(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a"))
    (claim,) = claimed(queue)
    queue.mark_sent([claim], [b"what is a?"])
    assert queue.record([answer(claim)], now=NOW) == [True]
    (prediction,) = reader.runs.predictions("r1")
    assert (prediction.kind, prediction.answer, prediction.request_key) == ("answer", "A", key("a").hex())
    (attempt,) = reader.runs.attempts_of(key("a"))
    assert attempt.state == "answered"
    assert reader.runs.request_of(attempt.fence) == b"what is a?"
    assert reader.runs.reply_of(attempt.fence) == b'{"text": "A"}'
    run = reader.runs.get("r1")
    assert run is not None
    assert run.state == "done"
    assert run.ended_at


def test_record_when_another_has_sent_the_job_too_then_the_first_answer_counts_and_both_are_paid(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a", worst=70))
    (old,) = claimed(queue, worker="asleep")
    queue.mark_sent([old], [b"?"])
    assert queue.expire(now=NOW + 1000).unsure == 1
    (new,) = claimed(queue, now=NOW + 1000)
    queue.mark_sent([new], [b"?"])
    assert queue.record([answer(old, text="B", cost=30)], now=NOW + 1000) == [True]
    assert queue.record([answer(new, text="A", cost=40)], now=NOW + 1000) == [True]
    assert [prediction.answer for prediction in reader.runs.predictions("r1")] == ["B"]
    assert [attempt.state for attempt in reader.runs.attempts_of(key("a"))] == ["answered", "answered"]
    progress = reader.runs.progress("r1")
    assert (progress.spent_micro, progress.reserved_micro, progress.done) == (70, 0, 1)
    assert reader.runs.cost("r1") == RunCost(counted_micro=70)


def test_cost_when_answers_have_no_token_counts_and_calls_are_lost_then_both_stand_apart(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a", "b", "c", "d", worst=70))
    counted, equal, uncounted, lost = claimed(queue)
    outcomes = [answer(counted, cost=30), answer(equal, cost=70)]
    known = [
        msgspec.structs.replace(
            outcome, prediction=msgspec.structs.replace(outcome.prediction, prompt_tokens=9)
        )
        for outcome in outcomes
    ]
    queue.record(
        [*known, answer(uncounted, cost=70), failure(lost, retry_at=None, kind="cut", cost=70)], now=NOW
    )
    assert reader.runs.cost("r1") == RunCost(counted_micro=100, uncounted_micro=70, lost_micro=70)
    assert reader.runs.cost("other") == RunCost()


def test_record_when_the_second_call_of_an_answered_job_fails_then_the_job_is_answered(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a"))
    (old,) = claimed(queue, worker="asleep")
    queue.mark_sent([old], [b"?"])
    queue.expire(now=NOW + 1000)
    (new,) = claimed(queue, now=NOW + 1000)
    queue.mark_sent([new], [b"?"])
    queue.record([answer(old, text="B")], now=NOW)
    queue.record([failure(new, retry_at=None)], now=NOW)
    assert [prediction.answer for prediction in reader.runs.predictions("r1")] == ["B"]
    assert reader.runs.progress("r1").done == 1


def test_record_when_the_job_still_waits_then_the_late_answer_ends_it_at_its_own_cost(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a", worst=70))
    (claim,) = claimed(queue, worker="asleep")
    queue.mark_sent([claim], [b"?"])
    queue.expire(now=NOW + 1000)
    assert queue.record([answer(claim, cost=30)], now=NOW + 100_000) == [True]
    progress = reader.runs.progress("r1")
    assert (progress.spent_micro, progress.reserved_micro, progress.done) == (30, 0, 1)
    # On the day on which the maximum was counted.
    assert reader.runs.spending() == {"2027-01-15": 30}
    assert claimed(queue, now=NOW + 100_000) == []
    assert reader.runs.get("r1").state == "done"  # type: ignore[union-attr]


def test_record_when_another_has_only_claimed_the_job_then_it_is_not_sent_again(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a", worst=70))
    (old,) = claimed(queue, worker="asleep")
    queue.mark_sent([old], [b"?"])
    queue.expire(now=NOW + 1000)
    (new,) = claimed(queue, now=NOW + 1000)
    queue.record([answer(old, cost=30)], now=NOW + 1000)
    assert queue.mark_sent([new], [b"?"]) == [False]
    progress = reader.runs.progress("r1")
    assert (progress.spent_micro, progress.reserved_micro, progress.done) == (30, 0, 1)


def test_record_when_a_failure_comes_late_then_it_changes_only_what_was_spent(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a", worst=70))
    (old,) = claimed(queue, worker="asleep")
    queue.mark_sent([old], [b"?"])
    queue.expire(now=NOW + 1000)
    assert queue.record([failure(old, retry_at=None)], now=NOW) == [False]
    assert [attempt.state for attempt in reader.runs.attempts_of(key("a"))] == ["late"]
    progress = reader.runs.progress("r1")
    assert (progress.waiting, progress.spent_micro) == (1, 0)


def test_record_when_an_outcome_was_recorded_before_then_it_changes_nothing(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a", worst=70))
    (claim,) = claimed(queue)
    queue.mark_sent([claim], [b"?"])
    for _ in range(2):
        assert queue.record([answer(claim, cost=30)], now=NOW) == [True]
    assert [attempt.state for attempt in reader.runs.attempts_of(key("a"))] == ["answered"]
    assert reader.runs.progress("r1").spent_micro == 30


def test_heartbeat_when_the_worker_was_thought_dead_then_its_calls_are_its_own_again(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a", "b", worst=70))
    sent, unsent = claimed(queue, worker="asleep")
    queue.mark_sent([sent], [b"?"])
    queue.expire(now=NOW + 1000)
    queue.heartbeat([sent, unsent], now=NOW + 1000)
    progress = reader.runs.progress("r1")
    assert (progress.spent_micro, progress.reserved_micro, progress.in_flight) == (0, 70, 1)
    assert [claim.target for claim in claimed(queue, now=NOW + 1000)] == ["b"]
    queue.record([answer(sent, cost=30)], now=NOW + 1000)
    assert reader.runs.progress("r1").spent_micro == 30


def test_sent_when_the_claim_is_lost_then_says_not_to_call(queue: WorkQueue) -> None:
    entered(queue, plans("a"))
    (old,) = claimed(queue)
    queue.expire(now=NOW + 1000)
    (new,) = claimed(queue, now=NOW + 1000)
    assert queue.mark_sent([old, new], [b"?", b"?"]) == [False, True]


def test_expire_when_not_sent_then_the_job_waits_and_nothing_is_spent(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a", worst=70))
    claimed(queue)
    assert reader.runs.progress("r1").reserved_micro == 70
    expired = queue.expire(now=NOW + 1000)
    assert (expired.back, expired.unsure) == (1, 0)
    progress = reader.runs.progress("r1")
    assert (progress.waiting, progress.reserved_micro, progress.spent_micro) == (1, 0, 0)


def test_expire_when_sent_then_the_worst_cost_counts_as_spent(queue: WorkQueue, reader: Reader) -> None:
    entered(queue, plans("a", worst=70))
    claim = claimed(queue)
    queue.mark_sent(claim, [b"?"])
    queue.expire(now=NOW + 1000)
    assert reader.runs.progress("r1").spent_micro == 70
    assert reader.runs.spending() == {"2027-01-15": 70}


def test_expire_when_sent_then_is_asked_again_behind_the_others(queue: WorkQueue) -> None:
    entered(queue, plans("a", "b", "c"))
    (first,) = claimed(queue, count=1)
    queue.mark_sent([first], [b"?"])
    queue.expire(now=NOW + 1000)
    assert [claim.target for claim in claimed(queue, now=NOW + 1000)] == ["b", "c", "a"]


def test_expire_when_workers_keep_dying_of_a_job_then_it_is_given_up_and_the_run_ends(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a"))
    for death in range(1, DEATHS + 1):
        (claim,) = claimed(queue, now=NOW + 1000 * death)
        queue.mark_sent([claim], [b"?"])
        expired = queue.expire(now=NOW + 1000 * death + 999)
        assert expired.given_up == (death == DEATHS)
    (prediction,) = reader.runs.predictions("r1")
    assert (prediction.kind, prediction.message) == (
        "error",
        "8 workers terminated while processing this job.",
    )
    run = reader.runs.get("r1")
    assert run is not None
    assert run.state == "done"


def test_claim_when_given_back_or_never_sent_then_it_was_no_try(queue: WorkQueue) -> None:
    entered(queue, plans("a"))
    queue.release_claims(claimed(queue), now=NOW)
    claimed(queue)
    queue.expire(now=NOW + 1000)
    (again,) = claimed(queue, now=NOW + 1000)
    assert again.attempts == 0


def test_record_when_the_job_is_not_to_blame_then_it_was_no_try(queue: WorkQueue) -> None:
    entered(queue, plans("a"))
    (claim,) = claimed(queue)
    queue.mark_sent([claim], [b"?"])
    blameless = CallFailure(kind="key", message="401", retry_at=NOW, is_counted=False)
    queue.record([JobOutcome(claim=claim, failure=blameless)], now=NOW)
    assert [one.attempts for one in claimed(queue)] == [0]


def test_retry_failed_when_asked_then_a_job_has_all_its_tries_again(queue: WorkQueue) -> None:
    entered(queue, plans("a"))
    (claim,) = claimed(queue)
    queue.mark_sent([claim], [b"?"])
    queue.record([failure(claim, retry_at=None)], now=NOW)
    queue.runs.retry_failed("r1")
    assert [one.attempts for one in claimed(queue)] == [0]


def test_claim_when_two_jobs_of_a_run_have_one_key_then_it_is_asked_once(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, [*plans("a"), *plans("a")])
    claims = claimed(queue)
    assert len(claims) == 1
    answered(queue, claims)
    assert claimed(queue, now=NOW + 5) == []
    assert reader.runs.progress("r1", now=NOW).done == 2


def test_halt_when_a_run_goes_on_then_it_stops_with_words_and_resume_takes_it_up(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a"))
    assert queue.running() == {"r1"}
    with queue.transaction():
        queue.stop_run("r1", "The key is not accepted.")
    run = reader.runs.get("r1")
    assert run is not None
    assert (run.state, run.message) == ("stopped", "The key is not accepted.")
    assert queue.running() == set()
    assert claimed(queue) == []
    queue.runs.resume("r1")
    assert len(claimed(queue)) == 1


def test_checkpoint_when_a_plan_was_entered_then_the_file_holds_it(
    queue: WorkQueue, session: Session
) -> None:
    before = session.path.stat().st_size
    entered(queue, plans(*(f"{n}" for n in range(2_000))))
    queue.checkpoint()
    assert session.path.stat().st_size > before


def test_beat_when_told_then_the_claim_holds_longer(queue: WorkQueue) -> None:
    entered(queue, plans("a"))
    claims = claimed(queue)
    queue.heartbeat(claims, now=NOW + 50)
    assert queue.expire(now=NOW + 100).back == 0
    assert queue.expire(now=NOW + 200).back == 1


def test_give_back_when_not_sent_then_the_next_claim_has_it_and_money_is_free(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a", worst=70))
    queue.release_claims(claimed(queue), now=NOW)
    assert reader.runs.progress("r1").reserved_micro == 0
    assert [claim.target for claim in claimed(queue)] == ["a"]


def test_cost_when_calls_failed_or_were_lost_then_that_of_the_answers_is_known_apart(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a", "b", "c", worst=70))
    first, second, _lost = claims = claimed(queue)
    queue.mark_sent(claims, [b"?"] * 3)
    queue.record([answer(first, cost=9), failure(second, retry_at=None, kind="cut", cost=70)], now=NOW)
    queue.expire(now=NOW + 10_000)
    assert reader.runs.progress("r1").spent_micro == 9 + 70 + 70
    assert reader.runs.cost("r1") == RunCost(counted_micro=9, lost_micro=140)


def test_record_when_a_call_failed_then_waits_until_its_time_or_is_given_up(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a", "b"))
    first, second = claimed(queue)
    queue.mark_sent([first, second], [b"?", b"?"])
    queue.record([failure(first, retry_at=NOW + 30), failure(second, retry_at=None)], now=NOW)
    assert claimed(queue) == []
    progress = reader.runs.progress("r1", now=NOW)
    assert (progress.failed, progress.retried, progress.to_retry) == (1, 0, 1)
    (again,) = claimed(queue, now=NOW + 31)
    assert (again.target, again.attempts) == ("a", 1)
    progress = reader.runs.progress("r1", now=NOW)
    assert (progress.failed, progress.retried, progress.to_retry, progress.in_flight) == (1, 1, 0, 1)
    (count,) = reader.runs.failures("r1")
    # The first one is asked again.
    assert (count.kind, count.count, count.sample, count.left) == ("server", 2, "500", 1)


def test_retry_failed_when_asked_then_an_answer_takes_the_place_of_the_error(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a"))
    (claim,) = claimed(queue)
    queue.mark_sent([claim], [b"?"])
    queue.record([failure(claim, retry_at=None)], now=NOW)
    assert [prediction.kind for prediction in reader.runs.predictions("r1")] == ["error"]
    assert queue.runs.retry_failed("r1") == 1
    answered(queue, claimed(queue))
    assert [prediction.kind for prediction in reader.runs.predictions("r1")] == ["answer"]
    assert [attempt.state for attempt in reader.runs.attempts_of(key("a"))] == ["failed", "answered"]


def test_plan_when_a_key_was_answered_then_it_is_not_asked_again(queue: WorkQueue, reader: Reader) -> None:
    entered(queue, plans("a", "b"))
    answered(queue, claimed(queue))
    again = Run(id="r2", kind="blind", models=("m",))
    planned = queue.runs.plan(again, plans("a", "b", "c"), progress=Progress())
    assert (planned.jobs, planned.cached) == (3, 2)
    assert [claim.target for claim in claimed(queue, run="r2")] == ["c"]
    assert [prediction.target for prediction in reader.runs.predictions("r2")] == ["a", "b"]


def test_plan_when_only_an_error_is_known_then_asks_again(queue: WorkQueue) -> None:
    entered(queue, plans("a"))
    (claim,) = claimed(queue)
    queue.mark_sent([claim], [b"?"])
    queue.record([failure(claim, retry_at=None)], now=NOW)
    entered(queue, plans("a"), run=Run(id="r2", kind="blind"))
    assert len(claimed(queue, run="r2")) == 1


def test_claim_when_another_run_asks_the_same_then_waits_for_its_answer(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a"))
    entered(queue, plans("a"), run=Run(id="r2", kind="blind"))
    first = claimed(queue)
    assert claimed(queue, run="r2") == []
    answered(queue, first)
    assert claimed(queue, run="r2", now=NOW + 5) == []
    run = reader.runs.get("r2")
    assert run is not None
    assert run.state == "done"
    assert [prediction.answer for prediction in reader.runs.predictions("r2")] == ["A"]


def test_plan_when_stopped_then_nothing_is_entered(queue: WorkQueue, reader: Reader) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        queue.runs.plan(RUN, plans("a"), progress=progress)
    assert reader.runs.all() == []


def test_plan_when_empty_then_the_run_is_done(queue: WorkQueue, reader: Reader) -> None:
    entered(queue, [])
    assert [run.state for run in reader.runs.all()] == ["done"]


def chain() -> list[JobPlan]:
    steps = plans("one", "two", "three")
    return [
        steps[0],
        *(
            JobPlan(request_key=s.request_key, model="m", target=s.target, after=at)
            for at, s in enumerate(steps[1:])
        ),
    ]


def test_claim_when_a_job_builds_on_another_then_comes_after_its_answer(queue: WorkQueue) -> None:
    entered(queue, chain())
    (first,) = claimed(queue)
    assert (first.target, first.after_request_key) == ("one", None)
    answered(queue, [first])
    (second,) = claimed(queue)
    assert (second.target, second.after_request_key) == ("two", key("one"))


def test_record_when_a_job_is_given_up_then_so_is_what_builds_on_it(queue: WorkQueue, reader: Reader) -> None:
    entered(queue, chain())
    (first,) = claimed(queue)
    queue.mark_sent([first], [b"?"])
    queue.record([failure(first, retry_at=None)], now=NOW)
    assert reader.runs.progress("r1", now=NOW).failed == 3
    assert queue.runs.retry_failed("r1") == 3
    assert [claim.target for claim in claimed(queue)] == ["one"]


def test_claim_when_the_runs_limit_is_reached_then_stops_with_words_and_never_passes_it(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a", "b", "c", worst=40), run=Run(id="r1", kind="blind", limit_micro=100))
    claims = claimed(queue)
    assert [claim.target for claim in claims] == ["a", "b"]
    assert claimed(queue) == []
    run = reader.runs.get("r1")
    assert run is not None
    assert run.state == "running"
    queue.mark_sent(claims, [b"?", b"?"])
    queue.record([answer(claim, cost=35) for claim in claims], now=NOW)
    assert claimed(queue) == []
    run = reader.runs.get("r1")
    assert run is not None
    assert (run.state, run.message) == ("stopped", "The run's cost limit is too low for the next call.")
    assert queue._connection.execute("SELECT message FROM run").fetchall() == [("limit:run",)]
    queue.runs.limit_run("r1", 200)
    queue.runs.resume("r1")
    assert [claim.target for claim in claimed(queue)] == ["c"]


@pytest.mark.parametrize(("scope", "later", "is_free"), [("day", 86_400, True), ("project", 86_400, False)])
def test_claim_when_a_wider_limit_is_reached_then_holds_over_all_runs(
    queue: WorkQueue, scope: str, later: float, is_free: bool
) -> None:
    queue.runs.limit_all(scope, 50)
    entered(queue, plans("a", worst=40))
    claim = claimed(queue)
    queue.mark_sent(claim, [b"?"])
    queue.record([answer(claim[0], cost=30)], now=NOW)
    entered(queue, plans("b", worst=40), run=Run(id="r2", kind="blind"))
    assert claimed(queue, run="r2") == []
    queue.runs.resume("r2")
    assert bool(claimed(queue, run="r2", now=NOW + later)) is is_free


def test_pause_when_asked_then_hands_out_nothing_until_resumed(queue: WorkQueue) -> None:
    entered(queue, plans("a", "b"))
    (first,) = claimed(queue, count=1)
    queue.runs.pause("r1")
    assert claimed(queue) == []
    answered(queue, [first])
    queue.runs.resume("r1")
    assert [claim.target for claim in claimed(queue)] == ["b"]


def test_cancel_when_asked_then_what_is_in_flight_is_still_recorded(queue: WorkQueue, reader: Reader) -> None:
    entered(queue, plans("a", "b"))
    (first,) = claimed(queue, count=1)
    queue.runs.cancel("r1")
    answered(queue, [first])
    progress = reader.runs.progress("r1", now=NOW)
    assert (progress.done, progress.cancelled) == (1, 1)
    run = reader.runs.get("r1")
    assert run is not None
    assert run.state == "cancelled"


def test_run_progress_when_jobs_end_then_tells_pace_and_time_left(queue: WorkQueue, reader: Reader) -> None:
    entered(queue, plans(*(f"{n}" for n in range(30))))
    for second in range(10):
        answered(queue, claimed(queue, count=1), now=NOW + second)
    progress = reader.runs.progress("r1", now=NOW + 10)
    assert (progress.done, progress.waiting) == (10, 20)
    assert progress.per_second == pytest.approx(1.0)
    assert progress.left_s == pytest.approx(20.0)


def test_run_progress_when_one_model_is_slow_then_the_time_left_is_that_of_the_slow_one(
    queue: WorkQueue, reader: Reader
) -> None:
    run = Run(id="r1", kind="blind", models=("m", "slow"))
    quick = plans(*(f"{n}" for n in range(50)))
    slow = plans(*(f"slow {n}" for n in range(12)), model="slow")
    entered(queue, [*quick, *slow], run)
    for second in range(40):
        answered(queue, claimed(queue, count=1), now=NOW + second)
    # Of a model that has not answered yet nobody can say how long it takes.
    assert reader.runs.progress("r1", now=NOW + 40).left_s is None
    claims = queue.claim("w", run="r1", model="slow", count=3, now=NOW)
    answered(queue, claims[:1], now=NOW + 20)
    answered(queue, claims[1:2], now=NOW + 30)
    progress = reader.runs.progress("r1", now=NOW + 40)
    # 10 are open, one of them asked now, at 2 in 20 s; together it would have been 20 at 42 in 40 s.
    assert progress.left_s == pytest.approx(100.0)
    assert progress.per_second == pytest.approx(42 / 40)
    answered(queue, claimed(queue, count=10), now=NOW + 41)
    assert reader.runs.progress("r1", now=NOW + 41).left_s == pytest.approx(105.0)


def test_run_progress_when_several_models_are_through_then_nothing_is_left(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans("a"), Run(id="r1", kind="blind", models=("m", "other")))
    answered(queue, claimed(queue))
    assert reader.runs.progress("r1", now=NOW).left_s == 0.0


def test_first_failures_when_calls_fail_in_some_ways_then_gives_the_first_words_of_each_since(
    queue: WorkQueue, reader: Reader
) -> None:
    entered(queue, plans(*"abcdef"))
    claims = claimed(queue)
    began = reader.runs.newest_attempt()
    assert reader.runs.first_failures("r1", after=0) == {}
    for claim, kind in zip(claims[:4], ("server", "rate", "server", "key"), strict=True):
        queue.record([failure(claim, retry_at=NOW, kind=kind)], now=NOW)
    assert set(reader.runs.first_failures("r1", after=0)) == {"server", "rate", "key"}
    assert reader.runs.first_failures("r1", after=claims[1].fence).keys() == {"server", "key"}
    assert reader.runs.first_failures("r1", after=began) == {}
    assert reader.runs.first_failures("r2", after=0) == {}


def test_tell_worker_when_told_twice_then_keeps_when_it_began(queue: WorkQueue, reader: Reader) -> None:
    for second in (0, 5):
        queue.record_worker("w", pid=7, host="h", now=NOW + second, status="works")
    (worker,) = reader.runs.workers()
    assert (worker.started_at, worker.heartbeat_at) == (NOW, NOW + 5)


@pytest.mark.parametrize("step", ["pause", "resume", "cancel"])
def test_run_when_it_is_not_known_then_says_so(queue: WorkQueue, step: str) -> None:
    with pytest.raises(UserError, match="run does not exist"):
        getattr(queue.runs, step)("nobody")


def test_work_stamp_when_somebody_else_writes_then_is_another(queue: WorkQueue, reader: Reader) -> None:
    before = reader.runs.work_stamp()
    assert reader.runs.work_stamp() == before
    entered(queue, plans("a"))
    assert reader.runs.work_stamp() != before


def test_plan_when_there_are_more_than_a_batch_then_all_are_there(queue: WorkQueue, reader: Reader) -> None:
    entered(queue, plans(*(f"{n}" for n in range(12_001))))
    assert reader.runs.progress("r1").waiting == 12_001


def test_open_when_there_is_no_project_then_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        WorkQueue.open(tmp_path / "none.vantage")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot test whether a process exists")
def test_worker_when_its_process_was_killed_then_is_not_at_work_any_more(
    queue: WorkQueue, reader: Reader
) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        for worker, host in (("here", socket.gethostname()), ("there", "another machine")):
            queue.record_worker(worker, pid=process.pid, host=host, now=time.time(), status="works")
        assert {one.id: one.status for one in reader.runs.workers()} == {"here": "works", "there": "works"}
        process.kill()
    assert {one.id: one.status for one in reader.runs.workers()} == {"here": WORKER_ENDED, "there": "works"}
    assert reader.runs.has_worker()
    queue.record_worker(
        "there", pid=process.pid, host="another machine", now=time.time(), status=WORKER_ENDED
    )
    assert not reader.runs.has_worker()


def test_worker_when_its_heartbeat_is_of_a_wrong_clock_then_is_not_at_work(
    queue: WorkQueue, reader: Reader
) -> None:
    queue.record_worker("there", pid=1, host="another machine", now=time.time() + 1e8, status="works")
    assert not reader.runs.has_worker()
