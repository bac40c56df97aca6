"""Why items of an earlier release are gone, as far as the project knows."""

from __future__ import annotations

import msgspec

from annotator.domain.item import Item
from annotator.domain.query import qualified_task
from annotator.queries.reader import Reader
from annotator.release_difference.difference import ReleaseDifference, SingleItem


def with_reasons(difference: ReleaseDifference, reader: Reader) -> ReleaseDifference:
    """Return a difference whose removed items say why, where the new release itself does not.

    Args:
        difference: The difference.
        reader: The project that both releases were made of.
    """
    removed = tuple(
        item if item.why else msgspec.structs.replace(item, why=_reason(item, reader))
        for item in difference.removed
    )
    return msgspec.structs.replace(difference, removed=removed)


def _reason(item: SingleItem, reader: Reader) -> str:
    named = [one for one in reader.find(Item, name=item.name) if _task_of(one) == item.task]
    if not named:
        return "The project no longer has the item."
    if named[0].state in {"rejected", "filtered"}:
        return f"The item is {named[0].state}."
    # In full, so that its translation is found to be used.
    state = "in refinement" if named[0].state == "in_refinement" else named[0].state
    return f"The item is {state}; the new release did not select it."


def _task_of(item: Item) -> str:
    return qualified_task(item.task_set, item.task)
