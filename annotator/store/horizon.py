"""Hides the rows of an entry that is still being staged from everybody who reads the project.

Staged rows lie in the same tables as all others, behind a gap of arrival numbers. The one row of ``staging``
says where they begin; deleting it makes them visible in a single step, however many they are.
"""

from __future__ import annotations

from annotator.store.connection import Connection

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
HORIZON = "coalesce((SELECT first_n FROM staging), 9223372036854775807)"
"""SQL of the arrival number from which on rows are not visible yet."""
STAGED_ENTITIES = ("source", "medium", "scene", "region", "path", "event_label", "trajectory", "item", "flag")
"""Records that can be staged; all others are entered by the transaction that publishes."""
# A plain comparison lets max(n) of the log be read off its end.
_HIDDEN_EVENTS = f"CREATE TEMP VIEW event AS SELECT * FROM main.event WHERE n<{HORIZON}"
# The unary plus keeps SQLite from taking the horizon for a selective condition and scanning by number.
_HIDDEN_RECORDS = "CREATE TEMP VIEW {entity} AS SELECT * FROM main.{entity} WHERE +n<{horizon}"
_HIDDEN_VIEWS = """
CREATE TEMP VIEW scene_view AS SELECT * FROM main.scene_view v
WHERE NOT EXISTS (SELECT 1 FROM staging) OR EXISTS (
    SELECT 1 FROM main.scene WHERE id=v.scene AND n<(SELECT first_n FROM staging))
"""


def hide_staged(connection: Connection) -> None:
    """Have a connection that only reads see no staged row, under the usual names of the tables."""
    is_read_only = connection.execute("PRAGMA query_only").fetchone()[0]
    # It refuses temporary views as well.
    connection.execute("PRAGMA query_only=OFF")
    for entity in STAGED_ENTITIES:
        connection.execute(_HIDDEN_RECORDS.format(entity=entity, horizon=HORIZON))
    connection.execute(_HIDDEN_EVENTS)
    connection.execute(_HIDDEN_VIEWS)
    connection.execute(f"PRAGMA query_only={is_read_only}")


def show_staged(connection: Connection) -> None:
    """Have a connection see the staged rows as if they were visible: it is the one that writes them."""
    connection.execute("CREATE TEMP TABLE staging AS SELECT * FROM main.staging WHERE 0")
