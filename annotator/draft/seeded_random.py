"""Draws that come out the same on every machine: from a hash of names, not from a generator's state."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


class SeededRandom:
    """A stream of random numbers that depends on its parts alone.

    Neither the Python version, its hash seed nor the ids of records change what is drawn, so that the
    same labels and seed give the same items anywhere.
    """

    def __init__(self, *parts: str | int) -> None:
        # The length before each part keeps ("ab", "c") and ("a", "bc") apart.
        text = "".join(f"{len(str(part))}:{part}" for part in parts)
        self._seed = hashlib.sha256(text.encode()).digest()
        self._drawn = 0

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1, all alike likely (to 2**-64 times n)."""
        block = hashlib.sha256(self._seed + self._drawn.to_bytes(8)).digest()
        self._drawn += 1
        # The rest of the division favours small numbers by less than anybody could count.
        return int.from_bytes(block[:8]) % n

    def between(self, low: int, high: int) -> int:
        """Return a whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def choose(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[self.below(len(values))]

    def shuffled(self, values: Iterable[T]) -> list[T]:
        """Return the values in another order, all orders alike likely (Fisher and Yates)."""
        order = list(values)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    def sample(self, values: Iterable[T], k: int) -> list[T]:
        """Return k different ones of the values, or all of them where there are fewer."""
        return self.shuffled(values)[:k]
