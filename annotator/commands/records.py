"""Commands on flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import Edit, edit_fields
from annotator.domain.flag import Flag, FlagState
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader

_FLAG_CODES = {"resolved": "resolve_flags", "dismissed": "dismiss_flags", "open": "reopen_flags"}


@dataclass(frozen=True, kw_only=True)
class DecideFlags(Command):
    """Close or reopen flags.

    Attributes:
        flags: Ids of the flags.
        state: ``resolved`` (corrected), ``dismissed`` (no correction needed) or ``open``.
        resolution: The reason.
    """

    flags: tuple[str, ...]
    state: FlagState
    resolution: str = ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of(_FLAG_CODES[self.state], count=len(self.flags))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new state and reason of each flag that differs.

        Raises:
            UserError: A dismissal without a reason, or an unknown flag.
        """
        if self.state == "dismissed" and not self.resolution.strip():
            raise UserError("A dismissal needs a reason.", hint="Enter why the record is correct.")
        progress.begin(self.summary, total=len(self.flags))
        for flag_id in self.flags:
            progress.step()
            flag = reader.require(Flag, flag_id)
            yield from edit_fields(flag, state=self.state, resolution=self.resolution.strip())
