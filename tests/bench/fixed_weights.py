"""``python -m tests.bench.fixed_weights``: learn the weights of the calibrated policy for small sets.

They are learnt from sets of the size for which they are used: generated ones, and questions of the demo with
planted shortcuts about which the embedded model and the text probe were asked (``demo_evidence``). Letters
and answers of chat models have the weight ``CHAT_WEIGHT``, which is set: none comes with the product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

import resources
from annotator.quality.calibrated.fixed_weights import FILE, FixedWeights, SignalWeights
from annotator.quality.calibrated.option_features import (
    SHAPES,
    OptionSignals,
    collect_signals,
    features_of,
)
from annotator.quality.calibrated.option_logit import OptionRows, fit_weights, margins
from annotator.quality.predictions import ItemPredictions
from tests.bench.calibrated import with_probe
from tests.bench.demo_evidence import recorded_entries
from tests.bench.shortcut_sets import SHORTCUTS, TOLD_APART, generated_set, planted_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from annotator.quality.calibrated.option_logit import Array

VERSION = 3
SETS, ITEMS, PLANTED, FIRST_SEED = 60, 100, 0.3, 10_000
CHAT_WEIGHT = 0.5
"""Of a log-probability. At 1 a model's probabilities would be taken as they are; models are overconfident."""
CHAT_SIGNALS = ("letter", "answers")
ALPHAS = (0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
DIGITS = 4


def learn() -> FixedWeights:
    """Return the weights, and the statistics that shares of the options of sound items exceed."""
    generated, demo = _generated(), _demo()
    sets = [*generated, *demo]
    signals = [collect_signals(entries, seed=0) for entries in sets]
    names = sorted({signal.name for one in signals for signal in one.signals})
    rows = OptionRows.of(
        [size for one in signals for size in one.rows.sizes.tolist()],
        [location for one in signals for location in (one.rows.keys - one.rows.starts).tolist()],
    )
    features, scales = features_of(rows, np.concatenate([_columns(one, names) for one in signals]))
    weights = fit_weights(rows, features)
    statistics = margins(rows, features @ weights)
    # Only generated keys are independent of the text.
    is_sound = np.zeros(len(rows.starts), dtype=np.bool_)
    is_sound[: sum(map(len, generated))] = [
        not planted_in(entry.item) for entries in generated for entry in entries
    ]
    null = statistics[is_sound[rows.items]]
    learnt = {
        name: SignalWeights(weights=_rounded(own), scales=_rounded(spread))
        for name, own, spread in zip(
            names, weights.reshape(-1, SHAPES), scales.reshape(-1, SHAPES), strict=True
        )
    }
    own_weights = (CHAT_WEIGHT, *[0.0] * (SHAPES - 1))
    chat = {name: SignalWeights(weights=own_weights, scales=(1.0,) * SHAPES) for name in CHAT_SIGNALS}
    return FixedWeights(
        version=VERSION,
        items=sum(map(len, sets)),
        signals=learnt | chat,
        alphas=ALPHAS,
        thresholds=_rounded(np.quantile(null, [1.0 - alpha for alpha in ALPHAS])),
    )


def _generated() -> list[list[ItemPredictions]]:
    # A few facts that repeat would teach how long or how usual their own words are.
    kinds = tuple(kind for kind in SHORTCUTS if kind not in TOLD_APART)
    return [
        generated_set(items=ITEMS, planted=PLANTED, seed=FIRST_SEED + number, kinds=kinds)
        for number in range(SETS)
    ]


def _demo() -> list[list[ItemPredictions]]:
    recorded = recorded_entries()
    parts = [recorded[start : start + ITEMS] for start in range(0, len(recorded), ITEMS)]
    return [
        [
            msgspec.structs.replace(entry, predictions=(*entry.predictions, *probed.predictions))
            for entry, probed in zip(part, with_probe(part), strict=True)
        ]
        for part in parts
    ]


def _columns(signals: OptionSignals, names: Sequence[str]) -> Array:
    """Return the values of signals by name, 0 for those that a set does not have."""
    found = {signal.name: values for signal, values in zip(signals.signals, signals.values.T, strict=True)}
    return np.column_stack([found.get(name, np.zeros(len(signals.values))) for name in names])


def _rounded(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(f"{value:.{DIGITS}g}") for value in values)


if __name__ == "__main__":
    text = msgspec.json.format(msgspec.json.encode(learn()), indent=1)
    resources.path(FILE).write_bytes(text + b"\n")
