"""The events that wake the dispatcher: prepared requests and finished calls."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator

from annotator.jobs.calls import CallDone
from annotator.jobs.request_builders import BuiltRequest

TURN_S = 0.025
"""Events of so long go together into one transaction: half the CPU time a job of turns of 10 ms."""
IDLE_S = 0.5
"""Seconds between two checks for new runs and changed states while no call finishes."""


class WorkerEvents:
    """Collects events from all threads of a worker for the one that dispatches."""

    def __init__(self) -> None:
        # A SimpleQueue, whose ``put`` is reentrant: ``wake`` may come from a signal inside another ``put``.
        self._queue: queue.SimpleQueue[BuiltRequest | CallDone | None] = queue.SimpleQueue()

    def put(self, event: BuiltRequest | CallDone) -> None:
        """Add an event; from any thread."""
        self._queue.put(event)

    def wake(self) -> None:
        """End the wait of ``gather`` at once; from any thread or a signal."""
        self._queue.put(None)

    def gather(self, wait_s: float) -> list[BuiltRequest | CallDone]:
        """Wait for events, and return those that go into one transaction.

        Args:
            wait_s: Longest time to wait for the first event, in seconds; at most ``IDLE_S``.
        """
        events: list[BuiltRequest | CallDone] = []
        deadline = time.monotonic() + min(max(wait_s, 0.001), IDLE_S)
        while (left_s := deadline - time.monotonic()) > 0 or not self._queue.empty():
            try:
                event = self._queue.get(timeout=max(0.0, left_s))
            except queue.Empty:
                break
            if event is None:
                break
            # The first event starts the clock: more are gathered for the same commit, but none waits long.
            if not events:
                deadline = min(deadline, time.monotonic() + TURN_S)
            events.append(event)
        return events

    def rest(self) -> Iterator[BuiltRequest | CallDone]:
        """Yield what has arrived and was not gathered, without waiting."""
        while not self._queue.empty():
            if (event := self._queue.get()) is not None:
                yield event
