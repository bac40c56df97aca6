"""Public ids of drafted items: which are in use, and the next number of each kind."""

from __future__ import annotations

from typing import Literal

import msgspec

from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.domain.task_set import Task, TaskSet
from annotator.draft.item_names import name_prefix, numbered_name
from annotator.queries.reader import Reader

Subject = tuple[str, str, str, str]
"""Task, scene, view and subject of an item with a numbered id."""


class DraftNames:
    """The public ids in use, in a project and in one draft."""

    def __init__(self, reader: Reader, *, task_set: str) -> None:
        self._reader, self._task_set = reader, task_set
        self._made: dict[str, Item] = {}
        self._subjects: set[Subject] | None = None
        self._last_numbers: dict[str, int] = {}

    def holder(self, item: Item) -> Literal["same", "other"] | None:
        """Return which item holds a new item's public id or subject: the same, another, or None."""
        if not item.name:
            return "same" if _subject(item) in self._known_subjects() else None
        holder = self._made.get(item.name) or self._find(item.name)
        if holder is None:
            return None
        return "same" if _is_same(holder, item) else "other"

    def keep(self, item: Item, *, task: Task, task_set: TaskSet) -> Item:
        """Return a new item with an id of its own and its public id, which is then in use."""
        if item.name:
            kept = msgspec.structs.replace(item, id=new_id())
            self._made[kept.name] = kept
            return kept
        self._known_subjects().add(_subject(item))
        return msgspec.structs.replace(
            item, id=new_id(), name=self._next_name(name_prefix(task, task_set=task_set))
        )

    def _next_name(self, prefix: str) -> str:
        number = self._last_numbers.get(prefix, 0) + 1
        # Another task set can have items with such ids; public ids are unique in the project.
        while self._find(name := numbered_name(prefix, number)) is not None:
            number += 1
        self._last_numbers[prefix] = number
        return name

    def _find(self, name: str) -> Item | None:
        # The reader shows the project before the command, without the items created so far.
        return next(self._reader.find(Item, name=name), None)

    def _known_subjects(self) -> set[Subject]:
        """Return the subjects of the task set's items, read at the first numbered item."""
        if self._subjects is None:
            self._subjects = set()
            for item in self._reader.find(Item, task_set=self._task_set):
                self._subjects.add(_subject(item))
                prefix, _, number = item.name.rpartition("_")
                # Five digits or more: other ids can end in numbers too, such as those of frames.
                if number.isdecimal() and len(number) in range(5, 10):
                    self._last_numbers[prefix] = max(self._last_numbers.get(prefix, 0), int(number))
        return self._subjects


def free_name(reader: Reader, prefix: str) -> str:
    """Return a numbered public id that no item has: the one after the last, if no number is left out.

    The number is found by bisection: reading all items would take seconds in a large project.
    """
    taken, free = 0, 1
    while _is_taken(reader, numbered_name(prefix, free)):
        taken, free = free, 2 * free
    while free - taken > 1:
        middle = (taken + free) // 2
        if _is_taken(reader, numbered_name(prefix, middle)):
            taken = middle
        else:
            free = middle
    return numbered_name(prefix, free)


def _is_taken(reader: Reader, name: str) -> bool:
    return next(reader.find(Item, name=name), None) is not None


def _subject(item: Item) -> Subject:
    return item.task, item.scene, item.view, item.provenance.subject


def _is_same(one: Item, two: Item) -> bool:
    return (one.task_set, one.task, one.scene, one.view) == (two.task_set, two.task, two.scene, two.view)
