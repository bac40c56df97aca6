"""The scores of the answers of people against each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from annotator.domain.answers.base import Score
from annotator.quality.agreement.coefficients import Coefficient, mean_coefficient
from annotator.quality.agreement.distances import Floats
from annotator.quality.agreement.ratings import MISSING, Codes, Ratings

PairScore = Callable[[Any, Any], Score]
SCORE = ""
"""Name of the score itself among its parts."""
_Parts = dict[str, tuple[Codes, Floats]]


class PairScores:
    """The mean score of each unit over its pairs of answers, each answer once as the key.

    Not every metric is symmetric: recall of one set in another is not.
    """

    def __init__(self, ratings: Ratings, score: PairScore) -> None:
        """Score the answers; each distinct pair of answers once.

        Args:
            ratings: Units with at least two answers.
            score: Scores an answer against another as the key.
        """
        self._score, self._values = score, ratings.values
        self._units = ratings.units
        self._scored = cache(self._parts_of)
        codes = dict(zip(ratings.people, ratings.codes.T, strict=True))
        self._pairs = {
            (one, other): self._pair_parts(codes[one], codes[other])
            for one, other in combinations(ratings.people, 2)
        }

    def mean(self, people: tuple[str, str] | None = None, *, seed: int) -> Coefficient:
        """Return the mean score over units with its interval.

        Args:
            people: Two people in alphabetical order, None for all pairs.
            seed: Of the interval.
        """
        return self._mean_of(SCORE, self._chosen(people), seed=seed)

    def differences(self, people: tuple[str, str] | None = None, *, seed: int) -> dict[str, Coefficient]:
        """Return the mean of each part of the scores, for instance ``angle_error_deg``, over the units."""
        chosen = self._chosen(people)
        names = sorted({name for parts in chosen for name in parts} - {SCORE})
        return {name: self._mean_of(name, chosen, seed=seed) for name in names}

    def _chosen(self, people: tuple[str, str] | None) -> list[_Parts]:
        return [*self._pairs.values()] if people is None else [self._pairs[people]]

    def _mean_of(self, name: str, chosen: list[_Parts], *, seed: int) -> Coefficient:
        total, count = np.zeros(self._units), np.zeros(self._units)
        for parts in chosen:
            if name in parts:
                units, means = parts[name]
                total[units] += means
                count[units] += 1
        has_part = count > 0
        return mean_coefficient(total[has_part] / count[has_part], seed=seed)

    def _pair_parts(self, one: Codes, other: Codes) -> _Parts:
        """Return each part of the scores of two people: the units that have it, and its mean for each."""
        both = np.flatnonzero((one != MISSING) & (other != MISSING))
        # A pair of codes as one number, so that equal pairs are scored once.
        distinct, index = np.unique(one[both] * len(self._values) + other[both], return_inverse=True)
        scored = [self._scored(*divmod(int(cell), len(self._values))) for cell in distinct]
        found: _Parts = {}
        for name in {name for parts in scored for name in parts}:
            means = np.array([parts.get(name, np.nan) for parts in scored], dtype=float)[index]
            has_part = ~np.isnan(means)
            found[name] = both[has_part], means[has_part]
        return found

    def _parts_of(self, one: int, other: int) -> dict[str, float]:
        """Return the score of two answers and its parts, each the mean of both directions."""
        first, second = self._values[one], self._values[other]
        parts: dict[str, list[float]] = defaultdict(list)
        for score in (self._score(first, second), self._score(second, first)):
            for name, value in {**score.details, SCORE: score.score}.items():
                parts[name].append(value)
        return {name: sum(values) / len(values) for name, values in parts.items()}
