"""Media whose files are not at their place on this machine now, as lists and counts show them.

The log has what the last search for media entered, on whichever machine. What is absent here and now is known
to one session alone and changes no record: a reader that was told of it counts, filters and lists these
media, and the scenes that show them, as missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from msgspec import json

from annotator.store.connection import Connection

MISSING = "missing"
NO_NUMBERS: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class MovedRows:
    """Rows that are shown with another health than they are stored with.

    Attributes:
        numbers: Row numbers of each combination, int64 (n,), rising.
        totals: What its combination counts of them.
    """

    numbers: Mapping[int, npt.NDArray[np.int64]]
    totals: Mapping[int, tuple[int, ...]]

    @property
    def all(self) -> npt.NDArray[np.int64]:
        """All row numbers."""
        return np.concatenate([NO_NUMBERS, *self.numbers.values()])


NOTHING_MOVED = MovedRows(numbers={}, totals={})


def read_moved(connection: Connection, select: str, absent: frozenset[str]) -> MovedRows:
    """Return the rows that absent media move to 'missing'."""
    if not absent:
        return NOTHING_MOVED
    numbers: dict[int, list[int]] = defaultdict(list)
    totals: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for n, facet, *counted in connection.execute(select, (json.encode(sorted(absent)).decode(),)):
        numbers[facet].append(n)
        totals[facet].append(tuple(counted))
    return MovedRows(
        numbers={facet: np.array(sorted(found), dtype=np.int64) for facet, found in numbers.items()},
        totals={facet: tuple(map(sum, zip(*found, strict=True))) for facet, found in totals.items()},
    )


def health_now(medium: str, health: str, absent: frozenset[str]) -> str:
    """Return the health of a medium, 'missing' where its file was found and is not there now."""
    return MISSING if health == "found" and medium in absent else health
