"""Where the rows begin that nobody sees yet, because their entry is still being staged.

Staged rows lie in the same tables as all others, behind a gap of arrival numbers. The one row of ``staging``
says where they begin; deleting it makes them visible in a single step, however many they are.
"""

from __future__ import annotations

STAGING_TABLE = """
CREATE TABLE staging (
    slot INTEGER PRIMARY KEY CHECK (slot=1),
    id TEXT NOT NULL,
    first_n INTEGER NOT NULL,
    host TEXT NOT NULL,
    process INTEGER NOT NULL,
    active_at REAL NOT NULL
) STRICT
"""
LAST_NUMBER = (1 << 63) - 1
"""Largest arrival number: SQLite keeps whole numbers in 8 bytes with a sign."""
HORIZON = f"coalesce((SELECT first_n FROM staging), {LAST_NUMBER})"
"""SQL of the arrival number from which on rows are not visible yet."""
STAGED_ENTITIES = ("source", "medium", "scene", "region", "path", "event_label", "trajectory", "item", "flag")
"""Records that can be staged; all others are entered by the transaction that publishes."""
