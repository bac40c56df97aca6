"""Bounds of false removals against values computed by hand and against drawn sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from annotator.quality.calibrated.false_removals import PLANNED_CONFIDENCE, false_removal_bound
from annotator.quality.calibrated.fixed_weights import fixed_weights
from annotator.quality.calibrated.option_logit import OptionRows, margins
from annotator.quality.calibrated.thresholds import FIXED_SHARE, NO_THRESHOLD, CandidateThresholds
from annotator.quality.calibrated.wrong_options import WrongOptions

if TYPE_CHECKING:
    from annotator.quality.calibrated.option_logit import Array, Indices

ALPHA = 0.02


def _candidates(items: int, *, options: int) -> CandidateThresholds:
    """Return the thresholds of items whose wrong options have the statistics 1, 2, 3, ..."""
    rows = OptionRows.of([options] * items, [0] * items)
    statistics = np.full(len(rows.items), -1.0)
    statistics[rows.is_wrong] = np.arange(1.0, items * (options - 1) + 1)
    return CandidateThresholds.of(rows, statistics)


@pytest.mark.parametrize(
    ("passed", "wrong", "items", "bound"),
    [
        # One wrong option, none above: the key lies above with a probability of 1/2.
        (0, 1, 1, 1),
        # Above the largest of 19: 1/20 for one item, so that none is removed with 95 %.
        (0, 19, 1, 0),
        (0, 18, 1, 1),
        # Above the largest of 3: P(0) = 3/5, P(at most 1) = 3/5 + 2·3/(4·5) = 9/10.
        (0, 3, 2, 2),
        # Everything passes.
        (3, 3, 7, 7),
    ],
)  # fmt: skip
def test_false_removal_bound_when_computed_by_hand_then_is_the_same(
    passed: int, wrong: int, items: int, bound: int
) -> None:
    assert false_removal_bound(passed, wrong=wrong, items=items) == bound


def test_false_removal_bound_when_keys_and_wrong_options_are_drawn_alike_then_holds_in_95_percent() -> None:
    draw = np.random.default_rng(3)
    wrong, items, passed = 300, 100, 2
    bound = false_removal_bound(passed, wrong=wrong, items=items)
    held, tries = 0, 4_000
    for _ in range(tries):
        threshold = np.sort(draw.random(wrong))[-passed - 1]
        held += int((draw.random(items) > threshold).sum()) <= bound
    below = np.sqrt(0.95 * 0.05 / tries) * 4
    assert held / tries >= 0.95 - below


def test_threshold_when_one_more_passed_then_the_bound_would_be_exceeded() -> None:
    threshold = _candidates(1_000, options=4).threshold(ALPHA, fixed=None)
    passing = round(3_000 - threshold.value)
    bounds = [
        false_removal_bound(one, wrong=3_000, items=1_000, confidence=PLANNED_CONFIDENCE)
        for one in (passing, passing + 1)
    ]
    assert threshold.rule == "bound"
    assert bounds == [20, 21]
    assert false_removal_bound(passing, wrong=3_000, items=1_000) < 20


def test_threshold_when_the_set_is_too_small_for_any_then_is_none() -> None:
    assert _candidates(30, options=4).threshold(ALPHA, fixed=None) == NO_THRESHOLD


def test_threshold_when_the_expectation_of_one_item_is_above_the_loss_then_fixed_weights_have_none() -> None:
    # (0 + 1) / (49 + 1) is 2 %.
    fixed = fixed_weights()
    loss = ALPHA / FIXED_SHARE
    assert _candidates(49, options=2).threshold(loss, fixed=fixed).rule == "expected"
    assert _candidates(48, options=2).threshold(loss, fixed=fixed) == NO_THRESHOLD


@pytest.mark.parametrize("is_fixed", [False, True])
def test_threshold_when_the_permitted_loss_grows_then_never_rises(*, is_fixed: bool) -> None:
    losses = np.unique(np.concatenate((np.linspace(0.0, 0.999, 60), np.geomspace(0.0005, 0.2, 60))))
    rules = set()
    for seed in range(40):
        rows, statistics = _drawn_set(np.random.default_rng(seed))
        candidates = CandidateThresholds.of(rows, statistics)
        found = [
            candidates.threshold(loss, fixed=fixed_weights() if is_fixed else None)
            for loss in losses.tolist()
        ]
        values = [one.value for one in found]
        # One threshold decides about all items: what a loss removes, every larger one removes.
        assert values == sorted(values, reverse=True)
        rules |= {one.rule for one in found}
    assert rules == {"expected", "largest", "none"} | ({"bound"} if not is_fixed else set())


def test_threshold_when_fewer_promises_are_kept_then_finds_no_more_than_with_them() -> None:
    # With 0.5 % of 400 items, two may be lost; of the 382 that the largest wrong option leaves, one.
    rows, statistics = _set_of(
        np.random.default_rng(1), sizes=np.full(400, 4), planted=0.25, lift=np.array([6.0, 1.5])
    )
    candidates = CandidateThresholds.of(rows, statistics)
    keys = statistics[rows.keys]
    found = [
        ((keys > threshold.value).sum(), threshold.rule)
        for threshold in (candidates.threshold(loss, fixed=None) for loss in (0.005, 0.01, 0.02))
    ]
    counts, kept = zip(*found, strict=True)
    assert kept == ("expected", "bound", "bound")
    assert list(counts) == sorted(counts)


def _drawn_set(draw: np.random.Generator) -> tuple[OptionRows, Array]:
    items = int(draw.integers(30, 1_200))
    sizes = draw.integers(2, int(draw.integers(3, 8)), size=items)
    planted = float(draw.choice([0.0, 0.2, 0.5, 0.9, 1.0]))
    return _set_of(draw, sizes=sizes, planted=planted, lift=draw.uniform(0.5, 8.0, size=3))


def _set_of(
    draw: np.random.Generator, *, sizes: Indices, planted: float, lift: Array
) -> tuple[OptionRows, Array]:
    """Return options and their statistics; in some items the key is lifted by one of some amounts."""
    rows = OptionRows.of(sizes.tolist(), draw.integers(sizes).tolist())
    scores = draw.normal(size=len(rows.items))
    scores[rows.keys] += (draw.random(len(sizes)) < planted) * draw.choice(lift, size=len(sizes))
    # Tasks are aligned: several options of an item can lie above 0.
    offsets = draw.normal(scale=0.3, size=3)[draw.integers(3, size=len(sizes))]
    return rows, np.round(margins(rows, scores) - offsets[rows.items], 6)


@pytest.mark.parametrize("share_of_two", [0.1, 0.5, 0.9])
def test_threshold_when_items_have_two_or_eight_options_then_the_permitted_loss_is_kept(
    share_of_two: float,
) -> None:
    draw = np.random.default_rng(5)
    losses, expected = [], []
    for _ in range(100):
        sizes = np.where(draw.random(600) < share_of_two, 2, 8)
        rows = OptionRows.of(sizes.tolist(), draw.integers(sizes).tolist())
        statistics = margins(rows, draw.normal(size=len(rows.items)))
        threshold = CandidateThresholds.of(rows, statistics).threshold(ALPHA, fixed=None).value
        is_found = statistics[rows.keys] > threshold
        is_left = rows.is_wrong & ~is_found[rows.items]
        wrong = WrongOptions.of(statistics[is_left], sizes=rows.sizes[rows.items[is_left]] - 1)
        losses.append(float(is_found.mean()))
        expected.append(wrong.expected(wrong.passing(threshold)) / 600)
        assert wrong.items == 600 - is_found.sum()
    # 99 % are planned; fewer than 96 of 100 have a probability below 1 %.
    assert sum(loss <= ALPHA for loss in losses) >= 96
    assert np.mean(losses) == pytest.approx(np.mean(expected), abs=0.001)
