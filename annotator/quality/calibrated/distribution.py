"""The distributions of the statistic of answer keys and of wrong options, to draw them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from annotator.domain.record import ValueObject
from annotator.quality.calibrated.decisions import CalibratedItem
from annotator.quality.calibrated.false_removals import PLANNED_CONFIDENCE
from annotator.quality.calibrated.wrong_options import WrongOptions

if TYPE_CHECKING:
    from annotator.quality.calibrated.option_logit import Array

BINS = 48
SHARE_STEPS = 10_000
"""Permitted losses are multiples of 1 / 10,000: the field has four digits."""
LARGEST_LOSS = 0.999
"""The largest loss that the field accepts: all items would be removed."""
OUTSIDE_SHARE = 0.002
"""Share of the statistics at each end that is drawn in the outermost bin: extreme ones hide the rest."""


class StatisticDistribution(ValueObject, frozen=True, kw_only=True):
    """How often each range of the statistic occurs.

    Attributes:
        edges: Edges of the bins, ascending.
        keys: Share of the answer keys in each bin, 0 to 1.
        wrong: Share of the wrong options in each bin.
        threshold: The statistic above which an answer key counts as guessed, None for no threshold.
        losses: Permitted share of lost good items that belongs to each edge as a threshold, never rising.
    """

    edges: tuple[float, ...]
    keys: tuple[float, ...]
    wrong: tuple[float, ...]
    threshold: float | None
    losses: tuple[float, ...]

    def loss_at(self, threshold: float) -> float:
        """Return the permitted loss that belongs to the edge nearest to a threshold, 0 to 1."""
        nearest = min(range(len(self.edges)), key=lambda index: abs(self.edges[index] - threshold))
        return self.losses[nearest]

    def next_loss(self, loss: float, *, is_smaller: bool) -> float:
        """Return the next smaller or larger loss that belongs to an edge; the same if there is none."""
        if is_smaller:
            return max((one for one in self.losses if one < loss), default=loss)
        return min((one for one in self.losses if one > loss), default=loss)


def distribution_of(items: Sequence[CalibratedItem]) -> StatisticDistribution | None:
    """Return the distributions of decided items, None without one."""
    if not items:
        return None
    keys = np.array([one.statistic for one in items])
    wrong = np.array([value for one in items for value in one.others])
    sizes = np.array([len(one.others) for one in items])
    owners = np.repeat(np.arange(len(items)), sizes)
    low, high = np.quantile(np.concatenate((keys, wrong)), [OUTSIDE_SHARE, 1.0 - OUTSIDE_SHARE]).tolist()
    # Statistics that are all equal must not give bins without a width.
    edges = np.linspace(low, max(high, low + 1.0), BINS + 1)
    losses = []
    for edge in edges.tolist():
        is_kept = (keys <= edge)[owners]
        losses.append(_loss(WrongOptions.of(wrong[is_kept], sizes=sizes[owners[is_kept]]), edge))
    # A whole number of a few items less is a larger share: without this, a higher threshold could find more.
    falling = np.minimum.accumulate(losses).tolist()
    return StatisticDistribution(
        edges=tuple(edges.tolist()),
        keys=_shares(keys, edges),
        wrong=_shares(wrong, edges),
        threshold=items[0].threshold,
        losses=tuple(falling),
    )


def _loss(wrong: WrongOptions, threshold: float) -> float:
    """Return the smallest permitted share that a threshold keeps, rounded up."""
    if not wrong.items:
        return LARGEST_LOSS
    share = wrong.bound(wrong.passing(threshold), confidence=PLANNED_CONFIDENCE) / wrong.items
    # A share of exactly so many steps must not become one more by its last binary digits.
    return min(LARGEST_LOSS, math.ceil(share * SHARE_STEPS - 1e-6) / SHARE_STEPS)


def _shares(values: Array, edges: Array) -> tuple[float, ...]:
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), bins=edges)
    return tuple((counts / len(values)).tolist())
