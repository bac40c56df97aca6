"""Decisions of the calibrated policy, and what is stated beside them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from annotator.domain.item import LETTERS
from annotator.domain.record import ValueObject
from annotator.quality.calibrated.calibration import (
    CURVE,
    Calibration,
    CurvePoint,
    calibrate,
)
from annotator.quality.calibrated.option_features import has_option_texts
from annotator.quality.calibrated.reasons import Reason, reasons_of
from annotator.quality.calibrated.set_signals import never_wrong_elsewhere
from annotator.quality.calibrated.thresholds import Threshold, ThresholdRule
from annotator.quality.checks.balance import uniform_chance
from annotator.quality.predictions import ItemPredictions


class CalibratedItem(ValueObject, frozen=True, kw_only=True):
    """What the calibrated policy found about an item.

    Attributes:
        statistic: By how much the log-odds of the answer key exceed those of the best other option.
        others: The same of the other options, in the order of the item.
        threshold: The statistic above which an answer key counts as guessed, None if no threshold keeps the
            bound.
        is_pool_leak: Whether every wrong option is wrong in other items too and never right, and the right
            option never wrong.
        reasons: The signals that carried the removal, empty for an item that is kept.
    """

    statistic: float
    others: tuple[float, ...]
    threshold: float | None
    is_pool_leak: bool
    reasons: tuple[Reason, ...] = ()

    @property
    def is_guessed(self) -> bool:
        """Whether the text points at the answer key beyond the threshold."""
        return self.threshold is not None and self.statistic > self.threshold


class CalibrationReport(ValueObject, frozen=True, kw_only=True):
    """What the calibrated policy states about a set.

    Attributes:
        items: Number of decided items with options as text; those without are decided by ``significance``.
        is_learnt: Whether the weights were learnt from this set; else they come with the product.
        weights_version: Version of the weights that come with the product, 0 if they were learnt.
        threshold: The statistic above which an answer key counts as guessed, None if no threshold keeps the
            bound.
        point: What the policy finds.
        curve: What other shares find.
        pool_leaks: Number of decided items whose distractors come from a pool in which the answer key never
            is.
        letter_p_value: Probability of letters of answer keys this uneven under a uniform draw, None where
            there are too few items. Uneven letters are repaired by re-lettering and remove no item.
        rule: What the threshold keeps.
        unused_models: Names of models whose letters are no signal, because the answer keys were not shown
            evenly under all letters.
    """

    items: int
    is_learnt: bool
    weights_version: int
    threshold: float | None
    point: CurvePoint
    curve: tuple[CurvePoint, ...]
    pool_leaks: int
    letter_p_value: float | None
    rule: ThresholdRule = "bound"
    unused_models: tuple[str, ...] = ()


def decide_calibrated(entries: Sequence[ItemPredictions], *, alpha: float) -> dict[str, CalibratedItem]:
    """Return what the policy found about the items with options as text, by the id of the item.

    Args:
        entries: Items with their stored predictions; no model is asked.
        alpha: Share of the items without a shortcut that may be removed, 0 to 1.
    """
    calibration = _RECENT.calibration_of(entries)
    if calibration is None:
        return {}
    threshold = calibration.threshold(alpha)
    rows = calibration.signals.rows
    leaks = never_wrong_elsewhere(rows, texts=calibration.signals.texts).tolist()
    found = {}
    statistics = calibration.statistics.tolist()
    ends = (rows.starts + rows.sizes).tolist()
    for index, entry in enumerate(calibration.signals.entries):
        start, key = int(rows.starts[index]), int(rows.keys[index])
        found[entry.item.id] = CalibratedItem(
            statistic=statistics[key],
            others=tuple(statistics[start:key] + statistics[key + 1 : ends[index]]),
            threshold=_stated(threshold),
            is_pool_leak=leaks[index],
            reasons=reasons_of(calibration, index) if statistics[key] > threshold.value else (),
        )
    return found


def calibration_report(
    entries: Sequence[ItemPredictions], *, alpha: float, undecided: Collection[str] = ()
) -> CalibrationReport | None:
    """Return what is stated about a set, None without an item with options as text.

    Args:
        entries: The items of ``decide_calibrated``.
        alpha: The share.
        undecided: Ids of items about which the run decides nothing: they are not counted.
    """
    calibration = _RECENT.calibration_of(entries)
    if calibration is None:
        return None
    threshold = calibration.threshold(alpha)
    signals = calibration.signals
    decided = np.array([entry.item.id not in undecided for entry in signals.entries])
    leaks = never_wrong_elsewhere(signals.rows, texts=signals.texts)
    return CalibrationReport(
        items=int(decided.sum()),
        is_learnt=calibration.fixed is None,
        weights_version=calibration.fixed.version if calibration.fixed else 0,
        threshold=_stated(threshold),
        point=calibration.point(alpha, decided=decided),
        curve=tuple(calibration.point(share, decided=decided) for share in CURVE),
        pool_leaks=int((leaks & decided).sum()),
        letter_p_value=_letter_p_value(signals.entries),
        rule=threshold.rule,
        unused_models=signals.unused_models,
    )


def _stated(threshold: Threshold) -> float | None:
    return threshold.value if threshold.rule != "none" else None


def _letter_p_value(entries: Sequence[ItemPredictions]) -> float | None:
    """Return the p-value of the letters among the items with the most frequent number of options."""
    # Items of one number of options only: with fewer options, the later letters are never right.
    size = Counter(len(entry.item.options) for entry in entries).most_common(1)[0][0]
    keys = Counter(entry.item.answer_key for entry in entries if len(entry.item.options) == size)
    return uniform_chance([keys[letter] for letter in LETTERS[:size]])


class _RecentCalibration:
    """The last calibration: another share decides the same items again without reading their texts.

    Held in one place, because policies are values and the decisions of a run are made in several calls.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[ItemPredictions] = []
        self._calibration: Calibration | None = None

    def calibration_of(self, entries: Sequence[ItemPredictions]) -> Calibration | None:
        """Return the calibration of the items with options as text, None without one."""
        with self._lock:
            # By identity: to compare the predictions of a large set would cost what is saved here. The list
            # keeps the entries alive, so that none of them can be another object at the same address.
            is_same = len(entries) == len(self._entries) and all(
                one is other for one, other in zip(entries, self._entries, strict=True)
            )
            if not is_same:
                suited = [entry for entry in entries if has_option_texts(entry.item)]
                self._calibration = calibrate(suited) if suited else None
                self._entries = list(entries)
            return self._calibration


_RECENT = _RecentCalibration()
