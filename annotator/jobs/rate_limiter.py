"""Limits requests and tokens per minute to a model's server."""

from __future__ import annotations

MINUTE_S = 60.0


class RateLimiter:
    """A token bucket for requests and one for tokens; for one thread.

    A bucket is refilled evenly and holds the amount of one second (but at least one call), so that servers
    that count per second see no bursts. The rate holds for the server: workers that use the same model share
    it.

    Args:
        requests_per_minute: 0 for no limit.
        tokens_per_minute: 0 for no limit.
        now: Time in seconds, by the clock that all later calls go by too.
    """

    def __init__(self, *, requests_per_minute: int, tokens_per_minute: int, now: float) -> None:
        self._requests = _TokenBucket(requests_per_minute, now=now)
        self._tokens = _TokenBucket(tokens_per_minute, now=now)
        self._closed_until = 0.0
        self._sharers = 0

    @property
    def is_limited(self) -> bool:
        """Whether there is a rate to keep to."""
        return self._requests.is_limited or self._tokens.is_limited

    def share(self, workers: int, *, now: float) -> None:
        """Use one of this number of equal shares of the rate from now on.

        A worker that joins others starts with empty buckets, and the content of the others' buckets shrinks
        with their share, so that all together cannot burst more than a single worker.
        """
        before, self._sharers = self._sharers, workers
        if workers == before:
            return
        kept = min(1.0, before / workers) if before else float(workers == 1)
        for bucket in (self._requests, self._tokens):
            bucket.share(workers, kept=kept, now=now)

    def acquire(self, *, tokens: int, now: float) -> bool:
        """Take a call's share where there is enough of it; False where it has to wait."""
        if now < self._closed_until or not (
            self._requests.has(1, now=now) and self._tokens.has(tokens, now=now)
        ):
            return False
        self._requests.remove(1)
        self._tokens.remove(tokens)
        return True

    def wait_s(self, *, tokens: int, now: float) -> float:
        """Return in how many seconds a call may go."""
        waits = (
            self._closed_until - now,
            self._requests.wait_s(1, now=now),
            self._tokens.wait_s(tokens, now=now),
        )
        return max(0.0, *waits)

    def close_until(self, moment: float) -> None:
        """Let nothing through until then: the server said that it has had enough."""
        self._closed_until = max(self._closed_until, moment)


class _TokenBucket:
    def __init__(self, per_minute: int, *, now: float) -> None:
        self._whole = self._rate = per_minute / MINUTE_S
        self._most = max(1.0, self._rate)
        self._level, self._since = self._most, now

    @property
    def is_limited(self) -> bool:
        return self._whole > 0

    def share(self, workers: int, *, kept: float, now: float) -> None:
        self._fill(now)
        self._rate = self._whole / workers
        self._most = max(1.0, self._rate)
        # A debt stays whole.
        self._level = min(self._level, self._level * kept, self._most)

    def has(self, amount: int, *, now: float) -> bool:
        return self.wait_s(amount, now=now) <= 0.0

    def remove(self, amount: int) -> None:
        # A call of more than the bucket holds goes when it is full, and leaves a debt.
        self._level -= amount

    def wait_s(self, amount: int, *, now: float) -> float:
        if not self._rate:
            return 0.0
        self._fill(now)
        missing = min(float(amount), self._most) - self._level
        # A rest of a rounding error would be waited for in ever smaller steps.
        return missing / self._rate if missing > 1e-9 else 0.0

    def _fill(self, now: float) -> None:
        # The clock of the day can be set back: that must not empty the bucket for as long.
        elapsed_s = max(0.0, now - self._since)
        self._level = min(self._most, self._level + elapsed_s * self._rate)
        self._since = now
