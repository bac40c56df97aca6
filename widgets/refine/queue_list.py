"""The queue of items beside the stage: those of the Library's list, in its order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import msgspec

from annotator.domain.assignment import assignee
from annotator.domain.item import Item, ItemState
from annotator.domain.query import ItemQuery, SortOrder
from annotator.domain.rows import FacetCount
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.library.record_types import RECORD_TYPES, FoundRecords, RecordColumn, RecordTypeView
from widgets.translation import mark as _

UNFINISHED: tuple[ItemState, ...] = ("drafted", "in_refinement")
"""States of items that wait for refinement."""
DONE: tuple[ItemState, ...] = ("refined", "accepted", "rejected")
"""States that count as done on the day on which a person sets them."""

CHIPS = ("todo", "mine", "flagged", "all")
"""Filters above the queue."""
NO_CHIP: dict[str, tuple[str, ...]] = {"states": (), "flags": (), "assignees": ()}
"""The fields of the query that chips set."""


@dataclass(frozen=True, kw_only=True)
class QueueStart:
    """Where the queue begins: the list of the Library and its current item.

    Attributes:
        query: The items.
        order: Their order.
        number: Row number of the current item, None for the first.
        is_chosen: Whether a person chose that item; otherwise it is the first of the list.
    """

    query: ItemQuery
    order: SortOrder
    number: int | None = None
    is_chosen: bool = False


def find_queue(reader: Reader, query: ItemQuery, order: SortOrder, *, person: str) -> FoundRecords:
    """Query the items of the queue, with the counts of its chips as the facet ``chip``.

    The facet ``left`` has the number of items that are assigned to the person and wait for refinement.

    Args:
        reader: The project.
        query: The items.
        order: Their order.
        person: Id of the person whose items the chip ``mine`` counts.
    """
    with reader.snapshot():
        plain = msgspec.structs.replace(query, **NO_CHIP)
        counts = [
            FacetCount(
                value=chip, count=reader.items.count(msgspec.structs.replace(plain, **_fields(chip, person)))
            )
            for chip in CHIPS
        ]
        left = count_left(reader, query=plain, person=person)
        facets = reader.items.facets(query)
        display_text.load_task_set_titles((one.value for one in facets["task_set"]), project=reader.path)
        return FoundRecords(
            query=query,
            order=order,
            numbers=reader.order.sorted_numbers(Item, reader.items.numbers(query), order=order),
            total=reader.items.count(ItemQuery()),
            facets=facets | {"chip": counts, "mention": [], "left": [FacetCount(value="", count=left)]},
            sources={},
        )


def count_left(reader: Reader, *, query: ItemQuery, person: str) -> int:
    """Return how many items of a query are assigned to a person and wait for refinement."""
    own = with_chip(query, "mine", person=person)
    return reader.items.count(msgspec.structs.replace(own, states=UNFINISHED))


def chip_of(query: ItemQuery, *, person: str) -> str:
    """Return the chip whose filter a query has, "" if it has another one."""
    return next((chip for chip in CHIPS if with_chip(query, chip, person=person) == query), "")


def with_chip(query: ItemQuery, chip: str, *, person: str) -> ItemQuery:
    """Return a query with the filter of a chip in place of its filters by state, flag, assignee and id."""
    return msgspec.structs.replace(query, **(NO_CHIP | {"ids": ()} | _fields(chip, person)))


def _fields(chip: str, person: str) -> dict[str, tuple[str, ...]]:
    fields: dict[str, dict[str, tuple[str, ...]]] = {
        "todo": {"states": UNFINISHED},
        "mine": {"assignees": (assignee("refine", person),)},
        "flagged": {"flags": ("*",)},
        "all": {},
    }
    return fields[chip]


def done_today(reader: Reader, *, actor: str) -> int:
    """Return how many items an actor has refined, accepted or rejected since local midnight."""
    midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    # Ids of events are UUIDs of version 7, which begin with their time in milliseconds.
    first = f"{int(midnight.timestamp() * 1000):012x}".ljust(32, "0")
    return reader.history.decided_since(first, actor=actor, states=DONE)


def first_item_of(reader: Reader, *, scene: str) -> int | None:
    """Return the row number of the first item of a scene, None if it has none."""
    numbers = reader.related.numbers_of_scene(Item, scene)
    return int(numbers[0]) if len(numbers) else None


def items_of_queue(person: str) -> RecordTypeView:
    """Return the list of the queue, for one person; its filters are those of the Library, and its chips."""
    return replace(
        RECORD_TYPES["item"],
        id="queue",
        title=_("Queue"),
        columns=(
            RecordColumn(
                id="item",
                title=_("Item"),
                width_px=0,
                text=lambda row: f"{display_text.task_title(row.task, row.task_set)}  {row.name}",
                is_sortable=False,
            ),
        ),
        find=partial(find_queue, person=person),
        # Without the texts: what is typed here must not query the whole list again.
        depends_on={
            "item": ("name", "task_set", "task", "state", "scene", "provenance"),
            "flag": ("target", "kind", "state"),
            "source": ("name",),
            "assignment": None,
        },
    )
