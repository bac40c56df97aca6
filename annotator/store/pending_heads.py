"""The newest values of the fields that some edits change, read and written by one statement each."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.store.connection import Connection
from annotator.store.staged_heads import put_back_heads

_INSERT = "INSERT INTO head (entity_id, field, event) VALUES (?, ?, ?)"
_DELETE = "DELETE FROM head WHERE entity_id=? AND field=?"
_SELECT = """
SELECT h.entity_id, h.field, h.event FROM json_each(?) w
CROSS JOIN head h ON h.entity_id=w.value ->> 0 AND h.field=w.value ->> 1 ORDER BY h.event
"""


class PendingHeads:
    """Newest values of fields, changed in memory until ``write``; in the caller's transaction.

    Args:
        connection: Of the transaction.
        edits: What changes the fields.
    """

    def __init__(self, connection: Connection, edits: Iterable[Edit]) -> None:
        self._connection = connection
        keys = dict.fromkeys((edit.entity_id, edit.field) for edit in edits if edit.field != CREATED)
        removed = [entity_id for entity_id, field in keys if field == REMOVED]
        if removed:
            put_back_heads(connection, removed)
        self._heads: dict[tuple[str, str], list[str]] = {key: [] for key in keys}
        if keys:
            wanted = msgspec.json.encode(list(keys)).decode()
            for entity_id, field, event in connection.execute(_SELECT, (wanted,)):
                self._heads[entity_id, field].append(event)
        self._replaced = [key for key, events in self._heads.items() if events]

    def of(self, edit: Edit) -> list[str]:
        """Return the events with the newest values of an edit's field, in order of their ids."""
        return sorted(self._heads[edit.entity_id, edit.field])

    def replace(self, edit: Edit, event: str) -> None:
        """Make an event the only newest value of its field."""
        self._heads[edit.entity_id, edit.field] = [event]

    def add(self, edit: Edit, event: str) -> None:
        """Make an event one more newest value of its field."""
        self._heads[edit.entity_id, edit.field].append(event)

    def write(self) -> None:
        """Write the changes."""
        self._connection.executemany(_DELETE, self._replaced)
        rows = [(*key, event) for key, events in self._heads.items() for event in events]
        insert_heads(self._connection, rows)


def insert_heads(connection: Connection, heads: Iterable[tuple[str, str, str]]) -> None:
    """Add newest values of fields, each as record, field and event, in the caller's transaction."""
    connection.executemany(_INSERT, heads)
