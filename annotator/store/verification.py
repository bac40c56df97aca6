"""Verifies a project file: database pages, hash chains, projections."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from annotator.domain.event import FIRST_HASH, SEALED, event_hash
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress
from annotator.store.connection import (
    Connection,
    DatabaseError,
    IntegrityError,
    connect,
    convert_disk_errors,
    is_damage,
)
from annotator.store.replay import event_count
from annotator.store.schema import has_work_seals, is_current, problems_of_schema
from annotator.store.scratch_database import AT_A_TIME, full_disk_message, one_state
from annotator.store.search_check import differing_searches
from annotator.store.staged_rows import FIRST_NUMBER, LAST_NUMBER
from annotator.store.staged_views import hide_staged, show_published_log
from annotator.store.staging import horizon, is_abandoned, is_staging, last_number
from annotator.store.staging_check import see_what_is_hidden_wrongly, staging_problem
from annotator.store.table_check import table_differences
from annotator.store.work.seals import seal_problems, sealed_since

EVENT = "SELECT n, {fields}, prev_hash, hash FROM main.event WHERE n>=? AND n<=? ORDER BY n LIMIT ?"
PARENTS = "SELECT n, id, parents FROM event WHERE n>=? AND n<=? AND parents<>'' ORDER BY n LIMIT ?"
STRAY_ITEM = """
SELECT i.id FROM item i LEFT JOIN item_facet f ON f.id=i.facet
WHERE iif(i.removed, i.facet<>0,
    (f.task_set, f.task, f.state, f.source, f.flags, f.assignees)
    IS NOT (i.task_set, i.task, i.state, i.source, i.flags, i.assignees))
LIMIT 1
"""
_SEEN = "SELECT 1 FROM event WHERE entity_id=e.entity_id AND field=e.field AND instr(parents, e.id)>0"
# The newest values of a field are those that no other event names as what it saw. It has mostly arrived next:
# without looking there first, a field that was edited 17,000 times took minutes.
NEWEST = f"""
SELECT entity_id, field, id FROM event e WHERE field<>'*'
    AND NOT EXISTS ({_SEEN} AND n>e.n ORDER BY n) AND NOT EXISTS ({_SEEN} AND n<e.n)
