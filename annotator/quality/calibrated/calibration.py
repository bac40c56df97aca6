"""The calibration of a run: statistics of answer keys and wrong options, and thresholds between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from annotator.domain.record import ValueObject
from annotator.quality.calibrated.fixed_weights import FixedWeights, fixed_weights
from annotator.quality.calibrated.option_features import (
    SHAPES,
    FoldDraw,
    OptionSignals,
    collect_signals,
    features_of,
)
from annotator.quality.calibrated.option_logit import OptionRows, fit_weights, learnt_items, margins
from annotator.quality.calibrated.set_signals import SET_SIGNALS
from annotator.quality.calibrated.thresholds import CandidateThresholds, Threshold
from annotator.quality.calibrated.wrong_options import WrongOptions
from annotator.quality.predictions import ItemPredictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from annotator.quality.calibrated.option_logit import Array

SEED = 0
ENOUGH_ITEMS = 200
"""Items with options as text from which on weights are learnt from the set itself."""
SHRINKAGE_ITEMS = 200
"""Items of a task at which its own offset counts half."""
OFFSET_SHARE = 0.05
"""Share of a task's wrong options above the point by which tasks are aligned."""
CURVE = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
"""Shares for which the number of found items is stated."""


class CurvePoint(ValueObject, frozen=True, kw_only=True):
    """What a share of false removals finds.

    Attributes:
        alpha: The share, 0 to 1.
        found: Number of items found.
        expected: Expected number of sound items among them.
        bound: Number of sound items among them that is not exceeded with 95 % confidence; all of them if
            ``is_bounded`` is false.
        beyond: Lower bound of the number of real shortcuts: ``found`` minus ``bound``, at least 0.
        is_bounded: Whether the bound holds: not with the weights of other sets, nor where too few items are
            left to compare with.
    """

    alpha: float
    found: int
    expected: float
    bound: int
    beyond: int
    is_bounded: bool = True


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """The statistics of a set under the calibrated policy.

    Attributes:
        signals: The signals of all options.
        contributions: float64 (rows, signals): what each signal adds to the log-odds of an option.
        statistics: float64 (rows,): by how much the log-odds of an option exceed those of the best other one.
        fixed: The weights that come with the product, None if they were learnt from the set.
    """

    signals: OptionSignals
    contributions: Array
    statistics: Array
    fixed: FixedWeights | None = None

    @property
    def keys(self) -> Array:
        """Statistic of each item's answer key."""
        return self.statistics[self.signals.rows.keys]

    @cached_property
    def candidates(self) -> CandidateThresholds:
        """The thresholds from which a permitted loss chooses."""
        return CandidateThresholds.of(self.signals.rows, self.statistics)

    def threshold(self, alpha: float) -> Threshold:
        """Return the statistic above which an answer key counts as guessed. A larger loss never raises it."""
        return self.candidates.threshold(alpha, fixed=self.fixed)

    def point(self, alpha: float, *, decided: NDArray[np.bool_] | None = None) -> CurvePoint:
        """Return what a share of false removals finds.

        Args:
            alpha: The share.
            decided: bool (items,), the items that are counted, None for all.
        """
        threshold = self.threshold(alpha)
        counted = np.ones(len(self.keys), dtype=np.bool_) if decided is None else decided
        is_found = self.keys > threshold.value
        # Of the items that are left alone: options of shortcuts would dilute those of sound items.
        wrong = self._wrong_options(counted & ~is_found)
        passed = wrong.passing(threshold.value)
        found = int((counted & is_found).sum())
        is_bounded = self.fixed is None and threshold.rule != "largest"
        bound = min(found, wrong.bound(passed)) if is_bounded else found
        return CurvePoint(
            alpha=alpha,
            found=found,
            expected=min(float(found), wrong.expected(passed)),
            bound=bound,
            beyond=found - bound,
            is_bounded=is_bounded,
        )

    def _wrong_options(self, chosen: NDArray[np.bool_]) -> WrongOptions:
        """Return the wrong options of some items, bool (items,)."""
        rows = self.signals.rows
        is_chosen = rows.is_wrong & chosen[rows.items]
        return WrongOptions.of(self.statistics[is_chosen], sizes=rows.sizes[rows.items[is_chosen]] - 1)


