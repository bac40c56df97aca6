"""Ratings: what each person answered about each unit, as a table of numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
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
        units: Name of each row.
        people: Name of each column.
    """

    codes: Codes
    values: tuple[Any, ...]
    units: tuple[Hashable, ...]
    people: tuple[str, ...]

    @classmethod
    def of(cls, answers: Iterable[tuple[Hashable, str, Hashable]]) -> Ratings:
        """Return the table of answers.

        Args:
            answers: Unit, person and answer. A person's last answer about a unit counts.
        """
        given = {(unit, person): value for unit, person, value in answers}
        units = _numbered(unit for unit, _ in given)
        people = _numbered(sorted({person for _, person in given}))
        values = _numbered(_in_order(set(given.values())))
        codes = np.full((len(units), len(people)), MISSING, dtype=np.int64)
        for (unit, person), value in given.items():
            codes[units[unit], people[person]] = values[value]
        return cls(codes=codes, values=tuple(values), units=tuple(units), people=tuple(people))

    @property
    def given(self) -> Codes:
        """Number of answers about each unit."""
        given: Codes = (self.codes != MISSING).sum(axis=1)
        return given

    def pairable(self) -> Ratings:
        """Return the units with at least two answers; the others say nothing about agreement."""
        return self._with(self.given >= 2, columns=range(len(self.people)))

    def between(self, one: str, other: str) -> Ratings:
        """Return the units that both of two people answered, with these two as columns.

        Raises:
            ValueError: One of them has no column.
        """
        columns = (self.people.index(one), self.people.index(other))
        return self._with((self.codes[:, columns] != MISSING).all(axis=1), columns=columns)

    def _with(self, rows: NDArray[np.bool_], *, columns: Sequence[int]) -> Ratings:
        return Ratings(
            codes=self.codes[rows][:, list(columns)],
            values=self.values,
            units=tuple(unit for unit, is_kept in zip(self.units, rows, strict=True) if is_kept),
            people=tuple(self.people[column] for column in columns),
        )


def _numbered(names: Iterable[Hashable]) -> dict[Any, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _in_order(values: set[Any]) -> list[Any]:
    try:
        # Sets compare by inclusion, which is no order: they are sorted by their text like mixed types.
        return sorted(values) if not any(isinstance(one, frozenset) for one in values) else _by_text(values)
    except TypeError:
        return _by_text(values)


def _by_text(values: set[Any]) -> list[Any]:
    return sorted(
        values, key=lambda one: repr(sorted(one, key=repr)) if isinstance(one, frozenset) else repr(one)
    )
