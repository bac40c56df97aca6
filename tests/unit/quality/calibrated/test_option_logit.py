"""The conditional logit against optimality conditions and hand-made cases."""

from __future__ import annotations

import numpy as np
import pytest

from annotator.quality.calibrated.option_logit import (
    MOST_TRAINED,
    OptionRows,
    assign_folds,
    fit_weights,
    learnt_items,
    margins,
)

ROWS = OptionRows.of([3, 2], [0, 1])


def test_margins_when_options_are_compared_then_are_differences_from_the_best_other() -> None:
    assert margins(ROWS, np.array([1.0, 3.0, 2.5, 4.0, 4.0])).tolist() == [-2.0, 0.5, -0.5, 0.0, 0.0]


def test_fit_weights_when_one_feature_marks_the_key_then_solves_the_equation_of_the_optimum() -> None:
    rows = OptionRows.of([2] * 40, [0] * 30 + [1] * 10)
    features = np.tile([[1.0], [0.0]], (40, 1))
    (weight,) = fit_weights(rows, features, ridge=2.0)
    # The gradient 40 p - 30 + 2 w is 0 at the optimum.
    assert 40 / (1 + np.exp(-weight)) - 30 + 2.0 * weight == pytest.approx(0.0, abs=1e-4)


def test_learnt_items_when_there_are_many_then_draws_some_of_the_other_folds() -> None:
    folds = np.arange(10_000) % 5
    learnt = learnt_items(folds, fold=2, seed=7)
    assert len(learnt) == len(set(learnt.tolist())) == MOST_TRAINED
    assert not (folds[learnt] == 2).any()
    assert learnt.tolist() == learnt_items(folds, fold=2, seed=7).tolist() == sorted(learnt.tolist())


def test_assign_folds_when_items_are_near_duplicates_then_they_share_a_fold() -> None:
    groups = ["a"] * 4 + ["b"] * 3 + [str(number) for number in range(13)]
    folds = assign_folds(groups, seed=5, folds=5)
    assert len(set(folds[:4].tolist())) == len(set(folds[4:7].tolist())) == 1
    assert np.bincount(folds).tolist() == [4] * 5
    assert folds.tolist() == assign_folds(groups, seed=5, folds=5).tolist()
