"""The calibrated policy on generated sets whose answer keys are independent of the text."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from annotator.quality.blind import decide_all, evidence_of, report_on
from annotator.quality.calibrated.calibration import Calibration, calibrate, task_offsets
from annotator.quality.calibrated.decisions import decide_calibrated
from annotator.quality.calibrated.option_logit import OptionRows
from annotator.quality.policy import Policy
from annotator.quality.predictions import ItemPrediction, ItemPredictions
from tests.bench.shortcut_sets import TOLD_APART, generated_set, planted_in

ALPHA = 0.02
POLICY = Policy(kind="calibrated", alpha=ALPHA)


@pytest.fixture(scope="module")
def planted() -> list[ItemPredictions]:
    return [_answered(entry) for entry in generated_set(items=1_000, planted=0.25, seed=4)]


def _answered(entry: ItemPredictions) -> ItemPredictions:
    # One model that always answers A: it says nothing, and the item counts as asked.
    answer = ItemPrediction(model="m", kind="answer", answer="A", is_right=entry.item.answer_key == "A")
    return msgspec.structs.replace(entry, predictions=(answer,))


def _shares(calibration: Calibration, entries: Sequence[ItemPredictions]) -> tuple[float, float]:
    """Return recall and loss."""
    is_found = calibration.keys > calibration.threshold(ALPHA)
    kinds = np.array([planted_in(entry.item) for entry in entries])
    learnable = (kinds != "") & ~np.isin(kinds, TOLD_APART)
    return float(is_found[learnable].mean()), float(is_found[kinds == ""].mean())


def test_calibrate_when_shortcuts_are_planted_then_finds_most_and_keeps_the_bound(
    planted: list[ItemPredictions],
) -> None:
    recall, loss = _shares(calibrate(planted), planted)
    assert recall > 0.8
    assert loss <= ALPHA


def test_calibrate_when_called_twice_then_gives_the_same_statistics(planted: list[ItemPredictions]) -> None:
    first, second = calibrate(planted, seed=3), calibrate(planted, seed=3)
    assert np.array_equal(first.statistics, second.statistics)


def test_calibrate_when_keys_of_a_fold_change_then_the_weights_that_score_it_do_not(
    planted: list[ItemPredictions],
) -> None:
    before = calibrate(planted)
    changed = [
        msgspec.structs.replace(entry, item=msgspec.structs.replace(entry.item, answer_key="A"))
        if fold == 2
        else entry
        for entry, fold in zip(planted, before.signals.folds.tolist(), strict=True)
    ]
    after = calibrate(changed)
    assert np.array_equal(before.weights[2], after.weights[2])
    assert not np.array_equal(before.weights[1], after.weights[1])
    rows = before.signals.rows
    assert np.array_equal(
        before.features[before.signals.folds[rows.items] == 2],
        after.features[after.signals.folds[rows.items] == 2],
    )


def test_calibrate_when_keys_are_drawn_then_the_bound_holds_in_nearly_all_sets() -> None:
    losses = []
    for seed in range(20):
        entries = generated_set(items=400, planted=0.0, seed=seed)
        losses.append(_shares_of_null(entries))
    # 19 of 20 are expected at least; the probability of fewer than 17 is 2 %.
    assert sum(loss <= ALPHA for loss in losses) >= 17
    assert np.mean(losses) < ALPHA


def _shares_of_null(entries: Sequence[ItemPredictions]) -> float:
    calibration = calibrate(entries)
    return float((calibration.keys > calibration.threshold(ALPHA)).mean())


def test_decide_all_when_the_policy_is_calibrated_then_flags_say_which_signals_carried_it(
    planted: list[ItemPredictions],
) -> None:
    decided = decide_all(planted, POLICY)
    lengths = [
        one
        for one in decided
        if planted_in(one.item_predictions.item) == "length" and one.decision == "guessed"
    ]
    texts = [reason.text for one in lengths for reason in one.calibrated.reasons if one.calibrated]
    assert any(text.startswith("it is longest by ") for text in texts)
    evidence = evidence_of(lengths[0], run="r", policy=POLICY)["calibrated"]
    assert evidence["statistic"] > evidence["threshold"]
    assert len(evidence["others"]) == 3


def test_report_on_when_the_policy_is_calibrated_then_states_bound_curve_and_basis(
    planted: list[ItemPredictions],
) -> None:
    report = report_on(decide_all(planted, POLICY), POLICY)
    calibration = report.calibration
    assert calibration is not None
    assert calibration.is_learnt
    assert calibration.point.found == report.guessed
    assert calibration.point.expected < calibration.point.bound <= ALPHA * 1_000
    assert calibration.point.beyond == calibration.point.found - calibration.point.bound
    found = [point.found for point in calibration.curve]
    assert found == sorted(found)


def test_decide_all_when_a_rebuttal_counts_the_wrong_options_then_few_pass(
    planted: list[ItemPredictions],
) -> None:
    found = decide_calibrated(planted, alpha=ALPHA).values()
    kept = [one for one in found if not one.is_guessed]
    passed = sum(other > one.threshold for one in kept for other in one.others if one.threshold is not None)
    assert passed / sum(len(one.others) for one in kept) <= ALPHA


def test_decide_all_when_no_model_answered_then_the_item_is_undecided(planted: list[ItemPredictions]) -> None:
    error = ItemPrediction(model="m", kind="error")
    entries = [msgspec.structs.replace(planted[0], predictions=(error,)), *planted[1:]]
    assert decide_all(entries, POLICY)[0].decision == "undecided"


def test_calibrate_when_the_set_is_small_then_uses_the_weights_of_the_product_and_says_so() -> None:
    entries = [_answered(entry) for entry in generated_set(items=100, planted=0.3, seed=77)]
    recall, loss = _shares(calibrate(entries), entries)
    assert recall > 0.7
    assert loss <= 0.06
    report = report_on(decide_all(entries, POLICY), POLICY).calibration
    assert report is not None
    assert (report.is_learnt, report.weights_version) == (False, 1)


def test_decide_all_when_an_item_has_no_options_then_is_decided_by_significance(
    planted: list[ItemPredictions],
) -> None:
    item = msgspec.structs.replace(planted[0].item, options=(), answer_format="clock", answer_key="3")
    right = ItemPrediction(model="m", kind="answer", answer="3", is_right=True)
    entry = ItemPredictions(item=item, chance=1 / 12, predictions=(right, right))
    assert decide_all([entry], POLICY)[0].decision == "guessed"
    assert decide_all([msgspec.structs.replace(entry, chance=0.5)], POLICY)[0].decision == "kept"


def test_task_offsets_when_a_task_has_larger_statistics_then_is_shifted_by_its_size() -> None:
    rows = OptionRows.of([2] * 400, [0] * 400)
    tasks = ["a"] * 200 + ["b"] * 200
    statistics = np.where(np.arange(800) < 400, 1.0, 0.0)
    offsets = task_offsets(rows, statistics, tasks=tasks)
    pooled = float(np.quantile(statistics[rows.is_wrong], 0.95))
    assert offsets[[0, 399]].tolist() == pytest.approx([(1.0 - pooled) / 2, (0.0 - pooled) / 2])
