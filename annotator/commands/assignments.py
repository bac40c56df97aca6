"""Commands that assign records to persons, and end assignments."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.actor import Actor
from annotator.domain.assignment import AssignedEntity, Assignment, AssignmentRole
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.item import Item
from annotator.domain.query import qualified_task
from annotator.domain.record import Record, new_id
from annotator.domain.record_types import record_type
from annotator.edits.people import adding_edits
from annotator.progress import Progress
from annotator.quality.assignment_order import AssignmentPlan
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class AssignRecords(Command):
    """Assign records to persons; who has a record in the role already keeps it.

    Attributes:
        entity: Kind of the records.
        role: What the persons are asked to do.
        pairs: Ids of a record and of the person who gets it.
        honeypots: The same for records that are known to be right.
        people: Persons that the project does not contain yet.
        seed: Seed of the places of honeypots among the other records of the person.
    """

    entity: AssignedEntity
    role: AssignmentRole
    pairs: tuple[tuple[str, str], ...]
    honeypots: tuple[tuple[str, str], ...] = ()
    people: tuple[Actor, ...] = ()
    seed: int = 0

    @classmethod
    def of_plan(cls, plan: AssignmentPlan, *, new_people: Iterable[Actor] = ()) -> AssignRecords:
        """Return the command that carries a plan out.

        Args:
            plan: Who gets what.
            new_people: Persons that the project does not contain yet.
        """
        return cls(
            entity=plan.order.entity,
            role=plan.order.role,
            pairs=plan.pairs,
            honeypots=plan.honeypots,
            people=tuple(new_people),
            seed=plan.order.seed,
        )

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
        groups = {
            target: _group(reader.require(record_type(self.entity), target))
            for target, _ in (*self.pairs, *self.honeypots)
        }
        wanted = self._mixed(groups)
        progress.begin(self.summary, total=len(wanted))
        for (target, person_id), is_honeypot in wanted:
            progress.step()
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

    def _mixed(self, groups: Mapping[str, str]) -> list[tuple[tuple[str, str], bool]]:
        """Return all pairs, and whether each is a honeypot, at a random place among its person's work.

        Queues have the order of the assignments: a honeypot of another task than its neighbours would be
        recognised, like honeypots that all come first.

        Args:
            groups: Tasks of the records.
        """
        usual = list(dict.fromkeys(self.pairs))
        anywhere, alike = defaultdict[str, list[int]](list), defaultdict[tuple[str, str], list[int]](list)
        for index, (target, person) in enumerate(usual):
            anywhere[person].append(index)
            alike[person, groups[target]].append(index)
        chance, known = random.Random(self.seed), set(usual)
        placed = [(float(index), pair, False) for index, pair in enumerate(usual)]
        # Who gets a record in the usual way does not get it as a honeypot as well.
        for target, person in dict.fromkeys(pair for pair in self.honeypots if pair not in known):
            among = alike[person, groups[target]] or anywhere[person] or [0]
            # Half a place on: between two records of the usual work, which have whole numbers.
            placed.append((chance.choice(among) + chance.choice((-0.5, 0.5)), (target, person), True))
        return [(pair, is_honeypot) for _, pair, is_honeypot in sorted(placed)]


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


def _group(record: Record) -> str:
    return qualified_task(record.task_set, record.task) if isinstance(record, Item) else ""


def _assigned(reader: Reader, entity: str, target: str, role: str) -> Iterator[Assignment]:
    return reader.find(Assignment, target=target, entity=entity, role=role)
