"""Paired comparison of two shares over the same items: exact McNemar test, interval of the difference."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, sqrt

from annotator.domain.record import ValueObject
from annotator.quality.accuracy import wilson_interval


class PairedGain(ValueObject, frozen=True, kw_only=True):
    """How much more items are right with something than without it.

    Attributes:
        items: Number of items, at least one.
        with_it: Share of items that are right with it, 0 to 1.
        without: Share of items that are right without it.
        gained: Items that are right with it only.
        lost: Items that are right without it only.
        low: Lower end of the 95 % interval of the gain, -1 to 1.
        high: Upper end.
        p_value: Probability of a division of ``gained`` and ``lost`` that is at least so uneven if both are
            equally probable.
    """

    items: int
    with_it: float
    without: float
    gained: int
    lost: int
    low: float
    high: float
    p_value: float

    @property
    def gain(self) -> float:
        """Difference of the shares."""
        return self.with_it - self.without


def paired_gain(pairs: Iterable[tuple[bool, bool]]) -> PairedGain | None:
    """Return the gain over items, None without any.

    Args:
        pairs: Of each item, whether it is right with it, and without it.

    Source: exact conditional test of McNemar, Psychometrika 12 (1947) 153; interval by method 10 of Newcombe,
    Statistics in Medicine 17 (1998) 2635, from Wilson intervals of both shares and their correlation.
    """
    listed = list(pairs)
    if not listed:
        return None
    both = sum(one and other for one, other in listed)
    gained = sum(one and not other for one, other in listed)
    lost = sum(other and not one for one, other in listed)
    low, high = _interval(both, gained, lost, len(listed) - both - gained - lost)
    return PairedGain(
        items=len(listed),
        with_it=(both + gained) / len(listed),
        without=(both + lost) / len(listed),
        gained=gained,
        lost=lost,
        low=low,
        high=high,
        p_value=_sign_test(gained, lost),
    )


def _sign_test(gained: int, lost: int) -> float:
    count = gained + lost
    tail = sum(comb(count, hits) for hits in range(min(gained, lost) + 1))
    # Integers first: 2.0**-count is 0 from 1,075 items on.
    return min(1.0, tail / (1 << count) * 2)


def _interval(both: int, gained: int, lost: int, neither: int) -> tuple[float, float]:
    count = both + gained + lost + neither
    one, other = (both + gained) / count, (both + lost) / count
    one_low, one_high = wilson_interval(one, count)
    other_low, other_high = wilson_interval(other, count)
    phi = _correlation(both, gained, lost, neither)
    below = _distance(one - one_low, other_high - other, phi)
    above = _distance(one_high - one, other - other_low, phi)
    return max(-1.0, one - other - below), min(1.0, one - other + above)


def _distance(one: float, other: float, phi: float) -> float:
    return sqrt(max(0.0, one**2 - 2 * phi * one * other + other**2))


def _correlation(both: int, gained: int, lost: int, neither: int) -> float:
    margins = (both + gained) * (lost + neither) * (both + lost) * (gained + neither)
    if not margins:
        return 0.0
    covariance = float(both * neither - gained * lost)
    if covariance > 0:
        # The continuity correction of Newcombe's method 10.
        covariance = max(covariance - (both + gained + lost + neither) / 2, 0.0)
    return covariance / sqrt(margins)
