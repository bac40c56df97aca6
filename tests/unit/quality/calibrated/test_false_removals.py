"""Bounds of false removals against values computed by hand and against drawn sets."""

from __future__ import annotations

import numpy as np
import pytest

from annotator.quality.calibrated.false_removals import PLANNED_CONFIDENCE, false_removal_bound
from annotator.quality.calibrated.option_logit import OptionRows, margins
from annotator.quality.calibrated.wrong_options import WrongOptions

ALPHA = 0.02


def _wrong_options(items: int, *, options: int) -> WrongOptions:
    """Return wrong options with the statistics 0, 1, 2, ..."""
    count = items * (options - 1)
    return WrongOptions.of(np.arange(float(count)), sizes=np.full(count, options - 1))


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


def test_most_passing_when_one_more_passed_then_the_bound_would_be_exceeded() -> None:
    passing = _wrong_options(1_000, options=4).most_passing(ALPHA)
    bounds = [
        false_removal_bound(one, wrong=3_000, items=1_000, confidence=PLANNED_CONFIDENCE)
        for one in (passing, passing + 1)
    ]
    assert bounds == [20, 21]
    assert false_removal_bound(passing, wrong=3_000, items=1_000) < 20


def test_most_passing_when_the_set_is_too_small_for_any_threshold_then_is_none() -> None:
    assert _wrong_options(30, options=4).most_passing(ALPHA) == -1


def test_most_passing_expected_when_one_of_49_is_more_than_the_share_then_is_none() -> None:
    # (0 + 1) / (49 + 1) is 2 %.
    assert _wrong_options(49, options=2).most_passing_expected(ALPHA) == 0
    assert _wrong_options(48, options=2).most_passing_expected(ALPHA) == -1


@pytest.mark.parametrize("share_of_two", [0.1, 0.5, 0.9])
def test_most_passing_when_items_have_two_or_eight_options_then_the_permitted_loss_is_kept(
    share_of_two: float,
) -> None:
    draw = np.random.default_rng(5)
    losses, expected = [], []
    for _ in range(100):
        sizes = np.where(draw.random(600) < share_of_two, 2, 8)
        rows = OptionRows.of(sizes.tolist(), draw.integers(sizes).tolist())
        statistics = margins(rows, draw.normal(size=len(rows.items)))
        wrong = WrongOptions.of(statistics[rows.is_wrong], sizes=(sizes[rows.items] - 1)[rows.is_wrong])
        threshold = float(wrong.statistics[wrong.most_passing(ALPHA)])
        losses.append(float((statistics[rows.keys] > threshold).mean()))
        expected.append(wrong.expected(wrong.passing(threshold)) / 600)
        assert wrong.items == 600
    # 99 % are planned; fewer than 96 of 100 have a probability below 1 %.
    assert sum(loss <= ALPHA for loss in losses) >= 96
    assert np.mean(losses) == pytest.approx(np.mean(expected), abs=0.001)
