"""Coefficients of agreement as functions of sums over units.

A resampled set of units is then one product of a matrix of weights and a matrix of sums.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from annotator.quality.agreement.distances import Floats, ordinal_distances
from annotator.quality.agreement.ratings import MISSING, Codes

SMALLEST = 1e-12
"""A divisor up to which a quotient is not defined."""


class Statistic(ABC):
    """A coefficient as a function of sums over units."""

    def sums(self, codes: Codes, blocks: Codes, *, count: int) -> tuple[Floats, ...]:
        """Return the sums of each block, each array with the blocks as first axis.

        Args:
            codes: Answers, (units, people); every unit has at least two.
            blocks: The block of each unit, below ``count``.
            count: Number of blocks.
        """
        return self._sums(codes, blocks, count)

    def value(self, *sums: Floats) -> Floats:
        """Return the coefficient of each set of units, (sets,); NaN where it is not defined.

        Args:
            sums: The arrays of ``sums``, with the sets of units as first axis.
        """
        return self._value(*sums)

    @abstractmethod
    def _sums(self, codes: Codes, blocks: Codes, count: int, /) -> tuple[Floats, ...]: ...

    @abstractmethod
    def _value(self, *sums: Floats) -> Floats: ...


class PercentAgreement(Statistic):
    """Mean share of equal pairs."""

    def _sums(self, codes: Codes, blocks: Codes, count: int, /) -> tuple[Floats, ...]:
        return (
            _per_block(_equal_share(codes), blocks=blocks, count=count),
            _per_block(np.ones(len(codes)), blocks=blocks, count=count),
        )

    def _value(self, *sums: Floats) -> Floats:
        equal, units = sums
        return _quotient(equal, units)


class CohensKappa(Statistic):
    """Agreement of two people beyond chance."""

    def __init__(self, values: int) -> None:
        self._values = values

    def _sums(self, codes: Codes, blocks: Codes, count: int, /) -> tuple[Floats, ...]:
        equal = (codes[:, 0] == codes[:, 1]).astype(float)
        marginals = (_counts(codes[:, [n]], blocks=blocks, count=count, values=self._values) for n in (0, 1))
        return (_per_block(equal, blocks=blocks, count=count), *marginals)

    def _value(self, *sums: Floats) -> Floats:
        equal, one, other = sums
        units = one.sum(axis=-1)
        observed = _quotient(equal, units)
        expected = _quotient((one * other).sum(axis=-1), units * units)
        return _quotient(observed - expected, 1.0 - expected)


class FleissKappa(Statistic):
    """Agreement of any number of people beyond chance."""

    def __init__(self, values: int) -> None:
        self._values = values

    def _sums(self, codes: Codes, blocks: Codes, count: int, /) -> tuple[Floats, ...]:
        return (
            _per_block(_equal_share(codes), blocks=blocks, count=count),
            _per_block(np.ones(len(codes)), blocks=blocks, count=count),
            _counts(codes, blocks=blocks, count=count, values=self._values),
        )

    def _value(self, *sums: Floats) -> Floats:
        equal, units, counts = sums
        shares = _quotient(counts, counts.sum(axis=-1, keepdims=True))
        expected = np.square(shares).sum(axis=-1)
        return _quotient(_quotient(equal, units) - expected, 1.0 - expected)


class NominalAlpha(Statistic):
    """Krippendorff's alpha of answers that are equal or not, however many distinct ones there are."""

    def __init__(self, values: int) -> None:
        self._values = values

    def _sums(self, codes: Codes, blocks: Codes, count: int, /) -> tuple[Floats, ...]:
        apart = _mean_distance(codes, lambda one, other: (one != other).astype(float))
        return (
            _per_block(apart, blocks=blocks, count=count),
            _counts(codes, blocks=blocks, count=count, values=self._values),
        )

    def _value(self, *sums: Floats) -> Floats:
        observed, counts = sums
        given = counts.sum(axis=-1)
        # Ordered pairs of different values: all pairs, less those of equal values.
        return _alpha(observed, given * given - np.square(counts).sum(axis=-1), given)


class TableAlpha(Statistic):
    """Krippendorff's alpha where the distances of the values are a table."""

    def __init__(self, distances: Floats) -> None:
        self._distances = distances

    def _sums(self, codes: Codes, blocks: Codes, count: int, /) -> tuple[Floats, ...]:
        apart = _mean_distance(codes, lambda one, other: self._distances[one, other])
        return (
            _per_block(apart, blocks=blocks, count=count),
            _counts(codes, blocks=blocks, count=count, values=len(self._distances)),
        )

    def _value(self, *sums: Floats) -> Floats:
        observed, counts = sums
        expected = ((counts @ self._distances) * counts).sum(axis=-1)
        return _alpha(observed, expected, counts.sum(axis=-1))


class IntervalAlpha(Statistic):
    """Krippendorff's alpha of numbers: the expected distance follows from sums of values and squares."""

    def __init__(self, values: Floats) -> None:
        # Around the mean: squares of large numbers would lose the digits that their differences need.
        self._values = values - values.mean()

    def _sums(self, codes: Codes, blocks: Codes, count: int, /) -> tuple[Floats, ...]:
        apart = _mean_distance(codes, lambda one, other: np.square(self._values[one] - self._values[other]))
        is_given = codes != MISSING
        # MISSING is an index too, that of the last value; ``is_given`` takes it out again.
        numbers = np.where(is_given, self._values[codes], 0.0)
        parts = (
            apart,
            is_given.sum(axis=1).astype(float),
            numbers.sum(axis=1),
            np.square(numbers).sum(axis=1),
        )
        return tuple(_per_block(part, blocks=blocks, count=count) for part in parts)

    def _value(self, *sums: Floats) -> Floats:
        observed, given, total, squares = sums
        # The squared differences of all ordered pairs, summed without visiting the pairs.
        return _alpha(observed, 2 * (given * squares - total * total), given)


