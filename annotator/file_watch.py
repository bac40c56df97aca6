"""Ends the writing when the file of an open project is taken away, and keeps what was saved so far."""

from __future__ import annotations

import logging
from pathlib import Path

from annotator.commands.command import Command
from annotator.errors import EnvironmentFailure, ReplacedFileError
from annotator.store.backups import newest_backup
from annotator.store.connection import Connection, DatabaseError, file_identity, require_same_file
from annotator.store.rescued_copy import write_rescued_copy

log = logging.getLogger(__name__)


class FileWatch:
    """What happened to the file of an open project; for the writing thread, apart from ``failure``.

    Attributes:
        failure: Why nothing is saved any more, None while the file is at its place.
        unsaved: Edits of a person that were asked for since, in order; they can be done in the copy, see
            ``WritingThread.lost_edits``.
    """

    def __init__(self, path: Path, connection: Connection, *, rescue_folder: Path) -> None:
        """Watch a file.

        Args:
            path: The project.
            connection: The writing one.
            rescue_folder: Where a copy is written if the folder of the project is gone.
        """
        self.failure: ReplacedFileError | None = None
        self.unsaved: list[Command] = []
        self._path, self._connection, self._rescue_folder = path, connection, rescue_folder

    def require_kept(self) -> None:
        """Refuse to write once the file is gone.

        Raises:
            ReplacedFileError: It is.
        """
        if self.failure is not None:
            raise self.failure

    def explained(self, error: EnvironmentFailure) -> EnvironmentFailure:
        """Return the failure of a transaction; another one if its cause is that the file was taken away."""
        if isinstance(error, ReplacedFileError):
            return self.end_writing(error)
        try:
            require_same_file(self._connection)
        except ReplacedFileError as found:
            return self.end_writing(found)
        except DatabaseError as unreadable:
            # The failure of the transaction says it already.
            log.info("the file could not be compared with its path: %s", unreadable)
        return error

    def end_writing(self, error: ReplacedFileError) -> ReplacedFileError:
        """Write a copy of what is saved, and return the failure with the place of the copy.

        Args:
            error: What was found.
        """
        if self.failure is None:
            folders = (self._path.absolute().parent, self._rescue_folder)
            copy = write_rescued_copy(self._connection, name=self._path.stem, folders=folders)
            if error.is_overwritten:
                file_identity(self._connection).empty_log()
            else:
                file_identity(self._connection).remove_log_of_other_file()
            self.failure = ReplacedFileError(
                error.message, hint=self._hint(copy), is_overwritten=error.is_overwritten, copy=copy
            )
            log.info("%s %s", self.failure.message, self.failure.hint)
        return self.failure

    def examine_at_close(self) -> None:
        """Look once more whether the file is at its place, so that nothing is lost by closing."""
        try:
            require_same_file(self._connection)
        except ReplacedFileError as error:
            self.end_writing(error)
        except (DatabaseError, OSError) as error:
            log.info("the file could not be examined at the end: %s", error)

    def tidy_up(self) -> None:
        """Leave no log beside a file of somebody else; called when all connections are closed."""
        if self.failure is not None:
            file_identity(self._connection).remove_log_of_other_file()

    def _hint(self, copy: Path | None) -> str:
        if copy is not None:
            return f"Nothing more is saved into it. Open the copy with all that was saved: {copy}."
        newest = newest_backup(self._path)
        if newest is not None:
            return (
                "Nothing more is saved into it, and the open project could not be copied. "
                f"Open the newest backup, {newest.path}."
            )
        return "Nothing more is saved into it, and the open project could not be copied. There is no backup."
