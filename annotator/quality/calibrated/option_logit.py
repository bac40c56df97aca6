"""A conditional logit over the options of items with few features, and its cross-fitted scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Indices = NDArray[np.int64]

FOLDS = 10
"""Of 1,000 generated items, ten folds find 2 % more shortcuts than five: the set's own counts are those of
eight tenths of the items instead of six. Twenty find no more."""
MOST_DRAWS, ITEMS_OF_DRAWS = 4, 8_000
"""Assignments to folds over which scores are averaged: one alone is a matter of luck in small sets. Of 1,000
generated items four find 1 to 2 % more shortcuts than one, eight hardly more."""
RIDGE = 1.0
"""Half of it times the squared weights is added to the loss, a sum over items; features have unit spread."""
MOST_TRAINED = 4_000
"""Items from which weights are learnt; more do not change a few dozen weights noticeably."""
_MOST_STEPS, _ENOUGH = 25, 1e-6


@dataclass(frozen=True, kw_only=True)
class OptionRows:
    """Options of items as rows: those of one item follow each other.

    Attributes:
        starts: int64 (items,), first row of each item.
        items: int64 (rows,), item of each row.
        keys: int64 (items,), row of each item's right option.
    """

    starts: Indices
    items: Indices
    keys: Indices

    @classmethod
    def of(cls, counts: list[int], keys: list[int]) -> OptionRows:
        """Return the rows of items.

        Args:
            counts: Number of options of each item.
            keys: Place of each item's right option, from 0.
        """
        sizes = np.array(counts, dtype=np.int64)
        starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)[:-1]))
        return cls(
            starts=starts,
            items=np.repeat(np.arange(len(sizes)), sizes),
            keys=starts + np.array(keys, dtype=np.int64),
        )

    @property
    def sizes(self) -> Indices:
        """Number of options of each item."""
        return np.diff(self.starts, append=len(self.items))

    @property
    def is_wrong(self) -> NDArray[np.bool_]:
        """Whether each row is a wrong option."""
        wrong = np.ones(len(self.items), dtype=np.bool_)
        wrong[self.keys] = False
        return wrong

    def part(self, chosen: Indices) -> tuple[OptionRows, Indices]:
        """Return some items as rows of their own, and which rows of these they are.

        Args:
            chosen: Items, ascending.
        """
        is_chosen = np.zeros(len(self.starts), dtype=np.bool_)
        is_chosen[chosen] = True
        rows = np.flatnonzero(is_chosen[self.items])
        keys = self.keys[chosen] - self.starts[chosen]
        return OptionRows.of(self.sizes[chosen].tolist(), keys.tolist()), rows


def margins(rows: OptionRows, scores: Array) -> Array:
    """Return by how much each option exceeds the best other option of its item, float64 (rows,).

    At most one option of an item exceeds all others.
    """
    largest = np.maximum.reduceat(scores, rows.starts)[rows.items]
    tops = np.flatnonzero(scores == largest)
    # The first of equals: rows of an item follow each other.
    first = np.diff(rows.items[tops], prepend=-1) > 0
    is_top = np.zeros(len(scores), dtype=np.bool_)
    is_top[tops[first]] = True
    second = np.maximum.reduceat(np.where(is_top, -np.inf, scores), rows.starts)[rows.items]
    gaps: Array = scores - np.where(is_top, second, largest)
    return gaps


def fit_weights(rows: OptionRows, features: Array, *, ridge: float = RIDGE) -> Array:
    """Return the weights that maximise the probability of the answer keys under a ridge penalty.

    Newton's method; the loss is convex, so that a halved step always descends.

    Args:
        rows: The options to learn from.
        features: float64 (rows, features).
        ridge: The penalty.
    """
    width = features.shape[1]
    weights = np.zeros(width)
    loss = _loss(rows, features, weights, ridge=ridge)
    for _ in range(_MOST_STEPS):
        chances = _chances(rows, features @ weights)
        residual = chances.copy()
        residual[rows.keys] -= 1.0
        gradient = features.T @ residual + ridge * weights
        if float(np.abs(gradient).max(initial=0.0)) < _ENOUGH * len(rows.starts):
            break
        weighted = features * chances[:, None]
        means = np.add.reduceat(weighted, rows.starts, axis=0)
        curvature = features.T @ weighted - means.T @ means + ridge * np.eye(width)
        step = np.linalg.solve(curvature, gradient)
        length = 1.0
        while length > 1e-4:
            tried = weights - length * step
            reached = _loss(rows, features, tried, ridge=ridge)
            if reached <= loss:
                break
            length /= 2
        else:
            break
        weights, loss = tried, reached
    return weights


def learnt_items(folds: Indices, *, fold: int, seed: int) -> Indices:
    """Return the items from which the weights of a fold are learnt: of the other folds, ascending.

    Args:
        folds: int64 (items,), the fold of each item.
        fold: The fold whose items are scored.
        seed: Draws the items where there are very many.
    """
    learnt: Indices = np.flatnonzero(folds != fold)
    if len(learnt) <= MOST_TRAINED:
        return learnt
    return np.sort(np.random.default_rng((seed, fold)).choice(learnt, MOST_TRAINED, replace=False))


def fold_draws(items: int) -> int:
    """Return over how many assignments to folds the scores of a set are averaged."""
    return max(1, min(MOST_DRAWS, ITEMS_OF_DRAWS // items))


def assign_folds(groups: list[str], *, seed: int, folds: int = FOLDS) -> Indices:
    """Return the fold of each item; items of one group come into the same fold.

    Args:
        groups: Name of the group of each item: what near-duplicates share.
        seed: Draws the order of equally large groups.
        folds: Number of folds.
    """
    names, members, sizes = np.unique(np.array(groups), return_inverse=True, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(names))
    # The largest first: small groups even out what these leave.
    order = order[np.argsort(-sizes[order], kind="stable")]
    filled = np.zeros(folds, dtype=np.int64)
    fold_of = np.zeros(len(names), dtype=np.int64)
    for group in order.tolist():
        smallest = int(np.argmin(filled))
        fold_of[group] = smallest
        filled[smallest] += sizes[group]
    chosen: Indices = fold_of[members]
    return chosen


def _chances(rows: OptionRows, scores: Array) -> Array:
    # Less the largest of the item: large scores would overflow.
    powers = np.exp(scores - np.maximum.reduceat(scores, rows.starts)[rows.items])
    chances: Array = powers / np.add.reduceat(powers, rows.starts)[rows.items]
    return chances


def _loss(rows: OptionRows, features: Array, weights: Array, *, ridge: float) -> float:
    scores = features @ weights
    tops = np.maximum.reduceat(scores, rows.starts)
    totals = np.log(np.add.reduceat(np.exp(scores - tops[rows.items]), rows.starts)) + tops
    return float((totals - scores[rows.keys]).sum() + ridge / 2 * (weights * weights).sum())
