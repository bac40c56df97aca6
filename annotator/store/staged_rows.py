"""SQL conditions that hide the rows of one large entry, undo or redo until it is published.

Staged rows are in the same tables as all others, behind a gap of arrival numbers. The only row of ``staging``
contains the first of their numbers; deleting this row makes all of them visible at once. It can also hide a
range of earlier numbers: the records of one command that an undo has yet to remove, or a redo to restore.
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
"""Largest arrival number: integers of SQLite are signed and have 8 bytes."""
FIRST_NUMBER = -1 - LAST_NUMBER
"""Smallest integer of SQLite. Vantage begins with 1, but a file can be from anybody."""
HORIZON = f"coalesce((SELECT first_n FROM staging), {LAST_NUMBER})"
"""SQL of the arrival number from which on rows are not visible yet."""
_HIDDEN = "coalesce((SELECT hidden_from FROM staging), 1) AND coalesce((SELECT hidden_to FROM staging), 0)"


def visible_sql(number: str = "n") -> str:
    """Return the SQL condition for visible rows.

    Args:
        number: SQL of the arrival number. With a unary plus SQLite does not use the condition to choose an
            index, and keeps the index on other columns.
    """
    return f"{number}<{HORIZON} AND {number} NOT BETWEEN {_HIDDEN}"


STAGED_ENTITIES = ("source", "medium", "scene", "region", "path", "event_label", "trajectory", "item", "flag")
"""Records that can be staged; all others are entered by the transaction that publishes."""
