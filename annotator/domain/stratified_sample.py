"""A random share of each task: what is drawn of fewer items, or of a smaller share, stays drawn."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection

from annotator.domain.assignment_plan import ROUNDING


def draw_items(items: Collection[str], *, share: float, seed: int) -> list[str]:
    """Return a random share of the items of a task, at least one.

    Args:
        items: Names of the items that are the same wherever the sample is drawn.
        share: Share of the items, above 0 and up to 1.
        seed: Another seed draws other items.
    """
    count = max(1, math.ceil(share * len(items) - ROUNDING))
    return sorted(items, key=lambda item: _rank(item, seed=seed))[:count]


def _rank(item: str, *, seed: int) -> bytes:
    # A rank of each item by itself: a shuffle of all would draw other items once one is added.
    return hashlib.sha256(f"{seed}\n{item}".encode()).digest()
