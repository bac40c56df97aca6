"""The scores of the answers of people against each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from annotator.domain.answers.base import Score
from annotator.quality.agreement.coefficients import Coefficient, mean_coefficient
from annotator.quality.agreement.ratings import MISSING, Ratings

PairScore = Callable[[Any, Any], Score]


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
        total, pairs = np.zeros(ratings.units), np.zeros(ratings.units)
        self._sums: dict[str, float] = defaultdict(float)
        self._counts: dict[str, int] = defaultdict(int)
        for one, other in combinations(range(len(ratings.people)), 2):
            both = (ratings.codes[:, one] != MISSING) & (ratings.codes[:, other] != MISSING)
            cells = ratings.codes[both, one] * len(self._values) + ratings.codes[both, other]
            distinct, index, count = np.unique(cells, return_inverse=True, return_counts=True)
            means = [
                self._mean_of(*divmod(int(cell), len(self._values)), weight=int(weight))
                for cell, weight in zip(distinct, count, strict=True)
            ]
            total[both] += np.array(means, dtype=float)[index]
            pairs[both] += 1
        self._means = total / pairs

    def mean(self, *, seed: int) -> Coefficient:
        """Return the mean over units with its interval."""
        return mean_coefficient(self._means, seed=seed)

    def differences(self) -> dict[str, float]:
        """Return the mean of each part of the scores, for instance ``angle_error_deg``."""
        return {name: total / self._counts[name] for name, total in self._sums.items()}

    def _mean_of(self, one: int, other: int, *, weight: int) -> float:
        first, second = self._values[one], self._values[other]
        scores = (self._score(first, second), self._score(second, first))
        for score in scores:
            for name, value in score.details.items():
                self._sums[name] += value * weight
                self._counts[name] += weight
        return (scores[0].score + scores[1].score) / 2