"""
KNOWN = "SELECT entity_id, field, event FROM head"
STRAY_HEAD = f"""
SELECT entity_id FROM (SELECT * FROM ({NEWEST}) EXCEPT {KNOWN})
UNION ALL SELECT entity_id FROM ({KNOWN} EXCEPT SELECT * FROM ({NEWEST})) LIMIT 1
"""

Part = Literal["all", "evidence", "tables"]


def write_newest_values(connection: Connection) -> None:
    """Fill the empty table of the newest values of fields from the log, in the caller's transaction."""
    connection.execute(f"INSERT INTO main.head (entity_id, field, event) {NEWEST}")


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One fault of a project.

    Attributes:
        kind: ``page``, ``schema``, ``staging``, ``hash``, ``chain``, ``parent``, ``projection``,
            ``model_work``, ``media_changed``, ``unreadable`` …
        where: The event, table or file.
        message: What is wrong.
    """

    kind: str
    where: str
    message: str


def verify_project(path: Path, *, part: Part = "all", progress: Progress) -> Iterator[Problem]:
    """Check pages, log and projections; yields nothing where all is well.

    Of a project of an older version, its tables are not compared: they are made anew from the log, which must
    be one that can be replayed.

    Args:
        path: The project file; it is only read, and may be in use: each check sees one state, and the
            write-ahead log can be emptied between them.
        part: Pages, schema, log and search indexes (``evidence``), tables and model work (``tables``), or
            all.
        progress: One step per event.

    Raises:
        EnvironmentFailure: The file cannot be read at all.
        UserError: It is not an SQLite database.
        Cancelled: The user stopped it.
    """
    connection = connect(path, read_only=True)
    try:
        with convert_disk_errors():
            yield from _completed(_begun(connection, is_told=part != "tables"), connection)
            if part != "tables":
                yield from _evidence_problems(connection, progress=progress)
            if part != "evidence":
                yield from _completed(_table_problems(connection, progress=progress), connection)
                yield from _completed(_work_problems(connection, progress=progress), connection)
    finally:
        connection.close()


def _evidence_problems(connection: Connection, *, progress: Progress) -> Iterator[Problem]:
    yield from _completed(_page_problems(connection), connection)
    yield from _completed(_schema_problems(connection), connection)
    yield from _completed(_log_problems(connection, progress=progress), connection)
    yield from _completed(_own_problems(connection, progress=progress), connection)


def _completed(check: Iterator[Problem], connection: Connection) -> Iterator[Problem]:
    """Yield what a check of a project finds; an error ends this check and not the others."""
    try:
        yield from check
    except Cancelled:
        raise
    except DatabaseError as error:
        if is_damage(error):
            yield Problem(kind="page", where="file", message=f"The file cannot be read to the end: {error}")
        else:
            text = full_disk_message(error, project=connection) or str(error)
            yield Problem(kind="unreadable", where="file", message=f"A check cannot be completed: {text}")
    except Exception as error:  # noqa: BLE001 - a damaged value can raise anything in whatever reads it
        text = full_disk_message(error, project=connection) or f"{type(error).__name__}: {error}"
        yield Problem(kind="unreadable", where="file", message=f"A check cannot be completed: {text}")


def _begun(connection: Connection, *, is_told: bool) -> Iterator[Problem]:
    """Have a connection see what is published, and all of what a wrong row hides."""
    # Word lists are temporary tables, which query_only forbids; mode=ro still protects the file.
    connection.execute("PRAGMA query_only=OFF")
    with one_state(connection):
        problem = staging_problem(connection)
    if problem:
        # Outside of the transaction, whose end would take the temporary table away.
        see_what_is_hidden_wrongly(connection)
    if problem and is_told:
        yield Problem(kind="staging", where="file", message=problem)
    if is_current(connection):
        hide_staged(connection)
    else:
        show_published_log(connection, horizon=horizon(connection))


def _schema_problems(connection: Connection) -> Iterator[Problem]:
    for message in problems_of_schema(connection):
        yield Problem(kind="schema", where="file", message=message)


def _log_problems(connection: Connection, *, progress: Progress) -> Iterator[Problem]:
    progress.begin("Checking the hash chain", total=event_count(connection))
    yield from log_problems(connection, progress=progress)


def _work_problems(connection: Connection, *, progress: Progress) -> Iterator[Problem]:
    """Recompute the sums over the rows of model work, which are not in the log."""
    # By the table, and not by the version that the file states, which anybody can write.
    if not has_work_seals(connection):
        return
    progress.begin("Checking model work")
    with one_state(connection):
        for found in seal_problems(connection, progress=progress):
            where = f"{found.part} {found.run}".strip()
            yield Problem(kind="model_work", where=where, message=found.message)


def work_sealed_since(path: Path) -> str:
    """Return from when on the model work of a project was sealed as it was recorded, "" for always.

    Earlier model work was sealed as it was found when the project was upgraded.
    """
    connection = connect(path, read_only=True)
    try:
        return sealed_since(connection)
    except DatabaseError:
        # What is wrong with the file is a problem of its own.
        return ""
    finally:
        connection.close()


def is_work_sealed(path: Path) -> bool:
    """Return whether the model work of a project has seals to verify it with."""
    connection = connect(path, read_only=True)
    try:
        return has_work_seals(connection)
    except DatabaseError:
        # As above.
        return True
    finally:
        connection.close()


Unfinished = Literal["", "running", "abandoned"]


def unfinished_entry(path: Path) -> Unfinished:
    """Return what became of an entry of many records that hides a part from verification, "" for none.

    A wrong row is none: it is a problem by itself.
    """
    connection = connect(path, read_only=True)
    try:
        with one_state(connection):
            if not is_staging(connection) or staging_problem(connection):
                return ""
            return "abandoned" if is_abandoned(connection) else "running"
    except DatabaseError:
        # As above.
        return ""
    finally:
        connection.close()


def _page_problems(connection: Connection) -> Iterator[Problem]:
    for (text,) in connection.execute("PRAGMA integrity_check(20)"):
        if text != "ok":
            yield Problem(
                kind="page", where="file", message=f"SQLite reports that the file is damaged: {text}"
            )


def log_problems(connection: Connection, *, progress: Progress) -> Iterator[Problem]:
    """Recompute every hash, and follow the chain of each actor and session."""
    last: dict[tuple[str, str], tuple[int, bytes]] = {}
    yield from _number_problems(connection)
    # Of one actor the events of all sessions are met in order of arrival; a chain may begin at the
    # actor's end so far.
    newest: dict[str, bytes] = {}
    until = last_number(connection)
    select = EVENT.format(fields=sealed_event_columns(connection))
    for _, *fields, prev_hash, sealed in _in_pieces(connection, select, until=until):
        progress.step()
        event_id, actor, session_id, seq = fields[:4]
        if event_hash(fields, prev_hash=prev_hash) != sealed:
            yield Problem(kind="hash", where=event_id, message="The event was changed after it was written.")
        # Usually a session follows the previous one directly, which needs no query.
        start = prev_hash if prev_hash == newest.get(actor, FIRST_HASH) else None
        before, end = last.get((actor, session_id)) or (0, start or _start(connection, actor, prev_hash))
        if seq != before + 1 or prev_hash != end:
            text = f"Event {seq} does not follow event {before}."
            yield Problem(kind="chain", where=event_id, message=text)
        last[actor, session_id] = (seq, sealed)
        newest[actor] = sealed
    yield from _parent_problems(connection, until=until)


def _number_problems(connection: Connection) -> Iterator[Problem]:
    """Yield the events with arrival numbers that Vantage gives to none, some of which no reader would see."""
    select = "SELECT id, n FROM main.event WHERE n<1 OR n=? ORDER BY n"
    for event_id, number in connection.execute(select, (LAST_NUMBER,)):
        text = f"The arrival number {number} of the event is not one of the log."
        yield Problem(kind="chain", where=event_id, message=text)


def _in_pieces(connection: Connection, select: str, *, until: int) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a log in pieces, so that the write-ahead log can be emptied between them.

    A question that stays open, or a transaction around all of it, would let the file beside the project grow
    with all that others write until the verification ends.
    """
    first = FIRST_NUMBER
    while rows := connection.execute(select, (first, until, AT_A_TIME)).fetchall():
        yield from rows
        # Not beyond the limit, which can be the largest integer that SQLite compares with.
        if rows[-1][0] == until:
            return
        first = rows[-1][0] + 1


