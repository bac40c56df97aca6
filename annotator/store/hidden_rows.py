"""Removes, in short transactions, the rows that a large undo has already hidden.

The rows of records that one command created have consecutive arrival numbers: no other event is written
within one transaction, or within one entry behind its gap. A range of numbers therefore hides exactly these
rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from annotator.domain.event import REMOVED
from annotator.store.connection import Connection, SharingTransactions
from annotator.store.deferred import Deferred
from annotator.store.projections import PROJECTIONS
from annotator.store.projector import AppliedEvent, Projector
from annotator.store.staged_rows import LAST_NUMBER, STAGED_ENTITIES

REMOVED_AT_ONCE = 250
"""Rows of one short step: 10 to 20 ms, as for the entries of an import."""
RANGE_AT_ONCE = 1000
"""Rows of one that are removed by a few statements, which takes as long."""
TEXTS_AT_ONCE = 4000
"""Rows that are taken out of a search table in one: 15 ms."""
PAGES_AT_ONCE = 64
"""Pages that are written in one when the parts of a search index are merged."""
_MERGED_FROM_PERCENT = 10
"""Share of deleted texts from which on SQLite merges a part of a search index with the next write: its usual
setting."""
_IS_GONE = f"""
'true'=(SELECT e.value FROM main.head h JOIN main.event e ON e.id=h.event
    WHERE h.entity_id=r.id AND h.field='{REMOVED}' ORDER BY e.lamport DESC, e.id DESC LIMIT 1)
"""
"""SQL condition that the newest removal of a row in the log is one, and not what has brought it back."""
_Step = Callable[[Connection, str, list[tuple[int, str]]], None]
_TOTALS = {
    "item": {"items": "count(*)"},
    "scene": {"scenes": "count(*)"},
    "medium": {"media": "count(*)", "bytes": "coalesce(sum(counted_bytes), 0)"},
}
"""What tables of combinations count of their records."""
_OUTER_SCENES = (
    "SELECT DISTINCT scene FROM main.item WHERE n BETWEEN ?1 AND ?2 AND scene IS NOT NULL",
    "SELECT DISTINCT scene FROM main.event_label WHERE n BETWEEN ?1 AND ?2",
    (
        "SELECT DISTINCT v.scene FROM main.medium m JOIN main.scene_view v ON v.medium=m.id "
        "WHERE m.n BETWEEN ?1 AND ?2"
    ),
    # By the index of the regions made by hand, of which an import has few or none.
    (
        "SELECT DISTINCT v.scene FROM main.region r INDEXED BY region_by_hand "
        "JOIN main.scene_view v ON v.medium=r.medium WHERE r.by_hand=1 AND r.n BETWEEN ?1 AND ?2"
    ),
)
_SHOWN_MEDIA = (
    "SELECT DISTINCT v.medium FROM main.scene s JOIN main.scene_view v ON v.scene=s.id "
    "WHERE s.n BETWEEN ?1 AND ?2"
)


def collect_outer_records(connection: Connection, deferred: Deferred) -> None:
    """Note the visible scenes and media whose figures change with the rows of ``deferred.hidden``."""
    for select in _OUTER_SCENES:
        found = [scene for (scene,) in connection.execute(select, deferred.hidden)]
        deferred.scenes.update({s: None for s in found if deferred.is_visible(connection, "scene", s)})
    media = [medium for (medium,) in connection.execute(_SHOWN_MEDIA, deferred.hidden)]
    deferred.shown_media.update({m: None for m in media if deferred.is_visible(connection, "medium", m)})


def subtract_totals(connection: Connection, hidden: tuple[int, int]) -> None:
    """Subtract the rows of a range from the totals of combinations, in the caller's transaction."""
    for entity, totals in _TOTALS.items():
        name = f"{entity}_facet"
        # By the index of combinations: the table itself would be read with all of its records.
        rows = (
            f"FROM main.{entity} INDEXED BY {entity}_in_facet WHERE facet={name}.id AND n BETWEEN ?1 AND ?2"
        )
        changes = ", ".join(f"{column}={column}-(SELECT {count} {rows})" for column, count in totals.items())
        connection.execute(f"UPDATE {name} SET {changes} WHERE {next(iter(totals))}>0", hidden)


def remove_hidden_rows(connection: Connection, identity: str) -> None:
    """Mark the hidden rows of an entry as removed, in short transactions.

    Called after an undo is published, and when a redo that has restored some of the rows is discarded.

    Args:
        connection: Any that writes, outside of a transaction.
        identity: Id of the entry.
    """
    select = "SELECT hidden_from, hidden_to FROM main.staging WHERE id=?"
    found = connection.execute(select, (identity,)).fetchone()
    if found is None or found[0] > found[1]:
        return
    transactions, (first, end) = SharingTransactions(connection), map(int, found)
    with _seeing_hidden(connection, hidden=(first, end)):
        # Against the order in which they refer to each other: flags before what they are about.
        for entity in reversed(STAGED_ENTITIES):
            for step, limit in _steps(entity):
                last = first - 1
                while last >= 0:
                    last = _remove_some(transactions, identity, entity, last, end, step, limit)
                if step is _empty_searches:
                    _merge_searches(
                        transactions, identity, entity, most_times=1 + (end - first) // PAGES_AT_ONCE
                    )


