"""Ratings: what each person answered about each unit, as a table of numbers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MISSING = -1
"""Code of an answer that a person did not give."""
Codes = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """The answers of several people about several units.

    Attributes:
        codes: One row per unit, one column per person: an index into ``values``, or ``MISSING``.
        values: The distinct answers, sorted where they can be: codes of an ordered scale rise with it.
        people: Name of each column, in alphabetical order.
    """

    codes: Codes
    values: tuple[Any, ...]
    people: tuple[str, ...]

    @classmethod
    def of(cls, answers: Iterable[tuple[Hashable, str, Hashable]]) -> Ratings:
        """Return the table of answers.

        Args:
            answers: Unit, person and answer. A person's first answer about a unit counts.
        """
        units: dict[Hashable, int] = {}
        people: dict[str, int] = {}
        values: dict[Hashable, int] = {}
        rows, columns, codes = [], [], []
        for unit, person, value in answers:
            rows.append(units.setdefault(unit, len(units)))
            columns.append(people.setdefault(person, len(people)))
            codes.append(values.setdefault(value, len(values)))
        table = np.full((len(units), len(people)), MISSING, dtype=np.int64)
        # Backwards: of several values for one cell, numpy keeps the last.
        table[rows[::-1], columns[::-1]] = codes[::-1]
        in_order = sorted(people, key=str)
        by_name = table[:, [people[name] for name in in_order]]
        return cls(codes=by_name, values=tuple(values), people=tuple(in_order)).mapped(lambda value: value)

    @property
    def units(self) -> int:
        """Number of units."""
        return len(self.codes)

    @property
    def answers(self) -> int:
        """Number of answers."""
        return int(np.count_nonzero(self.codes != MISSING))

    def mapped(self, function: Callable[[Any], Any]) -> Ratings:
        """Return the ratings with each value replaced; answers whose value becomes None are missing."""
        replaced = [function(value) for value in self.values]
        values = _in_order({value for value in replaced if value is not None})
        codes = {value: code for code, value in enumerate(values)}
        # One more at the end: MISSING is an index from the end, and stays what it is.
        table = np.array([MISSING if value is None else codes[value] for value in replaced] + [MISSING])
        return Ratings(codes=table[self.codes], values=tuple(values), people=self.people)

    def pairable(self) -> Ratings:
        """Return the units with at least two answers; the others say nothing about agreement."""
        rows = (self.codes != MISSING).sum(axis=1) >= 2
        return Ratings(codes=self.codes[rows], values=self.values, people=self.people)

    def with_used_values(self) -> Ratings:
        """Return the ratings without values that nobody gave."""
        used = np.unique(self.codes[self.codes != MISSING])
        table = np.full(len(self.values) + 1, MISSING, dtype=np.int64)
        table[used] = np.arange(len(used))
        values = tuple(self.values[code] for code in used)
        return Ratings(codes=table[self.codes], values=values, people=self.people)

    def between(self, one: str, other: str) -> Ratings:
        """Return the units that both of two people answered, with these two as columns.

        Raises:
            ValueError: One of them has no column.
        """
        pair = self.codes[:, [self.people.index(one), self.people.index(other)]]
        return Ratings(codes=pair[(pair != MISSING).all(axis=1)], values=self.values, people=(one, other))


def _in_order(values: set[Any]) -> list[Any]:
    # Sets compare by inclusion, which is no order: they are sorted by their text like mixed types.
    if any(isinstance(value, frozenset) for value in values):
        return sorted(values, key=_set_text)
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=repr)


def _set_text(value: Any) -> str:  # noqa: ANN401 - whatever is rated
    return repr(sorted(value, key=repr)) if isinstance(value, frozenset) else repr(value)
