"""The thresholds from which a permitted loss chooses, so that a larger loss never finds fewer items.

A threshold leaves items, and the wrong options of these items tell how many sound ones it removes. The
threshold of a loss is the lowest one that keeps it: what keeps a loss keeps every larger one too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from annotator.quality.calibrated.false_removals import (
    CONFIDENCE,
    PLANNED_CONFIDENCE,
    false_removal_bound,
    false_removal_chances,
)
from annotator.quality.calibrated.wrong_options import equal_options

if TYPE_CHECKING:
    from annotator.quality.calibrated.fixed_weights import FixedWeights
    from annotator.quality.calibrated.option_logit import Array, Indices, OptionRows

FIXED_SHARE = 0.7
"""Part of the permitted loss for which the threshold of fixed weights is planned. They miss shortcuts, and
missed ones count as good items: at the whole share, small sets of a generator unknown to the weights lost
2.3 % of their good items instead of 2 %, at 0.8 of it 2.1 %, at 0.7 1.6 %."""
_TOLERANCE = 1e-9
"""Sums of weights, and products with a share, are not exact in their last digits."""

ThresholdRule = Literal["bound", "expected", "largest", "none"]
"""What a threshold keeps: the loss with confidence; its expectation, where the items that are left are too
few for more; neither, where even that is not possible and it is the largest statistic of their wrong options.
With ``none`` the set has no threshold."""


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """The statistic above which an answer key counts as guessed.

    Attributes:
        value: The statistic, infinite for none.
        rule: What it keeps.
    """

    value: float
    rule: ThresholdRule


NO_THRESHOLD = Threshold(value=float(np.inf), rule="none")


@dataclass(frozen=True, kw_only=True)
class CandidateThresholds:
    """The positive statistics of wrong options, largest first, and 0.

    Items whose answer key lies above a threshold are found; of the others, the wrong options are counted, so
    that shortcuts do not dilute them. Each has the weight 1 / (number of wrong options of its item).

    Attributes:
        values: The thresholds.
        items: Number of items that each leaves.
        passed: Number of wrong options above it, as equally weighted ones.
        wrong: Number of wrong options, as equally weighted ones.
        expected: Expected number of sound items above it.
        largest: The largest weight of all wrong options.
        total: Number of all items.
    """

    values: Array
    items: Indices
    passed: Array
    wrong: Array
    expected: Array
    largest: float
    total: int

    @classmethod
    def of(cls, rows: OptionRows, statistics: Array) -> CandidateThresholds:
        """Return the thresholds of a set.

        Args:
            rows: The options of its items.
            statistics: float64 (rows,), the statistic of each option.
        """
        is_wrong, keys = rows.is_wrong, statistics[rows.keys]
        wrong, own_keys = statistics[is_wrong], keys[rows.items[is_wrong]]
        weights: Array = 1.0 / (rows.sizes.astype(np.float64) - 1.0)
        own_weights: Array = weights[rows.items[is_wrong]]
        # The threshold is an option of an item that it leaves.
        values = np.append(np.unique(wrong[(wrong > 0.0) & (own_keys <= wrong)])[::-1], 0.0)
        order = np.argsort(keys, kind="stable")
        items = np.searchsorted(keys[order], values, side="right")
        # Found items may have options above the threshold too: those are not counted.
        found = np.minimum(wrong, own_keys)
        sums = _weight_above(wrong, own_weights, values) - _weight_above(found, own_weights, values)
        squared: Array = own_weights * own_weights
        squares = _weight_above(wrong, squared, values) - _weight_above(found, squared, values)
        largest = np.append(0.0, np.maximum.accumulate(weights[order]))[items]
        largest = np.maximum(largest, weights.min())
        passed, equal = equal_options(sums, squares=squares, largest=largest, total=items.astype(np.float64))
        return cls(
            values=values,
            items=items,
            passed=passed,
            wrong=equal,
            expected=items * (sums + largest) / (items + largest),
            largest=float(weights.max()),
            total=len(keys),
        )

    def threshold(self, alpha: float, *, fixed: FixedWeights | None) -> Threshold:
        """Return the lowest threshold that keeps a loss; the larger the loss, the lower.

        Where no threshold keeps it with confidence, its expectation is kept, by no threshold that is lower
        than the one of the smallest loss that can be kept with confidence: a weaker promise finds no more.

        Args:
            alpha: The permitted loss.
            fixed: The weights that come with the product, None if they were learnt from the set.
        """
        if fixed is not None:
            return self._of_fixed_weights(alpha, fixed)
        index = self._lowest_within(alpha, confidence=PLANNED_CONFIDENCE)
        if index >= 0:
            return Threshold(value=float(self.values[index]), rule="bound")
        index = self._lowest_within(alpha, confidence=CONFIDENCE)
        if index >= 0:
            return Threshold(value=float(self.values[min(index, self._first_planned)]), rule="bound")
        passed = false_removal_bound(0.0, wrong=self.total / self.largest, items=self.total)
        if passed > alpha * self.total + _TOLERANCE:
            return NO_THRESHOLD
        index = self._lowest_expected(alpha)
        if index >= 0:
            return Threshold(value=float(self.values[min(index, self._first_bounded)]), rule="expected")
        return Threshold(value=float(self.values[0]), rule="largest")

    @cached_property
    def _first_planned(self) -> int:
        """The index of the threshold of the smallest loss that can be planned."""
        return self._first_within(PLANNED_CONFIDENCE)

    @cached_property
    def _first_bounded(self) -> int:
        """The index of the threshold of the smallest loss that can be kept with confidence."""
        return min(self._first_within(CONFIDENCE), self._first_planned)

    def _of_fixed_weights(self, alpha: float, fixed: FixedWeights) -> Threshold:
        share, least = FIXED_SHARE * alpha, fixed.threshold(alpha)
        if self.largest > share * (self.total + self.largest) + _TOLERANCE:
            return NO_THRESHOLD
        # The expected loss is kept where the weights of other sets take this set's wrong options for right.
        index = self._lowest_expected(share)
        rule: ThresholdRule = "expected" if index >= 0 else "largest"
        return Threshold(value=max(least, float(self.values[max(0, index)])), rule=rule)

    def _first_within(self, confidence: float) -> int:
        """Return the index of the threshold of the smallest loss that any keeps with this confidence."""
        return self._lowest_within(self._least_loss(confidence), confidence=confidence)

    def _least_loss(self, confidence: float) -> float:
        """Return the smallest loss that a threshold keeps with this confidence, 1 for none."""
        least = 1.0
        for index, items in enumerate(self.items.tolist()):
            if items and (self.expected[index] - 1.0) / items <= least:
                bound = false_removal_bound(
                    float(self.passed[index]),
                    wrong=float(self.wrong[index]),
                    items=items,
                    confidence=confidence,
                )
                least = min(least, bound / items)
        return least

    def _lowest_within(self, alpha: float, *, confidence: float) -> int:
        """Return the index of the lowest threshold that keeps a loss with this confidence, -1 for none."""
        allowed = np.floor(alpha * self.items + _TOLERANCE)
        # The quantile is at most one below the expected number.
        possible = np.flatnonzero((self.items > 0) & (self.expected <= allowed + 1.0))
        for index in possible[::-1].tolist():
            chances = false_removal_chances(
                float(self.passed[index]),
                wrong=float(self.wrong[index]),
                items=int(self.items[index]),
                most=int(allowed[index]),
            )
            if chances[-1] >= confidence:
                return int(index)
        return -1

    def _lowest_expected(self, alpha: float) -> int:
        """Return the index of the lowest threshold that is expected to keep a loss, -1 for none."""
        is_kept = (self.items > 0) & (self.expected <= alpha * self.items + _TOLERANCE)
        return int(np.flatnonzero(is_kept).max(initial=-1))


def _weight_above(statistics: Array, weights: Array, values: Array) -> Array:
    """Return the weight of the statistics above each of some values."""
    order = np.argsort(statistics, kind="stable")
    sums = np.append(0.0, np.cumsum(weights[order]))
    above: Array = sums[-1] - sums[np.searchsorted(statistics[order], values, side="right")]
    return above
