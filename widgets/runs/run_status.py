"""How all runs of the project stand, looked at once a second off the GUI thread."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from annotator.domain.run import UNFINISHED, Run
from annotator.domain.run_condition import RunCondition, condition_of
from annotator.domain.work import RunProgress
from annotator.session import Reader, Session
from widgets.bridge import Bridge

LOOK_EVERY_MS = 1000
OVER = frozenset({"done", "cancelled"})
"""States in which a run stays as it is, once nothing of it is in flight."""


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """One run with how far it is, and whether any worker is at work."""

    run: Run
    progress: RunProgress
    has_worker: bool = False

    @property
    def condition(self) -> RunCondition:
        """How it stands, in one word."""
        return condition_of(self.run, self.progress, has_worker=self.has_worker)

    @property
    def is_over(self) -> bool:
        """Whether its numbers stay as they are."""
        return self.run.state in OVER and not self.progress.in_flight


@dataclass(frozen=True, kw_only=True)
class RunStatuses:
    """All runs of a project at one moment.

    Attributes:
        stamp: Changes when somebody else writes to the project.
        rows: The runs, newest first.
        spent: What model work cost so far, millionths.
        spent_today: The same of this day (UTC).
        limits: Limits over all runs, millionths, by ``day`` and ``project``.
        workers: Number of workers that were heard of just now, whoever started them.
    """

    stamp: int
    rows: tuple[RunRow, ...]
    spent: int = 0
    spent_today: int = 0
    limits: dict[str, int] = field(default_factory=dict)
    workers: int = 0

    @property
    def running(self) -> int:
        """Number of runs that go on."""
        return sum(row.run.state == "running" for row in self.rows)

    @property
    def unfinished(self) -> tuple[RunRow, ...]:
        """The runs that may still bring answers, newest first."""
        return tuple(row for row in self.rows if row.run.state in UNFINISHED)

    def row(self, run: str) -> RunRow | None:
        """Return the row of a run, None where there is none."""
        return next((row for row in self.rows if row.run.id == run), None)


def read_run_statuses(reader: Reader, *, before: RunStatuses | None) -> RunStatuses | None:
    """Return how the runs stand; None where nothing changed since ``before``."""
    stamp = reader.work_stamp()
    if before is not None and stamp == before.stamp and not before.running:
        return None
    known = {row.run.id: row for row in before.rows} if before is not None else {}
    with reader.snapshot():
        workers = sum(worker.is_at_work(now=time.time()) for worker in reader.workers())
        rows = tuple(
            _row(reader, run, known=known.get(run.id), has_worker=workers > 0) for run in reader.runs()
        )
        spending = reader.spending()
        limits = reader.spending_limits()
    today = max(spending, default="")
    return RunStatuses(
        stamp=stamp,
        rows=rows,
        spent=sum(spending.values()),
        spent_today=spending[today] if today == _today() else 0,
        limits=limits,
        workers=workers,
    )


class RunStatusPoller(QObject):
    """Looks once a second how the runs of the project stand.

    Signals:
        changed: They stand otherwise; carries the ``Standing``.
    """

    changed = Signal(object)

    def __init__(self, *, session: Session, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self.standing: RunStatuses | None = None
        self._session, self._bridge = session, bridge
        self._is_asking = False
        self._clock = QTimer(self)
        self._clock.setInterval(LOOK_EVERY_MS)
        self._clock.timeout.connect(self._look)
        self._clock.start()

    def refresh(self) -> None:
        """Look again at once: something was just done."""
        # What was asked before knows nothing of it: the older answer is dropped.
        self._is_asking = False
        self._look()

    def is_settled(self) -> bool:
        """Tell whether what was asked for has come."""
        return self.standing is not None and not self._is_asking

    def leave(self) -> None:
        """Look no more; the project is going."""
        self._clock.stop()
        self._bridge.drop((id(self), "standing"))

    def _look(self) -> None:
        if self._is_asking:
            return
        self._is_asking = True
        question = partial(read_run_statuses, before=self.standing)
        self._bridge.query(
            self._session,
            question,
            done=self._on_standing,
            failed=self._on_failed,
            channel=(id(self), "standing"),
        )

    def _on_standing(self, standing: RunStatuses | None) -> None:
        self._is_asking = False
        if standing is not None:
            self.standing = standing
            self.changed.emit(standing)

    def _on_failed(self, error: BaseException) -> None:
        self._is_asking = False
        self._bridge.failed.emit(error)


def _row(reader: Reader, run: Run, *, known: RunRow | None, has_worker: bool) -> RunRow:
    # What is over is not counted again, however many jobs it has.
    if known is not None and known.is_over and known.run == run:
        return known
    return RunRow(run=run, progress=reader.run_progress(run.id), has_worker=has_worker)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
