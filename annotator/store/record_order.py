"""The order of records of one kind, asked of indexes without reading the records."""

from __future__ import annotations

from annotator.store.connection import Connection
from annotator.store.projections import PROJECTIONS


class RecordOrder:
    """The part of a reader that tells where a record stands among others."""

    _connection: Connection

    def largest_region_number(self, medium: str) -> int | None:
        """Return the largest number among the regions of one medium, None where it has none."""
        # ORDER BY reads the index from its end; max() would look up every region that was not removed.
        select = "SELECT number FROM region WHERE medium=? AND removed=0 ORDER BY number DESC LIMIT 1"
        found = self._connection.execute(select, (medium,)).fetchone()
        return int(found[0]) if found else None

    def arrival_number(self, entity: str, entity_id: str) -> int | None:
        """Return the number that orders a record among those of its kind, None where it never existed.

        A removed record keeps its number, so that it comes back in its place.
        """
        select = f"SELECT n FROM {PROJECTIONS[entity].entity} WHERE id=?"
        found = self._connection.execute(select, (entity_id,)).fetchone()
        return int(found[0]) if found else None
