"""The paired comparison of two shares, against published and computed values."""

from __future__ import annotations

import pytest

from annotator.quality.necessity.paired import paired_gain


def pairs(both: int, gained: int, lost: int, neither: int) -> list[tuple[bool, bool]]:
    return [
        *[(True, True)] * both,
        *[(True, False)] * gained,
        *[(False, True)] * lost,
        *[(False, False)] * neither,
    ]


def test_gain_when_compared_with_the_published_interval_then_is_the_same() -> None:
    # Newcombe 1998: 36, 12, 2 and 0 of 50 pairs by method 10.
    found = paired_gain(pairs(36, 12, 2, 0))
    assert found is not None
    assert found.gain == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx((0.0569, 0.3404), abs=6e-5)


def test_gain_when_the_sides_are_exchanged_then_the_interval_is_mirrored() -> None:
    one, other = paired_gain(pairs(9, 7, 2, 4)), paired_gain(pairs(9, 2, 7, 4))
    assert one is not None
    assert other is not None
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert one.low < one.gain < one.high


def test_gain_when_no_item_differs_then_the_interval_still_has_a_width() -> None:
    for counts in ((20, 0, 0, 0), (0, 0, 0, 20), (10, 0, 0, 10)):
        found = paired_gain(pairs(*counts))
        assert found is not None
        assert found.low < 0.0 == found.gain < found.high


@pytest.mark.parametrize(
    ("gained", "lost", "p_value"),
    [(0, 0, 1.0), (5, 0, 2 / 32), (12, 2, 2 * (1 + 14 + 91) / 2**14), (3, 3, 1.0), (2000, 1000, 0.0)],
)
def test_gain_when_items_differ_then_has_the_exact_probability(
    gained: int, lost: int, p_value: float
) -> None:
    found = paired_gain(pairs(4, gained, lost, 1))
    assert found is not None
    assert found.p_value == pytest.approx(p_value, abs=1e-12)
    assert (found.gained, found.lost) == (gained, lost)


def test_gain_when_there_is_no_item_then_is_none() -> None:
    assert paired_gain([]) is None
