"""The wrong options of items: how many sound items are removed where some of them pass a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from annotator.quality.calibrated.false_removals import CONFIDENCE, false_removal_bound

if TYPE_CHECKING:
    from annotator.quality.calibrated.option_logit import Array, Indices

_DIGITS = 6
"""Sums of weights are rounded: 33 thirds are 11."""


@dataclass(frozen=True, kw_only=True)
class WrongOptions:
    """Statistics of all wrong options of some items.

    Each has the weight 1 / (number of wrong options of its item). A sound item's key is one of its options
    like the others, so that the weight above a threshold has the mean of the number of keys above it, however
    many options each item has.

    Attributes:
        statistics: Largest first.
        sums: Weight of the largest 0, 1, 2, ... of them.
        squares: The same of the squared weights.
        largest: The largest weight, 0 without a wrong option.
    """

    statistics: Array
    sums: Array
    squares: Array
    largest: float

    @classmethod
    def of(cls, statistics: Array, *, sizes: Indices) -> WrongOptions:
        """Return the wrong options of items.

        Args:
            statistics: Of each wrong option, in any order.
            sizes: Number of wrong options of its item.
        """
        order = np.argsort(-statistics, kind="stable")
        weights = 1.0 / sizes[order]
        return cls(
            statistics=statistics[order],
            sums=np.concatenate(([0.0], np.cumsum(weights))),
            squares=np.concatenate(([0.0], np.cumsum(weights * weights))),
            largest=float(weights.max(initial=0.0)),
        )

    @property
    def items(self) -> int:
        """Number of items: the weights of each add up to 1."""
        return round(float(self.sums[-1]))

    def passing(self, threshold: float) -> int:
        """Return how many lie above a threshold."""
        return int(np.searchsorted(-self.statistics, -threshold, side="left"))

    def expected(self, passed: int) -> float:
        """Return the expected number of sound items above a threshold that the largest options pass."""
        if not self.items:
            return 0.0
        above = float(self.sums[passed]) + self.largest
        return self.items * above / (float(self.sums[-1]) + self.largest)

    def bound(self, passed: int, *, confidence: float = CONFIDENCE) -> int:
        """Return the number of sound items above it that is not exceeded with this confidence."""
        if not self.items:
            return 0
        passing, wrong = equal_options(
            self.sums[passed], squares=self.squares[passed], largest=self.largest, total=self.sums[-1]
        )
        return false_removal_bound(
            float(passing), wrong=float(wrong), items=self.items, confidence=confidence
        )


def equal_options(
    sums: Array, *, squares: Array, largest: Array | float, total: Array
) -> tuple[Array, Array]:
    """Return the equally weighted options that have the mean and variance of weighted ones above a threshold.

    The largest weight is added once, for the option that is the threshold (M. P. Fay, E. J. Feuer, Stat. Med.
    16 (1997) 791).

    Args:
        sums: Weight of the options above the threshold.
        squares: Their squared weights.
        largest: The largest weight.
        total: Weight of all options.

    Returns:
        How many lie above the threshold, and how many there are.
    """
    above = sums + largest
    unit = (squares + largest**2) / above
    return np.round(above / unit - 1.0, _DIGITS), np.round(total / unit, _DIGITS)
