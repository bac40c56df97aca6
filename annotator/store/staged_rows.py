"""Which rows nobody sees while one large entry, undo or redo is under way.

Staged rows lie in the same tables as all others, behind a gap of arrival numbers. The one row of ``staging``
says where they begin; deleting it makes them visible in a single step, however many they are. It can also
hide a range of older arrival numbers: the records of one command, whose rows an undo still has to remove, or
a redo to bring back.
"""

from __future__ import annotations

STAGING_TABLE = """
CREATE TABLE staging (
    slot INTEGER PRIMARY KEY CHECK (slot=1),
    id TEXT NOT NULL,
    first_n INTEGER NOT NULL,
    hidden_from INTEGER NOT NULL DEFAULT 1,
    hidden_to INTEGER NOT NULL DEFAULT 0,
    host TEXT NOT NULL,
    process INTEGER NOT NULL,
    active_at REAL NOT NULL
) STRICT
"""
LAST_NUMBER = (1 << 63) - 1
"""Largest arrival number: SQLite keeps whole numbers in 8 bytes with a sign."""
HORIZON = f"coalesce((SELECT first_n FROM staging), {LAST_NUMBER})"
"""SQL of the arrival number from which on rows are not visible yet."""
_HIDDEN = "coalesce((SELECT hidden_from FROM staging), 1) AND coalesce((SELECT hidden_to FROM staging), 0)"


def visible_sql(number: str = "n") -> str:
    """Return the SQL condition that a row is visible.

    Args:
        number: SQL of the row's arrival number. With a unary plus SQLite takes neither bound for a selective
            condition, and keeps its index on other columns.
    """
    return f"{number}<{HORIZON} AND {number} NOT BETWEEN {_HIDDEN}"


STAGED_ENTITIES = ("source", "medium", "scene", "region", "path", "event_label", "trajectory", "item", "flag")
"""Records that can be staged; all others are entered by the transaction that publishes."""
