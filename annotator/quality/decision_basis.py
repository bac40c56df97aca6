"""The basis of decisions about items: how many models answered, and why the others did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from annotator.domain.record import ValueObject
from annotator.quality.predictions import ItemPredictionKind, ItemPredictions

MISSING_TEXTS: dict[ItemPredictionKind, str] = {
    "unparsed": "a reply could not be read",
    "empty": "a reply was empty",
    "error": "a request failed",
    "unasked": "a request was not answered",
    "outdated": "the item was changed after the request",
    "answer": "an answer could not be compared with the answer key",
}
"""English reasons for a missing answer, by the kind of the prediction."""


class DecisionBasis(ValueObject, frozen=True, kw_only=True):
    """Items whose decisions have the same basis.

    Attributes:
        asked: Number of models asked about each item.
        answered: Number of models with at least one answer of known correctness.
        missing: Reasons why the others have none, each once.
        items: Number of items.
    """

    asked: int
    answered: int
    missing: tuple[ItemPredictionKind, ...]
    items: int

    @property
    def is_complete(self) -> bool:
        """Whether every model answered."""
        return self.answered == self.asked


def decision_bases(items: Iterable[ItemPredictions]) -> tuple[DecisionBasis, ...]:
    """Return the bases of decisions about items, the most frequent first."""
    counts = Counter(_basis(item) for item in items)
    return tuple(
        DecisionBasis(asked=asked, answered=answered, missing=missing, items=count)
        for (asked, answered, missing), count in counts.most_common()
    )


def _basis(entry: ItemPredictions) -> tuple[int, int, tuple[ItemPredictionKind, ...]]:
    models: dict[str, list[ItemPredictionKind]] = {}
    answered = {prediction.model for prediction in entry.predictions if prediction.is_right is not None}
    for prediction in entry.predictions:
        own = models.setdefault(prediction.model, [])
        if prediction.model not in answered:
            own.append(prediction.kind)
    reasons = {kind for kinds in models.values() for kind in kinds}
    return len(models), len(answered), tuple(kind for kind in MISSING_TEXTS if kind in reasons)
