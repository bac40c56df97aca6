"""What rules of the domain need of random numbers; ``SeededRandom`` gives the same ones on every computer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class RandomSource(Protocol):
    """A stream of random numbers."""

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1."""

    def between(self, low: int, high: int) -> int:
        """Return a whole number from low to high, both included."""

    def choose(self, values: Sequence[T]) -> T:
        """Return one of the values."""

    def shuffled(self, values: Iterable[T]) -> list[T]:
        """Return the values in random order."""

    def sample(self, values: Iterable[T], k: int) -> list[T]:
        """Return k different values, or all of them if there are fewer."""
