"""Exchanges bundles with the exchange folder while a project is open, on a thread of its own."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from annotator.domain.changes import Changes
from annotator.errors import Cancelled, VantageError
from annotator.exchange.exchange_folder import ExchangeFolder, ExchangeReport, exchange_folder_of
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.connection import convert_disk_errors

LOOK_EVERY_S = 5.0
"""How often the folder is listed: sync programs on other systems announce no changes."""
SETTLED_AFTER_S = 10.0
"""Own edits are written after so long without a further one."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class ExchangeStatus:
    """The state of the exchange after a look at the folder.

    Attributes:
        folder: The exchange folder, None where none is chosen.
        at: Local wall time, seconds since the epoch.
        report: What was done.
        failure: Why nothing could be done, None for no failure.
        is_new_failure: Whether it is to be said: it was another one, or none, before.
    """

    folder: Path | None
    at: float
    report: ExchangeReport = field(default_factory=ExchangeReport)
    failure: VantageError | None = None
    is_new_failure: bool = False


class ExchangeScheduler:
    """A thread that looks at the exchange folder, merges what is new, and writes own edits.

    Own edits are written after they have settled, and at the end.
    """

    def __init__(self, session: Session, *, report: Callable[[ExchangeStatus], None]) -> None:
        """Start the thread.

        Args:
            session: The project; it ends the thread when it is closed.
            report: Called on the thread after each look.
        """
        self._session, self._report = session, report
        self._wake, self._is_stopped = threading.Event(), threading.Event()
        self._progress = Progress()
        # Written at once: the folder may lack what was done before.
        self._edited_at: float | None = time.monotonic() - SETTLED_AFTER_S
        self._exchange: ExchangeFolder | None = None
        self._failure = ""
        self._forget = session.subscribe(self._on_change)
        self._thread = threading.Thread(target=self._run, name="vantage-exchange", daemon=True)
        session.run_at_close(self.stop)
        self._thread.start()

    def look_now(self) -> None:
        """Look at the folder without waiting, for instance after another one was chosen."""
        self._wake.set()

    def end(self) -> None:
        """Let the thread end: a merge is cancelled and continues next time; own edits are written."""
        if not self._is_stopped.is_set():
            self._is_stopped.set()
            self._forget()
            self._progress.cancel()
            self._wake.set()

    def stop(self) -> None:
        """End the thread and wait until own edits are written."""
        self.end()
        self._thread.join()

    def _on_change(self, _changes: Changes) -> None:
        self._edited_at = time.monotonic()

    def _run(self) -> None:
        while not self._is_stopped.is_set():
            self._look(self._exchange_settled)
            self._wake.wait(LOOK_EVERY_S)
            self._wake.clear()
        # The one before was cancelled to end a merge, and would refuse the writing, too.
        self._progress = Progress()
        if self._edited_at is not None:
            self._look(self._publish)

    def _look(self, call: Callable[[ExchangeFolder], ExchangeReport]) -> None:
        status = self._try(call)
        failure = str(status.failure or "")
        is_new = bool(failure) and failure != self._failure
        self._failure = failure
        if is_new:
            log.info("the exchange failed: %s", failure)
        self._report(replace(status, is_new_failure=is_new))

    def _try(self, call: Callable[[ExchangeFolder], ExchangeReport]) -> ExchangeStatus:
        folder: Path | None = None
        try:
            with convert_disk_errors():
                folder = exchange_folder_of(self._session)
                report = call(self._folder(folder)) if folder is not None else ExchangeReport()
            return ExchangeStatus(folder=folder, at=time.time(), report=report)
        except Cancelled:
            return ExchangeStatus(folder=folder, at=time.time())
        except VantageError as error:
            return ExchangeStatus(folder=folder, at=time.time(), failure=error)

    def _folder(self, folder: Path) -> ExchangeFolder:
        if self._exchange is None or self._exchange.folder != folder:
            self._exchange = ExchangeFolder(self._session, folder, is_patient=True)
        return self._exchange

    def _exchange_settled(self, folder: ExchangeFolder) -> ExchangeReport:
        report, edited_at = folder.receive(progress=self._progress), self._edited_at
        is_settled = edited_at is not None and time.monotonic() - edited_at >= SETTLED_AFTER_S
        if not is_settled and not folder.needs_publishing:
            return report
        report = replace(report, written=folder.publish(progress=self._progress))
        # An edit in between is written next time.
        if self._edited_at == edited_at:
            self._edited_at = None
        return report

    def _publish(self, folder: ExchangeFolder) -> ExchangeReport:
        return ExchangeReport(written=folder.publish(progress=self._progress))
