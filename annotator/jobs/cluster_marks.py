"""Marks of calls that the scheduler of a cluster keeps: begun by a worker, withdrawn by the one who asks.

Dask hands the calls of a dead worker to another one, and computes results again that died with their worker.
Such a call would be paid a second time and booked once, so the second worker leaves it alone. A worker marks
a call as begun, and then looks whether it is withdrawn; the asking side marks it as withdrawn, and then looks
whether it is begun. One of the two sees the other, and a worker that hangs holds up nobody.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from distributed import Client

Beginning = Literal["first", "repeated", "withdrawn"]
BEGUN, WITHDRAWN = "begun-", "withdrawn-"
ANSWER_S = 20.0
"""Seconds for an answer of the scheduler."""
KEPT = 64
"""Ended calls that stay marked, since a result that Dask has not dropped yet may be computed again."""
log = logging.getLogger(__name__)
_client_lock = threading.Lock()


def mark_begun(key: str) -> Beginning:
    """Mark a call as begun, in its task on a worker, and return whether it may be made: only the first time.

    Raises:
        OSError: The scheduler does not answer.
    """
    from distributed import get_client

    # Else several threads of a new worker make a client each.
    with _client_lock:
        client = get_client()
    scheduler: Any = client.scheduler

    async def mark() -> Beginning:
        if await scheduler.event_is_set(name=BEGUN + key):
            return "repeated"
        # Each side sets its own mark before it reads the other's, so that one of them sees the other.
        await scheduler.event_set(name=BEGUN + key)
        return "withdrawn" if await scheduler.event_is_set(name=WITHDRAWN + key) else "first"

    beginning: Beginning = client.sync(mark, callback_timeout=ANSWER_S)
    return beginning


class CallMarks:
    """The marks of the calls of one client.

    Args:
        client: The connection.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._ended: list[str] = []

    def withdraw(self, keys: Collection[str]) -> set[str]:
        """Have no worker begin calls any more, and return those that one has begun, maybe a dead one.

        Raises:
            OSError: The scheduler does not answer.
        """
        scheduler: Any = self._client.scheduler

        async def withdraw() -> set[str]:
            for key in keys:
                # Before the marks of workers are read, as in ``mark_begun``.
                await scheduler.event_set(name=WITHDRAWN + key)
            return {key for key in keys if await scheduler.event_is_set(name=BEGUN + key)}

        begun: set[str] = self._client.sync(withdraw, callback_timeout=ANSWER_S)
        return begun

    def forget(self, key: str) -> None:
        """Remove the marks of a call whose result has arrived, a little later."""
        with self._lock:
            self._ended.append(key)
            if len(self._ended) < 2 * KEPT:
                return
            old, self._ended = self._ended[:KEPT], self._ended[KEPT:]
        self._client.loop.add_callback(self._clear, old)

    def close(self) -> None:
        """Remove all marks that are left, if the scheduler answers.

        Raises:
            OSError: It does not answer.
        """
        with self._lock:
            rest, self._ended = self._ended, []
        if rest and self._client.status == "running":
            self._client.sync(self._clear, rest, callback_timeout=ANSWER_S)

    async def _clear(self, keys: Collection[str]) -> None:
        scheduler: Any = self._client.scheduler
        try:
            for name in (mark + key for key in keys for mark in (BEGUN, WITHDRAWN)):
                await scheduler.event_clear(name=name)
        except OSError as error:
            log.debug("marks of ended calls stay on the scheduler: %r", error)
