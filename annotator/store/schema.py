"""Creates and checks the tables of the project file; those of records are defined by the record types."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

from annotator.domain.record import to_json
from annotator.errors import UserError
from annotator.store.connection import Connection
from annotator.store.projection import Projection, create_searches, create_tables
from annotator.store.projections import PROJECTIONS
from annotator.store.schema_check import foreign_code, schema_problems
from annotator.store.staged_rows import HORIZON, STAGING_TABLE
from annotator.store.work.seals import create_seals
from annotator.store.work.tables import create_work_tables

APPLICATION_ID = 0x56_41_4E_54
"""``VANT`` in the file header distinguishes a project from other SQLite files."""
USER_VERSION = 10
"""Version of the tables; those of an older file are rebuilt from its log when it is opened for writing."""

EVENT_TABLE = """
CREATE TABLE event (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    actor TEXT NOT NULL,
    incarnation TEXT NOT NULL,
    seq INTEGER NOT NULL,
    lamport INTEGER NOT NULL,
    parents TEXT NOT NULL,
    entity TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    schema INTEGER NOT NULL,
    command TEXT NOT NULL,
    wall_time TEXT NOT NULL,
    prev_hash BLOB NOT NULL,
    hash BLOB NOT NULL,
    packed BLOB
) STRICT
"""
# Both unique ones refuse a second event of the same id or place, whatever wrote it.
EVENT_INDEXES = (
    "CREATE UNIQUE INDEX event_id ON event(id)",
    "CREATE UNIQUE INDEX event_chain ON event(actor, incarnation, seq)",
    "CREATE INDEX event_record ON event(entity_id, n)",
    "CREATE INDEX event_command ON event(command, n)",
)
# Triggers enforce the append-only log for every writer. Only staged events, which are invisible, can be
# deleted.
EVENT_GUARDS = tuple(
    f"CREATE TRIGGER event_is_never_{verb}d BEFORE {verb} ON event {condition} "
    "BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END"
    for verb, condition in (("update", ""), ("delete", f"WHEN OLD.n<{HORIZON}"))
)
FORMER_GUARD = (
    "CREATE TRIGGER event_is_never_deleted BEFORE delete ON event "
    "BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END"
)
"""Of versions before the first that staged events."""
HEAD_TABLE = """
CREATE TABLE head (
    entity_id TEXT NOT NULL,
    field TEXT NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (entity_id, field, event)
) STRICT, WITHOUT ROWID
"""
DIGEST_TABLE = "CREATE TABLE schema_digest (digest TEXT NOT NULL) STRICT"
FIRST_WITH = {"run": 3, "prediction": 9, "work_seal": 10}
"""Project version that each of these tables is in from."""
_TABLE_EXISTS = "SELECT 1 FROM main.sqlite_schema WHERE type='table' AND name=?"
DIGEST_EXISTS = "SELECT 1 FROM sqlite_schema WHERE type='table' AND name='schema_digest'"


class ForeignSchema(UserError):  # noqa: N818 - says what is wrong with the file, as its base class does
    """Say that another program has changed the schema of a project."""


def create_schema(connection: Connection) -> None:
    """Create the log, model work and all projections in an empty file, inside the caller's transaction."""
    create_evidence(connection)
    create_projections(connection)


def create_evidence(connection: Connection) -> None:
    """Create the log and the tables of model work, which are computed from nothing else, in an empty file."""
    for statement in (EVENT_TABLE, *EVENT_INDEXES, HEAD_TABLE):
        connection.execute(statement)
    create_staging(connection)
    create_work_tables(connection)
    create_seals(connection, is_new=True)
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={USER_VERSION}")


def create_staging(connection: Connection) -> None:
    """Create or replace the table ``staging`` and the triggers of the log that refer to it."""
    connection.execute("DROP TABLE IF EXISTS staging")
    connection.execute(STAGING_TABLE)
    for verb in ("update", "delete"):
        connection.execute(f"DROP TRIGGER IF EXISTS event_is_never_{verb}d")
    for statement in EVENT_GUARDS:
        connection.execute(statement)


def add_packed_values(connection: Connection) -> None:
    """Let the log of an older file hold packed values; those that it has stay as they are."""
    if "packed" not in {row[1] for row in connection.execute("PRAGMA table_info(event)")}:
        connection.execute("ALTER TABLE event ADD COLUMN packed BLOB")