class CircularAlpha(Statistic):
    """Krippendorff's alpha of directions: (1 - cos(difference)) / 2, from sums of cosines and sines.

    Source: Krippendorff, Computing Krippendorff's alpha-reliability (2011), the circular metric.
    """

    def __init__(self, degrees: Floats) -> None:
        self._degrees = np.radians(degrees)

    def _sums(self, codes: Codes, blocks: Codes, count: int, /) -> tuple[Floats, ...]:
        apart = _mean_distance(codes, self._distance)
        is_given = codes != MISSING
        angles = self._degrees[codes]
        parts = (
            apart,
            is_given,
            np.where(is_given, np.cos(angles), 0),
            np.where(is_given, np.sin(angles), 0),
        )
        rows = (part.sum(axis=1) if part.ndim == 2 else part for part in parts)
        return tuple(_per_block(row.astype(float), blocks=blocks, count=count) for row in rows)

    def _value(self, *sums: Floats) -> Floats:
        observed, given, cosines, sines = sums
        # The cosines of the differences of all ordered pairs add up to these two squares.
        return _alpha(observed, (given * given - cosines * cosines - sines * sines) / 2, given)

    def _distance(self, one: Codes, other: Codes) -> Floats:
        distance: Floats = (1 - np.cos(self._degrees[one] - self._degrees[other])) / 2
        return distance


class OrdinalAlpha(Statistic):
    """Krippendorff's alpha of ranks, whose distances depend on how often each value was given."""

    def __init__(self, values: int) -> None:
        self._values = values

    def _sums(self, codes: Codes, blocks: Codes, count: int, /) -> tuple[Floats, ...]:
        size = self._values * self._values
        pairs = np.zeros((count, size))
        weights = 1.0 / (np.count_nonzero(codes != MISSING, axis=1) - 1)
        for one, other, both in _column_pairs(codes):
            cells = blocks[both] * size + codes[both, one] * self._values + codes[both, other]
            pairs += np.bincount(cells, weights=weights[both], minlength=count * size).reshape(count, size)
        return pairs, _counts(codes, blocks=blocks, count=count, values=self._values)

    def _value(self, *sums: Floats) -> Floats:
        pairs, counts = sums
        distances = ordinal_distances(counts)
        observed = (pairs.reshape(distances.shape) * distances).sum(axis=(-1, -2))
        expected = (counts[..., :, None] * counts[..., None, :] * distances).sum(axis=(-1, -2))
        return _alpha(observed, expected, counts.sum(axis=-1))


def _per_block(values: Floats, *, blocks: Codes, count: int) -> Floats:
    return np.bincount(blocks, weights=values, minlength=count).astype(float)


def _counts(codes: Codes, *, blocks: Codes, count: int, values: int) -> Floats:
    """Return how often each value was given in each block, (blocks, values)."""
    rows, columns = np.nonzero(codes != MISSING)
    cells = blocks[rows] * values + codes[rows, columns]
    return np.bincount(cells, minlength=count * values).reshape(count, values).astype(float)


def _column_pairs(codes: Codes) -> Iterator[tuple[int, int, NDArray[np.bool_]]]:
    """Yield each ordered pair of people, and the units that both answered."""
    is_given = codes != MISSING
    for one, other in permutations(range(codes.shape[1]), 2):
        yield one, other, is_given[:, one] & is_given[:, other]


def _summed_distance(codes: Codes, distance: Callable[[Codes, Codes], Floats]) -> Floats:
    """Return the distances of all ordered pairs of answers about each unit, summed."""
    total = np.zeros(len(codes))
    for one, other, both in _column_pairs(codes):
        if one < other:
            total[both] += 2 * distance(codes[both, one], codes[both, other])
    return total


def _mean_distance(codes: Codes, distance: Callable[[Codes, Codes], Floats]) -> Floats:
    """Return each answer's mean distance to the others about the same unit, summed over the answers."""
    others = np.count_nonzero(codes != MISSING, axis=1) - 1.0
    mean: Floats = _summed_distance(codes, distance) / others
    return mean


def _equal_share(codes: Codes) -> Floats:
    """Return the share of equal pairs of answers about each unit."""
    given = np.count_nonzero(codes != MISSING, axis=1)
    equal = _summed_distance(codes, lambda one, other: (one == other).astype(float))
    share: Floats = equal / (given * (given - 1))
    return share


def _quotient(over: Floats, under: Floats) -> Floats:
    """Return a quotient, NaN where it is not defined."""
    shape = np.broadcast_shapes(over.shape, under.shape)
    # Sums of shares leave a rounding error where the exact value is 0.
    quotient: Floats = np.divide(over, under, out=np.full(shape, np.nan), where=np.abs(under) > SMALLEST)
    return quotient


def _alpha(observed: Floats, expected: Floats, given: Floats) -> Floats:
    return 1.0 - _quotient(observed * (given - 1), expected)
