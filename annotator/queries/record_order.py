"""The order of records of one type, read from indexes alone."""

from __future__ import annotations

from annotator.domain.record import Record
from annotator.queries.sort_order import SortQueries
from annotator.store.projections import PROJECTIONS


class RecordOrder(SortQueries):
    """The part of a reader that returns positions of records in their order."""

    def largest_region_number(self, medium: str) -> int | None:
        """Return the largest number among the regions of one medium, None where it has none."""
        # ORDER BY reads the index from its end; max() would look up every region that was not removed.
        select = "SELECT number FROM region WHERE medium=? AND removed=0 ORDER BY number DESC LIMIT 1"
        found = self._connection.execute(select, (medium,)).fetchone()
        return int(found[0]) if found else None

    def arrival_number(self, kind: type[Record], record_id: str) -> int | None:
        """Return the arrival number of a record, None for an unknown id.

        A removed record keeps its number, so that an undo restores it at the same position.
        """
        select = f"SELECT n FROM {PROJECTIONS[kind.table.entity].entity} WHERE id=?"
        found = self._connection.execute(select, (record_id,)).fetchone()
        return int(found[0]) if found else None
