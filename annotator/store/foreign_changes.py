"""Which records other programs, or other connections, have changed since the last look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.domain.changes import MAX_IDS, Changes
from annotator.domain.record_types import RECORD_TYPES
from annotator.store.staged_rows import HORIZON

if TYPE_CHECKING:
    from annotator.store.connection import Connection

KIND = "elsewhere"
MOST_EVENTS = 5000
"""Events that are read one by one. After more of them, every list reloads anyway."""
NEWEST = f"SELECT coalesce((SELECT n FROM event WHERE n<{HORIZON} ORDER BY n DESC LIMIT 1), 0)"
COUNT = "SELECT count(*) FROM (SELECT 1 FROM event WHERE n>? AND n<=? LIMIT ?)"
SINCE = "SELECT DISTINCT entity, entity_id, field FROM event WHERE n>? AND n<=?"


class ForeignChanges:
    """Follows the log over one connection, which writes into it as well.

    All own events must be passed over with ``skip`` in their own transaction; what is left is of others.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._position = self._newest()
        self._version = self._data_version()

    def has_news(self) -> bool:
        """Return whether another connection has committed since the last call; in microseconds."""
        before, self._version = self._version, self._data_version()
        return before != self._version

    def collect(self) -> Changes | None:
        """Return what others have changed since the last call, None for nothing."""
        since, self._position = self._position, self._newest()
        if self._position <= since:
            return None
        span = (since, self._position)
        # Counted: an import leaves a gap in the numbers.
        if self._connection.execute(COUNT, (*span, MOST_EVENTS + 1)).fetchone()[0] > MOST_EVENTS:
            return _all_changed()
        ids: dict[str, set[str]] = {}
        fields: dict[str, set[str]] = {}
        for entity, entity_id, field in self._connection.execute(SINCE, span):
            ids.setdefault(entity, set()).add(entity_id)
            fields.setdefault(entity, set()).add(field)
        return Changes(
            kind=KIND,
            ids={
                entity: frozenset(found) if len(found) <= MAX_IDS else None for entity, found in ids.items()
            },
            fields={entity: frozenset(names) for entity, names in fields.items()},
            counts={entity: len(found) for entity, found in ids.items()},
        )

    def skip(self) -> None:
        """Pass over the events that this connection has written, at the end of its transaction."""
        self._position = self._newest()

    def _newest(self) -> int:
        return int(self._connection.execute(NEWEST).fetchone()[0])

    def _data_version(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])


def _all_changed() -> Changes:
    return Changes(kind=KIND, ids={record.table.entity: None for record in RECORD_TYPES})
