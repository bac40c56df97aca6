"""Copies of a project: its log and its model work, from which all other tables are made anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotator.progress import Progress
from annotator.store.connection import Connection, transaction
from annotator.store.replay import event_count, replay
from annotator.store.schema import create_evidence
from annotator.store.staged_views import hide_staged
from annotator.store.staging import horizon
from annotator.store.verification import write_newest_values
from annotator.store.work.tables import TABLES

EVIDENCE = (*TABLES, "work_seal")
_UNTIL = {
    "run": "record ->> 'created_at'<=:until",
    "job": "run IN (SELECT id FROM main.run WHERE record ->> 'created_at'<=:until)",
    "prediction": "coalesce(record ->> 'made_at', '')<=:until",
}
"""Model work has no place in the log, so its time decides."""
ARRIVAL, LOG_ORDER = "n", "lamport, id"
"""Orders of events: as they arrived here, and the one that is the same wherever the same events are."""
_CHAINS = """
WITH chain AS (
    SELECT min(n) AS first, max(n) AS last FROM main.event WHERE n<{horizon} GROUP BY actor, incarnation
)
SELECT first, a.lamport, a.id, last, b.lamport, b.id FROM chain
JOIN main.event a ON a.n=first JOIN main.event b ON b.n=last ORDER BY first
"""
_DISORDER = """
SELECT 1 FROM (
    SELECT lamport, id, lag(lamport) OVER arrival AS lamport_before, lag(id) OVER arrival AS id_before
    FROM main.event WHERE n<{horizon} WINDOW arrival AS (ORDER BY n)
) WHERE (lamport_before, id_before)>(lamport, id) LIMIT 1
"""


def copy_project(
    source: Connection,
    target: Connection,
    *,
    order: str = ARRIVAL,
    heads: Mapping[str, int] | None = None,
    until: str = "",
    progress: Progress,
) -> int:
    """Fill an empty file with a project.

    Args:
        source: The project.
        target: The file.
        order: Order of the events, whose arrival numbers are then new, unless it is ``ARRIVAL``.
        heads: Last sequence number per ``actor/session_id`` that is copied, None for the whole log.
        until: ISO 8601 UTC; only runs, jobs and predictions made until then are copied, without the requests
            and replies behind them. "" for all model work.
        progress: One step per event, in two phases.

    Returns:
        The number of events.
    """
    with transaction(target):
        create_evidence(target)
        progress.begin("Copying the log", total=event_count(source))
        events = _copy_events(source, target, order=order, heads=heads, progress=progress)
        for table, where in (_UNTIL if until else dict.fromkeys(EVIDENCE, "1")).items():
            _insert(target, table, _rows(source, target, table, where=where, until=until))
        # Last: the tables are made from the events that are in the target by now.
        replay(target, target, progress=progress)
        # As readers see the log: events of earlier versions have former names of fields.
        hide_staged(target)
        write_newest_values(target)
    return events


def is_in_log_order(connection: Connection) -> bool:
    """Return whether the events of a project have arrived in the order of the log.

    Merged ones may have come after events with a larger Lamport number.
    """
    before: tuple[int, int, str] = (0, 0, "")
    for first, *start, last, lamport, event in connection.execute(
        _CHAINS.format(horizon=horizon(connection))
    ):
        if first < before[0] or tuple(start) < before[1:]:
            # Chains that overlap can still be in order: two processes that edit one file take turns.
            return not connection.execute(_DISORDER.format(horizon=horizon(connection))).fetchone()
        before = (last, lamport, event)
    return True


def table_columns(connection: Connection, table: str) -> list[tuple[str, str]]:
    """Return name and type of the columns of a table, none where there is no such table."""
    kind = "SELECT 1 FROM main.sqlite_schema WHERE type='table' AND name=?"
    if connection.execute(kind, (table,)).fetchone() is None:
        return []
    return connection.execute("SELECT name, type FROM pragma_table_info(?, 'main')", (table,)).fetchall()


def _copy_events(
    source: Connection, target: Connection, *, order: str, heads: Mapping[str, int] | None, progress: Progress
) -> int:
    names = [name for name, _ in table_columns(target, "event")]
    actor, session_id, seq = (names.index(name) for name in ("actor", "incarnation", "seq"))
    where = f"n<{horizon(source)}"
    count = 0

    def numbered() -> Iterator[tuple[Any, ...]]:
        nonlocal count
        for row in _rows(source, target, "event", where=where, order=order):
            progress.step()
            if heads is None or row[seq] <= heads.get(f"{row[actor]}/{row[session_id]}", 0):
                count += 1
                yield row if order == ARRIVAL else (count, *row[1:])

    _insert(target, "event", numbered())
    return count


def _rows(
    source: Connection,
    target: Connection,
    table: str,
    *,
    where: str = "1",
    order: str = "1",
    until: str = "",
) -> Iterator[tuple[Any, ...]]:
    names = ", ".join(name for name, _ in table_columns(target, table))
    select = f"SELECT {names} FROM main.{table} WHERE {where} ORDER BY {order}"
    yield from source.execute(select, {"until": until})


def _insert(target: Connection, table: str, rows: Iterator[tuple[Any, ...]]) -> None:
    names = [name for name, _ in table_columns(target, table)]
    locations = ", ".join("?" * len(names))
    target.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({locations})", rows)
