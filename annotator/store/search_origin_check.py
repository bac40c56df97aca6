"""Checks the column by which FTS5 finds the part of a search index that holds a text.

Each row of lengths names the ``origin`` of its text, a number in the range of one part. When the record
changes, its former text is marked as deleted in that part; with another number the mark is written where the
text is not, and searches go on finding the record by it.
"""

from __future__ import annotations

from annotator.store.connection import Connection, DatabaseError, is_damage

_CREATE = (
    "CREATE VIRTUAL TABLE temp.{table}_copy USING fts5(text, content='', contentless_delete=1)",
    "DELETE FROM temp.{table}_copy_data",
    "INSERT INTO temp.{table}_copy_data (id, block) SELECT id, block FROM main.{table}_data",
    (
        "INSERT INTO temp.{table}_copy_docsize (id, sz, origin) "
        "SELECT id, sz, origin FROM main.{table}_docsize"
    ),
    # After the pages, because it reads the list of parts, once. Each mark writes its page anew: with pages of
    # the usual size, all marks take three times as long.
    "INSERT INTO temp.{table}_copy ({table}_copy, rank) VALUES ('pgsz', 512)",
    "CREATE VIRTUAL TABLE temp.{table}_left USING fts5vocab('temp', '{table}_copy', 'row')",
)
_DROP = ("DROP TABLE IF EXISTS temp.{table}_left", "DROP TABLE IF EXISTS temp.{table}_copy")


def has_undeletable_text(connection: Connection, table: str) -> bool:
    """Return whether a text would stay in a search index when its record changes.

    All texts are deleted from a copy of the index, in which none may be left.

    Args:
        connection: The project; it may create temporary tables.
        table: Name of the search table.
    """
    try:
        for statement in _CREATE:
            connection.execute(statement.format(table=table))
        connection.execute(f"DELETE FROM temp.{table}_copy")
        return connection.execute(f"SELECT 1 FROM temp.{table}_left LIMIT 1").fetchone() is not None
    except DatabaseError as error:
        if not is_damage(error):
            raise
        return True
    finally:
        for statement in _DROP:
            connection.execute(statement.format(table=table))
