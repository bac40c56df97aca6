"""The command that chooses one of the values of a fork."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import Edit, ForkResolution
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class ResolveFork(Command):
    """Choose one of the values that workstations gave a field independently.

    Attributes:
        entity_id: Id of the record.
        field: The field.
        event: Id of the event whose value is kept.
    """

    entity_id: str
    field: str
    event: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("resolve_fork", name=self.field)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the value; the log names all values of the fork as what it saw.

        Raises:
            UserError: The field has no fork, or none of its values is of that event.
        """
        progress.begin(self.summary, total=1)
        fork = reader.forks.get(self.entity_id, field=self.field)
        chosen = next((one for one in fork.values if one.event == self.event), None) if fork else None
        if fork is None or chosen is None:
            raise UserError(
                f"The {self.field} has no such value to choose from.",
                hint="Somebody may have chosen already. List the forks again.",
            )
        value = msgspec.Raw(chosen.value.encode())
        yield ForkResolution(entity=fork.entity, entity_id=fork.entity_id, field=fork.field, value=value)
