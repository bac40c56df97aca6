"""The runs that this person allows on this machine: the ones started here, and those confirmed.

A project file is data from anybody: the profiles in its runs name servers, environment variables with API
keys, programs and their arguments. A worker processes a run only if its digest is in a file of the person's
settings folder, where no project can write. A run changed afterwards has another digest.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from annotator.domain.run import Run
from annotator.errors import EnvironmentFailure, UserError
from annotator.jobs.line_file import append_line

FILE = "confirmed_runs.txt"


class ConfirmedRuns:
    """The file of confirmed runs.

    Args:
        settings: Folder of the person's settings.
    """

    def __init__(self, settings: Path) -> None:
        self.settings = settings
        self._file = settings / FILE
        self._known: set[str] = set()
        self._size = -1

    def __contains__(self, run: Run) -> bool:
        """Return whether a run is confirmed exactly as it is.

        Raises:
            EnvironmentFailure: The file cannot be read.
        """
        self._read()
        return _digest(run) in self._known

    def add(self, run: Run) -> None:
        """Confirm a run.

        Raises:
            EnvironmentFailure: The file cannot be written.
        """
        if run in self:
            return
        try:
            append_line(self._file, _digest(run).encode())
        except OSError as error:
            raise EnvironmentFailure(
                f"{self._file} cannot be written: {error.strerror}.",
                hint="Check that you have permission to change this file. The run was not started.",
            ) from error

    def _read(self) -> None:
        try:
            size = self._file.stat().st_size
            # Lines are only ever appended, so an equal size means the same content.
            if size != self._size:
                self._known, self._size = set(self._file.read_text(encoding="ascii").split()), size
        except FileNotFoundError:
            self._known, self._size = set(), -1
        except (OSError, UnicodeDecodeError) as error:
            raise EnvironmentFailure(f"{self._file} cannot be read: {error}.") from error


def refusal() -> UserError:
    """Return the error for a run that is not confirmed."""
    return UserError(
        "The run was not started on this machine and is not confirmed.",
        hint="Check what it uses, and confirm it with: runs confirm PROJECT RUN",
    )


def _digest(run: Run) -> str:
    # Not its state and its cost limit: the person changes them while it goes on.
    fixed = (run.id, run.kind, run.models, run.settings, run.profiles)
    # Deterministic: the order of members in the stored JSON is of no meaning.
    return hashlib.sha256(msgspec.json.encode(fixed, order="deterministic")).hexdigest()
