"""The log of events and commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from annotator.domain.actor import Actor
from annotator.domain.command import CommandRecord
from annotator.domain.event import CREATED
from annotator.queries.log_heads import LogHeads
from annotator.queries.record_stream import RecordStreams
from annotator.store.connection import Connection
from annotator.store.session_id import is_elsewhere_sql


class LoggedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an event that undo and history read; fields as in ``domain.event``.

    Attributes:
        n: Arrival number.
        parents: Ids joined with commas.
    """

    n: int
    id: str
    actor: str
    lamport: int
    parents: str
    entity: str
    entity_id: str
    field: str
    value: str
    command: str
    wall_time: str


EVENT_FIELDS = ", ".join(LoggedEvent.__struct_fields__)
# '*': an edit conflicts with any later change of the record's creation, which covers all fields.
LATER_AUTHOR = (
    "SELECT e.actor, coalesce(a.record ->> 'name', e.actor) FROM event e "
    "LEFT JOIN actor a ON a.id=e.actor WHERE e.entity_id=?1 AND e.n>?2 AND ?3 IN (e.field, '*') "
    f"AND (e.actor<>?4 OR {is_elsewhere_sql('e.incarnation', machine='?5')}) LIMIT 1"
)
CHANGE_FIELDS = EVENT_FIELDS.replace("value", f"iif(field='{CREATED}', '', value)")


class ChangedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record that has events after a position of the log.

    Attributes:
        entity: Record type.
        entity_id: Id of the record.
        item: Row number of the item itself, or of the item that a flag is on; None for other records.
    """

    entity: str
    entity_id: str
    item: int | None


# Tables of main, not the views that hide staged rows: SQLite scans a view on the right of an outer join in a
# DISTINCT query. The events come from the view, so they are visible ones. A flag never changes its target, so
# its current row is valid for events of any age.
TOUCHED = """
SELECT DISTINCT e.entity, e.entity_id, i.n FROM event e
LEFT JOIN main.flag f ON e.entity='flag' AND f.id=e.entity_id
LEFT JOIN main.item i ON i.id=iif(e.entity='flag', f.target, e.entity_id)
WHERE e.n>?
"""


class LogQueries(LogHeads):
    """The part of a reader that reads events and commands."""

    def __init__(self, connection: Connection, *, streams: RecordStreams) -> None:
        super().__init__(connection)
        self._streams = streams

    def next_undo(self, actor: str, *, machine: str = "") -> CommandRecord | None:
        """Return the command that undo would reverse.

        Args:
            actor: Id of the person.
            machine: Digits of a machine, to leave out what the person did on others; "" for all machines.
        """
        return self._command("state='done'", order="DESC", actor=actor, machine=machine)

    def next_redo(self, actor: str, *, machine: str = "") -> CommandRecord | None:
        """Return the command that redo would do again; arguments as for ``next_undo``."""
        return self._command("state='undone'", order="ASC", actor=actor, machine=machine)

    def event(self, event_id: str) -> LoggedEvent | None:
        """Return one event of the log."""
        found = self._connection.execute(
            f"SELECT {EVENT_FIELDS} FROM event WHERE id=?", (event_id,)
        ).fetchone()
        return _logged(found) if found else None

    def event_count(self, command: str) -> int:
        """Return the number of events of one command."""
        return self._count("SELECT count(*) FROM event WHERE command=?", command)

    def event_total(self) -> int:
        """Return the number of events of the log."""
        return self._count("SELECT count(*) FROM event")

    @property
    def position(self) -> int:
        """Arrival number of the last event of the log, 0 before the first."""
        return self._count("SELECT coalesce(max(n), 0) FROM event")

    def changed_since(self, position: int) -> Iterator[ChangedRecord]:
        """Yield the records that have events after a position of the log, each once."""
        for entity, entity_id, item in self._streams.rows(TOUCHED, (position,)):
            yield ChangedRecord(entity=entity, entity_id=entity_id, item=item)

    def events_of(self, command: str, *, newest_first: bool) -> Iterator[LoggedEvent]:
        """Yield the events of one command; those that create records without their values, which are long."""
        order, after = ("DESC", "n<") if newest_first else ("ASC", "n>")
        select = f"SELECT {CHANGE_FIELDS} FROM event WHERE command=? {{after}} ORDER BY n {order}"
        rows = self._streams.rows_by_number(select, (command,), after=after)
        yield from map(_logged, rows)

    def later_author(self, event: LoggedEvent, *, machine: str) -> Actor | None:
        """Return who changed the event's field after it, as another person or on another machine, or None."""
        values = (event.entity_id, event.n, event.field, event.actor, machine)
        found = self._connection.execute(LATER_AUTHOR, values).fetchone()
        return Actor(id=found[0], name=found[1]) if found else None

    def _command(self, state: str, *, order: str, actor: str, machine: str) -> CommandRecord | None:
        elsewhere = is_elsewhere_sql("(SELECT incarnation FROM event e WHERE e.n=command.n)", machine="?2")
        where = f"kind='do' AND {state} AND actor=?1 AND NOT {elsewhere} ORDER BY n {order} LIMIT 1"
        select = f"SELECT record FROM command WHERE removed=0 AND {where}"
        found = self._connection.execute(select, (actor, machine)).fetchone()
        return msgspec.json.decode(found[0], type=CommandRecord) if found else None

    def _count(self, select: str, *values: str) -> int:
        return int(self._connection.execute(select, values).fetchone()[0])


def _logged(row: tuple[Any, ...]) -> LoggedEvent:
    return LoggedEvent(**dict(zip(LoggedEvent.__struct_fields__, row, strict=True)))
