"""The calibrated policy on generated sets whose answer keys are independent of the text."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from annotator.cli.calibration_report import print_calibration
from annotator.cli.console import Console
from annotator.domain.item import LETTERS, Item, Option
from annotator.quality.blind import decide_all, evidence_of, report_on
from annotator.quality.calibrated.calibration import (
    ENOUGH_ITEMS,
    Calibration,
    calibrate,
    cross_fitted,
    task_offsets,
)
from annotator.quality.calibrated.decisions import calibration_report, decide_calibrated
from annotator.quality.calibrated.fixed_weights import fixed_weights
from annotator.quality.calibrated.option_features import collect_signals
from annotator.quality.calibrated.option_logit import FOLDS, MOST_DRAWS, OptionRows, fold_draws
from annotator.quality.calibrated.thresholds import FIXED_SHARE
from annotator.quality.policy import Policy
from annotator.quality.predictions import ItemPrediction, ItemPredictions
from tests.bench.inspection_sets import INSPECTIONS
from tests.bench.shortcut_sets import TOLD_APART, generated_set, planted_in

ALPHA = 0.02
POLICY = Policy(kind="calibrated", alpha=ALPHA)
WORDS = [
    head + tail for head in ("ba", "ke", "lo", "mi", "nu", "ra", "si") for tail in ("rn", "lt", "sk", "mp")
]


@pytest.fixture(scope="module")
def planted() -> list[ItemPredictions]:
    return [_answered(entry) for entry in generated_set(items=1_000, planted=0.25, seed=4)]


def _answered(entry: ItemPredictions) -> ItemPredictions:
    # One model that always answers A: it says nothing, and the item counts as asked.
    answer = ItemPrediction(model="m", kind="answer", answer="A", is_right=entry.item.answer_key == "A")
    return msgspec.structs.replace(entry, predictions=(answer,))


def _shares(calibration: Calibration, entries: Sequence[ItemPredictions]) -> tuple[float, float]:
    """Return recall and loss."""
    is_found = calibration.keys > calibration.threshold(ALPHA).value
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
    # Without a model: whether its letters are a signal depends on the letters of all keys.
    entries = [msgspec.structs.replace(entry, predictions=()) for entry in planted]
    signals = collect_signals(entries, seed=0)
    number, scored = 1, 2
    draw = signals.draws[number]
    changed = [
        msgspec.structs.replace(entry, item=msgspec.structs.replace(entry.item, answer_key="A"))
        if fold == scored
        else entry
        for entry, fold in zip(entries, draw.folds.tolist(), strict=True)
    ]
    after = collect_signals(changed, seed=0)
    features, weights = cross_fitted(signals, draw, seed=0)
    other_features, other_weights = cross_fitted(after, after.draws[number], seed=0)
    assert np.array_equal(weights[scored], other_weights[scored])
    assert not np.array_equal(weights[scored - 1], other_weights[scored - 1])
    is_scored = draw.folds[signals.rows.items] == scored
    assert np.array_equal(features[is_scored], other_features[is_scored])


def test_collect_signals_when_the_set_is_small_enough_then_draws_folds_several_times(
    planted: list[ItemPredictions],
) -> None:
    draws = collect_signals(planted, seed=0).draws
    assert len(draws) == MOST_DRAWS
    assert len({draw.folds.tobytes() for draw in draws}) == MOST_DRAWS
    assert [fold_draws(items) for items in (200, 2_000, 4_000, 5_000, 20_000)] == [4, 4, 2, 1, 1]


@pytest.mark.slow
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
    return float((calibration.keys > calibration.threshold(ALPHA).value).mean())


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
    assert (report.is_learnt, report.weights_version) == (False, fixed_weights().version)


def test_report_on_when_the_expectation_of_one_item_is_above_the_loss_then_has_no_threshold() -> None:
    entries = [_answered(entry) for entry in generated_set(items=10, planted=1.0, seed=1, kinds=("length",))]
    report = report_on(decide_all(entries, POLICY), POLICY)
    assert report.guessed == 0
    assert report.calibration is not None
    assert (report.calibration.threshold, report.calibration.rule) == (None, "none")


def test_print_calibration_when_the_weights_come_with_the_product_then_states_no_bound(
    capsys: pytest.CaptureFixture[str],
) -> None:
    entries = [_answered(entry) for entry in generated_set(items=100, planted=0.3, seed=77)]
    calibration = report_on(decide_all(entries, POLICY), POLICY).calibration
    assert calibration is not None
    assert not calibration.point.is_bounded
    print_calibration(calibration, Console(as_json=False))
    printed = capsys.readouterr().out
    assert "without a bound" in printed
    assert "95 %" not in printed


@pytest.mark.parametrize("share", [0.5, 0.8, 0.9, 0.95, 1.0])
def test_threshold_when_most_items_have_a_shortcut_then_nearly_all_of_them_are_found(share: float) -> None:
    draw = np.random.default_rng(1)
    entries, is_planted = [], draw.random(ENOUGH_ITEMS) < share
    for number, planted in enumerate(is_planted.tolist()):
        texts = [" ".join(draw.choice(WORDS, 3)) for _ in range(4)]
        key = int(draw.integers(4))
        texts[key] += (" " + " ".join(draw.choice(WORDS, 6))) * planted
        question = " ".join(draw.choice(WORDS, 6))
        entries.append(_drawn(number, question=question, texts=texts, draw=draw, key=key))
    calibration = calibrate(entries)
    threshold = calibration.threshold(ALPHA)
    is_found = calibration.keys > threshold.value
    assert is_found[is_planted].mean() > 0.95
    assert is_found[~is_planted].sum() <= 1 + ALPHA * len(entries)
    report = calibration_report(entries, alpha=ALPHA)
    assert report is not None
    assert report.threshold is not None
    assert report.rule == threshold.rule
    assert report.point.is_bounded == (threshold.rule != "largest")
    assert report.point.bound >= is_found[~is_planted].sum()


def test_calibrate_when_keys_are_shown_under_one_letter_more_often_then_answers_are_no_signal() -> None:
    draw = np.random.default_rng(2)
    entries = []
    for number in range(ENOUGH_ITEMS):
        texts = [" ".join(draw.choice(WORDS, 3)) for _ in range(4)]
        key = 0 if draw.random() < 0.6 else int(draw.integers(4))
        question = " ".join(draw.choice(WORDS, 6))
        entries.append(_answered(_drawn(number, question=question, texts=texts, draw=draw, key=key)))
    calibration = calibrate(entries)
    assert calibration.signals.unused_models == ("m",)
    assert "answers" not in {signal.name for signal in calibration.signals.signals}
    assert (calibration.keys > calibration.threshold(ALPHA).value).mean() <= ALPHA
    rotated = [_rotated(entry) for entry in entries]
    assert calibrate(rotated).signals.unused_models == ()


def _rotated(entry: ItemPredictions) -> ItemPredictions:
    """Return an item that was asked in every rotation, always with the first letter as the answer."""
    orders = ["ABCD", "BCDA", "CDAB", "DABC"]
    predictions = tuple(ItemPrediction(model="m", kind="answer", answer=one[0], order=one) for one in orders)
    return msgspec.structs.replace(entry, predictions=predictions)


def test_calibrate_when_a_small_set_has_its_own_habits_then_the_expected_loss_is_kept() -> None:
    entries = generated_set(items=150, planted=0.0, seed=3, source=INSPECTIONS)
    calibration = calibrate(entries)
    rows = calibration.signals.rows
    kept = calibration.keys <= calibration.threshold(ALPHA).value
    null = calibration.statistics[rows.is_wrong & kept[rows.items]]
    assert (null > calibration.threshold(ALPHA).value).sum() + 1 <= FIXED_SHARE * ALPHA * (len(null) + 1)


@pytest.mark.slow
def test_calibrate_when_small_sets_are_foreign_to_the_weights_then_the_mean_loss_is_kept() -> None:
    losses = []
    for seed in range(100, 140):
        entries = generated_set(items=100, planted=0.24, seed=seed, source=INSPECTIONS)
        losses.append(_shares(calibrate(entries), entries)[1])
    assert np.mean(losses) <= ALPHA


def test_decide_calibrated_when_distractors_come_from_a_pool_then_the_items_are_found_as_pool_leaks() -> None:
    entries = generated_set(items=400, planted=0.2, seed=6, kinds=("pool",), tasks=8)
    decided = decide_calibrated(entries, alpha=ALPHA)
    report = calibration_report(entries, alpha=ALPHA)
    assert report is not None
    leaks = {item for item, one in decided.items() if one.is_pool_leak}
    planted = {entry.item.id for entry in entries if planted_in(entry.item)}
    assert report.pool_leaks == len(leaks)
    # In decoys an option of the pool is right: items with that option are no leaks in the strict sense.
    assert len(leaks & planted) > 0.4 * len(planted)
    assert len(leaks - planted) <= 0.02 * len(entries)
    found = [decided[item] for item in planted if decided[item].is_guessed]
    assert len(found) >= 0.7 * len(planted)
    told = [{reason.signal for reason in one.reasons} & {"leak", "pool", "repeated"} for one in found]
    assert sum(map(bool, told)) > 0.9 * len(found)


def test_decide_calibrated_when_letters_are_skewed_then_says_so_and_relettering_repairs_it() -> None:
    entries = generated_set(items=400, planted=0.0, seed=8)
    skewed = [
        _lettered(entry, location="B" if number % 2 else entry.item.answer_key)
        for number, entry in enumerate(entries)
    ]
    before, after = calibration_report(skewed, alpha=ALPHA), calibration_report(entries, alpha=ALPHA)
    assert before is not None
    assert after is not None
    assert before.letter_p_value is not None
    assert after.letter_p_value is not None
    assert before.letter_p_value < 0.001
    assert after.letter_p_value > 0.01
    # Letters are no signal: they remove nothing.
    assert before.point.found == after.point.found
    assert calibrate(skewed).keys == pytest.approx(calibrate(entries).keys, abs=1e-5)


def _lettered(entry: ItemPredictions, *, location: str) -> ItemPredictions:
    """Return an item whose answer key has another letter, by exchange of two options."""
    item = entry.item
    texts = {option.letter: option.text for option in item.options}
    texts[location], texts[item.answer_key] = texts[item.answer_key], texts[location]
    options = tuple(msgspec.structs.replace(one, text=texts[one.letter]) for one in item.options)
    return msgspec.structs.replace(
        entry, item=msgspec.structs.replace(item, options=options, answer_key=location)
    )


def test_decide_all_when_an_item_has_no_options_then_is_decided_by_significance(
    planted: list[ItemPredictions],
) -> None:
    item = msgspec.structs.replace(planted[0].item, options=(), answer_format="clock", answer_key="3")
    right = ItemPrediction(model="m", kind="answer", answer="3", is_right=True)
    entry = ItemPredictions(item=item, chance=1 / 12, predictions=(right, right))
    assert decide_all([entry], POLICY)[0].decision == "guessed"
    assert decide_all([msgspec.structs.replace(entry, chance=0.5)], POLICY)[0].decision == "kept"


@pytest.mark.parametrize("texts", [("Yes", "No"), ("1", "2", "3", "4")])
def test_calibrate_when_all_items_have_one_question_and_the_same_options_then_learns_by_item(
    texts: tuple[str, ...],
) -> None:
    draw = np.random.default_rng(0)
    entries = [
        _drawn(number, question=f"How many cars are in region {number % 9}?", texts=texts, draw=draw)
        for number in range(ENOUGH_ITEMS)
    ]
    calibration = calibrate(entries)
    assert calibration.fixed is None
    assert len(set(calibration.signals.draws[0].folds.tolist())) == FOLDS
    assert (calibration.keys > calibration.threshold(ALPHA).value).mean() <= ALPHA


def _drawn(
    number: int, *, question: str, texts: Sequence[str], draw: np.random.Generator, key: int | None = None
) -> ItemPredictions:
    """Return an item with options in a drawn order and, if no place of the key is given, a drawn key."""
    order = draw.permutation(len(texts)) if key is None else range(len(texts))
    options = tuple(
        Option(letter=letter, text=texts[location])
        for letter, location in zip(LETTERS[: len(texts)], order, strict=True)
    )
    item = Item(
        id=f"i{number:05}",
        name=f"N{number}",
        task_set="s",
        task="t",
        question=question,
        options=options,
        answer_format="option_letter",
        answer_key=LETTERS[int(draw.integers(len(texts))) if key is None else key],
    )
    return ItemPredictions(item=item, chance=1 / len(texts), predictions=())


def test_task_offsets_when_a_task_has_larger_statistics_then_is_shifted_by_its_size() -> None:
    rows = OptionRows.of([2] * 400, [0] * 400)
    tasks = ["a"] * 200 + ["b"] * 200
    statistics = np.where(np.arange(800) < 400, 1.0, 0.0)
    offsets = task_offsets(rows, statistics, tasks=tasks)
    pooled = float(np.quantile(statistics[rows.is_wrong], 0.95))
    assert offsets[[0, 399]].tolist() == pytest.approx([(1.0 - pooled) / 2, (0.0 - pooled) / 2])
