"""The books of one model: what may go, in which batches, how far ahead."""

from __future__ import annotations

from typing import Any

from annotator.domain.work import Claim
from annotator.jobs.calls import ModelCall
from annotator.jobs.job_type import JobType
from annotator.jobs.model_scheduler import READY_LEAST, ModelScheduler
from annotator.model_api import ChatRequest
from tests.unit.jobs.working import DOUBLE, ECHO, profile

NOW = 1_800_000_000.0


class NoCalls:
    def make(self, task: ModelCall) -> None:
        raise AssertionError

    cancel = close = make  # type: ignore[assignment]


def counter(**changes: Any) -> ModelScheduler:
    return ModelScheduler(profile=profile(**changes), calls=NoCalls(), now=NOW)  # type: ignore[arg-type]


def task(job: int, *, kind: JobType = ECHO, run: str = "r", fence: int = 0, text: str = "?") -> ModelCall:
    claim = Claim(
        job=job,
        fence=fence or job,
        run=run,
        kind="blind",
        request_key=b"k",
        model="m",
        target=f"{job}",
        spec={},
        worst_micro=0,
        attempts=0,
    )
    return ModelCall(kind=kind, claims=(claim,), materials=(ChatRequest(text=text),), bodies=(b"?",))


def ready(one: ModelScheduler, *tasks: ModelCall) -> None:
    for made in tasks:
        one.add(made.claims[0])
        assert one.mark_built(made.claims[0])
        one.is_ready(made)


def jobs_of(tasks: list[ModelCall]) -> list[list[int]]:
    return [[claim.job for claim in made.claims] for made in tasks]


def test_due_when_calls_are_slow_then_hardly_any_go_ahead() -> None:
    one = counter(in_flight=4)
    for number in range(60):
        ready(one, task(number))
        (made,) = one.due(now=NOW)
        one.finish(made, now=NOW, took_s=2.0)
    ready(one, *(task(number) for number in range(60, 80)))
    assert len(one.due(now=NOW)) == 5
    assert one.wait_s(now=NOW) > 1
    assert one.free_slots == READY_LEAST + 5 - 20


def test_due_when_calls_are_quick_then_more_go_ahead() -> None:
    one = counter(in_flight=4)
    for number in range(60):
        ready(one, task(number))
        (made,) = one.due(now=NOW)
        one.finish(made, now=NOW, took_s=0.02)
    ready(one, *(task(number) for number in range(60, 100)))
    assert 4 + 9 < len(one.due(now=NOW)) <= 4 + 14


def test_due_when_calls_are_paid_for_then_none_goes_ahead() -> None:
    one = counter(in_flight=4, price_in=1.0)
    ready(one, *(task(number) for number in range(20)))
    assert len(one.due(now=NOW)) == 4


def test_due_when_a_model_takes_several_then_an_idle_thread_gets_what_is_there() -> None:
    one = counter(in_flight=1, options={"batch": 4})
    ready(one, task(1, kind=DOUBLE), task(2, kind=DOUBLE))
    assert jobs_of(one.due(now=NOW)) == [[1, 2]]
    ready(one, task(3, kind=DOUBLE))
    # The thread is at work: what comes ahead of it waits until it is a full batch.
    assert one.due(now=NOW) == []
    ready(one, *(task(number, kind=DOUBLE) for number in (4, 5, 6, 7)))
    assert jobs_of(one.due(now=NOW)) == [[3, 4, 5, 6]]


def test_put_back_when_commits_fail_again_and_again_then_no_call_is_larger_than_a_batch() -> None:
    one = counter(in_flight=1, options={"batch": 4})
    ready(one, *(task(number, kind=DOUBLE) for number in range(1, 13)))
    held = one.held
    for _ in range(3):
        made = one.due(now=NOW)
        assert jobs_of(made) == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]][: len(made)]
        for call in reversed(made):
            one.put_back(call)
        assert one.held == held


def test_due_when_runs_differ_then_no_call_mixes_them() -> None:
    one = counter(in_flight=2, options={"batch": 4})
    ready(one, task(1, kind=DOUBLE), task(2, kind=DOUBLE, run="s"), task(3, kind=DOUBLE, run="s"))
    assert jobs_of(one.due(now=NOW)) == [[1], [2, 3]]


def test_let_go_when_a_run_does_not_go_on_then_its_claims_come_out_and_late_material_is_dropped() -> None:
    one = counter()
    ready(one, task(1), task(2, run="s"))
    one.add(task(3).claims[0])
    assert [claim.job for claim in one.release(running={"s"})] == [3, 1]
    assert not one.mark_built(task(3).claims[0])
    assert one.held == 1
    # Claimed anew: material that was made for the old claim is not taken for the new one's.
    one.add(task(3, fence=9).claims[0])
    assert not one.mark_built(task(3).claims[0])
    assert one.mark_built(task(3, fence=9).claims[0])


def test_put_back_when_a_turn_failed_then_the_next_has_the_call_first() -> None:
    one = counter(in_flight=1)
    ready(one, task(1), task(2))
    made = one.due(now=NOW)
    for each in reversed(made):
        one.put_back(each)
    assert not one.out
    assert jobs_of(one.due(now=NOW)) == jobs_of(made)


def test_due_when_tokens_are_paced_then_long_questions_wait() -> None:
    one = counter(tokens_per_minute=60_000, in_flight=8, max_tokens=100)
    ready(one, *(task(number, text="x" * 3_500) for number in range(3)))
    assert len(one.due(now=NOW)) == 1
    assert 0.5 < one.wait_s(now=NOW) < 2
    assert len(one.due(now=NOW + 2)) == 1
