"""Bounds of the number of sound items that a threshold removes, from the wrong options that pass it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from annotator.quality.calibrated.option_logit import Array

CONFIDENCE = 0.95
"""Probability with which the number of sound items that are removed stays within the stated bound."""
PLANNED_CONFIDENCE = 0.99
"""The same for the choice of a threshold. It is chosen among all, and items that share words are lost
together, which costs some confidence: at 0.95 the permitted loss was kept in 94 of 100 sets of one generator,
at 0.98 in 96 of 100."""


def false_removal_bound(passed: float, *, wrong: float, items: int, confidence: float = CONFIDENCE) -> int:
    """Return the quantile of the number of sound items that pass a threshold.

    Args:
        passed: Number of wrong options above the threshold; a fraction where they are weighted.
        wrong: Number of wrong options; a fraction where they are weighted.
        items: Number of items, all of them taken as sound.
        confidence: Of the quantile.
    """
    chances = false_removal_chances(passed, wrong=wrong, items=items, most=items)
    return min(items, int(np.searchsorted(chances, confidence, side="left")))


def false_removal_chances(passed: float, *, wrong: float, items: int, most: int) -> Array:
    """Return the probabilities that at most 0, 1, 2, ... ``most`` sound items pass a threshold.

    The answer key of a sound item is as likely to pass as any of its wrong options. If ``passed`` wrong
    options lie above a threshold that is itself the next largest of them, the share that passes has a beta
    distribution with the parameters ``passed + 1`` and ``wrong - passed``, and the number of items that pass
    is beta-binomial.

    Args:
        passed: Number of wrong options above the threshold; a fraction where they are weighted.
        wrong: Number of wrong options; a fraction where they are weighted.
        items: Number of items, all of them taken as sound.
        most: The last number.

    Source: S. S. Wilks, Ann. Math. Stat. 12 (1941) 91, distribution of order statistics' coverages.
    """
    # All options pass, and so do all items; the second parameter of the distribution would be 0.
    if passed >= wrong:
        return np.append(np.zeros(items), 1.0)[: most + 1]
    alpha, beta = passed + 1.0, wrong - passed
    # The ratio of neighbouring probabilities avoids a logarithm of the gamma function for each number.
    count = np.arange(min(most, items), dtype=np.float64)
    ratios = (items - count) * (count + alpha) / ((count + 1.0) * (beta + items - count - 1.0))
    logs = np.concatenate(([_log_beta(alpha, beta + items) - _log_beta(alpha, beta)], np.log(ratios)))
    chances: Array = np.cumsum(np.exp(np.cumsum(logs)))
    return chances


def _log_beta(alpha: float, beta: float) -> float:
    return math.lgamma(alpha) + math.lgamma(beta) - math.lgamma(alpha + beta)
