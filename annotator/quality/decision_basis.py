"""What decisions about items rest on: how many models were heard, and why the others were not."""

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
"""English reasons why a model says nothing about an item, by the kind of its prediction."""


class DecisionBasis(ValueObject, frozen=True, kw_only=True):
    """Items whose decisions have the same basis.

    Attributes:
        asked: Number of models asked about each item.
        heard: Number of models with at least one answer of known correctness.
        missing: Reasons why the others have none, each once.
        items: Number of items.
    """

    asked: int
    heard: int
    missing: tuple[ItemPredictionKind, ...]
    items: int

    @property
    def is_complete(self) -> bool:
        """Whether every model was heard."""
        return self.heard == self.asked


def decision_bases(items: Iterable[ItemPredictions]) -> tuple[DecisionBasis, ...]:
    """Return what decisions about items rest on, the most frequent first."""
    counts = Counter(_basis(one) for one in items)
    return tuple(
        DecisionBasis(asked=asked, heard=heard, missing=missing, items=count)
        for (asked, heard, missing), count in counts.most_common()
    )


def _basis(one: ItemPredictions) -> tuple[int, int, tuple[ItemPredictionKind, ...]]:
    models: dict[str, list[ItemPredictionKind]] = {}
    heard = {hearing.model for hearing in one.hearings if hearing.is_right is not None}
    for hearing in one.hearings:
        own = models.setdefault(hearing.model, [])
        if hearing.model not in heard:
            own.append(hearing.kind)
    reasons = {kind for kinds in models.values() for kind in kinds}
    return len(models), len(heard), tuple(kind for kind in MISSING_TEXTS if kind in reasons)
