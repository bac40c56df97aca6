"""What is to be assigned to whom, and the plan that follows: the same for window and command line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from annotator.domain.actor import Actor
from annotator.domain.assignment import AssignedEntity, Assignment, AssignmentRole
from annotator.domain.assignment_plan import plan_assignments, plan_honeypots
from annotator.domain.query import ItemQuery, qualified_task
from annotator.domain.record import ValueObject
from annotator.errors import UserError
from annotator.quality.human_reference.sample import Shortage, named_shortages
from annotator.queries.reader import Reader

ANSWERING: frozenset[AssignmentRole] = frozenset({"validate", "reference"})
"""Roles in which a person answers without seeing the answer key."""


class AssignmentOrder(ValueObject, frozen=True, kw_only=True):
    """What is to be assigned, and how.

    Attributes:
        role: What the persons are asked to do.
        people: Ids of the persons.
        share: Share of each task or dataset that is assigned, above 0 and up to 1.
        overlap: Number of persons for a record that several get.
        overlap_share: Share of the records that ``overlap`` persons get; the others have one person each.
        honeypots: Number of honeypots of a person, as a share of the new records of the person.
        seed: Seed of the choice.
    """

    role: AssignmentRole
    people: tuple[str, ...]
    share: float = 1.0
    overlap: int = 1
    overlap_share: float = 1.0
    honeypots: float = 0.0
    seed: int = 0

    @property
    def entity(self) -> AssignedEntity:
        """Kind of the records."""
        return entity_of(self.role)


class PersonShare(ValueObject, frozen=True, kw_only=True):
    """What one person gets.

    Attributes:
        person: Id of the person.
        before: Number of records that the person has in the role already.
        new: Number of new records, without honeypots.
        honeypots: Number of new honeypots.
    """

    person: str
    before: int
    new: int
    honeypots: int


class AssignmentPlan(ValueObject, frozen=True, kw_only=True):
    """Who gets what.

    Attributes:
        order: The order.
        pairs: Ids of a record and of the person who gets it.
        honeypots: The same for the honeypots.
        shares: What each person gets, in the order of the persons.
        shortages: Items that too few of the persons may answer; nobody gets them.
    """

    order: AssignmentOrder
    pairs: tuple[tuple[str, str], ...]
    honeypots: tuple[tuple[str, str], ...]
    shares: tuple[PersonShare, ...]
    shortages: tuple[Shortage, ...] = ()


def entity_of(role: AssignmentRole) -> AssignedEntity:
    """Return the kind of the records that are assigned in a role."""
    return "scene" if role == "annotate" else "item"


def scene_groups(reader: Reader, numbers: Sequence[int]) -> dict[str, list[str]]:
    """Return the ids of scenes by dataset.

    Args:
        reader: The project.
        numbers: Row numbers of the scenes.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for scene in reader.scenes.rows(numbers):
        groups[scene.dataset].append(scene.id)
    return dict(groups)


def item_groups(reader: Reader, numbers: Sequence[int]) -> dict[str, list[str]]:
    """Return the ids of items by task.

    Args:
        reader: The project.
        numbers: Row numbers of the items.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for item in reader.items.rows(numbers):
        groups[qualified_task(item.task_set, item.task)].append(item.id)
    return dict(groups)


def plan_order(
    reader: Reader, order: AssignmentOrder, *, groups: Mapping[str, Sequence[str]]
) -> AssignmentPlan:
    """Return who gets which records, and which honeypots among them.

    Who has worked on an item does not get it to answer.

    Args:
        reader: The project.
        order: The order.
        groups: Ids of the records by task or dataset.

    Raises:
        UserError: A number is out of range, there are fewer persons than the overlap, or no honeypots.
    """
    taken = assigned_persons(reader, order.role)
    targets = [target for group in groups.values() for target in group]
    pairs, missing = plan_assignments(
        list(groups.values()),
        order.people,
        share=order.share,
        overlap=order.overlap,
        overlap_share=order.overlap_share,
        seed=order.seed,
        taken=taken,
        excluded=barred_persons(reader, targets) if order.role in ANSWERING else {},
    )
    honeypots = _honeypots(reader, order, pairs=pairs, tasks=tuple(groups), taken=taken)
    return AssignmentPlan(
        order=order,
        pairs=tuple(pairs),
        honeypots=tuple(honeypots),
        shares=_shares(order, pairs=pairs, honeypots=honeypots, taken=taken),
        shortages=named_shortages(reader, missing) if missing else (),
    )


def assigned_persons(reader: Reader, role: AssignmentRole) -> dict[str, list[str]]:
    """Return the persons who have a record in a role, by the id of the record."""
    taken: dict[str, list[str]] = defaultdict(list)
    for found in reader.find(Assignment, role=role):
        taken[found.target].append(found.person)
    return dict(taken)


def barred_persons(reader: Reader, items: Sequence[str]) -> dict[str, set[str]]:
    """Return who cannot answer an item independently: has worked on it, or has answered it already."""
    barred: dict[str, set[str]] = defaultdict(set)
    for item, persons in reader.assigned.item_work(items).items():
        barred[item].update(persons)
    for item, person, *_ in reader.assigned.answer_positions(items):
        barred[item].add(person)
    return dict(barred)


def _honeypots(
    reader: Reader,
    order: AssignmentOrder,
    *,
    pairs: Sequence[tuple[str, str]],
    tasks: tuple[str, ...],
    taken: Mapping[str, Sequence[str]],
) -> list[tuple[str, str]]:
    if not order.honeypots:
        return []
    if order.role not in ANSWERING:
        raise UserError(
            f"Honeypots are not possible in the role {order.role!r}.",
            hint="Honeypots are mixed among items that persons answer without the answer key: the role "
            "validate.",
        )
    rows = reader.items.rows(reader.items.numbers(ItemQuery(tasks=tasks, states=("accepted",))).tolist())
    known = [row.id for row in rows if not row.flags]
    if not known:
        raise UserError(
            "No item of these tasks can be a honeypot.",
            hint="Honeypots are accepted items without open flags.",
        )
    having = barred_persons(reader, known)
    for target, person in (*pairs, *((one, person) for one, persons in taken.items() for person in persons)):
        having.setdefault(target, set()).add(person)
    counts = Counter(person for _, person in pairs)
    return plan_honeypots(known, counts, share=order.honeypots, seed=order.seed, excluded=having)


def _shares(
    order: AssignmentOrder,
    *,
    pairs: Sequence[tuple[str, str]],
    honeypots: Sequence[tuple[str, str]],
    taken: Mapping[str, Sequence[str]],
) -> tuple[PersonShare, ...]:
    before = Counter(person for persons in taken.values() for person in persons)
    new, mixed_in = (Counter(person for _, person in some) for some in (pairs, honeypots))
    return tuple(
        PersonShare(person=one, before=before[one], new=new[one], honeypots=mixed_in[one])
        for one in order.people
    )


def with_people(order: AssignmentOrder, people: Iterable[Actor]) -> AssignmentOrder:
    """Return an order for some persons."""
    return msgspec.structs.replace(order, people=tuple(person.id for person in people))
