"""The states of all runs of a project, polled once a second off the GUI thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from annotator.domain.run import UNFINISHED, Run
from annotator.domain.run_condition import RunCondition, condition_of
from annotator.domain.work import RunProgress
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.bridge import Bridge

LOOK_EVERY_MS = 1000
OVER = frozenset({"done", "cancelled", "received"})
"""Final states; a run in one of them changes only while requests are still in flight."""


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """A run with its progress.

    Attributes:
        run: The run.
        progress: Its jobs.
        has_worker: Whether any worker is active.
        is_confirmed: Whether the user allows the run on this machine; true for a final run.
    """

    run: Run
    progress: RunProgress
    has_worker: bool = False
    is_confirmed: bool = True

    @property
    def condition(self) -> RunCondition:
        """The run's condition, derived from its state and its worker."""
        return condition_of(
            self.run, self.progress, has_worker=self.has_worker, is_confirmed=self.is_confirmed
        )

    @property
    def is_over(self) -> bool:
        """Whether its numbers are final."""
        return self.run.state in OVER and not self.progress.in_flight


@dataclass(frozen=True, kw_only=True)
class RunStatuses:
    """States of all runs of a project at one moment.

    Attributes:
        stamp: Changes with each write to the run data, also by other processes.
        rows: The runs, newest first.
        spent: Total cost of the model requests, millionths of the currency.
        spent_today: The same for the current day (UTC).
        day: That day as an ISO date.
        limits: Cost limits over all runs, millionths, by ``day`` and ``project``.
        workers: Number of active workers, of this and of other processes.
    """

    stamp: int
    rows: tuple[RunRow, ...]
    spent: int = 0
    spent_today: int = 0
    day: str = ""
    limits: dict[str, int] = field(default_factory=dict)
    workers: int = 0

    @property
    def running(self) -> int:
        """Number of running runs."""
        return sum(row.run.state == "running" for row in self.rows)

    @property
    def unfinished(self) -> tuple[RunRow, ...]:
        """Runs that are not final, newest first."""
        return tuple(row for row in self.rows if row.run.state in UNFINISHED)

    def row(self, run: str) -> RunRow | None:
        """Return the row of a run, None if there is none."""
        return next((row for row in self.rows if row.run.id == run), None)


def read_run_statuses(
    reader: Reader,
    *,
    before: RunStatuses | None,
    is_confirmed: Callable[[Run], bool],
    has_own_worker: bool = False,
) -> RunStatuses | None:
    """Return the states of the runs, None if nothing has changed since ``before``.

    Args:
        reader: Reads the project.
        before: The states that are shown.
        is_confirmed: Returns whether the user allows a run on this machine.
        has_own_worker: Whether the worker of this window runs, which reports itself only after its start.
    """
    stamp, day = reader.runs.work_stamp(), _today()
    # Without any write to the project a worker can become inactive while runs are going, and a day ends.
    if before is not None and (stamp, day) == (before.stamp, before.day) and not before.running:
        return None
    known = {row.run.id: row for row in before.rows} if before is not None else {}
    with reader.snapshot():
        workers = sum(worker.is_at_work(now=time.time()) for worker in reader.runs.workers())
        has_worker = has_own_worker or workers > 0
        rows = tuple(
            _row(reader, run, known=known.get(run.id), has_worker=has_worker, is_confirmed=is_confirmed)
            for run in reader.runs.all()
        )
        spending = reader.runs.spending()
        limits = reader.runs.spending_limits()
    return RunStatuses(
        stamp=stamp,
        rows=rows,
        spent=sum(spending.values()),
        spent_today=spending.get(day, 0),
        day=day,
        limits=limits,
        workers=workers,
    )


class RunStatusPoller(QObject):
    """Polls the states of the runs once a second.

    Signals:
        changed: Emitted when the states have changed; carries the ``RunStatuses``.
    """

    changed = Signal(object)

    def __init__(self, *, session: Session, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self.statuses: RunStatuses | None = None
        self._session, self._bridge = session, bridge
        self._is_asking = False
        self._clock = QTimer(self)
        self._clock.setInterval(LOOK_EVERY_MS)
        self._clock.timeout.connect(self._look)
        self._clock.start()

    def refresh(self) -> None:
        """Poll at once, after a change by this window."""
        # A pending query may have read the state before the change: its result is superseded.
        self._is_asking = False
        self._look()

    def is_settled(self) -> bool:
        """Return whether the states are loaded and no query is pending."""
        return self.statuses is not None and not self._is_asking

    def leave(self) -> None:
        """Stop polling before the project is closed."""
        self._clock.stop()
        self._bridge.drop((id(self), "statuses"))

    def _look(self) -> None:
        # A slow query is not queued twice: the next tick polls again.
        if self._is_asking:
            return
        self._is_asking = True
        runs = self._session.runs
        question = partial(
            read_run_statuses,
            before=self.statuses,
            is_confirmed=runs.is_confirmed,
            has_own_worker=runs.has_started_worker and runs.worker.state().condition == "running",
        )
        channel = (id(self), "statuses")
        self._bridge.query(
            self._session, question, done=self._on_statuses, failed=self._on_failed, channel=channel
        )

    def _on_statuses(self, statuses: RunStatuses | None) -> None:
        self._is_asking = False
        if statuses is not None:
            self.statuses = statuses
            self.changed.emit(statuses)

    def _on_failed(self, error: BaseException) -> None:
        self._is_asking = False
        self._bridge.failed.emit(error)


def _row(
    reader: Reader,
    run: Run,
    *,
    known: RunRow | None,
    has_worker: bool,
    is_confirmed: Callable[[Run], bool],
) -> RunRow:
    # Final runs are not counted again: counting 100,000 jobs once a second would keep the reader busy.
    if known is not None and known.is_over and known.run == run:
        return known
    return RunRow(
        run=run,
        progress=reader.runs.progress(run.id),
        has_worker=has_worker,
        is_confirmed=run.state in OVER or is_confirmed(run),
    )


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
