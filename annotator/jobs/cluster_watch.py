"""Watches a Dask scheduler: notices that it is gone or hangs, and which resources its workers declare.

Dask notices a closed connection, but not a scheduler whose process or machine stands still: the connection
stays open, and all calls would wait for ever.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from annotator.errors import EnvironmentFailure

if TYPE_CHECKING:
    from distributed import Client

PROBE_S = 5.0
"""Seconds between two questions, and the time for one answer."""
SILENT_S = 30.0
"""A scheduler that answers no question for so many seconds is lost; Dask's own limit of its connections."""
AWAY_S = 120.0
"""A worker that left counts for so many seconds more: it may be restarting, as under Dask's nanny."""
CLOSED = frozenset({"closing", "closed"})
HINT = "Restart the scheduler and then the worker; the worker continues its runs."
log = logging.getLogger(__name__)
Resources = Mapping[str, float]


class SchedulerWatch:
    """Asks a scheduler for its state every few seconds on a thread of its own.

    Args:
        client: The connection. If it breaks, Dask reconnects for some seconds before it closes the client.
        address: Address of the scheduler, for the message.
        on_lost: Called once when the scheduler is lost, on the thread of the watch.
    """

    def __init__(self, client: Client, *, address: str, on_lost: Callable[[], None]) -> None:
        self._client, self._address, self._on_lost = client, address, on_lost
        self._failure: EnvironmentFailure | None = None
        self._seen: dict[str, tuple[float, Resources]] = {}
        self._workers: tuple[Resources, ...] = ()
        self._is_ending = threading.Event()
        self._answered_at = time.monotonic()
        self._thread = threading.Thread(target=self._watch, name="vantage-cluster-watch", daemon=True)

    @property
    def workers(self) -> tuple[Resources, ...]:
        """What each worker declared, of those that are there or left less than ``AWAY_S`` ago."""
        return self._workers

    def start(self) -> None:
        """Ask for the first time, and begin to watch."""
        self._probe()
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._is_ending.set()
        # Longer than an answer may take.
        self._thread.join(2 * PROBE_S)

    def require_scheduler(self) -> None:
        """Refuse to go on without a scheduler.

        Raises:
            EnvironmentFailure: It is lost; the connection is not opened again.
        """
        if self._failure is None and self._client.status in CLOSED:
            self._failure = EnvironmentFailure("The connection to the Dask scheduler was lost.", hint=HINT)
        if self._failure is not None:
            raise self._failure

    def _watch(self) -> None:
        while self._failure is None and not self._is_ending.wait(PROBE_S):
            self._probe()
            silent_s = time.monotonic() - self._answered_at
            if silent_s >= SILENT_S and not self._is_ending.is_set():
                self._failure = EnvironmentFailure(
                    f"The Dask scheduler at {self._address} has not answered for {silent_s:.0f} s.", hint=HINT
                )
                self._on_lost()

    def _probe(self) -> None:
        scheduler: Any = self._client.scheduler
        if scheduler is None:
            return
        try:
            state = self._client.sync(scheduler.identity, n_workers=-1, callback_timeout=PROBE_S)
        except Exception as error:  # noqa: BLE001 - Dask raises what it likes while it reconnects or closes
            log.debug("the scheduler gives no answer: %r", error)
            return
        self._answered_at = now = time.monotonic()
        present = {name: (now, worker.get("resources", {})) for name, worker in state["workers"].items()}
        seen = self._seen | present
        self._seen = {name: (at, declared) for name, (at, declared) in seen.items() if now - at <= AWAY_S}
        self._workers = tuple(declared for _, declared in self._seen.values())
