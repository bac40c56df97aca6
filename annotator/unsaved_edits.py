"""Edits that the disk refuses wait, and are tried again until they are saved or the user gives them up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from annotator.errors import ProjectFileFailure
from annotator.progress import Progress

T = TypeVar("T")
RETRY_S = 3.0
"""Time between two attempts: a full disk or a lock of another program ends by itself, but not at once."""


class UnsavedEdits:
    """Tries the edit of the writing thread again while it fails; later ones wait behind it, in order.

    ``failure`` may be read, and ``try_now`` and ``give_up`` be called, from any thread.

    Attributes:
        failure: Why the edit that is tried is not saved, None while nothing is refused.
    """

    def __init__(self) -> None:
        self.failure: ProjectFileFailure | None = None
        self._changed = threading.Condition()
        self._try_now = False
        self._is_given_up = False
        self._is_closed = False

    def save(self, write: Callable[[], T], *, progress: Progress) -> T:
        """Write, again and again if need be; called on the writing thread.

        Args:
            write: One transaction; raises a ``ProjectFileFailure`` where the disk refuses it.
            progress: Of the edit; if it is cancelled, the edit is given up.

        Raises:
            ProjectFileFailure: The edit was given up, or the project is being closed.
        """
        try:
            while True:
                try:
                    return write()
                except ProjectFileFailure as error:
                    # A project file that is gone does not come back by waiting.
                    if not error.may_pass or not self._wait(error, progress=progress):
                        raise
        finally:
            self.failure = None

    def try_now(self) -> None:
        """Try the edit at once."""
        with self._changed:
            self._try_now = True
            self._changed.notify()

    def give_up(self) -> None:
        """Let the edit that is tried fail, and go on with the next one."""
        with self._changed:
            self._is_given_up = self.failure is not None
            self._changed.notify()

    def close(self) -> None:
        """Try each edit that is left once; closing must end."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def _wait(self, error: ProjectFileFailure, *, progress: Progress) -> bool:
        """Wait until the next attempt; return False for none."""
        with self._changed:
            self.failure = error
            self._changed.wait_for(
                lambda: self._try_now or self._is_given_up or self._is_closed or progress.is_cancelled,
                timeout=RETRY_S,
            )
            is_ended = self._is_given_up or self._is_closed or progress.is_cancelled
            self._try_now = self._is_given_up = False
            return not is_ended
