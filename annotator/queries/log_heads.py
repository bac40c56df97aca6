"""The last sequence numbers of the log, and the fields changed after a position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from annotator.domain.event import ChangedField
from annotator.progress import Progress
from annotator.store.connection import Connection
from annotator.store.log_copy import LOG_ORDER, copy_project, is_in_log_order

RECORDS_IN = """
WITH span AS (
    SELECT value ->> 0 AS of_actor, value ->> 1 AS opening, value ->> 2 AS first, value ->> 3 AS last
    FROM json_each(?)
)
SELECT actor, entity, count(DISTINCT entity_id)
FROM span CROSS JOIN event ON actor=of_actor AND incarnation=opening AND seq BETWEEN first AND last
GROUP BY actor, entity
"""

# IS NOT holds for NULL as well: events that are no record of a command.
HAS_EDITS = """
SELECT EXISTS (
    SELECT 1 FROM event LEFT JOIN command ON event.entity='command' AND command.id=event.entity_id
    WHERE event.actor=? AND event.incarnation=? AND event.seq>? AND command.kind IS NOT 'merge'
)
"""


class LogHeads:
    """The part of a reader that reads positions of the log."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def heads(self) -> dict[str, int]:
        """Return the last sequence number per actor and session, as ``actor/session_id``."""
        select = "SELECT actor || '/' || incarnation, max(seq) FROM event GROUP BY actor, incarnation"
        return dict(self._connection.execute(select).fetchall())

    def is_in_log_order(self) -> bool:
        """Return whether records arrived here in the order that every workstation with these events has."""
        return is_in_log_order(self._connection)

    def copy_in_log_order(
        self, target: Connection, *, heads: Mapping[str, int] | None, until: str, progress: Progress
    ) -> None:
        """Copy the project, or its state at some heads, into an empty file, in the order of the log."""
        copy_project(self._connection, target, order=LOG_ORDER, heads=heads, until=until, progress=progress)

    def fields_changed_since(self, position: int) -> Iterator[ChangedField]:
        """Yield the fields that events after a position of the log changed, each once."""
        select = "SELECT DISTINCT entity, entity_id, field FROM event WHERE n>?"
        for entity, entity_id, field in self._connection.execute(select, (position,)):
            yield ChangedField(entity=entity, entity_id=entity_id, field=field)

    def records_in(self, spans: Sequence[tuple[str, int, int]]) -> list[tuple[str, str, int]]:
        """Return how many records events are about: actor, record type and number.

        Args:
            spans: Parts of chains: ``actor/session_id``, first and last sequence number.
        """
        parts = [(*chain.split("/", 1), first, last) for chain, first, last in spans]
        text = msgspec.json.encode(parts).decode()
        return self._connection.execute(RECORDS_IN, (text,)).fetchall()

    def has_edits(self, chain: str, *, after: int) -> bool:
        """Return whether a chain has events that do not only say that bundles were merged.

        Args:
            chain: Its actor and session, as ``actor/session_id``.
            after: Events up to this sequence number are left out.
        """
        actor, _, session_id = chain.partition("/")
        return bool(self._connection.execute(HAS_EDITS, (actor, session_id, after)).fetchone()[0])

    def last_event_of(self, chain: str) -> int:
        """Return the last sequence number that the log has of ``actor/session_id``, 0 for none."""
        actor, _, session_id = chain.partition("/")
        select = "SELECT coalesce(max(seq), 0) FROM event WHERE actor=? AND incarnation=?"
        return int(self._connection.execute(select, (actor, session_id)).fetchone()[0])

    def holds_event(self, chain: str, seq: int, event_hash: str) -> bool:
        """Return whether the log has an event.

        Args:
            chain: Its actor and session, as ``actor/session_id``.
            seq: Its sequence number.
            event_hash: Its hash in hex.
        """
        actor, _, session_id = chain.partition("/")
        select = "SELECT lower(hex(hash)) FROM event WHERE actor=? AND incarnation=? AND seq=?"
        found = self._connection.execute(select, (actor, session_id, seq)).fetchone()
        return found is not None and found[0] == event_hash
