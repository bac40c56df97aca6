"""What happened to records: the events of the log, as people read them."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from annotator.domain.rows import HistoryEntry
from annotator.store.connection import Connection

HISTORY_FIELDS = """
e.id, e.command, coalesce(c.code, ''), coalesce(c.record -> 'parameters', '{}'),
    coalesce(c.kind, 'do'), coalesce(a.record ->> 'name', e.actor),
    e.wall_time, e.field, e.value
FROM event e LEFT JOIN command c ON c.id=e.command LEFT JOIN actor a ON a.id=e.actor
"""
HISTORY = f"SELECT {HISTORY_FIELDS} WHERE e.entity_id=? ORDER BY e.n DESC LIMIT ?"
HISTORIES = f"""
SELECT e.entity_id, {HISTORY_FIELDS} WHERE e.entity_id IN (SELECT value FROM json_each(?)) ORDER BY e.n DESC
"""


class HistoryQueries:
    """The part of a reader that lists the events of records."""

    _connection: Connection

    def history(self, entity_id: str, *, limit: int = 200) -> list[HistoryEntry]:
        """Return what happened to one record, newest first."""
        rows = self._connection.execute(HISTORY, (entity_id, limit))
        return [_history_entry(row) for row in rows]

    def histories(self, ids: Collection[str]) -> dict[str, tuple[HistoryEntry, ...]]:
        """Return what happened to some records by their ids, newest first."""
        found: dict[str, list[HistoryEntry]] = {entity_id: [] for entity_id in ids}
        ids_json = msgspec.json.encode([*ids]).decode()
        for entity_id, *row in self._connection.execute(HISTORIES, (ids_json,)):
            found[entity_id].append(_history_entry(tuple(row)))
        return {entity_id: tuple(entries) for entity_id, entries in found.items()}


def _history_entry(row: tuple[str, ...]) -> HistoryEntry:
    values = dict(zip(HistoryEntry.__struct_fields__, row, strict=True))
    parameters = msgspec.json.decode(values.pop("parameters"), type=dict[str, str | int])
    return HistoryEntry(**values, parameters=parameters)
