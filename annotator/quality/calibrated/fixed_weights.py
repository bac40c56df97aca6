"""Weights that come with the product, for sets that are too small to learn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import msgspec
import numpy as np

import resources
from annotator.domain.record import ValueObject
from annotator.quality.calibrated.option_features import SHAPES

if TYPE_CHECKING:
    from annotator.quality.calibrated.option_features import Signal
    from annotator.quality.calibrated.option_logit import Array

FILE = "policies/calibrated.json"


class SignalWeights(ValueObject, frozen=True, kw_only=True):
    """The weights of one signal's features.

    Attributes:
        weights: One per feature.
        scales: Spread of each feature in the sets from which the weights were learnt.
    """

    weights: tuple[float, ...]
    scales: tuple[float, ...]


class FixedWeights(ValueObject, frozen=True, kw_only=True):
    """What was learnt from generated sets and from the demo (``tests/bench/fixed_weights.py``).

    Attributes:
        version: Increased when the weights change.
        items: Number of items from which they were learnt.
        signals: Weights by name of the signal; a signal that is not here has no effect.
        alphas: Shares of wrong options, ascending.
        thresholds: The statistic that this share of the wrong options of sound items exceeds.
    """

    version: int
    items: int
    signals: dict[str, SignalWeights]
    alphas: tuple[float, ...]
    thresholds: tuple[float, ...]

    def weights(self, signals: Sequence[Signal]) -> Array:
        """Return the weights of signals, 0 for unknown ones; several models share those of a signal."""
        counts = Counter(signal.name for signal in signals)
        return np.concatenate(
            [np.array(self._of(signal).weights) / counts[signal.name] for signal in signals]
        )

    def scales(self, signals: Sequence[Signal]) -> Array:
        """Return the scales of signals, 1 for unknown ones."""
        return np.concatenate([self._of(signal).scales for signal in signals])

    def threshold(self, alpha: float) -> float:
        """Return the statistic that a share of the wrong options of sound items exceeds."""
        return float(np.interp(alpha, self.alphas, self.thresholds))

    def _of(self, signal: Signal) -> SignalWeights:
        return self.signals.get(signal.name, _NO_EFFECT)


_NO_EFFECT = SignalWeights(weights=(0.0,) * SHAPES, scales=(1.0,) * SHAPES)


@cache
def fixed_weights() -> FixedWeights:
    """Return the weights that come with the product."""
    return msgspec.json.decode(resources.path(FILE).read_bytes(), type=FixedWeights)
