"""When a call is made again, and how fast a model is asked."""

from __future__ import annotations

import random
from typing import Any

import pytest

from annotator.jobs.rate_limiter import RateLimiter
from annotator.jobs.retry import MOST_S, halt_message, retry_after_s
from annotator.model_api import CallFailed


def wait(attempts: int, *, tries: int = 20, seed: int = 1, **changes: Any) -> float | None:
    error = CallFailed("x", **{"kind": "server", "is_retryable": True, **changes})
    return retry_after_s(error, attempts=attempts, tries=tries, chance=random.Random(seed))


@pytest.mark.parametrize(("attempts", "bound"), [(1, 2.0), (3, 8.0), (10, MOST_S), (19, MOST_S)])
def test_retry_when_it_fails_again_then_waits_any_time_up_to_a_bound_that_doubles(
    attempts: int, bound: float
) -> None:
    waits = [wait(attempts, seed=seed) for seed in range(300)]
    assert all(one is not None and 0 <= one <= bound for one in waits)
    assert max(waits) > 0.9 * bound  # type: ignore[type-var]
    assert min(waits) < 0.1 * bound  # type: ignore[type-var]


def test_retry_when_the_server_says_when_then_that_wins() -> None:
    assert wait(1, retry_after_s=30.0) == 30.0
    assert wait(1, retry_after_s=-5.0) == 0.0
    assert wait(1, retry_after_s=3_601.0) is None


def test_halt_message_when_the_server_says_when_then_names_the_time_and_any_other_failure_only_itself() -> (
    None
):
    late = CallFailed("Quota used.", kind="rate", is_retryable=True, retry_after_s=7_200.0)
    assert halt_message(late, now=1_800_000_000.0) == (
        "Quota used. The server accepts no request before 2027-01-15 10:00 UTC. Resume the run then."
    )
    never = CallFailed("Quota used.", kind="rate", is_retryable=True, retry_after_s=1e30)
    assert "9999-12-31" in halt_message(never, now=1_800_000_000.0)
    other = CallFailed("No key.", kind="key", is_retryable=False, retry_after_s=7_200.0)
    assert halt_message(other, now=0.0) == "No key."


def test_retry_when_of_no_use_then_none() -> None:
    assert wait(1, is_retryable=False) is None
    assert wait(6, tries=6) is None


def test_pace_when_requests_are_counted_then_a_second_of_them_goes_at_once_and_the_rest_evenly() -> None:
    pace = RateLimiter(requests_per_minute=120, tokens_per_minute=0, now=0.0)
    assert [pace.acquire(tokens=0, now=0.0) for _ in range(3)] == [True, True, False]
    assert pace.wait_s(tokens=0, now=0.0) == pytest.approx(0.5)
    assert not pace.acquire(tokens=0, now=0.49)
    assert pace.acquire(tokens=0, now=0.5)


def test_pace_when_a_call_is_larger_than_a_seconds_tokens_then_goes_and_leaves_a_debt() -> None:
    pace = RateLimiter(requests_per_minute=0, tokens_per_minute=600, now=0.0)
    assert pace.acquire(tokens=100, now=0.0)
    assert pace.wait_s(tokens=1, now=0.0) == pytest.approx(9.1)


def test_pace_when_closed_then_nothing_goes_until_then() -> None:
    pace = RateLimiter(requests_per_minute=0, tokens_per_minute=0, now=0.0)
    pace.close_until(7.0)
    pace.close_until(3.0)
    assert not pace.acquire(tokens=0, now=6.9)
    assert pace.wait_s(tokens=0, now=5.0) == pytest.approx(2.0)
    assert pace.acquire(tokens=0, now=7.0)


def test_pace_over_ten_minutes_then_is_never_passed() -> None:
    pace, now, times = RateLimiter(requests_per_minute=90, tokens_per_minute=0, now=0.0), 0.0, []
    chance = random.Random(5)
    while now < 600:
        if pace.acquire(tokens=0, now=now):
            times.append(now)
        now += chance.uniform(0, 0.3)
    assert max(sum(t <= one < t + 60 for one in times) for t in times) <= 91.5
    assert len(times) > 800
