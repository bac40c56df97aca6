"""Draws the items of the human reference and the persons who answer them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from annotator.domain.assignment import AssignmentRole
from annotator.domain.assignment_plan import plan_assignments
from annotator.domain.item import Item, ItemState
from annotator.domain.query import selects_task
from annotator.domain.record import ValueObject
from annotator.domain.stratified_sample import draw_items
from annotator.errors import UserError
from annotator.queries.reader import Reader

ROLE: AssignmentRole = "reference"
SHARE, PERSONS = 0.2, 1
"""Source: SpatialUAV, human reference on 20 % of each task."""
STATES: tuple[ItemState, ...] = ("drafted", "in_refinement", "refined", "flagged", "accepted")
"""Items that can be released: all but those that were filtered or rejected."""

_Persons = dict[str, set[str]]
"""Ids of persons by the id of the item."""


class Shortage(ValueObject, frozen=True, kw_only=True):
    """An item that too few persons may answer.

    Attributes:
        item: Id of the item.
        name: Its public id.
        task: Its task, ``set/task``.
        missing: Number of persons who are missing.
    """

    item: str
    name: str
    task: str
    missing: int


class ReferencePlan(ValueObject, frozen=True, kw_only=True):
    """The sample, and what is new about it.

    Attributes:
        tasks: Number of items in the sample by task.
        pairs: New pairs of item and person.
        shortages: Items that too few persons may answer.
    """

    tasks: Mapping[str, int]
    pairs: tuple[tuple[str, str], ...]
    shortages: tuple[Shortage, ...]


def plan_reference(
    reader: Reader,
    persons: Sequence[str],
    *,
    share: float = SHARE,
    per_item: int = PERSONS,
    seed: int = 0,
    tasks: Collection[str] = (),
    states: Collection[str] = STATES,
) -> ReferencePlan:
    """Return who answers which items for the human reference.

    The same items, persons and seed give the same plan. A larger share, and items that are added, keep the
    items of a smaller one. Who has worked on an item, or is asked to in another role, does not get it; such
    an item stays in the sample, since an easier one in its place would make the figures better.

    Args:
        reader: The project.
        persons: Ids of the persons.
        share: Share of the items of each task, above 0 and up to 1; at least one item.
        per_item: Number of persons for each item.
        seed: Seed of the choice.
        tasks: Tasks as ``set/task`` or as their ids, empty for all.
        states: States of the items.

    Raises:
        UserError: A number is out of range, or no item can be drawn.
    """
    _require_valid(persons, share=share, per_item=per_item)
    sample = {
        task: draw_items(items, share=share, seed=seed)
        for task, items in _items_by_task(reader, states=states, tasks=tasks).items()
    }
    chosen = [item for items in sample.values() for item in items]
    taken, others = _assigned(reader, chosen)
    barred = _barred(reader, chosen, others=others)
    missing = {
        item: per_item - len(taken.get(item, ())) - _free(persons, taken.get(item, ()), barred.get(item, ()))
        for item in chosen
    }
    enough = [item for item in chosen if missing[item] <= 0]
    pairs = _pairs(enough, persons, per_item=per_item, seed=seed, taken=taken, barred=barred)
    short = {item: count for item, count in missing.items() if count > 0}
    return ReferencePlan(
        tasks={task: len(items) for task, items in sample.items()},
        pairs=pairs,
        shortages=named_shortages(reader, short),
    )


def _pairs(
    items: list[str],
    persons: Sequence[str],
    *,
    per_item: int,
    seed: int,
    taken: Mapping[str, Collection[str]],
    barred: Mapping[str, Collection[str]],
) -> tuple[tuple[str, str], ...]:
    if not items:
        return ()
    planned = plan_assignments([items], persons, overlap=per_item, seed=seed, taken=taken, excluded=barred)
    return tuple(planned.pairs)


def _assigned(reader: Reader, items: Collection[str]) -> tuple[_Persons, _Persons]:
    """Return who is asked to answer each item for the reference, and who is asked to work on it."""
    taken, others = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for item, role, person in reader.assigned.item_assignments(items):
        (taken if role == ROLE else others)[item].add(person)
    return dict(taken), dict(others)


def _barred(reader: Reader, items: Collection[str], *, others: _Persons) -> _Persons:
    """Return who has worked on each item, has answered it, or is asked to work on it."""
    barred = defaultdict[str, set[str]](set, others)
    for item, persons in reader.assigned.item_work(items).items():
        barred[item].update(persons)
    for item, person, *_ in reader.assigned.answer_positions(items):
        barred[item].add(person)
    return dict(barred)


def _free(persons: Collection[str], taken: Collection[str], barred: Collection[str]) -> int:
    return len(set(persons) - set(taken) - set(barred))


def _items_by_task(
    reader: Reader, *, states: Collection[str], tasks: Collection[str]
) -> dict[str, list[str]]:
    """Return the items of each task to draw from.

    Raises:
        UserError: There is none.
    """
    found = {
        task: items
        for task, items in reader.assigned.items_by_task(states).items()
        if not tasks or _is_selected(task, tasks)
    }
    if not found:
        raise UserError(
            "There is no item for the human reference.",
            hint="Items that were rejected or filtered are left out. List the others with: vantage stats.",
        )
    return found


def named_shortages(reader: Reader, missing: Mapping[str, int]) -> tuple[Shortage, ...]:
    """Return items that too few persons may answer, sorted by task and name.

    Args:
        reader: The project.
        missing: Number of persons who are missing, by id of the item.
    """
    found = (
        Shortage(item=item.id, name=item.name, task=f"{item.task_set}/{item.task}", missing=missing[item.id])
        for item in reader.records(Item, ids=list(missing))
    )
    return tuple(sorted(found, key=lambda shortage: (shortage.task, shortage.name)))


def _is_selected(task: str, wanted: Collection[str]) -> bool:
    task_set, _, name = task.partition("/")
    return selects_task(wanted, task_set=task_set, task=name)


def _require_valid(persons: Collection[str], *, share: float, per_item: int) -> None:
    if not 0 < share <= 1:
        raise UserError(f"The share {share:g} is not above 0 and up to 1.", hint="Enter 0.2 for 20 %.")
    if per_item < 1:
        raise UserError(f"{per_item} persons cannot answer an item.", hint="Enter 1 or more.")
    if len(set(persons)) < per_item:
        raise UserError(
            f"{per_item} persons are required for each item, but {len(set(persons))} are chosen.",
            hint="Choose more persons, or fewer for each item.",
        )
