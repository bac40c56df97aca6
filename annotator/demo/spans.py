"""Tables of which the least entry counts, filled by spans of rows."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

NONE = 65535
"""Entry of a table where nothing was entered."""


@dataclass(frozen=True, kw_only=True)
class Spans:
    """Spans of rows of a table, from far to near.

    Attributes:
        column: int (n), columns.
        lower: int32 (n), first rows.
        upper: int32 (n), last rows.
        entry: uint16 (n), what to enter.
    """

    column: Array
    lower: Array
    upper: Array
    entry: Array

    @classmethod
    def joined(cls, parts: list[Spans]) -> Spans:
        """Return the spans of several lists as one."""
        return cls(**{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)})


def enter_spans(table: Array, spans: Spans) -> None:
    """Lower a table's entries to those of spans.

    A span is the union of two overlapping ones whose length is a power of two. Spans of a length are
    written at their first row, and each length then hands its entries down to the next shorter one.
    """
    # Two spans of a power of two cover any span with an overlap: a sparse table turned round, n log n writes
    # instead of n times length.
    size = np.floor(np.log2(spans.upper - spans.lower + 1)).astype(np.int32)
    longer: Array | None = None
    for power in range(int(size.max(initial=-1)), -1, -1):
        level = np.full(table.shape, NONE, np.uint16)
        here = size == power
        for first in (spans.lower[here], spans.upper[here] - (1 << power) + 1):
            written = np.full(table.size, NONE, np.uint16)
            # The last write wins, and spans come from far to near: the nearest stays.
            written[first * table.shape[1] + spans.column[here]] = spans.entry[here]
            np.minimum(level, written.reshape(table.shape), out=level)
        if longer is not None:
            half = 1 << power
            np.minimum(level, longer, out=level)
            np.minimum(level[half:], longer[:-half], out=level[half:])
        longer = level
    if longer is not None:
        np.minimum(table, longer, out=table)
