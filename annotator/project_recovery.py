"""What can be done with a project that cannot be opened: other versions of it, and reading."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from annotator.domain.backup import Backup
from annotator.errors import VantageError
from annotator.session import Session
from annotator.store.backup_restore import restore_backup
from annotator.store.backups import list_backups


@dataclass(frozen=True, kw_only=True)
class OpenFailure:
    """Why a project could not be opened, and what is possible instead.

    Attributes:
        path: The project file.
        error: The reason.
        backups: Backups of the project, newest first.
        can_read: Whether it can be opened for reading.
    """

    path: Path
    error: VantageError
    backups: tuple[Backup, ...] = ()
    can_read: bool = False

    def restore(self, backup: Backup) -> Path:
        """Copy a backup into the project's folder under a new name and return the copy.

        Args:
            backup: One of ``backups``.

        Raises:
            EnvironmentFailure: The copy cannot be written; it is deleted.
        """
        return restore_backup(backup, project=self.path)


def explain_failure(path: Path, error: VantageError) -> OpenFailure:
    """Return the possible actions for a project that cannot be opened; reads the disk.

    Args:
        path: The project file.
        error: The exception of the failed attempt.
    """
    return OpenFailure(path=path, error=error, backups=tuple(list_backups(path)), can_read=_can_be_read(path))


def _can_be_read(path: Path) -> bool:
    try:
        Session.open_for_reading(path).close()
    except VantageError:
        return False
    return True
