"""The scores of the answers of people against each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
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
        self._sums: dict[str, Floats] = defaultdict(self._zeros)
        self._counts: dict[str, Floats] = defaultdict(self._zeros)
        for one, other in combinations(range(len(ratings.people)), 2):
            self._add_pair(ratings.codes[:, one], ratings.codes[:, other])

    def mean(self, *, seed: int) -> Coefficient:
        """Return the mean score over units with its interval."""
        return self._mean_of(SCORE, seed=seed)

    def differences(self, *, seed: int) -> dict[str, Coefficient]:
        """Return the mean of each part of the scores, for instance ``angle_error_deg``, over the units."""
        return {name: self._mean_of(name, seed=seed) for name in sorted(self._counts) if name != SCORE}

    def _mean_of(self, part: str, *, seed: int) -> Coefficient:
        has_part = self._counts[part] > 0
        return mean_coefficient(self._sums[part][has_part] / self._counts[part][has_part], seed=seed)

    def _add_pair(self, one: Codes, other: Codes) -> None:
        """Add the scores of two people's answers to the sums of the units that both answered."""
        both = np.flatnonzero((one != MISSING) & (other != MISSING))
        distinct, index = np.unique(one[both] * len(self._values) + other[both], return_inverse=True)
        parts = [self._parts_of(*divmod(int(cell), len(self._values))) for cell in distinct]
        for name in {name for part in parts for name in part}:
            means = np.array([part.get(name, np.nan) for part in parts], dtype=float)[index]
            has_part = ~np.isnan(means)
            self._sums[name][both[has_part]] += means[has_part]
            self._counts[name][both[has_part]] += 1

    def _parts_of(self, one: int, other: int) -> dict[str, float]:
        """Return the score of two answers and its parts, each the mean of both directions."""
        first, second = self._values[one], self._values[other]
        parts: dict[str, list[float]] = defaultdict(list)
        for score in (self._score(first, second), self._score(second, first)):
            for name, value in {**score.details, SCORE: score.score}.items():
                parts[name].append(value)
        return {name: sum(values) / len(values) for name, values in parts.items()}

    def _zeros(self) -> Floats:
        return np.zeros(self._units)
