"""The answer of a text probe: one prediction with a guess for each item of its run."""

from __future__ import annotations

from annotator.domain.record import ValueObject
from annotator.model_api import ProbeReport

PROBE_SET = "set"
"""Target of a job that concerns all items of its run."""


class ProbeGuess(ValueObject, frozen=True, kw_only=True):
    """The guess of a probe for one item.

    Attributes:
        letter: The chosen option, in the item's own letters.
        probabilities: One per option, in the item's order.
        shown: Digest of the item at that time.
    """

    letter: str
    probabilities: tuple[float, ...]
    shown: str


class ProbeAnswer(ValueObject, frozen=True, kw_only=True):
    """The answer of a probe's prediction (JSON).

    Attributes:
        items: The guesses by item.
        report: The report about the whole set.
    """

    items: dict[str, ProbeGuess]
    report: ProbeReport