def calibrate(entries: Sequence[ItemPredictions], *, seed: int = SEED) -> Calibration:
    """Return the calibration of items with options as text, from stored predictions; no model is asked.

    Args:
        entries: Items for which ``has_option_texts`` holds, at least one.
        seed: Draws folds; the same seed and predictions give the same result.
    """
    signals = collect_signals(entries, seed=seed)
    rows = signals.rows
    if len(entries) < ENOUGH_ITEMS:
        fixed = fixed_weights()
        features, _ = features_of(rows, signals.values, scales=fixed.scales(signals.signals))
        added = _by_signal(features * fixed.weights(signals.signals))
        return Calibration(
            signals=signals,
            contributions=added,
            statistics=_rounded(margins(rows, added.sum(axis=1))),
            fixed=fixed,
        )
    added = np.mean([_contributions(signals, draw, seed=seed) for draw in signals.draws], axis=0)
    statistics = margins(rows, added.sum(axis=1))
    tasks = [f"{entry.item.task_set}\n{entry.item.task}" for entry in entries]
    return Calibration(
        signals=signals,
        contributions=added,
        statistics=_rounded(statistics - task_offsets(rows, statistics, tasks=tasks)[rows.items]),
    )


def _contributions(signals: OptionSignals, draw: FoldDraw, *, seed: int) -> Array:
    """Return what each signal adds to the log-odds of each option, float64 (rows, signals)."""
    features, weights = cross_fitted(signals, draw, seed=seed)
    return _by_signal(features * weights[draw.folds[signals.rows.items]])


def _by_signal(added: Array) -> Array:
    sums: Array = added.reshape(len(added), -1, SHAPES).sum(axis=2)
    return sums


def cross_fitted(signals: OptionSignals, draw: FoldDraw, *, seed: int) -> tuple[Array, Array]:
    """Return the features by which the items of each fold are scored, and the weights of each fold.

    Args:
        signals: The signals of all options.
        draw: The assignment to folds.
        seed: Draws the items from which weights are learnt where there are very many.

    Returns:
        float64 (rows, features) and float64 (folds, features).
    """
    rows, shared = signals.rows, len(SET_SIGNALS)
    own, _ = features_of(rows, signals.values[:, :-shared])
    features = np.empty((len(rows.items), own.shape[1] + shared * SHAPES))
    features[:, : own.shape[1]] = own
    weights = []
    for fold, values in enumerate(draw.by_fold):
        of_set, _ = features_of(rows, values)
        part, chosen = rows.part(learnt_items(draw.folds, fold=fold, seed=seed))
        weights.append(fit_weights(part, np.column_stack((own[chosen], of_set[chosen]))))
        is_scored = draw.folds[rows.items] == fold
        features[is_scored, own.shape[1] :] = of_set[is_scored]
    return features, np.array(weights)


def task_offsets(rows: OptionRows, statistics: Array, *, tasks: Sequence[str]) -> Array:
    """Return by how much the wrong options of each item's task exceed those of all tasks, float64 (items,).

    The fewer items a task has, the nearer its offset is to 0.
    """
    names, members, sizes = np.unique(np.array(tasks), return_inverse=True, return_counts=True)
    is_wrong = rows.is_wrong
    pooled = float(np.quantile(statistics[is_wrong], 1.0 - OFFSET_SHARE))
    offsets = np.zeros(len(names))
    for task, size in enumerate(sizes.tolist()):
        own = statistics[is_wrong & (members[rows.items] == task)]
        offset = float(np.quantile(own, 1.0 - OFFSET_SHARE)) - pooled
        offsets[task] = offset * size / (size + SHRINKAGE_ITEMS)
    found: Array = offsets[members]
    return found


def _rounded(statistics: Array) -> Array:
    # Sums differ in their last digits between computers; decisions must not.
    return np.round(statistics, 6)
