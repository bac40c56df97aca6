"""Which items do not need a part of their input, with a bound on the share of false decisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from annotator.domain.input_variants import InputPart
from annotator.domain.item import Item
from annotator.domain.record import ValueObject
from annotator.quality.necessity.answers import InputComparison

NecessityKind = Literal[
    "view_not_needed", "frames_not_needed", "order_not_needed", "regions_not_needed", "language_bias"
]
KINDS: Mapping[InputPart, NecessityKind] = MappingProxyType(
    {
        "view": "view_not_needed",
        "frames": "frames_not_needed",
        "order": "order_not_needed",
        "regions": "regions_not_needed",
        "scene": "language_bias",
    }
)
"""What an item is flagged with if it does not need a part; with the images of another scene, its answer does
not come from the images at all."""
MOST_LOST = 1 / 12
"""How much lower the share of right answers may be without the part, to count as equally sure.

Repeated answers of one model differ. Asked for not one right answer less, a third of the items that do not
need the part are missed (sets of ``quality.necessity_found``). With 1/6, 101 of 300 items were flagged that
are right in 70 % of twelve answers without the part and in 98 % with it.
"""
MOST_FALSE = 0.05
"""Default of the largest expected share of false flags."""
ROUNDING = 1e-6
"""Shares are sums of fractions such as 1/12."""


class NecessityFinding(ValueObject, frozen=True, kw_only=True):
    """An item that does not need a part of its input.

    Attributes:
        kind: Kind of the flag.
        comparisons: The item with the whole input and without the part; the surest input first.
    """

    kind: NecessityKind
    comparisons: tuple[InputComparison, ...]

    @property
    def item(self) -> Item:
        """The item."""
        return self.comparisons[0].item


class PartDecision(ValueObject, frozen=True, kw_only=True):
    """The decisions about one part of the input.

    Attributes:
        part: The part.
        kind: Kind of the flags.
        items: Number of items that were asked without it and with the whole input.
        threshold: Share of right answers without the part from which on an item is flagged; None if no
            threshold keeps the bound.
        expected_false: Number of false flags that is expected at most.
        false_share: That number divided by the number of flags; without a threshold the smallest possible
            share, None without a candidate.
        findings: The items that do not need it.
    """

    part: InputPart
    kind: NecessityKind
    items: int
    threshold: float | None
    expected_false: float
    false_share: float | None
    findings: tuple[NecessityFinding, ...]


def decide(comparisons: Sequence[InputComparison], *, most_false: float = MOST_FALSE) -> list[PartDecision]:
    """Return the decisions about each part, in the order of the comparisons.

    An item does not need a part if without it at least ``threshold`` of the answers are right, and at most
    ``MOST_LOST`` fewer than with the whole input. Of several inputs without a part, such as one view after
    the other, the surest counts, with not one answer fewer: the best of several is lucky.

    How often models are as sure without knowing is counted on wrong answers: of an item that needs the part,
    the right option is one of its options like any other for models that do not have it. Each item whose most
    frequent answer without the part is a wrong one, with at least the same share, stands for 1 / (number of
    wrong options) items that were only guessed. For formats without options it stands for one. The threshold
    is the lowest at which one more than these, divided by the number of flags, is at most ``most_false``.

    Source: target-decoy competition with the correction of Barber and Candès, Annals of Statistics 43 (2015)
    2055, "knockoff+"; deviation: several decoys per item weigh less than one each.

    Args:
        comparisons: The comparisons of all items.
        most_false: Largest expected share of false flags, above 0.
    """
    by_part: dict[InputPart, dict[str, list[InputComparison]]] = defaultdict(lambda: defaultdict(list))
    for comparison in comparisons:
        by_part[comparison.part][comparison.item.id].append(comparison)
    return [
        _decided(part, [_Candidate(found) for found in items.values()], most_false=most_false)
        for part, items in by_part.items()
    ]


class _Candidate:
    """One item without a part, over all inputs that lack it."""

    def __init__(self, comparisons: Sequence[InputComparison]) -> None:
        self.comparisons = tuple(sorted(comparisons, key=lambda one: -one.without.right))
        best = self.comparisons[0]
        right, wrong = best.without.right, max(one.without.wrong for one in comparisons)
        # As sure of the key as of a wrong answer, in different views: neither counts.
        self.right = right if right > wrong else 0.0
        self.wrong = wrong if wrong > right else 0.0
        options = best.item.options
        self.decoy_weight = 1 / (len(options) - 1) if len(options) > 1 else 1.0
        # The best of several inputs is right more often by luck than a single one.
        lost = MOST_LOST if len(comparisons) == 1 else 0.0
        self.can_be_flagged = best.part == "scene" or (
            best.whole.is_right and best.without.right > best.whole.right - lost - ROUNDING
        )


class _Level(NamedTuple):
    """A possible threshold: the flags that it gives, and how many of them may be false."""

    threshold: float
    flagged: int
    false: float

    @property
    def false_share(self) -> float:
        return self.false / self.flagged


def _levels(candidates: Sequence[_Candidate]) -> Iterator[_Level]:
    """Yield the possible thresholds, the lowest first."""
    able = [one for one in candidates if one.can_be_flagged]
    one_more = max(one.decoy_weight for one in candidates)
    for level in sorted({one.right for one in able if one.right > 0.5}):
        flagged = sum(one.right >= level for one in able)
        false = sum(one.decoy_weight for one in candidates if one.wrong >= level)
        yield _Level(level, flagged, one_more + false)


def _decided(part: InputPart, candidates: Sequence[_Candidate], *, most_false: float) -> PartDecision:
    levels = list(_levels(candidates))
    best = next((level for level in levels if level.false_share <= most_false), None)
    return PartDecision(
        part=part,
        kind=KINDS[part],
        items=len(candidates),
        threshold=best.threshold if best else None,
        expected_false=best.false if best else 0.0,
        false_share=best.false_share if best else min((one.false_share for one in levels), default=None),
        findings=tuple(_findings(part, candidates, best)),
    )


def _findings(
    part: InputPart, candidates: Sequence[_Candidate], level: _Level | None
) -> Iterator[NecessityFinding]:
    for one in candidates:
        if level is not None and one.can_be_flagged and one.right >= level.threshold:
            yield NecessityFinding(kind=KINDS[part], comparisons=one.comparisons)
