"""Temporary views of the tables for readers: without staged rows, values decompressed, current field names.

The views have the names of the tables and precede them in name resolution, so queries need not be adapted.
"""

from __future__ import annotations

from annotator.store.connection import Connection
from annotator.store.event_upgrade import field_sql, value_sql
from annotator.store.projections import PROJECTIONS
from annotator.store.staged_rows import HORIZON, STAGED_ENTITIES, visible_sql

# A plain comparison lets max(n) of the log be read off its end.
_HIDDEN_EVENTS = "CREATE TEMP VIEW event AS SELECT {columns} FROM main.event WHERE n<{horizon}"
# The unary plus keeps SQLite from choosing a scan by number because of the horizon.
_HIDDEN_RECORDS = "CREATE TEMP VIEW {entity} AS SELECT {columns} FROM main.{entity} WHERE {is_visible}"
_HIDDEN_VIEWS = f"""
CREATE TEMP VIEW scene_view AS SELECT * FROM main.scene_view v
WHERE NOT EXISTS (SELECT 1 FROM staging) OR EXISTS (
    SELECT 1 FROM main.scene WHERE id=v.scene AND {visible_sql()})
"""


def hide_staged(connection: Connection) -> None:
    """Have a connection that only reads see no staged row, under the usual names of the tables."""
    is_read_only = connection.execute("PRAGMA query_only").fetchone()[0]
    # query_only also forbids temporary views.
    connection.execute("PRAGMA query_only=OFF")
    for entity in STAGED_ENTITIES:
        columns = _columns(connection, entity, record=PROJECTIONS[entity].record_sql)
        view = _HIDDEN_RECORDS.format(entity=entity, columns=columns, is_visible=visible_sql("+n"))
        connection.execute(view)
    show_published_log(connection)
    connection.execute(_HIDDEN_VIEWS)
    connection.execute(f"PRAGMA query_only={is_read_only}")


def show_published_log(connection: Connection, *, horizon: str = HORIZON) -> None:
    """Have a connection see the log without staged events, with this version's fields, also in an older file.

    Args:
        connection: May create temporary views.
        horizon: SQL of the arrival number from which on events are not visible.
    """
    is_packed = "packed" in {row[1] for row in connection.execute("PRAGMA main.table_info(event)")}
    value = value_sql("iif(packed IS NULL, value, unpack(packed))" if is_packed else "value")
    columns = _columns(connection, "event", field=field_sql(), value=value)
    connection.execute(_HIDDEN_EVENTS.format(columns=columns, horizon=horizon))


def _columns(connection: Connection, table: str, **expressions: str) -> str:
    """Return a table's columns as a view has them: some worked out, under their own names."""
    names = (row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
    return ", ".join(f"{expressions.get(name, name)} AS {name}" for name in names if name != "packed")


def show_staged(connection: Connection) -> None:
    """Make staged rows visible to the connection that writes them, by an empty temporary ``staging``."""
    connection.execute("CREATE TEMP TABLE staging AS SELECT * FROM main.staging WHERE 0")
