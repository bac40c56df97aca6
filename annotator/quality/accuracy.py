"""The share of right answers of a run with its 95 % interval."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

from annotator.domain.record import ValueObject
from annotator.quality.predictions import ItemPrediction, ItemPredictions

Z95 = 1.959964
"""Quantile of the normal distribution for 95 %, both sides."""
METHOD = "Wilson"
"""What the interval is, for the reports that show it."""


class Accuracy(ValueObject, frozen=True, kw_only=True):
    """A share of right answers with its interval.

    Attributes:
        right: Right answers.
        known: Answers of which is known whether they are right, at least one.
        low: Lower end of the 95 % interval, 0 to 1.
        high: Upper end.
    """

    right: int
    known: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Right of known, 0 to 1."""
        return self.right / self.known


def accuracy_of(items: Iterable[Iterable[ItemPrediction]]) -> Accuracy | None:
    """Return the share of right answers, None without any answer of which that is known.

    Answers about one item hang together: models read the same words. The Wilson interval is therefore that of
    the effective number of answers, known answers over the design effect of items as clusters.

    Args:
        items: The answers, by item.

    Source: Wilson, J. Am. Stat. Assoc. 22 (1927) 209; for the effective number Korn and Graubard, Survey
    Methodology 24 (1998) 193.
    """
    counts = [_counted(predictions) for predictions in items]
    counts = [(right, known) for right, known in counts if known]
    right, known = sum(one for one, _ in counts), sum(one for _, one in counts)
    if not known:
        return None
    low, high = _wilson(right / known, _effective(counts, right / known))
    return Accuracy(right=right, known=known, low=low, high=high)


def model_accuracy(model: str, items: Iterable[ItemPredictions]) -> Accuracy | None:
    """Return the share of right answers of one model over some items, each given any number of times."""
    own = {
        one.item.id: [prediction for prediction in one.predictions if prediction.model == model]
        for one in items
    }
    return accuracy_of(own.values())


def _counted(predictions: Iterable[ItemPrediction]) -> tuple[int, int]:
    judged = [prediction.is_right for prediction in predictions if prediction.is_right is not None]
    return sum(judged), len(judged)


def _effective(counts: list[tuple[int, int]], share: float) -> float:
    known = sum(one for _, one in counts)
    independent = known * share * (1 - share)
    if not independent:
        # All right or all wrong: how much answers about one item hang together cannot be seen.
        return float(len(counts))
    spread = sum((right - share * asked) ** 2 for right, asked in counts)
    return known / max(1.0, spread / independent)


def _wilson(share: float, count: float) -> tuple[float, float]:
    shrink = 1 + Z95**2 / count
    middle = (share + Z95**2 / (2 * count)) / shrink
    half = Z95 / shrink * sqrt(share * (1 - share) / count + Z95**2 / (4 * count**2))
    return max(0.0, middle - half), min(1.0, middle + half)
