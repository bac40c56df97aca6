"""Commands that assign records to persons, and end assignments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.people import adding_edits
from annotator.domain.actor import Actor
from annotator.domain.assignment import Assignment, AssignmentRole
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.record import new_id
from annotator.domain.record_types import record_type
from annotator.progress import Progress
from annotator.store.reader import Reader

AssignedEntity = Literal["scene", "item"]
"""Kinds of records that are assigned."""


@dataclass(frozen=True, kw_only=True)
class AssignRecords(Command):
    """Assign records to persons; who has a record in the role already keeps it.

    Attributes:
        entity: Kind of the records.
        role: What the persons are asked to do.
        pairs: Ids of a record and of the person who gets it.
        honeypots: The same for records that are known to be right.
        people: Persons that the project does not contain yet.
    """

    entity: AssignedEntity
    role: AssignmentRole
    pairs: tuple[tuple[str, str], ...]
    honeypots: tuple[tuple[str, str], ...] = ()
    people: tuple[Actor, ...] = ()

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        targets = {target for target, _ in (*self.pairs, *self.honeypots)}
        return CommandSummary.of(f"assign_{self.entity}s", count=len(targets))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new assignments.

        Raises:
            UserError: A record is unknown.
        """
        yield from adding_edits(self.people, reader)
        # Who gets a record in the usual way does not get it as a honeypot as well.
        wanted = dict.fromkeys(self.honeypots, True) | dict.fromkeys(self.pairs, False)
        progress.begin(self.summary, total=len(wanted))
        for (target, person_id), is_honeypot in wanted.items():
            progress.step()
            reader.require(record_type(self.entity), target)
            if not any(one.person == person_id for one in _assigned(reader, self.entity, target, self.role)):
                made = Assignment(
                    id=new_id(),
                    entity=self.entity,
                    target=target,
                    person=person_id,
                    role=self.role,
                    is_honeypot=is_honeypot,
                )
                yield Edit(entity="assignment", entity_id=made.id, field=CREATED, value=made)
        progress.end()


@dataclass(frozen=True, kw_only=True)
class UnassignRecords(Command):
    """End the assignments of records.

    Attributes:
        entity: Kind of the records.
        role: What the persons are asked to do.
        targets: Ids of the records.
        persons: Ids of the persons who lose them, empty for all.
    """

    entity: AssignedEntity
    role: AssignmentRole
    targets: tuple[str, ...]
    persons: tuple[str, ...] = ()

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of(f"unassign_{self.entity}s", count=len(self.targets))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the removal of each assignment."""
        progress.begin(self.summary, total=len(self.targets))
        for target in dict.fromkeys(self.targets):
            progress.step()
            for found in _assigned(reader, self.entity, target, self.role):
                if not self.persons or found.person in self.persons:
                    yield Edit(entity="assignment", entity_id=found.id, field=REMOVED, value=True)
        progress.end()


def _assigned(reader: Reader, entity: str, target: str, role: str) -> Iterator[Assignment]:
    return reader.find(Assignment, target=target, entity=entity, role=role)
