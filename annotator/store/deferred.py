"""Changes that a staged entry postpones to the transaction that publishes it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from annotator.store.connection import Connection


@dataclass
class Deferred:
    """Changes of visible rows, collected while rows that are still invisible are written.

    Attributes:
        first_n: Arrival number of the first staged row; smaller ones belong to visible records.
        totals: Numbers to add, by name and column of a table of combinations, then by combination id.
        scenes: Ids of visible scenes whose derived columns change, in order of insertion.
        shown_media: Ids of visible media that staged or hidden scenes show.
        hidden: First and last arrival number of the hidden rows; the empty range where there are none.
    """

    first_n: int
    totals: defaultdict[tuple[str, str], Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    scenes: dict[str, None] = field(default_factory=dict)
    shown_media: dict[str, None] = field(default_factory=dict)
    hidden: tuple[int, int] = (1, 0)

    def is_visible(self, connection: Connection, entity: str, entity_id: str) -> bool:
        """Return whether a record is visible; False for a staged or hidden one and for an unknown id."""
        # Tables cannot be bound as values: the callers name tables of projections.
        select = f"SELECT n FROM {entity} WHERE id=?"
        found = connection.execute(select, (entity_id,)).fetchone()
        if found is None:
            return False
        n, (first, last) = int(found[0]), self.hidden
        return n < self.first_n and not first <= n <= last

    def write_totals(self, connection: Connection) -> None:
        """Add the totals, in the caller's transaction."""
        for (table, column), counts in self.totals.items():
            update = f"UPDATE {table} SET {column} = {column} + ? WHERE id=?"
            connection.executemany(update, [(number, facet) for facet, number in counts.items() if number])


def deferred_of(connection: Connection) -> Deferred | None:
    """Return what a connection collects instead of writing it, None for one that writes at once."""
    found = getattr(connection, "deferred", None)
    assert found is None or isinstance(found, Deferred)
    return found
