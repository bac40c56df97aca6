"""Random numbers that are the same on every computer: from a hash of names, not from a generator's state."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def keyed_seed(seed: int, *, project: str) -> str:
    """Return the seed of draws on which an answer key depends: without the project nobody can repeat them.

    A seed is a small number, and the names of records are published: with them alone, the letter of a hidden
    answer key could be computed.

    Args:
        seed: The seed that a person chose.
        project: Id of the project, which no release contains.
    """
    return hmac.new(project.encode(), f"answer keys {seed}".encode(), hashlib.sha256).hexdigest()


def dealt_position(*parts: str | int, turn: int, count: int) -> int:
    """Return the position of the right answer among the options, different for the first turns.

    Independent draws would balance the letters only on average; drawing without replacement balances them
    much better in every set, for any seed.

    Args:
        parts: Parts of the seed that all turns share.
        turn: Number of the question among those with the same parts, from 0.
        count: Number of options.
    """
    cards = SeededRandom(*parts)
    dealt = [cards.shuffled(range(count)) for _ in range(turn // count + 1)]
    return dealt[-1][turn % count]


class SeededRandom:
    """A stream of random numbers that depends only on its parts.

    Neither the Python version, its hash seed nor the ids of records change the numbers, so that the
    same labels and seed give the same items anywhere.
    """

    def __init__(self, *parts: str | int) -> None:
        # The length before each part distinguishes ("ab", "c") from ("a", "bc").
        text = "".join(f"{len(str(part))}:{part}" for part in parts)
        self._seed = hashlib.sha256(text.encode()).digest()
        self._drawn = 0

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1, uniformly distributed (to 2**-64 times n)."""
        block = hashlib.sha256(self._seed + self._drawn.to_bytes(8)).digest()
        self._drawn += 1
        # The modulo bias towards small numbers is too small to be measurable.
        return int.from_bytes(block[:8]) % n

    def between(self, low: int, high: int) -> int:
        """Return a whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def choose(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[self.below(len(values))]

    def weighted(self, weights: Sequence[int]) -> int:
        """Return a place, each as often as its weight demands; one weight at least must be above 0."""
        left = self.below(sum(weights))
        for index, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return index
        raise ValueError("No weight is above 0.")

    def shuffled(self, values: Iterable[T]) -> list[T]:
        """Return the values in random order, all orders equally likely (Fisher and Yates)."""
        order = list(values)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    def sample(self, values: Iterable[T], k: int) -> list[T]:
        """Return k different values, or all of them if there are fewer."""
        return self.shuffled(values)[:k]
