"""Temporary files of scored predictions, one for each scoring."""

from __future__ import annotations

import tempfile
from pathlib import Path


class RowFiles:
    """Names a new file for each scoring: the error browser may still have the one before open.

    Attributes:
        written: The file of the newest scoring that has ended, None before one has.
    """

    def __init__(self) -> None:
        self.written: Path | None = None
        self._asked: Path | None = None
        self._count = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def next(self) -> Path:
        """Return the path of the file of the next scoring."""
        if self._folder is None:
            # The error browser closes its file on the reading thread, and Windows deletes no open file.
            self._folder = tempfile.TemporaryDirectory(prefix="vantage-scores-", ignore_cleanup_errors=True)
        self._count += 1
        self._asked = Path(self._folder.name) / f"{self._count}.rows"
        return self._asked

    def take(self) -> None:
        """Take the file that was asked for last, which is written."""
        self.written = self._asked

    def remove(self) -> None:
        """Remove all files, because the project is being closed."""
        self.written = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
