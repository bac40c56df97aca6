"""What happened to records: the events of the log, as people read them."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from annotator.domain.event import CREATED
from annotator.domain.rows import HistoryEntry
from annotator.store.connection import Connection
from annotator.store.session_id import is_elsewhere_sql

LONGEST_VALUE = 1 << 16
"""Characters of a value in a list of events: those of one record can have gigabytes together."""
HISTORY_FIELDS = f"""
e.id, e.command, coalesce(c.code, ''), coalesce(c.record -> 'parameters', '{{}}'),
    coalesce(c.kind, 'do'), coalesce(a.record ->> 'name', e.actor),
    e.wall_time, e.field, iif(e.field='{CREATED}', e.value, substr(e.value, 1, {LONGEST_VALUE}))
FROM event e LEFT JOIN command c ON c.id=e.command LEFT JOIN actor a ON a.id=e.actor
"""
HISTORY = f"SELECT {HISTORY_FIELDS} WHERE e.entity_id=? ORDER BY e.n DESC LIMIT ?"
HISTORIES = f"""
SELECT e.entity_id, {HISTORY_FIELDS} WHERE e.entity_id IN (SELECT value FROM json_each(?)) ORDER BY e.n DESC
"""

FIRST_VERSION = "SELECT value FROM event WHERE entity_id=? AND field=? ORDER BY n LIMIT 1"
CREATORS = """
SELECT e.entity_id, e.actor FROM json_each(?) w CROSS JOIN event e ON e.entity_id=w.value WHERE e.field=?
"""
# main.event, because INDEXED BY does not work on the reader's view of that name: without it, SQLite reads all
# events of the actor. Staged rows do not matter: imports set no states, and short values are not compressed.
DECIDED = """
SELECT count(DISTINCT e.entity_id)
FROM main.event e INDEXED BY event_id CROSS JOIN command c ON c.id=e.command
WHERE e.id>=? AND e.actor=? AND e.entity='item' AND e.field='state'
AND e.value IN (SELECT value FROM json_each(?)) AND c.kind='do' AND c.state='done'
"""
_ELSEWHERE = is_elsewhere_sql("e.incarnation", machine="?2")
# The events of a command mostly follow each other: those behind its last one are all that came later.
ALONE = f"""
SELECT count(*)=max(n)-min(n)+1 AND NOT EXISTS (
    SELECT 1 FROM event e WHERE e.n>(SELECT max(n) FROM event WHERE command=?1)
    AND (e.actor IS NOT (SELECT actor FROM command WHERE id=?1) OR {_ELSEWHERE})
) FROM event WHERE command=?1
"""


class HistoryQueries:
    """The part of a reader that lists the events of records."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of(self, entity_id: str, *, limit: int = 200) -> list[HistoryEntry]:
        """Return what happened to one record, newest first."""
        rows = self._connection.execute(HISTORY, (entity_id, limit))
        return [_history_entry(row) for row in rows]

    def first_version(self, entity_id: str) -> str | None:
        """Return a record as it was first stored, as JSON; None if it is unknown."""
        found = self._connection.execute(FIRST_VERSION, (entity_id, CREATED)).fetchone()
        return str(found[0]) if found else None

    def creators(self, ids: Collection[str]) -> dict[str, str]:
        """Return the actors who created some records by the ids of these."""
        ids_json = msgspec.json.encode([*ids]).decode()
        return dict(self._connection.execute(CREATORS, (ids_json, CREATED)))

    def decided_since(self, event_id: str, *, actor: str, states: Collection[str]) -> int:
        """Return how many items an actor has set to one of some states since an event, and not undone.

        Args:
            event_id: Smallest id of the events; ids increase with time.
            actor: Id of the actor.
            states: The states.
        """
        wanted = msgspec.json.encode([msgspec.json.encode(state).decode() for state in states]).decode()
        return int(self._connection.execute(DECIDED, (event_id, actor, wanted)).fetchone()[0])

    def is_newest_of_all(self, command: str, *, machine: str) -> bool:
        """Return whether it is certain that since a command nobody else, or elsewhere, has written anything.

        Args:
            command: Id of the command.
            machine: Digits of this machine; what the same person does on others counts as of somebody else.
        """
        return bool(self._connection.execute(ALONE, (command, machine)).fetchone()[0])

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