def sealed_event_columns(connection: Connection) -> str:
    """Return the SQL of an event's columns as they were sealed: hashes cover former names of fields."""
    is_packed = "packed" in {row[1] for row in connection.execute("PRAGMA main.table_info(event)")}
    value = "iif(packed IS NULL, value, unpack(packed))" if is_packed else "value"
    return ", ".join(value if name == "value" else name for name in SEALED)


def _start(connection: Connection, actor: str, prev_hash: bytes) -> bytes | None:
    """Return the hash that a new session continues, None if the actor has no event with it."""
    if prev_hash == FIRST_HASH:
        return FIRST_HASH
    select = "SELECT hash FROM event WHERE actor=? AND hash=? LIMIT 1"
    found = connection.execute(select, (actor, prev_hash)).fetchone()
    return bytes(found[0]) if found else None


def _parent_problems(connection: Connection, *, until: int) -> Iterator[Problem]:
    known = "SELECT 1 FROM event WHERE id=?"
    for _, event_id, parents in _in_pieces(connection, PARENTS, until=until):
        for parent in parents.split(","):
            if connection.execute(known, (parent,)).fetchone() is None:
                yield Problem(
                    kind="parent", where=event_id, message=f"The parent event {parent} is not in the log."
                )


def _table_problems(connection: Connection, *, progress: Progress) -> Iterator[Problem]:
    """Compare the tables with those that the log gives."""
    try:
        for where, message in table_differences(connection, progress=progress):
            yield _difference(where, message)
    except (UserError, IntegrityError, msgspec.MsgspecError) as error:
        text = error.message if isinstance(error, UserError) else str(error)
        yield Problem(kind="projection", where="log", message=f"The log cannot be replayed: {text}")


def _own_problems(connection: Connection, *, progress: Progress) -> Iterator[Problem]:
    """Compare what is derived from the project's own tables: facets of items, newest values, searches."""
    if not is_current(connection):
        return
    for (item,) in connection.execute(STRAY_ITEM):
        yield _difference(f"item {item}", "The facet of the record differs from its values.")
    with one_state(connection):
        # ``head`` already contains staged values, which cannot be filtered out.
        for (record,) in () if is_staging(connection) else connection.execute(STRAY_HEAD):
            yield _difference(f"head {record}", "The newest value of a field differs from the log.")
    for table in differing_searches(connection, progress=progress):
        yield _difference(table, "The search index differs from the records.")


def _difference(where: str, message: str) -> Problem:
    return Problem(kind="projection", where=where, message=message)
