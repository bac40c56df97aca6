"""Folds a whole log into empty projection tables."""

from __future__ import annotations

from annotator.domain.event import SCHEMA_VERSION
from annotator.progress import Progress
from annotator.store.connection import Connection
from annotator.store.projector import Applied, Projector
from annotator.store.schema import create_projections

AT_A_TIME = 5000
EVENTS = "SELECT n, actor, entity, entity_id, field, value FROM event WHERE schema<=? ORDER BY n"


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
    events = log.execute(EVENTS, (SCHEMA_VERSION,))
    while rows := events.fetchmany(AT_A_TIME):
        Projector(target).apply(_applied(row) for row in rows)
        progress.step(len(rows))


def _applied(row: tuple[int, str, str, str, str, str]) -> Applied:
    n, actor, entity, entity_id, field, value = row
    return Applied(n=n, actor=actor, entity=entity, entity_id=entity_id, field=field, value=value)
