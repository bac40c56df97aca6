"""Computes the share of correct answers of a run with its 95 % confidence interval."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

from annotator.domain.record import ValueObject
from annotator.quality.predictions import ItemPrediction, ItemPredictions

Z95 = 1.959964
"""Quantile of the normal distribution for 95 %, both sides."""
METHOD = "Wilson"
"""Name of the interval in reports."""


class Accuracy(ValueObject, frozen=True, kw_only=True):
    """A share of correct answers with its confidence interval.

    Attributes:
        right: Number of correct answers.
        known: Number of answers whose correctness is known, at least one.
        low: Lower end of the 95 % interval, 0 to 1.
        high: Upper end.
    """

    right: int
    known: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Correct answers divided by known answers, 0 to 1."""
        return self.right / self.known


def accuracy_of(items: Iterable[Iterable[ItemPrediction]]) -> Accuracy | None:
    """Return the share of correct answers, None without an answer of known correctness.

    Answers about one item are correlated, because models read the same text. The Wilson interval therefore
    uses the effective number of answers: known answers divided by the design effect of items as clusters.

    Args:
        items: The answers of each item.

    Source: Wilson, J. Am. Stat. Assoc. 22 (1927) 209; for the effective number Korn and Graubard, Survey
    Methodology 24 (1998) 193.
    """
    counts = [_counted(predictions) for predictions in items]
    counts = [(right, known) for right, known in counts if known]
    right, known = sum(one for one, _ in counts), sum(one for _, one in counts)
    if not known:
        return None
    low, high = wilson_interval(right / known, _effective(counts, right / known))
    return Accuracy(right=right, known=known, low=low, high=high)


def model_accuracy(model: str, items: Iterable[ItemPredictions]) -> Accuracy | None:
    """Return the share of correct answers of one model over items with any number of answers each."""
    return accuracy_of({entry.item.id: entry.of_model(model) for entry in items}.values())


def _counted(predictions: Iterable[ItemPrediction]) -> tuple[int, int]:
    judged = [prediction.is_right for prediction in predictions if prediction.is_right is not None]
    return sum(judged), len(judged)


def _effective(counts: list[tuple[int, int]], share: float) -> float:
    known = sum(one for _, one in counts)
    independent = known * share * (1 - share)
    if not independent:
        # All correct or all wrong: the correlation of answers about one item is not observable.
        return float(len(counts))
    spread = sum((right - share * asked) ** 2 for right, asked in counts)
    # Never more answers than were given: a design effect below 1 is chance in few items.
    return known / max(1.0, spread / independent)


def wilson_interval(share: float, count: float) -> tuple[float, float]:
    """Return the 95 % interval of a share of so many independent answers."""
    shrink = 1 + Z95**2 / count
    middle = (share + Z95**2 / (2 * count)) / shrink
    half = Z95 / shrink * sqrt(share * (1 - share) / count + Z95**2 / (4 * count**2))
    return max(0.0, middle - half), min(1.0, middle + half)
