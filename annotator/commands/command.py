"""What a command is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.domain.event import Edit
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.store.reader import Reader


class Command(ABC):
    """One gesture or batch step; done, undone and redone as a whole.

    Commands hold ids and values, never widgets. A command that has something to tell keeps it in
    an attribute of its own, set before ``plan`` ends.
    """

    @property
    @abstractmethod
    def summary(self) -> CommandSummary:
        """What it does, for the undo menu and the history."""

    @property
    def details(self) -> dict[str, Any]:
        """Values for the log that tell more, JSON."""
        return {}

    @property
    def merge_key(self) -> str:
        """Key of the gesture that the command is a part of, "" for a gesture of its own.

        Commands that follow each other with the same key, and no other command between them, are one step for
        undo: typing is saved every second, and taken back as a whole.
        """
        return ""

    @abstractmethod
    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the edits, in one transaction on the store lane.

        Args:
            reader: Sees the project as it was before this command.
            progress: To be stepped in long work; raises Cancelled when the user stops it.

        Raises:
            UserError: The command cannot be done; nothing is written.
        """


class StalePreparationError(UserError):
    """Say that what was prepared no longer fits the project; the session has it prepared once more."""


class StagedCommand(Command):
    """A command that mostly makes new records, many of them: nobody's edits wait for it.

    ``plan`` runs beside the store lane, and what it yields is entered in short transactions that nobody sees
    before the last one. Others may edit the project meanwhile. Where that keeps on spoiling the plan, it is
    done in one transaction, as any other command.
    """

    @abstractmethod
    def require_current(self, reader: Reader, *, since: int) -> None:
        """Look whether what the last plan rested on still holds; asked in the last transaction.

        Args:
            reader: Sees the project as it is now.
            since: Position of the log when the plan began.

        Raises:
            StalePreparationError: It does not; nothing is entered.
        """


class PreparedCommand(Command):
    """A command whose long part comes before its transaction: nobody's edits wait for it.

    ``prepare`` reads one state of the project, on a thread that is not the store lane; ``plan`` then looks
    whether that state still holds where it matters, and only enters what was prepared. The project may be
    edited in between, so a plan that skips the look would enter something that never was.
    """

    @abstractmethod
    def prepare(self, reader: Reader, *, progress: Progress) -> None:
        """Do the long part; what an earlier call prepared is dropped.

        Args:
            reader: Sees one and the same state throughout.
            progress: To be stepped; raises Cancelled when the user stops it.

        Raises:
            UserError: The command cannot be done.
        """

    @abstractmethod
    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the edits of what was prepared, in one short transaction on the store lane.

        Args:
            reader: Sees the project as it is now.
            progress: To be asked whether to go on.

        Raises:
            StalePreparationError: The project is no longer what was prepared from; nothing is written.
            UserError: The command cannot be done; nothing is written.
        """

    @abstractmethod
    def discard(self) -> None:
        """Give up what was prepared and not entered; called in any case, and perhaps twice."""
