"""Correlation of tasks over models: the coefficient, what is known about it, and where there is none."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from annotator.scoring.task_correlation import (
    CONSTANT,
    TOO_FEW,
    TaskCorrelation,
    correlate_tasks,
    p_value,
    pair_rows,
)
from tests.unit.release.samples import urbanvideo_item
from tests.unit.scoring.test_result_table import compared_on, released_as

TASKS = ("proximity", "causal", "object_recall")
EACH = 20


def correlated(path: Path, right: Sequence[Sequence[int]]) -> TaskCorrelation:
    """Correlate models by how many of the items of each task they have right, -1 for no prediction."""
    items = [
        urbanvideo_item(name=f"{task}_{n}", task=task, answer_key="A") for task in TASKS for n in range(EACH)
    ]
    released = released_as(items)
    answers = {
        f"model{number}": [
            None if count < 0 else "A" if n < count else "B" for count in counts for n in range(EACH)
        ]
        for number, counts in enumerate(right)
    }
    return correlate_tasks(compared_on(released, answers, path).tables)


def test_correlation_when_models_differ_then_equals_numpys_in_the_order_of_the_paper(tmp_path: Path) -> None:
    rng = random.Random(2)
    right = [[rng.randrange(EACH + 1) for _ in TASKS] for _ in range(7)]
    found = correlated(tmp_path, right)
    assert found.tasks == ("urbanvideo/object_recall", "urbanvideo/proximity", "urbanvideo/causal")
    columns = np.array(right, dtype=float).T[[2, 0, 1]]
    expected = np.corrcoef(columns)
    for row, column in itertools.product(range(3), repeat=2):
        pair = found.pairs[row][column]
        assert pair.value == pytest.approx(expected[row, column], abs=1e-12)
        assert pair.models == 7
    one = found.pairs[0][1]
    centre, reach = math.atanh(one.value), 1.959963984540054 / math.sqrt(4)
    assert (one.low, one.high) == (
        pytest.approx(math.tanh(centre - reach)),
        pytest.approx(math.tanh(centre + reach)),
    )
    assert [(task, other) for task, other, _ in pair_rows(found)] == list(
        itertools.combinations(found.tasks, 2)
    )


def test_correlation_when_there_are_two_models_then_says_that_three_are_needed(tmp_path: Path) -> None:
    found = correlated(tmp_path, [[1, 2, 3], [4, 5, 9]])
    assert found.reason == TOO_FEW
    assert {(pair.value, pair.reason, pair.models) for row in found.pairs for pair in row} == {
        (None, TOO_FEW, 2)
    }


def test_correlation_when_a_task_has_equal_scores_then_it_has_none_with_any_task(tmp_path: Path) -> None:
    found = correlated(tmp_path, [[1, 7, 3], [4, 7, 9], [6, 7, 1]])
    causal = found.tasks.index("urbanvideo/causal")
    assert {pair.reason for pair in found.pairs[causal]} == {CONSTANT}
    assert [row[causal].value for row in found.pairs] == [None] * 3
    assert found.pairs[0][1].value is not None
    assert (found.pairs[0][1].low, found.pairs[0][1].high) == (None, None)


def test_correlation_when_a_model_lacks_a_task_then_the_others_count(tmp_path: Path) -> None:
    found = correlated(tmp_path, [[1, 7, 3], [4, 2, 9], [6, -1, 1], [9, 3, 2]])
    assert [[pair.models for pair in row] for row in found.pairs] == [[4, 4, 3], [4, 4, 3], [3, 3, 3]]


def test_p_value_when_compared_with_tables_then_agrees() -> None:
    # Critical values of the coefficient at 5 %, two-sided, from the table of Fisher and Yates.
    critical = {3: 0.997, 4: 0.950, 5: 0.878, 6: 0.811, 7: 0.754, 10: 0.632, 12: 0.576, 17: 0.482, 22: 0.423}
    for models, value in critical.items():
        assert p_value(value, models=models) == pytest.approx(0.05, abs=8e-4)
        assert p_value(-value, models=models) == p_value(value, models=models)
    assert (p_value(0.0, models=9), p_value(1.0, models=8)) == (1.0, 0.0)
    # By drawing: coefficients of numbers that have nothing to do with each other.
    rng = np.random.default_rng(3)
    drawn = rng.standard_normal((20_000, 2, 6))
    drawn -= drawn.mean(axis=2, keepdims=True)
    sums = (drawn[:, 0] * drawn[:, 1]).sum(axis=1)
    found = sums / np.sqrt((drawn[:, 0] ** 2).sum(axis=1) * (drawn[:, 1] ** 2).sum(axis=1))
    assert p_value(0.6, models=6) == pytest.approx((np.abs(found) >= 0.6).mean(), abs=0.015)
