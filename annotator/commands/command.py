"""What a command is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from annotator.domain.event import Edit
from annotator.progress import Progress
from annotator.store.reader import Reader


class Command(ABC):
    """One gesture or batch step; done, undone and redone as a whole.

    Commands hold ids and values, never widgets. A command that has something to tell keeps it in
    an attribute of its own, set before ``plan`` ends.
    """

    @property
    @abstractmethod
    def label(self) -> str:
        """What it does, in words of the undo menu: "Reject 3 items"."""

    @property
    def details(self) -> dict[str, Any]:
        """Values for the log that tell more, JSON."""
        return {}

    @abstractmethod
    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the edits, in one transaction on the store lane.

        Args:
            reader: Sees the project as it was before this command.
            progress: To be stepped in long work; raises Cancelled when the user stops it.

        Raises:
            UserError: The command cannot be done; nothing is written.
        """
