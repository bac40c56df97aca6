"""Forks: fields that two workstations changed without having seen each other's change."""

from __future__ import annotations

from annotator.domain.rows import Fork, ForkValue
from annotator.store.connection import Connection

_FORKED = "SELECT entity_id, field FROM head GROUP BY entity_id, field HAVING count(*)>1 ORDER BY 1, 2"
# A fork that an undo has opened again has values of those who undid: their authors are those of before.
VALUES = """
SELECT e.entity, e.id, e.value, coalesce(a.record ->> 'name', a.id, w.actor), w.wall_time
FROM head h JOIN event e ON e.id=h.event
JOIN event w ON w.id=coalesce((
    SELECT o.id FROM command c JOIN event r ON r.id=e.parents JOIN event o ON instr(r.parents, o.id)
    WHERE c.id=e.command AND c.kind='undo' AND o.entity_id=e.entity_id AND o.field=e.field AND o.value=e.value
    ORDER BY o.lamport DESC LIMIT 1), e.id)
LEFT JOIN actor a ON a.id=w.actor
WHERE h.entity_id=? AND h.field=? ORDER BY e.lamport DESC, e.id DESC
"""


class ForkQueries:
    """The part of a reader that lists forks."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self) -> list[Fork]:
        """Return all forks; equal values that two people entered are none."""
        found = (self.get(entity_id, field=field) for entity_id, field in self.fields())
        return [fork for fork in found if fork is not None]

    def fields(self) -> list[tuple[str, str]]:
        """Return record and field of each field with several newest events, in their order."""
        return self._connection.execute(_FORKED).fetchall()

    def get(self, entity_id: str, *, field: str) -> Fork | None:
        """Return the fork of one field, None where its newest values are equal.

        Args:
            entity_id: Id of the record.
            field: Name of the field.
        """
        rows = self._connection.execute(VALUES, (entity_id, field)).fetchall()
        if len({value for _, _, value, _, _ in rows}) < 2:
            return None
        values = tuple(
            ForkValue(event=event, value=value, actor=actor, wall_time=time)
            for _, event, value, actor, time in rows
        )
        return Fork(entity=rows[0][0], entity_id=entity_id, field=field, values=values)
