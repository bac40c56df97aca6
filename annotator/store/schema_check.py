"""Compares the tables, indexes, triggers and views of a project file with those that this version creates.

A project can come from anybody. A trigger that was added to it would run inside the commands of its reader,
and a removed one would let the log be rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import NamedTuple

from annotator.store.connection import Connection, connect_in_memory

OBJECTS = "SELECT type, name, ifnull(sql, '') FROM main.sqlite_schema"
# ALTER TABLE … RENAME puts the new name into quotes in the statement that SQLite keeps.
_SPACING = re.compile(r"[\s\"]+")
_TABLE = re.compile(r'CREATE\s+(?:VIRTUAL\s+)?TABLE\s+"?(\w+)"?[\s(]')
_VIRTUAL = re.compile(r"CREATE\s+VIRTUAL\b", re.IGNORECASE)
# SQLite reads the statement alone: the type and the name beside it can be those of anything.
_NO_CODE = re.compile(r"(CREATE\s+(UNIQUE|INDEX|VIRTUAL|TABLE)\b|$)", re.IGNORECASE)
_CLAUSES = re.compile(r"\b(?:CHECK|REFERENCES|COLLATE|CONFLICT)\b", re.IGNORECASE)
STATISTICS = {
    ("table", "sqlite_stat1"): "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    ("table", "sqlite_stat4"): "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
"""What ANALYZE of any program adds."""
# A window opens a project half a dozen times. To ask SQLite for each table takes 3 ms, its statements 0.2 ms.
_sound: set[tuple[object, ...]] = set()
"""Schemas in which this process has found no problem: their digests and rows."""


class SchemaObject(NamedTuple):
    """One table, index, trigger or view.

    Attributes:
        kind: ``table``, ``index``, ``trigger`` or ``view``.
        name: Its name.
        definition: Columns and clauses of a table; else the statement that creates it, without spacing and
            quotes.
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
    statements = (digest, *connection.execute(OBJECTS).fetchall())
    if statements in _sound:
        return
    problems = list(_differences(connection, create=create, digest=digest))
    if not problems:
        _sound.add(statements)
    yield from problems


def _differences(
    connection: Connection, *, create: Callable[[Connection], None], digest: str
) -> Iterator[str]:
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


def foreign_code(connection: Connection, *, guards: Collection[str]) -> Iterator[str]:
    """Yield the triggers and views that no version has ever created.

    Args:
        connection: The file.
        guards: Statements of the triggers that files of some version have.
    """
    known = {_SPACING.sub("", guard) for guard in guards}
    for kind, name, sql in connection.execute(OBJECTS).fetchall():
        if not _NO_CODE.match(sql) and _SPACING.sub("", sql) not in known:
            yield f"The {kind} {name!r} is not part of a project."


@cache
def _expected(
    create: Callable[[Connection], None], _digest: str
) -> dict[tuple[str, str], list[SchemaObject]]:
    connection = connect_in_memory()
    try:
        create(connection)
        return _objects(connection)
    finally:
        connection.close()


def _objects(connection: Connection) -> dict[tuple[str, str], list[SchemaObject]]:
    """Return the rows of the schema by type and name; in a forged one several can have the same."""
    found: dict[tuple[str, str], list[SchemaObject]] = {}
    for kind, name, sql in connection.execute(OBJECTS).fetchall():
        if STATISTICS.get((kind, name)) != sql:
            definition = _table(connection, name, sql) if kind == "table" else _SPACING.sub("", sql)
            found.setdefault((kind, name), []).append(SchemaObject(kind, name, definition))
    return found


def _table(connection: Connection, name: str, sql: str) -> str:
    """Describe a table without the statement: one that was renamed or extended has another one."""
    created = _TABLE.match(sql)
    if created is None or created[1] != name or _VIRTUAL.match(sql):
        return _SPACING.sub("", sql)
    # Of the file itself: a temporary view of the same name hides staged rows. Functions could be run by a
    # default value, too.
    columns = connection.execute(
        """SELECT name, type, "notnull", pk, hidden, ifnull(instr(dflt_value, '('), 0)
        FROM pragma_table_xinfo(?, 'main')""",
        (name,),
    ).fetchall()
    options = connection.execute(
        "SELECT type, wr, strict FROM pragma_table_list(?) WHERE schema='main'", (name,)
    ).fetchall()
    return str((columns, options, sorted(word.upper() for word in _CLAUSES.findall(sql))))
