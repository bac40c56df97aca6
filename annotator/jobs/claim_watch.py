"""Which claims belong to dead workers, judged only by what this process saw while it was awake.

A lease that is over proves nothing by itself: while an import holds the lock of the file, or the machine
sleeps, no worker can renew one, and a clock can be set. So a claim counts as dead only after this process
looked at it for a while, without a pause, and saw no sign of life of its worker.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from annotator.store.work.queue import LEASE_S

STALL_S = 10.0
"""A longer pause between two looks, of this process, the file or the machine, says nothing of the others."""
GRACE_S = 10.0
"""So long a lease must be seen unchanged after its end. A live worker that was held up by the same lock
renews its leases within half a second after it."""


class ClaimWatch:
    """What one process saw of all claims; for one thread."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[float, float]] = {}
        self._looked_at: tuple[float, float] | None = None

    def dead(self, leases: Iterable[tuple[int, float]], *, now: float) -> list[int]:
        """Return the fences of the claims whose workers are dead.

        Args:
            leases: Fence of each claim, and the Unix time at which its lease ends.
            now: Unix time.
        """
        awake_at = time.monotonic()
        if self._has_stalled(awake_at, now=now):
            self._seen.clear()
        self._looked_at = (awake_at, now)
        before, self._seen = self._seen, {}
        for fence, until in leases:
            known = before.get(fence)
            self._seen[fence] = known if known and known[0] == until else (until, awake_at)
        return [fence for fence in self._seen if self._is_dead(fence, awake_at, now=now)]

    def _has_stalled(self, awake_at: float, *, now: float) -> bool:
        if self._looked_at is None:
            return False
        last_awake_at, last = self._looked_at
        # Both clocks: only that of the day goes on while a machine sleeps.
        return max(awake_at - last_awake_at, now - last) > STALL_S

    def _is_dead(self, fence: int, awake_at: float, *, now: float) -> bool:
        until, since = self._seen[fence]
        unchanged_s = awake_at - since
        # A clock that was set back gives leases that end in years: a live worker renews them all the same.
        return unchanged_s >= LEASE_S or (until < now and unchanged_s >= GRACE_S)