@contextmanager
def _seeing_hidden(connection: Connection, *, hidden: tuple[int, int]) -> Iterator[None]:
    """Have a connection count hidden rows as visible, and change no figure of others."""
    deferred = getattr(connection, "deferred", None)
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS staging AS SELECT * FROM main.staging WHERE 0")
    # The collected changes are discarded: the transaction that hid the rows has already applied them.
    connection.deferred = Deferred(first_n=LAST_NUMBER, hidden=hidden)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        connection.deferred = deferred  # type: ignore[attr-defined]
        connection.execute("DROP TABLE IF EXISTS temp.staging")


def _steps(entity: str) -> Iterator[tuple[_Step, int]]:
    """Yield what is done with the hidden rows of a table, and with how many in one transaction."""
    if PROJECTIONS[entity].hooks.remove_hidden is None:
        yield _remove_rows, REMOVED_AT_ONCE
        return
    yield _empty_searches, TEXTS_AT_ONCE
    yield _remove_range, RANGE_AT_ONCE


def _remove_some(
    transactions: SharingTransactions,
    identity: str,
    entity: str,
    after: int,
    last: int,
    step: _Step,
    limit: int,
) -> int:
    """Do a step with the next rows of a table, and again while nobody waits.

    Returns:
        The last arrival number of them, -1 for none.
    """
    with transactions.next() as connection:
        if not _shows_life(connection, identity):
            # Another process took the entry for abandoned, and removes the rows; a redo may follow at once.
            return -1
        after = _do_step(connection, entity, after, last, step, limit)
        while after >= 0 and transactions.has_time():
            after = _do_step(connection, entity, after, last, step, limit)
    return after


def _do_step(connection: Connection, entity: str, after: int, last: int, step: _Step, limit: int) -> int:
    select = (
        f"SELECT n, id, {_IS_GONE} FROM main.{entity} r WHERE n>? AND n<=? AND removed=0 ORDER BY n LIMIT ?"
    )
    rows = connection.execute(select, (after, last, limit)).fetchall()
    gone = [(n, record) for n, record, is_gone in rows if is_gone]
    if len(gone) < len(rows) and step is _remove_range:
        # A range would contain what the log has not removed.
        step = _remove_rows
    if gone:
        step(connection, entity, gone)
    return int(rows[-1][0]) if rows else -1


def _shows_life(connection: Connection, identity: str) -> bool:
    """Write that the entry is worked on; returns whether it is still there."""
    update = "UPDATE main.staging SET active_at=? WHERE id=?"
    return bool(connection.execute(update, (time.time(), identity)).rowcount)


def _empty_searches(connection: Connection, entity: str, rows: list[tuple[int, str]]) -> None:
    for suffix, _ in PROJECTIONS[entity].searches:
        table = f"{entity}_{suffix}"
        # Otherwise the whole index is merged each time that a tenth of it is deleted, three quarters of the
        # time of all deletions.
        _merge_from(connection, table, percent=0)
        replace = f"INSERT OR REPLACE INTO {table} (rowid, text) VALUES (?, '')"
        connection.executemany(replace, [(n,) for n, _ in rows])
        # Before the setting is changed back, which no commit is without.
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('flush')")
        _merge_from(connection, table, percent=_MERGED_FROM_PERCENT)


def _merge_from(connection: Connection, table: str, *, percent: int) -> None:
    connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('deletemerge', ?)", (percent,))


def _merge_searches(
    transactions: SharingTransactions, identity: str, entity: str, *, most_times: int
) -> None:
    """Merge the parts of search indexes whose texts were deleted, so that no edit has to do it.

    Args:
        transactions: Short ones.
        identity: Id of the entry.
        entity: Name of the records.
        most_times: Transactions after which it stops: further ones would merge what the deletion did not
            leave.
    """
    for suffix, _ in PROJECTIONS[entity].searches:
        table = f"{entity}_{suffix}"
        for _ in range(most_times):
            with transactions.next() as connection:
                if not _shows_life(connection, identity):
                    return
                before = connection.total_changes
                merge = f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)"
                connection.execute(merge, (PAGES_AT_ONCE,))
                # As SQLite documents: one change is the command itself.
                if connection.total_changes - before < 2:
                    break


def _remove_range(connection: Connection, entity: str, rows: list[tuple[int, str]]) -> None:
    remove_hidden = PROJECTIONS[entity].hooks.remove_hidden
    assert remove_hidden is not None
    remove_hidden(connection, rows[0][0], rows[-1][0])


def _remove_rows(connection: Connection, entity: str, rows: list[tuple[int, str]]) -> None:
    Projector(connection).apply(
        AppliedEvent(n=n, actor="", entity=entity, entity_id=record, field=REMOVED, value="true")
        for n, record in rows
    )
