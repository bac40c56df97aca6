"""Backs up an open project from time to time, where something changed, and checks what is in the backups."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from annotator.domain.backup import Backup
from annotator.errors import Cancelled, EnvironmentFailure, VantageError
from annotator.process_call import call_in_process
from annotator.progress import Progress
from annotator.store.backup_content import ContentCheck, check_in_background, note_check
from annotator.store.backup_thinning import delete_broken_off, thin_backups
from annotator.store.backups import BackupPutOff, list_backups
from annotator.store.connection import LONGEST_LOG_BYTES

if TYPE_CHECKING:
    from annotator.change_listeners import Listener
    from annotator.domain.changes import Changes

EVERY_S = 600.0
MOST_PUT_OFF = 3
"""Backups in a row that are given up for the sake of a short write-ahead log; the next one is made."""
LARGEST_LOG_SHARE = 0.25
"""Length of the log, in parts of the project, at which a backup is given up."""
REST_AFTER_CHECK = 9.0
"""Rest after the check of a backup, in times of its duration: a tenth of one core at most."""
log = logging.getLogger(__name__)

Check = Callable[[Path, Progress], ContentCheck]


def _check_in_process(backup: Path, progress: Progress) -> ContentCheck:
    return call_in_process(check_in_background, str(backup), kind=ContentCheck, progress=progress)


class BackedUpProject(Protocol):
    """The open project as the scheduler sees it."""

    @property
    def path(self) -> Path:
        """The project file."""

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a function after each commit; returns a function that ends this."""

    def backup(
        self, *, reason: str, progress: Progress | None = None, longest_log_bytes: int | None = None
    ) -> Backup:
        """Make a backup on the calling thread.

        Raises:
            EnvironmentFailure: There is none, or the log has become longer.
        """


class BackupScheduler:
    """A thread that makes a backup every ten minutes in which something was written.

    Between two backups the content of the newest one that was not checked yet is checked in a process of its
    own, at the lowest priority.
    """

    def __init__(
        self, project: BackedUpProject, *, every_s: float = EVERY_S, check: Check = _check_in_process
    ) -> None:
        self._refusal: EnvironmentFailure | None = None
        self._damage: EnvironmentFailure | None = None
        self._project, self._check = project, check
        self._every_s = every_s
        self._changed = threading.Event()
        self._stopped = threading.Event()
        self._progress = Progress()
        self._put_off, self._check_from = 0, 0.0
        self._incomplete: set[Path] = set()
        self._forget = project.subscribe(self._on_change)
        self._thread = threading.Thread(target=self._run, name="vantage-backups", daemon=True)
        self._thread.start()

    @property
    def failure(self) -> EnvironmentFailure | None:
        """Why the last backup could not be made, or is damaged; the same object for the same reason."""
        return self._refusal or self._damage

    def stop(self) -> None:
        """End the thread; a running backup is cancelled and its file deleted."""
        self._forget()
        self._stopped.set()
        self._progress.cancel()
        self._thread.join()

    def _on_change(self, _changes: Changes) -> None:
        self._changed.set()

    def _run(self) -> None:
        try:
            delete_broken_off(self._project.path, now=datetime.now(UTC))
        except OSError as error:
            log.info("what is left of broken-off backups stays: %s", error)
        while not self._stopped.wait(self._every_s):
            if self._changed.is_set():
                self._changed.clear()
                self._back_up()
            self._check_newest()

    def _back_up(self) -> None:
        try:
            # Before as well: it can make the space that the backup needs.
            thin_backups(self._project.path, now=datetime.now(UTC))
            # Given up where the log grows: it cannot be emptied during the copy.
            self._project.backup(
                reason="timer", progress=self._progress, longest_log_bytes=self._longest_log()
            )
            thin_backups(self._project.path, now=datetime.now(UTC))
        except Cancelled:
            # Cancelled by the end of the thread alone: what was changed is still without a backup.
            self._changed.set()
        except BackupPutOff as error:
            self._put_off += 1
            self._changed.set()
            log.info("%s", error)
        except (EnvironmentFailure, OSError) as error:
            # A failed backup must not interrupt the work; the next interval tries again.
            self._changed.set()
            self._report(error)
        else:
            self._put_off, self._refusal = 0, None

    def _longest_log(self) -> int | None:
        """Return the length of the write-ahead log at which a backup is given up, None for a due one."""
        if self._put_off >= MOST_PUT_OFF:
            return None
        return max(LONGEST_LOG_BYTES, int(self._project.path.stat().st_size * LARGEST_LOG_SHARE))

    def _check_newest(self) -> None:
        """Check the content of the newest backup that was not checked; the next time the one before it."""
        if time.monotonic() < self._check_from:
            return
        backups = list_backups(self._project.path)
        left = (one for one in backups if not one.is_examined and one.path not in self._incomplete)
        backup = next(left, None)
        if backup is None:
            return
        began = time.monotonic()
        try:
            check = self._check(backup.path, self._progress)
            # A check that ended early is repeated when the project is opened the next time.
            if check.state == "unchecked" and check.problems:
                raise EnvironmentFailure(check.problems[0])
            note_check(backup.path, check)
        except Cancelled:
            return
        except (VantageError, OSError) as error:
            self._incomplete.add(backup.path)
            log.info("the content of %s was not checked: %s", backup.path.name, error)
        else:
            self._note_content(backup, check)
        finally:
            self._check_from = time.monotonic() + REST_AFTER_CHECK * (time.monotonic() - began)

    def _note_content(self, backup: Backup, check: ContentCheck) -> None:
        if check.state != "damaged":
            return
        # Of a damaged project all backups are damaged, and each is as good a reason as the first.
        if self._damage is None:
            self._damage = _damaged(backup, check, backups=list_backups(self._project.path))
            log.warning("backup failed: %s", self._damage)

    def _report(self, error: EnvironmentFailure | OSError) -> None:
        """Keep a failure, and log it once."""
        # Not the error itself: its traceback keeps the frames of this thread for as long as it is shown.
        refusal = (
            EnvironmentFailure(error.message, hint=error.hint)
            if isinstance(error, EnvironmentFailure)
            else EnvironmentFailure(f"No backup could be made: {error.strerror}.")
        )
        if self._refusal is None or self._refusal.message != refusal.message:
            self._refusal = refusal
            log.warning("backup failed: %s", refusal)


def _damaged(backup: Backup, check: ContentCheck, *, backups: list[Backup]) -> EnvironmentFailure:
    sound = next((found.path.name for found in backups if found.content == "sound"), "")
    hint = "Run the command verify on the project: it may be damaged as well."
    if sound:
        hint = (
            "Run the command verify on the project: it may be damaged as well. "
            f"The newest sound backup is {sound}; it is kept."
        )
    return EnvironmentFailure(f"The backup {backup.path.name} is damaged: {check.problems[0]}", hint=hint)