def create_projections(
    connection: Connection, *, unlisted: Collection[str] = (), is_searched: bool = True
) -> None:
    """Create the tables that are computed from the log alone.

    Args:
        connection: In the caller's transaction.
        unlisted: Tables that no list is read from; they get no indexes for that.
        is_searched: Whether to create the search tables.
    """
    for entity, projection in PROJECTIONS.items():
        create_tables(connection, projection, is_listed=entity not in unlisted)
        if is_searched:
            create_searches(connection, projection)
    connection.execute(DIGEST_TABLE)
    connection.execute("INSERT INTO schema_digest (digest) VALUES (?)", (schema_digest(),))


def schema_digest() -> str:
    """Return a digest of the tables that are not the log's own; a new record type gives another one."""
    tables = [STAGING_TABLE, *(_description(projection) for projection in PROJECTIONS.values())]
    return hashlib.sha256(to_json(sorted(tables)).encode()).hexdigest()


@cache
def _description(projection: Projection) -> str:
    table, hooks = projection.table, projection.hooks
    columns = [(column.name, column.type.__name__) for column in table.columns]
    searches = (table.search_text is not None, table.substrings is not None)
    return to_json((table.entity, columns, table.indexes, searches, hooks.derived, hooks.tables))


def is_current(connection: Connection) -> bool:
    """Return whether the tables of a file are those of this version and its record types."""
    if version_of(connection) != USER_VERSION or connection.execute(DIGEST_EXISTS).fetchone() is None:
        return False
    found: tuple[str] | None = connection.execute("SELECT digest FROM schema_digest").fetchone()
    return found == (schema_digest(),)


def version_of(connection: Connection) -> int:
    """Return the version of a file's tables."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def require_project_schema(connection: Connection, *, path: Path, may_be_older: bool = False) -> None:
    """Check that a file is a project whose tables are of this version.

    Args:
        connection: The file.
        path: Its path, for messages.
        may_be_older: Accept older versions, which the caller migrates next.

    Raises:
        UserError: It is not a project, or has another version.
    """
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise UserError(
            f"{path} is not a Vantage project.", hint="Choose a .vantage file, or create a new project."
        )
    version = version_of(connection)
    if version > USER_VERSION:
        raise UserError(
            f"{path} was written by a newer Vantage (project version {version}; supported: {USER_VERSION}).",
            hint="Update Vantage. The file is unchanged.",
        )
    if not (may_be_older or is_current(connection)):
        reason = f"was written by an older Vantage (project version {version}; current: {USER_VERSION})"
        if version == USER_VERSION:
            reason = "was last opened by a Vantage with other record types"
        raise UserError(
            f"{path} {reason}.",
            hint="Open the project once for writing. Vantage makes a backup and then upgrades the file.",
        )
    # An older file gets new tables, but its triggers would run while they are made.
    if problem := next(problems_of_schema(connection), None):
        raise ForeignSchema(
            f"{path} was changed by another program: {problem}",
            hint=(
                "Restore a backup, and do not use this file unless you trust its source. "
                "List the differences with: verify PROJECT. Make the tables anew with: rebuild PROJECT"
                if is_current(connection)
                else "Restore a backup, and do not use this file unless you trust its source. "
                "List the differences with: verify PROJECT"
            ),
        )


def problems_of_schema(connection: Connection) -> Iterator[str]:
    """Yield what in a schema is not as Vantage creates it; in an older one triggers, views, version."""
    if is_current(connection):
        return schema_problems(connection, create=create_schema, digest=schema_digest())
    code = foreign_code(connection, guards=(*EVENT_GUARDS, FORMER_GUARD))
    return chain(code, _version_problems(connection))


def has_work_seals(connection: Connection) -> bool:
    """Return whether a file has seals of its model work, whatever version it states."""
    return connection.execute(_TABLE_EXISTS, ("work_seal",)).fetchone() is not None


def _version_problems(connection: Connection) -> Iterator[str]:
    """Yield where the stated version is not that of the tables: with another one, less would be verified."""
    version = version_of(connection)
    for table, first in FIRST_WITH.items():
        is_there = connection.execute(_TABLE_EXISTS, (table,)).fetchone() is not None
        if is_there and version < first:
            yield f"The file states project version {version}; its table {table!r} is of version {first}."
        elif version >= first and not is_there:
            yield f"The file states project version {version}, but has no table {table!r}."
