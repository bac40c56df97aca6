"""Incremental changes of sorted lists of records, without a comparison of unchanged ones."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

R = TypeVar("R")
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class ListChange(Generic[R]):
    """Removals from and insertions into a list; a changed record is removed and inserted.

    Attributes:
        removed: Indices in the old list, ascending.
        inserted: Indices in the new list with the inserted records, ascending.
    """

    removed: tuple[int, ...] = ()
    inserted: tuple[tuple[int, R], ...] = ()

    def __bool__(self) -> bool:
        """Return whether the lists differ."""
        return bool(self.removed or self.inserted)

    def keeps_indices(self, before: int) -> bool:
        """Return whether all kept records keep their index: some were replaced, some appended.

        Args:
            before: Length of the old list.
        """
        indices = tuple(index for index, _ in self.inserted)
        replaced = len(self.removed)
        return indices[:replaced] == self.removed and all(index >= before for index in indices[replaced:])

    def apply(self, before: tuple[R, ...]) -> tuple[R, ...]:
        """Return the new list."""
        if not self.removed and all(index >= len(before) for index, _ in self.inserted):
            # A new region is usually the last one: one copy instead of two.
            return before + tuple(record for _, record in self.inserted)
        after = list(before)
        for index in reversed(self.removed):
            del after[index]
        for index, record in self.inserted:
            after.insert(index, record)
        return tuple(after)

    def origins(self, before: int) -> Ints:
        """Return the old index of each record in the new list, int64 (n,), -1 for an inserted one.

        Args:
            before: Length of the old list.
        """
        origins = np.arange(before - len(self.removed) + len(self.inserted))
        is_new = np.zeros(len(origins), bool)
        is_new[[index for index, _ in self.inserted]] = True
        if not self.keeps_indices(before):
            origins[~is_new] = np.delete(np.arange(before), list(self.removed))
        origins[is_new] = -1
        return origins


def list_change(
    before: Sequence[R], *, old: Sequence[R], new: Sequence[R], key: Callable[[R], Any]
) -> ListChange[R]:
    """Return the change of a sorted list.

    Args:
        before: The list, sorted by the key.
        old: Records to remove.
        new: Records to insert in sort order.
        key: Sort key; called for a few records only.
    """
    removed = sorted(bisect_left(before, key(record), key=key) for record in old)
    inserted = []
    for count, record in enumerate(sorted(new, key=key)):
        index = bisect_left(before, key(record), key=key)
        inserted.append((index - bisect_left(removed, index) + count, record))
    return ListChange(removed=tuple(removed), inserted=tuple(inserted))
