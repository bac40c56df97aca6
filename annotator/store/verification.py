"""Proves that a project file is whole: hash chain, projections, database pages."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from annotator.domain.event import FIRST_HASH, SCHEMA_VERSION, SEALED, event_hash
from annotator.progress import Progress
from annotator.store.connection import Connection, connect, transaction
from annotator.store.projections import PROJECTIONS
from annotator.store.projector import Applied, Projector
from annotator.store.schema import create_projections

REPLAY = 5000
"""Events replayed at a time."""
EVENT = f"SELECT {', '.join(SEALED)}, prev_hash, hash FROM event ORDER BY n"
# Numbers of combinations depend on the order of writing; what they stand for does not.
UNCOMPARED = {"item": {"facet"}}
FACETS = (
    "SELECT task_set, task, state, source, flags, items FROM item_facet WHERE items<>0 ORDER BY 1, 2, 3, 4, 5"
)


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is not as it should be.

    Attributes:
        kind: ``page``, ``hash``, ``chain``, ``parent``, ``projection``, ``media_changed`` …
        where: Event, table or file that it is about.
        message: What is wrong, in words.
    """

    kind: str
    where: str
    message: str


def verify_project(path: Path, *, progress: Progress) -> Iterator[Problem]:
    """Check pages, log and projections; yields nothing where all is well.

    Args:
        path: The project file; it is only read, and may be in use.
        progress: One step per event.
    """
    connection = connect(path, read_only=True)
    try:
        yield from _page_problems(connection)
        progress.begin("Checking the hash chain", total=_event_count(connection))
        yield from _chain_problems(connection, progress=progress)
        yield from _projection_problems(connection, progress=progress)
    finally:
        connection.close()


def _event_count(connection: Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM event").fetchone()[0])


def _page_problems(connection: Connection) -> Iterator[Problem]:
    for (text,) in connection.execute("PRAGMA integrity_check(20)"):
        if text != "ok":
            yield Problem(kind="page", where="file", message=f"SQLite finds the file damaged: {text}")


def _chain_problems(connection: Connection, *, progress: Progress) -> Iterator[Problem]:
    """Recompute every hash, and follow the chain of each actor and incarnation."""
    last: dict[tuple[str, str], tuple[int, bytes]] = {}
    for *fields, prev_hash, sealed in connection.execute(EVENT):
        progress.step()
        event_id, actor, incarnation, seq = fields[:4]
        if event_hash(fields, prev_hash=bytes(prev_hash)) != bytes(sealed):
            yield Problem(kind="hash", where=event_id, message="The event was changed after it was written.")
        before, end = last.get((actor, incarnation)) or (0, _start(connection, actor, bytes(prev_hash)))
        if seq != before + 1 or bytes(prev_hash) != end:
            words = f"Event {seq} does not follow event {before}."
            yield Problem(kind="chain", where=event_id, message=words)
        last[actor, incarnation] = (seq, bytes(sealed))
    yield from _parent_problems(connection)


def _start(connection: Connection, actor: str, prev_hash: bytes) -> bytes | None:
    """Return the hash that a new incarnation may go on from, None where the actor has no such event."""
    if prev_hash == FIRST_HASH:
        return FIRST_HASH
    select = "SELECT hash FROM event WHERE actor=? AND hash=? LIMIT 1"
    found = connection.execute(select, (actor, prev_hash)).fetchone()
    return bytes(found[0]) if found else None


def _parent_problems(connection: Connection) -> Iterator[Problem]:
    select = "SELECT id, parents FROM event WHERE parents<>''"
    known = "SELECT 1 FROM event WHERE id=?"
    for event_id, parents in connection.execute(select):
        for parent in parents.split(","):
            if connection.execute(known, (parent,)).fetchone() is None:
                yield Problem(
                    kind="parent", where=event_id, message=f"Its parent {parent} is not in the log."
                )


def _projection_problems(connection: Connection, *, progress: Progress) -> Iterator[Problem]:
    """Rebuild all projections from the log in a temporary file, and compare row by row."""
    with tempfile.TemporaryDirectory(prefix="vantage-verify-") as folder:
        rebuilt = connect(Path(folder) / "rebuilt.db", read_only=False)
        try:
            _rebuild(connection, rebuilt, progress=progress)
            for entity in PROJECTIONS:
                yield from _table_problems(connection, rebuilt, entity)
            if connection.execute(FACETS).fetchall() != rebuilt.execute(FACETS).fetchall():
                yield Problem(
                    kind="projection", where="item_facet", message="Counts of items differ from the log's."
                )
        finally:
            rebuilt.close()


def _rebuild(connection: Connection, rebuilt: Connection, *, progress: Progress) -> None:
    progress.begin("Rebuilding from the log", total=_event_count(connection))
    rebuilt.execute("PRAGMA synchronous=OFF")
    events = connection.execute(
        "SELECT n, actor, entity, entity_id, field, value FROM event WHERE schema<=? ORDER BY n",
        (SCHEMA_VERSION,),
    )
    with transaction(rebuilt):
        create_projections(rebuilt)
        while rows := events.fetchmany(REPLAY):
            Projector(rebuilt).apply(_applied(row) for row in rows)
            progress.step(len(rows))


def _applied(row: tuple[int, str, str, str, str, str]) -> Applied:
    n, actor, entity, entity_id, field, value = row
    return Applied(n=n, actor=actor, entity=entity, entity_id=entity_id, field=field, value=value)


def _table_problems(connection: Connection, rebuilt: Connection, entity: str) -> Iterator[Problem]:
    columns = [row[1] for row in rebuilt.execute(f"PRAGMA table_info({entity})")]
    names = ", ".join(name for name in columns if name not in UNCOMPARED.get(entity, ()))
    select = f"SELECT {names} FROM {entity} ORDER BY n"
    kept, made = iter(connection.execute(select)), iter(rebuilt.execute(select))
    while (pair := (next(kept, None), next(made, None))) != (None, None):
        if pair[0] != pair[1]:
            where = f"{entity} {(pair[0] or pair[1] or ('', ''))[1]}"
            yield Problem(kind="projection", where=where, message="The table differs from what the log says.")
            return
