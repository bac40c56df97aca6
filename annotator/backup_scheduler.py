"""Backs up an open project from time to time, where something changed."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from annotator.errors import Cancelled, EnvironmentFailure
from annotator.progress import Progress
from annotator.store.backups import thin_backups

if TYPE_CHECKING:
    from annotator.domain.changes import Changes
    from annotator.session import Session

EVERY_S = 600.0
log = logging.getLogger(__name__)


class BackupScheduler:
    """A thread that makes a verified backup every ten minutes in which something was written."""

    def __init__(self, session: Session, *, every_s: float = EVERY_S) -> None:
        self._session = session
        self._every_s = every_s
        self._changed = threading.Event()
        self._stopped = threading.Event()
        self._progress = Progress()
        self._forget = session.subscribe(self._on_change)
        self._thread = threading.Thread(target=self._run, name="vantage-backups", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; a running backup is cancelled and its file deleted."""
        self._forget()
        self._stopped.set()
        self._progress.cancel()
        self._thread.join()

    def _on_change(self, _changes: Changes) -> None:
        self._changed.set()

    def _run(self) -> None:
        while not self._stopped.wait(self._every_s):
            if self._changed.is_set():
                self._changed.clear()
                self._back_up()

    def _back_up(self) -> None:
        try:
            self._session.backup(reason="timer", progress=self._progress)
            thin_backups(self._session.path, now=datetime.now(UTC))
        except Cancelled:
            self._changed.set()
        except (EnvironmentFailure, OSError) as error:
            # A failed backup must not interrupt the work; the next interval tries again.
            self._changed.set()
            log.warning("backup failed: %s", error)
