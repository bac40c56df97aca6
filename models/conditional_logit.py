"""A conditional softmax over the options of an item, trained by L-BFGS with reproducible results."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.probe_features import Features

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

MEMORY = 8
"""Steps from which the curvature is estimated.

Source: J. Nocedal and S. Wright, Numerical Optimization, section 7.2: 3 to 20 suffice.
"""
ARMIJO = 1e-4
"""Share of the predicted descent that a step must achieve. Source: Nocedal and Wright, section 3.1."""
SHORTEST_STEP = 1e-8
ENOUGH = 1e-3
"""Gradient length per item at which training stops; a smaller gradient no longer changes any choice."""


@dataclass(frozen=True, kw_only=True)
class _Point:
    weights: Vector
    loss: float
    gradient: Vector


def option_scores(features: Features, *, weights: Vector) -> Vector:
    """Return the score of each option, float64 (rows,)."""
    scores: Vector = np.add.reduceat(weights[features.columns] * features.values, features.row_starts)
    return scores


def log_probabilities(features: Features, *, scores: Vector) -> Vector:
    """Return the logarithm of each option's probability among those of its item, float64 (rows,)."""
    starts, rows = features.item_starts, features.row_items
    # ``exp`` of a large score would overflow.
    centred = scores - np.maximum.reduceat(scores, starts)[rows]
    logs: Vector = centred - np.log(np.add.reduceat(np.exp(centred), starts))[rows]
    return logs


def train(
    features: Features,
    *,
    trained_on: NDArray[np.bool_],
    penalty: float,
    most_steps: int,
    on_step: Callable[[], None],
) -> Vector:
    """Return the weights that maximise the probability of the answer keys.

    Args:
        features: Features of all items.
        trained_on: bool (items,), which of them are trained on; the others have no effect.
        penalty: L2 penalty: half of it times the squared weights is added to the loss, a sum over items.
        most_steps: Maximum number of descent steps.
        on_step: Called after each step; may raise to stop.

    Returns:
        float64 (columns,).
    """
    counts = trained_on.astype(np.float64)
    entry_rows = np.repeat(
        np.arange(len(features.row_items)), np.diff(features.row_starts, append=len(features.columns))
    )

    def at(weights: Vector) -> _Point:
        logs = log_probabilities(features, scores=option_scores(features, weights=weights))
        slopes = np.exp(logs)
        # The slope of the loss by a score: probability of the option, less 1 for the answer key.
        slopes[features.keys] -= 1.0
        slopes *= counts[features.row_items]
        gradient = np.bincount(
            features.columns, weights=features.values * slopes[entry_rows], minlength=len(features.buckets)
        )
        loss = -_dot(logs[features.keys], counts) + penalty / 2 * _dot(weights, weights)
        return _Point(weights=weights, loss=loss, gradient=gradient + penalty * weights)

    point = at(np.zeros(len(features.buckets)))
    steps: deque[tuple[Vector, Vector]] = deque(maxlen=MEMORY)
    for _ in range(most_steps):
        if _length(point.gradient) <= ENOUGH * max(1.0, counts.sum()):
            break
        reached = _walk(at, point, direction=_direction(point.gradient, steps=steps))
        if reached is None:
            break
        steps.append((reached.weights - point.weights, reached.gradient - point.gradient))
        point = reached
        on_step()
    return point.weights


def _direction(gradient: Vector, *, steps: deque[tuple[Vector, Vector]]) -> Vector:
    """Return the descent direction by the two-loop recursion. Source: Nocedal and Wright, algorithm 7.4."""
    direction = -gradient
    shares = []
    for moved, turned in reversed(steps):
        # Never by 0: with the penalty, the loss is strictly convex.
        share = _dot(moved, direction) / _dot(moved, turned)
        direction = direction - share * turned
        shares.append(share)
    if steps:
        moved, turned = steps[-1]
        direction = direction * (_dot(moved, turned) / _dot(turned, turned))
    else:
        # No step has been made that would tell the scale.
        direction = direction / max(1.0, _length(gradient))
    for (moved, turned), share in zip(steps, reversed(shares), strict=True):
        direction = direction + (share - _dot(turned, direction) / _dot(moved, turned)) * moved
    return direction


def _walk(at: Callable[[Vector], _Point], point: _Point, *, direction: Vector) -> _Point | None:
    slope = _dot(point.gradient, direction)
    length = 1.0
    while length > SHORTEST_STEP:
        reached = at(point.weights + length * direction)
        # No second condition, on the curvature: it is positive along any step of a strictly convex loss.
        if reached.loss <= point.loss + ARMIJO * length * slope:
            return reached
        length /= 2
    return None


def _dot(first: Vector, second: Vector) -> float:
    # Not BLAS: its threads wait for each other on a busy computer, and its sums depend on the number of
    # threads.
    return float((first * second).sum())


def _length(vector: Vector) -> float:
    return math.sqrt(_dot(vector, vector))
