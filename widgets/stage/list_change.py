"""Lists of records brought up to date in a few places, without looking at the others."""

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
    """What is taken out of a list and put into it; a record that changed is taken out and put in again.

    Attributes:
        removed: Places in the list before, rising.
        inserted: Places in the list after with what stands there, rising.
    """

    removed: tuple[int, ...] = ()
    inserted: tuple[tuple[int, R], ...] = ()

    def __bool__(self) -> bool:
        """Tell whether anything differs."""
        return bool(self.removed or self.inserted)

    def keeps_places(self, before: int) -> bool:
        """Tell whether all records that stay keep their places: some were replaced, some added at the end.

        Args:
            before: Length of the list before.
        """
        places = tuple(place for place, _ in self.inserted)
        replaced = len(self.removed)
        return places[:replaced] == self.removed and all(place >= before for place in places[replaced:])

    def apply(self, before: Sequence[R]) -> list[R]:
        """Return the list after."""
        after = list(before)
        for place in reversed(self.removed):
            del after[place]
        for place, record in self.inserted:
            after.insert(place, record)
        return after

    def origins(self, before: int) -> Ints:
        """Return the place before of each record of the list after, int64 (n,), -1 where it was put in.

        Args:
            before: Length of the list before.
        """
        is_new = np.zeros(before - len(self.removed) + len(self.inserted), bool)
        is_new[[place for place, _ in self.inserted]] = True
        origins = np.full(len(is_new), -1, np.int64)
        origins[~is_new] = np.delete(np.arange(before), list(self.removed))
        return origins


def list_change(
    before: Sequence[R], *, old: Sequence[R], new: Sequence[R], key: Callable[[R], Any]
) -> ListChange[R]:
    """Return how a sorted list changes.

    Args:
        before: The list, sorted by the key.
        old: Records of it that are taken out.
        new: Records that are put in where they belong.
        key: What it is sorted by; asked for a few records only.
    """
    removed = sorted(bisect_left(before, key(record), key=key) for record in old)
    inserted = []
    for count, record in enumerate(sorted(new, key=key)):
        place = bisect_left(before, key(record), key=key)
        inserted.append((place - bisect_left(removed, place) + count, record))
    return ListChange(removed=tuple(removed), inserted=tuple(inserted))
