"""When a call that failed is made again: with full jitter, or when the server says."""

from __future__ import annotations

import random

from annotator.model_api import CallFailed

BASE_S, MOST_S = 1.0, 60.0
LONGEST_WAIT_S = 3600.0
"""A server that wants to be asked again later than this is not waited for: a person should know."""


def retry_after_s(error: CallFailed, *, attempts: int, tries: int, chance: random.Random) -> float | None:
    """Return in how many seconds to try again, None where that is of no use.

    Full jitter: any time up to a bound that doubles, so that workers that failed together do not come back
    together. What the server says wins.

    Args:
        error: How the call failed.
        attempts: How often it has been tried, this time included.
        tries: How often it is tried at most.
        chance: For the jitter.

    Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    if not error.is_retryable or attempts >= tries:
        return None
    if error.retry_after_s is not None:
        wait_s = max(0.0, error.retry_after_s)
        return wait_s if wait_s <= LONGEST_WAIT_S else None
    return chance.uniform(0.0, min(MOST_S, BASE_S * 2.0 ** min(attempts, 16)))
