from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.chance_level import binomial, exact_interval, p_value


def test_binomial_when_compared_with_the_formula_then_is_the_same() -> None:
    expected = [math.comb(20, k) * 0.25**k * 0.75 ** (20 - k) for k in range(21)]
    assert binomial(20, chance=0.25).tolist() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("chance", "location"), [(0.0, 0), (1.0, 5)])
def test_binomial_when_nothing_is_left_to_luck_then_is_certain(chance, location) -> None:
    assert binomial(5, chance=chance)[location] == 1.0


def test_luck_when_chances_differ_then_is_the_sum_over_all_outcomes() -> None:
    chances = [0.25, 0.5, 0.25, 0.2]
    expected = 0.0
    for outcome in range(16):
        right = [bool(outcome >> at & 1) for at in range(4)]
        if sum(right) >= 3:
            expected += math.prod(p if hit else 1 - p for p, hit in zip(chances, right, strict=True))
    assert p_value(3, chances=chances) == pytest.approx(expected)


def test_luck_when_nothing_is_right_then_is_certain() -> None:
    assert p_value(0, chances=[0.25] * 50) == pytest.approx(1.0)


def test_interval_when_compared_with_published_values_then_is_the_same() -> None:
    # 81 of 263 at 95 %: the first example of R. G. Newcombe, Statistics in Medicine 17 (1998), exact method.
    found = exact_interval(81, n=263)
    assert (found.low, found.high) == pytest.approx((0.2527, 0.3676), abs=5e-5)


@pytest.mark.parametrize(("correct", "low", "high"), [(0, 0.0, 0.3085), (10, 0.6915, 1.0)])
def test_interval_when_at_an_end_then_reaches_it(correct, low, high) -> None:
    found = exact_interval(correct, n=10)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_interval_when_there_are_no_answers_then_says_nothing() -> None:
    found = exact_interval(0, n=0)
    assert (found.low, found.high) == (0.0, 1.0)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_interval_when_drawn_then_holds_the_share(drawn) -> None:
    correct, n = drawn
    found = exact_interval(correct, n=n)
    assert 0.0 <= found.low <= correct / n <= found.high <= 1.0
