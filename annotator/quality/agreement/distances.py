"""How far two answers are apart, by the scale that they are on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def ordinal_distances(counts: Floats) -> Floats:
    """Return the squared rank distances of values in rising order.

    Args:
        counts: How often each value was given, (..., values).

    Source: Krippendorff, Computing Krippendorff's alpha-reliability (2011), section D.
    """
    # To the middle of a value's own answers: a distance has half of those at either end.
    below = np.cumsum(counts, axis=-1) - counts / 2
    distances: Floats = np.square(below[..., :, None] - below[..., None, :])
    return distances


def set_distances(values: Sequence[frozenset[Any]]) -> Floats:
    """Return the MASI distances of sets of labels: 1 - Jaccard index × monotonicity.

    Monotonicity is 1 for equal sets, 2/3 where one contains the other, 1/3 where they only overlap, and 0 for
    disjoint ones. Two empty sets are equal.

    Source: Passonneau, LREC 2006, Measuring agreement on set-valued items.
    """
    labels = {label: number for number, label in enumerate(sorted(set().union(*values), key=repr))}
    members = np.zeros((len(values), max(1, len(labels))))
    for row, value in enumerate(values):
        members[row, [labels[label] for label in value]] = 1.0
    sizes = members.sum(axis=1)
    shared = members @ members.T
    union = sizes[:, None] + sizes[None, :] - shared
    smaller = np.minimum(sizes[:, None], sizes[None, :])
    is_equal, is_part = shared == union, shared == smaller
    monotonicity = np.where(is_equal, 1.0, np.where(is_part, 2 / 3, np.where(shared > 0, 1 / 3, 0.0)))
    jaccard = np.divide(shared, union, out=np.ones_like(shared), where=union > 0)
    distances: Floats = 1.0 - jaccard * monotonicity
    return distances
