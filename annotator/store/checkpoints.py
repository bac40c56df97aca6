"""Moves the write-ahead log into the project file in pauses between commits."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from annotator.errors import EnvironmentFailure
from annotator.store.connection import DatabaseError, connect, require_same_file

REST_S = 0.25
"""A pause in the writing that is long enough to be used."""
RECORDS = 50
"""Records written since the last checkpoint from which on one is worth its two fsyncs; about 6 MB of log."""
OVERDUE_RECORDS = 5000
"""From here on a checkpoint is made without waiting for a pause: the log must not grow for ever."""
LONGEST_LOG_PAGES = 16_384
"""Length of the log, 64 MB, from which on it is started anew. Beside writers who never pause, it grew to ten
times the size of the records (800 MB for 100,000)."""
log = logging.getLogger(__name__)


class Checkpointer:
    """A thread with its own connection that runs checkpoints in pauses between commits.

    SQLite's automatic checkpoint runs inside the COMMIT that brings the log to 1,000 pages. One edit in
    thirty then takes 25 to 50 ms instead of 1 ms (measured with 10^6 items).
    """

    def __init__(self, path: Path) -> None:
        # Connected here, where the file exists: SQLite would create an empty one if it was deleted meanwhile.
        self._connection = connect(path, read_only=False)
        self._waiting = threading.Condition()
        self._records = 0
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="vantage-checkpoints", daemon=True)
        self._thread.start()

    def note_commit(self, records: int) -> None:
        """Note that a commit has written this number of records."""
        with self._waiting:
            self._records += records
            self._waiting.notify()

    def stop(self) -> None:
        """End the thread; closing the project's last connection moves the rest."""
        with self._waiting:
            self._stopped = True
            self._waiting.notify()
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        while self._wait_for_pause():
            try:
                self._move_pages()
            except (DatabaseError, EnvironmentFailure) as error:
                # Nothing is lost: the pages stay in the log, and the next pause tries again.
                log.info("no checkpoint: %s", error)

    def _move_pages(self) -> None:
        # Pages of this project must not be moved into a file that somebody has written over it.
        require_same_file(self._connection)
        # PASSIVE never waits for readers or writers, and never makes them wait.
        _, pages, moved = self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if moved == pages > LONGEST_LOG_PAGES:
            # RESTART holds the write lock while it moves the rest: here, the few pages that were added since.
            # A reader of an older state prevents it, and is not waited for.
            self._connection.execute("PRAGMA busy_timeout=0")
            self._connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()

    def _wait_for_pause(self) -> bool:
        """Wait for a pause with pages to move; return False when the thread has to end."""
        with self._waiting:
            # Each commit ends the wait early and starts it again: a pause is REST_S without any commit.
            self._waiting.wait_for(lambda: self._stopped or self._records >= RECORDS)
            while not self._stopped and self._records < OVERDUE_RECORDS:
                if not self._waiting.wait(REST_S):
                    break
            self._records = 0
            return not self._stopped
