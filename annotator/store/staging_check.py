"""Checks that the row of a staged entry describes what its process has written.

The row decides which events are invisible, and which are deleted after a crash. One with a wrong number, of
another program or of a damaged page, would hide and delete the events of others.
"""

from __future__ import annotations

from annotator.domain.event import CREATED, REMOVED
from annotator.errors import EnvironmentFailure
from annotator.store.connection import Connection
from annotator.store.staged_rows import LAST_NUMBER, STAGED_ENTITIES

DELETED = "deleted "
"""Begins the id of an entry whose deletion has begun: its process, if it still runs, finds no entry of its
own from then on, so that it neither adds to what is being deleted nor publishes the rest."""
FOREIGN = "The staged entry hides events that are not its own."
_IN_ONE_PIECE = """
SELECT count(*)=:last-:first+1 AND count(DISTINCT nullif(command, ''))=1
    AND max(iif(n=:first, command, ''))<>'' AND max(iif(n=:last, command, ''))<>''
FROM main.event WHERE n BETWEEN :first AND :last
"""
_ELSEWHERE = """
SELECT 1 FROM main.event WHERE command=(SELECT command FROM main.event WHERE n=:first)
    AND n NOT BETWEEN :first AND :last LIMIT 1
"""
# As projections decide: the value with the largest Lamport number stands, in whatever order events arrived.
_NOT_REMOVED = f"""
SELECT 1 FROM main.event e WHERE n BETWEEN :first AND :last AND field='{CREATED}'
    AND entity IN ({", ".join(f"'{entity}'" for entity in STAGED_ENTITIES)})
    AND coalesce((
        SELECT value FROM main.event WHERE entity_id=e.entity_id AND field='{REMOVED}' AND n<:horizon
        ORDER BY lamport DESC, id DESC LIMIT 1
    ), 'false')<>'true' LIMIT 1
"""


def staging_problem(connection: Connection) -> str:
    """Return what is wrong with the row of a staged entry, "" for nothing.

    Args:
        connection: A project; it must show one state throughout.
    """
    if not _columns(connection):
        # Of a version that stages nothing.
        return ""
    return _horizon_problem(connection) or _range_problem(connection)


def require_own_events(connection: Connection) -> None:
    """Refuse to delete events behind the gap of a staged entry that are not its own.

    Its hidden records need no such check: of them only those are removed that the log has removed.

    Args:
        connection: As in ``staging_problem``.

    Raises:
        EnvironmentFailure: The row is wrong; nothing was deleted.
    """
    if problem := _columns(connection) and _horizon_problem(connection):
        raise damaged(problem)


def damaged(problem: str) -> EnvironmentFailure:
    """Return the failure of a deletion that would remove the events of others."""
    return EnvironmentFailure(
        f"The project file is damaged: {problem}",
        hint="Nothing was deleted. Restore a backup, or make the tables anew with: rebuild PROJECT",
    )


def has_foreign_events(connection: Connection, identity: str, *, first: int) -> bool:
    """Return whether events from an arrival number on belong to another entry or to none.

    Args:
        connection: A project.
        identity: Id of the entry.
        first: The number.
    """
    select = "SELECT 1 FROM main.event WHERE n>=? AND incarnation<>? LIMIT 1"
    return connection.execute(select, (first, identity.removeprefix(DELETED))).fetchone() is not None


def see_what_is_hidden_wrongly(connection: Connection) -> None:
    """Have a connection see the events and records that a wrong row hides.

    Args:
        connection: May create temporary tables. Called before the views of ``hide_staged`` are created.
    """
    is_staged = not _horizon_problem(connection)
    connection.execute(f"CREATE TEMP TABLE staging AS SELECT * FROM main.staging WHERE {is_staged}")
    if _range_problem(connection):
        connection.execute("UPDATE temp.staging SET hidden_from=1, hidden_to=0")


def _columns(connection: Connection) -> set[str]:
    return {row[1] for row in connection.execute("PRAGMA main.table_info(staging)")}


def _horizon_problem(connection: Connection) -> str:
    found = connection.execute("SELECT id, first_n FROM main.staging").fetchone()
    if found is None:
        return ""
    if has_foreign_events(connection, found[0], first=found[1]):
        return FOREIGN
    if not _is_behind_gap(connection, found[1]):
        return "The staged entry does not begin behind a gap of arrival numbers."
    return ""


def _is_behind_gap(connection: Connection, first: int) -> bool:
    # Behind the last number of all there is nothing: the row of a published undo.
    if first == LAST_NUMBER:
        return True
    (before,) = connection.execute("SELECT max(n) FROM main.event WHERE n<?", (first,)).fetchone()
    # Each log begins with the project itself, which nothing staged comes before.
    return before is not None and int(before) < first - 1


def _range_problem(connection: Connection) -> str:
    # Tables of some older versions have no range.
    if "hidden_to" not in _columns(connection):
        return ""
    found = connection.execute("SELECT hidden_from, hidden_to, first_n FROM main.staging").fetchone()
    if found is None or found[0] > found[1] or _is_hidden_rightly(connection, *found):
        return ""
    return "The staged entry hides records that no undo has removed."


def _is_hidden_rightly(connection: Connection, first: int, last: int, horizon: int) -> bool:
    values = {"first": first, "last": last, "horizon": horizon}
    return (
        last < horizon
        and bool(connection.execute(_IN_ONE_PIECE, values).fetchone()[0])
        and connection.execute(_ELSEWHERE, values).fetchone() is None
        and connection.execute(_NOT_REMOVED, values).fetchone() is None
    )
