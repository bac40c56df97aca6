"""Whether the path of an open project still leads to the file that is open.

SQLite goes on writing into a file that was deleted, replaced or moved, and says that it is saved. A sync
program, a colleague's copy or a removed drive does that.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.errors import ReplacedFileError

if TYPE_CHECKING:
    from annotator.store.connection import Connection

WAL_ENDING = "-wal"


class FileIdentity:
    """The file of a connection, and its write-ahead log, as they were when they were opened.

    Attributes:
        path: The file itself, where links lead.
        number: Its device and inode.
    """

    def __init__(self, path: Path) -> None:
        """Note the file.

        Args:
            path: The project file, which exists by now.
        """
        # A connection follows a link when it is opened, and SQLite keeps its log beside the file itself.
        self.path = Path(os.path.realpath(path))
        # A link can lead elsewhere later; absolute, because the working folder can change.
        self._named = path.absolute()
        self._log_path = self.path.with_name(self.path.name + WAL_ENDING)
        found = self.path.stat()
        self.number = (found.st_dev, found.st_ino)
        self._size = found.st_size
        self._log: tuple[int, int] | None = None
        self._is_bounded: bool | None = None

    def require_same_as(self, other: FileIdentity) -> None:
        """Refuse to write where the path has led a later connection to another file.

        Raises:
            ReplacedFileError: They are not the same file.
        """
        if self.number != other.number:
            raise ReplacedFileError(f"{self.path} was replaced by another file while it was open.")

    def require_same(self, connection: Connection) -> None:
        """Compare the file with what the path leads to now; a few microseconds.

        Args:
            connection: The connection, inside a transaction that is about to be committed, or in none.

        Raises:
            ReplacedFileError: They differ.
        """
        try:
            found = self._named.stat()
        except OSError as error:
            raise ReplacedFileError(
                f"{self.path} is not at its place: it was moved or deleted, or its drive was removed."
            ) from error
        if (found.st_dev, found.st_ino) != self.number:
            raise ReplacedFileError(f"{self.path} was replaced by another file while it was open.")
        self._require_same_log()
        self._require_same_content(found.st_size, connection)

    def remove_log_of_other_file(self) -> None:
        """Delete the own write-ahead log where its name leads to it beside another file.

        SQLite would apply it to that file at the next opening. Called when all connections are closed, or
        when everything was copied.
        """
        if self._log is None or _identity(self._log_path) != self._log:
            return
        if _identity(self.path) != self.number:
            self._log_path.unlink(missing_ok=True)
            self.path.with_name(f"{self.path.name}-shm").unlink(missing_ok=True)

    def empty_log(self) -> None:
        """Empty the write-ahead log, so that nobody moves it into a file whose content was replaced."""
        if self._log is not None and _identity(self._log_path) == self._log:
            # By its name: opening and closing a file would drop the locks of this process on it.
            os.truncate(self._log_path, 0)

    def note_log(self) -> None:
        """Note the write-ahead log, which is open once the connection has read something."""
        self._log = _identity(self._log_path)

    def _require_same_log(self) -> None:
        found = _identity(self._log_path)
        if self._log is None:
            self._log = found
        elif found != self._log:
            raise ReplacedFileError(f"{self._log_path} was deleted or replaced while the project was open.")

    def _require_same_content(self, size: int, connection: Connection) -> None:
        """Compare the size: a project file only grows, and never beyond its number of pages.

        Whoever writes another file over an open one cannot be found by its identity.
        """
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        limit = pages * connection.execute("PRAGMA page_size").fetchone()[0]
        if self._is_bounded is None:
            self._is_bounded = size <= limit
        if size < self._size or (self._is_bounded and size > limit):
            raise ReplacedFileError(
                f"{self.path} was overwritten by another program while it was open.", is_overwritten=True
            )
        self._size = size


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
