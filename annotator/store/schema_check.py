"""Compares the tables, indexes, triggers and views of a project file with those that this version creates.

A project can come from anybody. A trigger that was added to it would run inside the commands of its reader,
and a removed one would let the log be rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from annotator.store.connection import Connection, connect_in_memory

OBJECTS = """
SELECT type, name, tbl_name, ifnull(sql, '') FROM main.sqlite_schema
WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'
"""
# ALTER TABLE … RENAME puts the new name into quotes in the statement that SQLite keeps.
_SPACING = re.compile(r"[\s\"]+")
GUARDS = ("event_is_never_updated", "event_is_never_deleted")
"""Triggers of the log, in files of every version."""


class SchemaObject(NamedTuple):
    """One table, index, trigger or view.

    Attributes:
        kind: ``table``, ``index``, ``trigger`` or ``view``.
        name: Its name.
        definition: Columns of a table; else the statement that creates it, without spacing and quotes.
    """

    kind: str
    name: str
    definition: str


def schema_problems(
    connection: Connection, *, create: Callable[[Connection], None], digest: str
) -> Iterator[str]:
    """Yield what is foreign, missing or different in the schema of a file of this version.

    Args:
        connection: The file.
        create: Creates the schema of this version in an empty file.
        digest: Of that schema, as the key under which it is kept.
    """
    expected = _expected(create, digest)
    found = _objects(connection)
    for key in sorted(expected.keys() | found.keys()):
        kind, name = key
        if key not in expected:
            yield f"The {kind} {name!r} is not part of a project."
        elif key not in found:
            yield f"The {kind} {name!r} is missing."
        elif found[key] != expected[key]:
            yield f"The {kind} {name!r} differs from that of a project."


def foreign_code(connection: Connection) -> Iterator[str]:
    """Yield the triggers and views that no version has ever created."""
    for kind, name, table, _sql in connection.execute(OBJECTS).fetchall():
        if kind == "view" or (kind == "trigger" and (name not in GUARDS or table != "event")):
            yield f"The {kind} {name!r} is not part of a project."


@cache
def _expected(create: Callable[[Connection], None], _digest: str) -> dict[tuple[str, str], SchemaObject]:
    connection = connect_in_memory()
    try:
        create(connection)
        return _objects(connection)
    finally:
        connection.close()


def _objects(connection: Connection) -> dict[tuple[str, str], SchemaObject]:
    objects = (
        SchemaObject(kind, name, _columns(connection, name) if kind == "table" else _SPACING.sub("", sql))
        for kind, name, _table, sql in connection.execute(OBJECTS).fetchall()
    )
    return {(one.kind, one.name): one for one in objects}


def _columns(connection: Connection, table: str) -> str:
    # Of the file itself: a temporary view of the same name hides staged rows. Not the statement: a table that
    # was renamed or extended has another one, with the same columns.
    select = """SELECT name, type, "notnull", pk FROM pragma_table_info(?, 'main')"""
    return str(connection.execute(select, (table,)).fetchall())
