"""Rebuilds the projections from a whole log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from annotator.domain.actor import Actor
from annotator.domain.event import CREATED, SCHEMA_VERSION
from annotator.progress import Progress
from annotator.store.connection import Connection
from annotator.store.event_upgrade import field_sql, value_sql
from annotator.store.projector import AppliedEvent, Projector
from annotator.store.schema import create_projections
from annotator.store.scratch_database import AT_A_TIME
from annotator.store.staged_rows import FIRST_NUMBER, LAST_NUMBER

MADE = f"SELECT 1 FROM event WHERE entity_id=? AND n<? AND field='{CREATED}' LIMIT 1"
EVENTS = (
    f"SELECT n, actor, entity, entity_id, {field_sql()}, {{value}}, {{is_packed}}, lamport, id "
    "FROM event WHERE schema<=? AND n>=? AND n<=? ORDER BY n LIMIT ?"
)
# Only merged events can come after one with a larger lamport number.
SUPERSEDING = (
    f"SELECT 1 FROM event WHERE entity_id=? AND n<? AND ({field_sql()}=? OR field='{CREATED}') "
    "AND (lamport, id)>(?, ?) LIMIT 1"
)
PACKED = {"value": value_sql("iif(packed IS NULL, value, unpack(packed))"), "is_packed": "packed IS NOT NULL"}
# Values are plain in logs that ``hide_staged`` shows, and in those of older versions; only the latter have
# former names of fields, and to upgrade twice changes nothing.
PLAIN = {"value": value_sql("value"), "is_packed": "0"}


class LogRow(NamedTuple):
    """An event of the log, field and value with today's names; columns as ``domain.event`` describes them."""

    n: int
    actor: str
    entity: str
    entity_id: str
    field: str
    value: str
    is_packed: bool
    lamport: int
    id: str


def event_count(connection: Connection) -> int:
    """Return the number of events in a log."""
    return int(connection.execute("SELECT count(*) FROM event").fetchone()[0])


def replay(
    log: Connection, target: Connection, *, unlisted: Collection[str] = (), progress: Progress
) -> None:
    """Make the projection tables and fill them, inside the caller's transaction.

    Events of a newer schema are passed over, as they are when they arrive.

    Args:
        log: Where the events are.
        target: Where the tables shall be; may be the same connection.
        unlisted: Tables that no list is read from, as in ``create_projections``.
        progress: One step per event.

    Raises:
        UserError: A value does not fit its field.
        Cancelled: The user stopped it.
    """
    Replay(log, target, unlisted=unlisted, progress=progress).catch_up(progress=progress)


class Replay:
    """Projection tables that follow a log; made anew, inside the caller's transaction.

    Between two pieces of the log no question is open, so that it can be checkpointed while others write.

    Args:
        log: Where the events are.
        target: Where the tables shall be; may be the same connection.
        unlisted: Tables that no list is read from, as in ``create_projections``.
        is_searched: Whether to make the search tables.
        progress: Told how many events there are.
    """

    def __init__(
        self,
        log: Connection,
        target: Connection,
        *,
        unlisted: Collection[str] = (),
        is_searched: bool = True,
        progress: Progress,
    ) -> None:
        progress.begin("Rebuilding from the log", total=event_count(log))
        create_projections(target, unlisted=unlisted, is_searched=is_searched)
        self._is_searched = is_searched
        self._log, self._target = log, target
        # Tables in another file cannot refer to compressed records in this log, so they store all records.
        self._select = EVENTS.format(**(PACKED if log is target else PLAIN))
        self._standing, self._next = _Standing(log, lamport=0), FIRST_NUMBER

    def catch_up(self, *, until: int = LAST_NUMBER, progress: Progress) -> None:
        """Apply the events that have come since, inside the caller's transaction of the target.

        Args:
            until: The last arrival number. Without it, and outside of a transaction of the log, somebody who
                writes as fast as this reads would be followed for ever.
            progress: One step per event.

        Raises:
            UserError: A value does not fit its field.
            Cancelled: The user stopped it.
        """
        while rows := self._next_rows(until):
            Projector(self._target, is_searched=self._is_searched).apply(self._standing.events(rows))
            self._next = rows[-1].n + 1
            progress.step(len(rows))

    def _next_rows(self, until: int) -> list[LogRow]:
        if self._next > until:
            return []
        found = self._log.execute(self._select, (SCHEMA_VERSION, self._next, until, AT_A_TIME))
        return list(map(LogRow._make, found))


def applied_events(connection: Connection, rows: Iterable[LogRow], *, lamport: int) -> Iterator[AppliedEvent]:
    """Yield what events at the end of the log change in the tables of the same file.

    Args:
        connection: The file.
        rows: The events, which are in the log.
        lamport: Largest lamport number before them.
    """
    return _Standing(connection, lamport=lamport).events(rows)


class _Standing:
    """Leaves out events whose field has a value of a larger lamport number, or id where two are equal.

    That is the same value on every workstation, in whatever order the events arrived.
    """

    def __init__(self, log: Connection, *, lamport: int) -> None:
        self._log, self._lamport = log, lamport

    def events(self, rows: Iterable[LogRow]) -> Iterator[AppliedEvent]:
        """Yield the events of rows that stand, in their order."""
        for row in rows:
            is_newest = row.lamport > self._lamport
            self._lamport = max(self._lamport, row.lamport)
            if row.entity == "actor" and row.field == CREATED and self._is_made(row):
                yield from self._renamed(row)
            elif is_newest or row.field == CREATED or not self._is_superseded(row, field=row.field):
                yield _applied(row)

    def _is_made(self, row: LogRow) -> bool:
        return self._log.execute(MADE, (row.entity_id, row.n)).fetchone() is not None

    def _renamed(self, row: LogRow) -> Iterator[AppliedEvent]:
        """Yield the name of an actor that another machine of the same person had recorded before."""
        if not self._is_superseded(row, field="name"):
            name = msgspec.json.encode(msgspec.json.decode(row.value, type=Actor).name).decode()
            yield replace(_applied(row), field="name", value=name, is_packed=False)

    def _is_superseded(self, row: LogRow, *, field: str) -> bool:
        values = (row.entity_id, row.n, field, row.lamport, row.id)
        return self._log.execute(SUPERSEDING, values).fetchone() is not None


def _applied(row: LogRow) -> AppliedEvent:
    return AppliedEvent(
        n=row.n,
        actor=row.actor,
        entity=row.entity,
        entity_id=row.entity_id,
        field=row.field,
        value=row.value,
        is_packed=bool(row.is_packed),
    )
