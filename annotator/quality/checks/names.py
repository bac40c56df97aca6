"""The check for public ids that several items of a task set share."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator

import numpy as np

from annotator.domain.item import Item
from annotator.quality.check import CheckHit, DatasetCheck, DatasetCollector
from annotator.quality.context import CheckContext


class NameCollector(DatasetCollector):
    """Finds names that stand more than once in a task set: eight bytes an item on the first pass."""

    def __init__(self) -> None:
        self._digests = array("Q")
        self._repeated: frozenset[int] | None = None
        self._items: dict[tuple[str, str], list[str]] = {}

    def add(self, item: Item) -> None:
        """Keep a digest of the item's name within its set."""
        if item.name.strip():
            self._digests.append(_digest(item))

    @property
    def wants_second_pass(self) -> bool:
        """Whether a digest stands more than once, so that the names behind it have to be compared."""
        return bool(self._suspects())

    def add_again(self, item: Item) -> None:
        """Keep the items whose digest stands more than once."""
        if item.name.strip() and _digest(item) in self._suspects():
            self._items.setdefault((item.task_set, item.name), []).append(item.id)

    def findings(self) -> Iterator[tuple[str, str, CheckHit]]:
        """Yield every item that shares its name."""
        for (_, name), items in self._items.items():
            if len(items) > 1:
                hit = CheckHit(message=f"{len(items)} items have the name {name!r}.", field="name")
                yield from (("item", item, hit) for item in items)

    def _suspects(self) -> frozenset[int]:
        if self._repeated is None:
            values, counts = np.unique(np.frombuffer(self._digests, dtype=np.uint64), return_counts=True)
            self._repeated = frozenset(values[counts > 1].tolist())
        return self._repeated


def _digest(item: Item) -> int:
    # Eight bytes: of a million names two different ones share a digest once in 37 million projects, and the
    # second pass compares the names themselves.
    text = f"{item.task_set}\n{item.name}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())


class DuplicateIds(DatasetCheck):
    """Finds items of one task set that share a public id."""

    id = "duplicate_id"
    severity = "error"
    title = "Duplicate public ids"
    finds = "Several items of a task set have the same public id."
    advice = "Rename all items but one, or reject the copies."
    threshold = "equal names within a task set"

    def start(self, _context: CheckContext, /) -> DatasetCollector:
        """Return an empty collector."""
        return NameCollector()
