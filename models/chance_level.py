"""Exact probability of a number of correct answers by guessing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Judge = Callable[[NDArray[np.float64]], bool | np.bool_]

HALVINGS = 50
"""Bisection steps for a bound: they leave an interval of 2**-50, far below any visible difference."""


class ConfidenceInterval(msgspec.Struct, frozen=True, kw_only=True):
    """A confidence interval of a proportion.

    Attributes:
        low: 0..1.
        high: 0..1.
    """

    low: float
    high: float


def p_value(correct: int, *, chances: Sequence[float]) -> float:
    """Return the probability of at least this number of correct answers by guessing.

    Items may differ in their number of options: the count is then a sum of binomial counts, one per
    distinct chance, and its distribution is their convolution. With one chance it is the exact binomial test.

    Args:
        correct: Number of correct answers.
        chances: Of each item, 0..1.
    """
    distribution = np.ones(1)
    # Sorted, since the order of convolutions decides the last digits.
    for chance, n in sorted(Counter(chances).items()):
        distribution = np.convolve(distribution, binomial(n, chance=chance))
    return float(min(1.0, distribution[max(0, correct) :].sum()))


def binomial(n: int, *, chance: float) -> NDArray[np.float64]:
    """Return the probabilities of 0 to n successes, float64 (n + 1,)."""
    if chance <= 0 or chance >= 1:
        certain = np.zeros(n + 1)
        certain[n if chance >= 1 else 0] = 1.0
        return certain
    # Logarithms of factorials: from 171! on these themselves overflow.
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n + 1)))))
    k = np.arange(n + 1)
    values: NDArray[np.float64] = np.exp(
        logs[n] - logs[k] - logs[n - k] + k * math.log(chance) + (n - k) * math.log1p(-chance)
    )
    return values


def exact_interval(correct: int, *, n: int, confidence: float = 0.95) -> ConfidenceInterval:
    """Return the Clopper-Pearson interval of a proportion.

    Source: C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case
    of the binomial, Biometrika 26 (1934): at each bound, the tail beyond the count has probability (1 -
    confidence) / 2. Computed by bisection instead of the beta quantile.

    Args:
        correct: Right answers, 0..n.
        n: Answers; 0 gives 0..1.
        confidence: 0..1.
    """
    if n == 0:
        return ConfidenceInterval(low=0.0, high=1.0)
    tail = (1 - confidence) / 2
    low = 0.0 if correct == 0 else _bound(n, is_above=lambda p: p[correct:].sum() > tail)
    high = 1.0 if correct == n else _bound(n, is_above=lambda p: p[: correct + 1].sum() < tail)
    return ConfidenceInterval(low=low, high=high)


def _bound(n: int, *, is_above: _Judge) -> float:
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if is_above(binomial(n, chance=middle)):
            high = middle
        else:
            low = middle
    return (low + high) / 2
