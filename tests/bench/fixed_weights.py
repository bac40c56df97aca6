"""``python -m tests.bench.fixed_weights``: learn the weights of the calibrated policy for small sets.

They are learnt from generated sets of the size for which they are used. No model was asked about those sets:
log-probabilities of models have the weight ``MODEL_WEIGHT``, which is set and not learnt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

import resources
from annotator.quality.calibrated.fixed_weights import FILE, FixedWeights, SignalWeights
from annotator.quality.calibrated.option_features import SHAPES, collect_signals, features_of
from annotator.quality.calibrated.option_logit import OptionRows, fit_weights, margins
from tests.bench.shortcut_sets import SHORTCUTS, TOLD_APART, generated_set, planted_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = 1
SETS, ITEMS, PLANTED, FIRST_SEED = 60, 100, 0.3, 10_000
MODEL_WEIGHT = 0.5
"""Of a log-probability. At 1 a model's probabilities would be taken as they are; models are overconfident."""
MODEL_SIGNALS = ("total", "pmi", "letter", "probe", "answers")
ALPHAS = (0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
DIGITS = 4


def learn() -> FixedWeights:
    """Return the weights, and the statistics that shares of the options of sound items exceed."""
    # A few facts that repeat would teach how long or how usual their own words are.
    kinds = tuple(kind for kind in SHORTCUTS if kind not in TOLD_APART)
    sets = [
        generated_set(items=ITEMS, planted=PLANTED, seed=FIRST_SEED + number, kinds=kinds)
        for number in range(SETS)
    ]
    signals = [collect_signals(entries, seed=0) for entries in sets]
    rows = OptionRows.of(
        [size for one in signals for size in one.rows.sizes.tolist()],
        [place for one in signals for place in (one.rows.keys - one.rows.starts).tolist()],
    )
    features, scales = features_of(rows, np.concatenate([one.values for one in signals]))
    weights = fit_weights(rows, features)
    is_sound = np.array([not planted_in(entry.item) for entries in sets for entry in entries])
    statistics = margins(rows, features @ weights)[is_sound[rows.items]]
    names = [signal.name for signal in signals[0].signals]
    learnt = {
        name: SignalWeights(weights=_rounded(own), scales=_rounded(spread))
        for name, own, spread in zip(
            names, weights.reshape(-1, SHAPES), scales.reshape(-1, SHAPES), strict=True
        )
    }
    own_weights = (MODEL_WEIGHT, *[0.0] * (SHAPES - 1))
    asked = {name: SignalWeights(weights=own_weights, scales=(1.0,) * SHAPES) for name in MODEL_SIGNALS}
    return FixedWeights(
        version=VERSION,
        items=SETS * ITEMS,
        signals=learnt | asked,
        alphas=ALPHAS,
        thresholds=_rounded(np.quantile(statistics, [1.0 - alpha for alpha in ALPHAS])),
    )


def _rounded(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(f"{value:.{DIGITS}g}") for value in values)


if __name__ == "__main__":
    text = msgspec.json.format(msgspec.json.encode(learn()), indent=1)
    resources.path(FILE).write_bytes(text + b"\n")
