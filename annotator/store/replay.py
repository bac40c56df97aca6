"""Rebuilds the projections from a whole log."""

from __future__ import annotations

from annotator.domain.event import SCHEMA_VERSION
from annotator.progress import Progress
from annotator.store.connection import Connection
from annotator.store.event_upgrade import field_sql, value_sql
from annotator.store.projector import AppliedEvent, Projector
from annotator.store.schema import create_projections

AT_A_TIME = 5000
EVENTS = (
    f"SELECT n, actor, entity, entity_id, {field_sql()}, {{value}}, {{is_packed}} "
    "FROM event WHERE schema<=? ORDER BY n"
)
PACKED = {"value": value_sql("iif(packed IS NULL, value, unpack(packed))"), "is_packed": "packed IS NOT NULL"}
# Values are plain in logs that ``hide_staged`` shows, and in those of older versions; only the latter have
# former names of fields, and to upgrade twice changes nothing.
PLAIN = {"value": value_sql("value"), "is_packed": "0"}


def event_count(connection: Connection) -> int:
    """Return the number of events in a log."""
    return int(connection.execute("SELECT count(*) FROM event").fetchone()[0])


def replay(log: Connection, target: Connection, *, progress: Progress) -> None:
    """Make the projection tables and fill them, inside the caller's transaction.

    Events of a newer schema are passed over, as they are when they arrive.

    Args:
        log: Where the events are.
        target: Where the tables shall be; may be the same connection.
        progress: One step per event.

    Raises:
        UserError: A value does not fit its field.
        Cancelled: The user stopped it.
    """
    progress.begin("Rebuilding from the log", total=event_count(log))
    # Making tables ends the questions that are open on the same connection.
    create_projections(target)
    # Tables in another file cannot refer to compressed records in this log, so they store all records.
    values = PACKED if log is target else PLAIN
    events = log.execute(EVENTS.format(**values), (SCHEMA_VERSION,))
    while rows := events.fetchmany(AT_A_TIME):
        Projector(target).apply(_applied(row) for row in rows)
        progress.step(len(rows))


def _applied(row: tuple[int, str, str, str, str, str, int]) -> AppliedEvent:
    n, actor, entity, entity_id, field, value, is_packed = row
    return AppliedEvent(
        n=n,
        actor=actor,
        entity=entity,
        entity_id=entity_id,
        field=field,
        value=value,
        is_packed=bool(is_packed),
    )
