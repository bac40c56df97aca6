"""Base classes of commands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.domain.event import Edit
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader


class Command(ABC):
    """One gesture or batch operation, which is executed, undone and redone as a whole.

    Commands contain ids and values, never widgets. Results for the caller are attributes of the command,
    which are set before ``plan`` ends.
    """

    @property
    @abstractmethod
    def summary(self) -> CommandSummary:
        """What it does, for the undo menu and the history."""

    @property
    def details(self) -> dict[str, Any]:
        """Further values for the log (JSON)."""
        return {}

    @property
    def merge_key(self) -> str:
        """Key of the gesture that the command is a part of, "" for a separate gesture.

        Consecutive commands with the same key are one undo step: typing is saved every second and undone as a
        whole.
        """
        return ""

    @abstractmethod
    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the edits, in one transaction on the writing thread.

        Args:
            reader: Shows the project before this command.
            progress: Advanced during long work; raises Cancelled when the user cancels.

        Raises:
            UserError: The command is not possible; nothing is written.
        """


class StalePreparationError(UserError):
    """The project has changed since the preparation of a command; the session prepares it again."""


class StagedCommand(Command):
    """A command that mainly creates many records, without delaying other edits.

    ``plan`` runs outside the writing thread, and its edits are written in short transactions that are
    invisible before the last one. Others can edit the project meanwhile. If their edits invalidate the plan
    repeatedly, it is executed in one transaction, like other commands.
    """

    @abstractmethod
    def require_current(self, reader: Reader, *, since: int) -> None:
        """Check in the last transaction that the data on which the plan depends has not changed.

        Args:
            reader: Shows the present state of the project.
            since: Position of the log when the plan began.

        Raises:
            StalePreparationError: It has changed; nothing is written.
        """


class PreparedCommand(Command):
    """A command whose long part precedes its transaction and does not delay other edits.

    ``prepare`` reads a snapshot of the project outside the writing thread. ``plan`` then checks that the
    relevant part of the snapshot is still valid, and yields the prepared edits. The project can be edited in
    between, so a plan without this check could write a result that matches no state of the project.
    """

    @abstractmethod
    def prepare(self, reader: Reader, *, progress: Progress) -> None:
        """Do the long part; the result of an earlier call is dropped.

        Args:
            reader: Shows one snapshot during the whole call.
            progress: Advanced for each unit of work; raises Cancelled when the user cancels.

        Raises:
            UserError: The command is not possible.
        """

    @abstractmethod
    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the prepared edits, in one short transaction on the writing thread.

        Args:
            reader: Shows the present state of the project.
            progress: To be checked for cancel.

        Raises:
            StalePreparationError: The project has changed since the preparation; nothing is written.
            UserError: The command is not possible; nothing is written.
        """

    @abstractmethod
    def discard(self) -> None:
        """Release what was prepared but not entered. It is always called, possibly twice."""
