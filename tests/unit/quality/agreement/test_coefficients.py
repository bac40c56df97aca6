"""Coefficients of agreement equal those of published libraries on random tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations

import krippendorff
import numpy as np
import pytest
from numpy.typing import NDArray

from annotator.quality.agreement.coefficients import (
    CONSTANT,
    NO_UNITS,
    TOO_MANY,
    cohens_kappa,
    fleiss_kappa,
    krippendorffs_alpha,
    mean_score,
    percent_agreement,
)
from annotator.quality.agreement.distances import set_distances
from annotator.quality.agreement.ratings import MISSING, Ratings

TABLES = 25


def _random_table(seed: int, *, share_missing: float, values: int = 4) -> NDArray[np.int64]:
    """Return answers of 2 to 6 people that tend to agree, (units, people)."""
    chance = np.random.default_rng(seed)
    units, people = chance.integers(5, 60), chance.integers(2, 7)
    truth = chance.integers(0, values, size=units)
    noise = chance.integers(0, values, size=(units, people))
    table = np.where(chance.random((units, people)) < 0.6, truth[:, None], noise)
    table[chance.random((units, people)) < share_missing] = MISSING
    return table


def _ratings(table: NDArray[np.int64]) -> Ratings:
    return Ratings.of(
        (unit, f"person {person}", int(code))
        for unit, row in enumerate(table)
        for person, code in enumerate(row)
        if code != MISSING
    )


def _tables(*, share_missing: float = 0.0) -> Iterator[NDArray[np.int64]]:
    for seed in range(TABLES):
        yield _random_table(seed, share_missing=share_missing)


def test_cohens_kappa_when_tables_are_random_then_equals_scikit_learn() -> None:
    # Seconds to import: only the process that runs this test shall, not all that collect it.
    from sklearn.metrics import cohen_kappa_score

    for table in _tables():
        expected = cohen_kappa_score(table[:, 0], table[:, 1])
        found = cohens_kappa(_ratings(table).between("person 0", "person 1"))
        assert found.value == pytest.approx(expected, abs=1e-12)
        assert found.units == len(table)


def test_fleiss_kappa_when_tables_are_random_then_equals_statsmodels() -> None:
    from statsmodels.stats import inter_rater

    for table in _tables():
        counts, _ = inter_rater.aggregate_raters(table)
        expected = inter_rater.fleiss_kappa(counts)
        assert fleiss_kappa(_ratings(table)).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("share_missing", [0.0, 0.3])
def test_alpha_when_tables_are_random_then_equals_krippendorff(scale: str, share_missing: float) -> None:
    for table in _tables(share_missing=share_missing):
        units = np.where(table == MISSING, np.nan, table.astype(float))
        expected = krippendorff.alpha(reliability_data=units.T, level_of_measurement=scale)
        found = krippendorffs_alpha(_ratings(table), scale=scale)  # type: ignore[arg-type]
        assert found.value == pytest.approx(expected, abs=1e-9)


def test_alpha_when_numbers_are_large_then_keeps_their_digits() -> None:
    table = _random_table(1, share_missing=0.2, values=30)
    far = np.where(table == MISSING, MISSING, table + 10_000_000)
    near = krippendorffs_alpha(_ratings(table), scale="interval").value
    assert krippendorffs_alpha(_ratings(far), scale="interval").value == pytest.approx(near, abs=1e-9)


def test_alpha_when_answers_are_sets_then_equals_its_definition() -> None:
    labels = ("occlusion", "shadow", "fog", "noise")
    for table in _tables(share_missing=0.2):
        sets = {
            (unit, person): frozenset(labels[bit] for bit in range(4) if (int(code) * 5 + 3) >> bit & 1)
            for unit, row in enumerate(table)
            for person, code in enumerate(row)
            if code != MISSING
        }
        found = krippendorffs_alpha(
            Ratings.of((unit, f"person {person}", value) for (unit, person), value in sets.items()),
            scale="set",
        )
        assert found.value == pytest.approx(_set_alpha(sets), abs=1e-9)


def _set_alpha(sets: dict[tuple[int, int], frozenset[str]]) -> float:
    """Return 1 - observed / expected MASI distance by its definition, pair by pair."""
    by_unit: dict[int, list[frozenset[str]]] = {}
    for (unit, _), value in sets.items():
        by_unit.setdefault(unit, []).append(value)
    pairable = [values for values in by_unit.values() if len(values) > 1]
    everything = [value for values in pairable for value in values]
    observed = sum(
        _masi(one, other) / (len(values) - 1) for values in pairable for one, other in permutations(values, 2)
    ) / len(everything)
    expected = sum(_masi(one, other) for one, other in permutations(everything, 2)) / (
        len(everything) * (len(everything) - 1)
    )
    return 1 - observed / expected


def _masi(one: frozenset[str], other: frozenset[str]) -> float:
    if one == other:
        return 0.0
    is_part = one <= other or other <= one
    monotonicity = 2 / 3 if is_part else 1 / 3 if one & other else 0.0
    return 1 - len(one & other) / len(one | other) * monotonicity


def test_set_distances_when_sets_are_empty_then_equal_each_other_and_far_from_all_others() -> None:
    distances = set_distances((frozenset(), frozenset({"fog"})))
    assert distances.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_percent_agreement_when_two_of_three_agree_then_counts_pairs() -> None:
    ratings = Ratings.of(
        [(1, "a", "x"), (1, "b", "x"), (1, "c", "y"), (2, "a", "x"), (2, "b", "x"), (3, "a", "x")]
    )
    found = percent_agreement(ratings)
    assert found.value == pytest.approx((1 / 3 + 1) / 2)
    assert found.units == 2


@pytest.mark.parametrize("measure", [fleiss_kappa, krippendorffs_alpha, cohens_kappa])
def test_coefficient_when_all_answers_are_equal_then_is_undefined_and_says_so(measure: object) -> None:
    found = measure(Ratings.of((unit, person, "yes") for unit in range(9) for person in ("a", "b")))  # type: ignore[operator]
    assert (found.value, found.low, found.high, found.units) == (None, None, None, 9)
    assert found.reason == CONSTANT


def test_coefficient_when_nobody_answered_twice_then_says_so() -> None:
    assert fleiss_kappa(Ratings.of([(1, "a", "x"), (2, "b", "x")])).reason == NO_UNITS
    assert krippendorffs_alpha(Ratings.of([]), scale="interval").reason == NO_UNITS


def test_cohens_kappa_when_three_people_answered_then_is_refused() -> None:
    with pytest.raises(ValueError, match="two people"):
        cohens_kappa(Ratings.of((1, person, "x") for person in "abc"))


def test_alpha_when_there_are_thousands_of_distinct_sets_then_says_so() -> None:
    answers = ((unit, person, frozenset({unit, person})) for unit in range(4000) for person in "ab")
    found = krippendorffs_alpha(Ratings.of(answers), scale="set")
    assert (found.value, found.reason) == (None, TOO_MANY)


def test_interval_when_samples_are_drawn_again_then_holds_the_true_value() -> None:
    # The true kappa of this process: both give the truth with 0.8, else one of two values at random.
    is_held = []
    for seed in range(60):
        chance = np.random.default_rng(seed)
        truth = chance.integers(0, 2, size=150)
        table = np.stack(
            [np.where(chance.random(150) < 0.8, truth, chance.integers(0, 2, size=150)) for _ in range(2)],
            axis=1,
        )
        found = cohens_kappa(_ratings(table), seed=seed)
        assert found.low is not None
        assert found.high is not None
        is_held.append(found.low <= 0.64 <= found.high)
    # 95 % of 60 are 57; fewer than 51 happen once in ten thousand.
    assert sum(is_held) >= 51


def test_interval_when_units_are_resampled_in_blocks_then_is_as_wide_as_by_single_units() -> None:
    chance = np.random.default_rng(0)
    truth = chance.integers(0, 4, size=20_000)
    table = np.stack(
        [np.where(chance.random(20_000) < 0.7, truth, chance.integers(0, 4, size=20_000)) for _ in range(3)],
        axis=1,
    )
    few, many = (fleiss_kappa(_ratings(table[:n])) for n in (1_000, 20_000))
    widths = [
        found.high - found.low for found in (few, many) if found.high is not None and found.low is not None
    ]
    # Twenty times as many units: the interval narrows by the square root.
    assert widths[0] / widths[1] == pytest.approx(math.sqrt(20), rel=0.15)


def test_coefficient_when_seed_is_the_same_then_is_the_same() -> None:
    ratings = _ratings(_random_table(3, share_missing=0.1))
    assert fleiss_kappa(ratings, seed=5) == fleiss_kappa(ratings, seed=5)
    assert fleiss_kappa(ratings, seed=5) != fleiss_kappa(ratings, seed=6)


@pytest.mark.parametrize("values", [[0.0, 0.0], [1.0] * 600, [0.5]])
def test_mean_when_all_values_are_equal_then_has_no_interval(values: list[float]) -> None:
    found = mean_score(np.array(values))
    assert (found.value, found.low, found.high, found.units) == (values[0], None, None, len(values))


def test_mean_when_values_differ_then_has_an_interval() -> None:
    found = mean_score(np.array([0.0, 1.0]))
    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)
