"""Moves the write-ahead log into the project file in pauses between commits, and keeps it short."""

from __future__ import annotations

import logging
import os
import threading
import time
from pathlib import Path

from annotator.errors import EnvironmentFailure
from annotator.store.connection import LONGEST_LOG_BYTES, DatabaseError, connect, require_same_file
from annotator.store.lock_holder import reader_of_log

REST_S = 0.25
"""A pause in the writing that is long enough to be used."""
LOOK_S = 2.0
"""Time between two looks at the length of the log: other processes write too, and some of them are killed."""
RECORDS = 50
"""Records written since the last checkpoint from which on one is worth its two fsyncs; about 6 MB of log."""
OVERDUE_RECORDS = 5000
"""From here on a checkpoint is made without waiting for a pause: the log must not grow for ever."""
GROWTH_BYTES = 6 << 20
"""Growth of the log by whomever that is worth a checkpoint."""
log = logging.getLogger(__name__)


class Checkpointer:
    """A thread with its own connection that runs checkpoints in pauses between commits.

    SQLite's automatic checkpoint runs inside the COMMIT that brings the log to 1,000 pages. One edit in
    thirty then takes 25 to 50 ms instead of 1 ms (measured with 10^6 items).

    A log that others have left too long, for instance processes that were killed, is emptied at once.
    """

    def __init__(self, path: Path) -> None:
        # Connected here, where the file exists: SQLite would create an empty one if it was deleted meanwhile.
        self._connection = connect(path, read_only=False)
        self._path = path
        self._log = Path(f"{os.path.realpath(path)}-wal")
        self._waiting = threading.Condition()
        self._records = 0
        self._length = self._log_length()
        self._next_try = 0.0
        self._stopped = False
        self._empty_long_log()
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
        # For those who still have the project open.
        self._empty_long_log()
        self._connection.close()

    def _run(self) -> None:
        while self._wait_for_pause():
            self._try_to_move_pages()

    def _empty_long_log(self) -> None:
        if self._log_length() > LONGEST_LOG_BYTES:
            self._try_to_move_pages()

    def _try_to_move_pages(self) -> None:
        try:
            self._move_pages()
        except (DatabaseError, EnvironmentFailure) as error:
            # Nothing is lost: the pages stay in the log, and the next pause tries again.
            log.info("no checkpoint: %s", error)
        self._length, self._next_try = self._log_length(), time.monotonic() + LOOK_S

    def _move_pages(self) -> None:
        # Pages of this project must not be moved into a file that somebody has written over it.
        require_same_file(self._connection)
        # PASSIVE never waits for readers or writers, and never makes them wait.
        _, pages, moved = self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if self._log_length() <= LONGEST_LOG_BYTES:
            return
        is_kept = moved < pages
        if not is_kept:
            # TRUNCATE holds the write lock while it moves the rest: here, the few pages that were added
            # since. A reader of an older state prevents it, and is not waited for.
            self._connection.execute("PRAGMA busy_timeout=0")
            is_kept = bool(self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        if is_kept:
            reader = reader_of_log(self._path)
            log.info(
                "the write-ahead log stays long; an older state is read by: %s", reader or "this program"
            )

    def _wait_for_pause(self) -> bool:
        """Wait for a pause with pages to move; return False when the thread has to end."""
        with self._waiting:
            while not (self._stopped or self._records >= RECORDS or self._has_grown() or self._is_too_long()):
                self._waiting.wait(LOOK_S)
            # Each commit ends the wait early and starts it again: a pause is REST_S without any commit.
            while not (self._stopped or self._records >= OVERDUE_RECORDS or self._is_too_long()):
                if not self._waiting.wait(REST_S):
                    break
            self._records = 0
            return not self._stopped

    def _has_grown(self) -> bool:
        return self._log_length() >= self._length + GROWTH_BYTES

    def _is_too_long(self) -> bool:
        """Return whether the log is to be emptied now; a reader who prevents it is not asked all the time."""
        return self._log_length() > LONGEST_LOG_BYTES and time.monotonic() >= self._next_try

    def _log_length(self) -> int:
        try:
            return self._log.stat().st_size
        except OSError:
            return 0
