"""When a call that failed is made again: with full jitter, or when the server says.

Also, whether a failed call may be billed.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime

from annotator.errors import VantageError
from annotator.model_api import CallFailed

BASE_S, MOST_S = 1.0, 60.0
RETRIED_ONCE = frozenset({"cut", "format"})
"""Replies that are cut, or a web page: each may be billed, and a second one is no accident."""
MAY_HAVE_COST = frozenset({"timeout", "cut", "connection", "format", "too_large", "cluster"})
"""Failures behind which the server may have made an answer, and bills it."""
LATEST_S = 253_402_300_799.0
"""The end of the year 9999, in seconds since 1970."""
LONGEST_WAIT_S = 3600.0
"""Longest delay in seconds for which a run waits; where a server demands a longer one, the run stops."""


def retry_after_s(error: CallFailed, *, attempts: int, tries: int, chance: random.Random) -> float | None:
    """Return the delay before the next attempt in seconds, None for no further attempt.

    Full jitter: a random time below a bound that doubles with each attempt, so that workers that failed at
    the same time do not retry at the same time. A delay demanded by the server takes precedence.

    Args:
        error: The failure of the call.
        attempts: Number of attempts so far, this one included.
        tries: Maximum number of attempts.
        chance: Random number generator for the jitter.

    Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    if error.kind in RETRIED_ONCE:
        tries = min(tries, 2)
    if not error.is_retryable or attempts >= tries:
        return None
    if error.retry_after_s is not None:
        wait_s = max(0.0, error.retry_after_s)
        return None if demands_long_wait(error) else wait_s
    # The exponent is limited: 2.0 to a power of 1,024 and more raises OverflowError.
    return chance.uniform(0.0, min(MOST_S, BASE_S * 2.0 ** min(attempts, 16)))


def demands_long_wait(error: VantageError) -> bool:
    """Return whether a server accepts no request for longer than a run waits, whatever the request."""
    return (
        isinstance(error, CallFailed)
        and error.is_retryable
        and error.retry_after_s is not None
        and error.retry_after_s > LONGEST_WAIT_S
    )


def halt_message(error: VantageError, *, now: float) -> str:
    """Return why a run stops: the failure, and when it can be resumed where the server says so.

    Args:
        error: The failure.
        now: Seconds since 1970.
    """
    until = _accepting_again(error, now=now)
    return (
        f"{error} The server accepts no request before {until} UTC. Resume the run then."
        if until
        else str(error)
    )


def wait_message(error: VantageError, *, now: float) -> str:
    """Return a failure outside of runs, and until when the server accepts no request where it says so.

    Args:
        error: The failure.
        now: Seconds since 1970.
    """
    until = _accepting_again(error, now=now)
    return f"{error} The server accepts no request before {until} UTC." if until else str(error)


def _accepting_again(error: VantageError, *, now: float) -> str:
    if not isinstance(error, CallFailed) or not demands_long_wait(error):
        return ""
    # A date of year 9999 is a mistake of the server, and more than Python's calendar holds.
    until_s = min(now + (error.retry_after_s or 0.0), LATEST_S)
    return datetime.fromtimestamp(until_s, UTC).strftime("%Y-%m-%d %H:%M")


def may_have_cost(error: CallFailed) -> bool:
    """Return whether a failed call may be billed."""
    return error.was_sent and error.kind in MAY_HAVE_COST
