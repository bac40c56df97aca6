"""Compares the tables of a project with those that its log gives, made anew in a temporary file.

Each group of tables is compared in a state of its own, so that the write-ahead log can be emptied between
them while others write.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from annotator.progress import Progress
from annotator.store import medium_facet, scene_facet
from annotator.store.connection import Connection, transaction
from annotator.store.projections import PROJECTIONS
from annotator.store.replay import Replay
from annotator.store.schema import EVENT_TABLE, is_current
from annotator.store.scratch_database import attached, first_difference, one_state, scratch_database
from annotator.store.staged_rows import STAGED_ENTITIES, STAGING_TABLE, visible_sql
from annotator.store.staging import has_staging, last_number

UNLISTED = ("item",)
"""Tables whose indexes for lists are not rebuilt: no projection looks anything up in them, and their entries
come in no order, which is most of the work of a large project."""
# Ids of combinations depend on the order of writing, so only the combinations themselves are compared.
UNCOMPARED = {"item": {"facet"}, "medium": {"facet"}, "scene": {"facet"}}
KEPT_BY_HOOKS = {
    "item_facet": "SELECT task_set, task, state, source, flags, assignees, items FROM item_facet "
    "WHERE items<>0 "
    "ORDER BY 1, 2, 3, 4, 5, 6",
    "scene_facet": "SELECT dataset, stage, health, tags, flags, annotation, assignees, scenes "
    "FROM scene_facet WHERE scenes<>0 "
    "ORDER BY 1, 2, 3, 4, 5, 6, 7",
    "medium_facet": "SELECT dataset, media_type, health, licence, media, bytes FROM medium_facet "
    "WHERE media<>0 ORDER BY 1, 2, 3, 4",
    # The combination that a record refers to, by its values.
    **{
        f"facet of {entity}": f"SELECT r.id, {', '.join(f'f.{name}' for name in key)} FROM {entity} r "
        f"LEFT JOIN {entity}_facet f ON f.id=r.facet WHERE r.removed=0 ORDER BY 1"
        for entity, key in (("scene", scene_facet.KEY), ("medium", medium_facet.KEY))
    },
    # Only of visible scenes: rows of scenes that are hidden at the moment may be gone already.
    "scene_view": "SELECT v.scene, v.medium, v.view FROM scene_view v JOIN scene s ON s.id=v.scene "
    "WHERE s.removed=0 ORDER BY 1, 2, 3",
}
_MADE = "made"
"""Name under which the connection of the project sees the tables made anew."""
_TABLES = "SELECT name FROM main.sqlite_schema WHERE type='table'"


def table_differences(connection: Connection, *, progress: Progress) -> Iterator[tuple[str, str]]:
    """Yield the first difference of each table, and of derived tables: where it is, and what is wrong.

    Of a project of an older version nothing is compared: its tables are other ones, and made anew when it is
    opened for writing. The log is replayed all the same.

    Args:
        connection: The project, outside of a transaction; it may create temporary tables.
        progress: One step per event.

    Raises:
        UserError: A value of the log does not fit its field.
        DatabaseError: The log or a table cannot be read, or the log creates a record twice.
        MsgspecError: A value of the log is no record.
        Cancelled: The user stopped it.
    """
    with scratch_database() as made:
        replay = _rebuilt(connection, made, progress=progress)
        if is_current(connection):
            # A table that the project lacks would be found among those made anew.
            is_attached = _tables(made) <= _tables(connection)
            with attached(connection, made, name=_MADE) if is_attached else nullcontext():
                yield from _differences(connection, made, replay, is_attached=is_attached, progress=progress)


def _tables(connection: Connection) -> set[str]:
    return {name for (name,) in connection.execute(_TABLES)}


def _differences(
    connection: Connection, made: Connection, replay: Replay, *, is_attached: bool, progress: Progress
) -> Iterator[tuple[str, str]]:
    for entity in PROJECTIONS:
        with _same_state(connection, made, replay, progress=progress):
            rows = _Rows(entity, made, hidden=_hidden_range(connection))
            if not (is_attached and rows.are_same(connection)):
                yield from rows.differences(connection)
    with _same_state(connection, made, replay, progress=progress):
        yield from _derived_differences(connection, made)


def _rebuilt(connection: Connection, made: Connection, *, progress: Progress) -> Replay:
    with transaction(made):
        # Both stay empty; SQL of the projections refers to them.
        made.execute(STAGING_TABLE)
        made.execute(EVENT_TABLE)
        replay = Replay(connection, made, unlisted=UNLISTED, is_searched=False, progress=progress)
        replay.catch_up(until=last_number(connection), progress=progress)
    return replay


@contextmanager
def _same_state(
    connection: Connection, made: Connection, replay: Replay, *, progress: Progress
) -> Iterator[None]:
    """Have the project and the tables made from its log show one state inside the block."""
    with transaction(made):
        # What has come while the tables before were compared; the rest of a moment in the state itself.
        replay.catch_up(until=last_number(connection), progress=progress)
    with one_state(connection):
        with transaction(made):
            replay.catch_up(progress=progress)
        yield


class _Rows:
    """The rows of one table of a project, compared with those of the table made anew.

    Args:
        entity: Name of the table.
        made: The file with the table made anew.
        hidden: First and last arrival number of rows that an undo hides: they are removed in the log already,
            and in the table next.
    """

    def __init__(self, entity: str, made: Connection, *, hidden: tuple[int, int]) -> None:
        columns = [row[1] for row in made.execute(f"PRAGMA table_info({entity})")]
        self._names = [name for name in columns if name not in UNCOMPARED.get(entity, ())]
        self._entity, self._made = entity, made
        is_staged = entity in STAGED_ENTITIES
        self._compared = f"n NOT BETWEEN {hidden[0]} AND {hidden[1]}" if is_staged else "1"
        self._visible = visible_sql("+n") if is_staged else "1"

    def are_same(self, connection: Connection) -> bool:
        """Return whether SQLite finds each row of either table in the other: a quarter of the time of Python.

        Args:
            connection: The project, to which the tables made anew are attached.
        """
        # The unary plus compares values of other types as what they are, without the conversions of columns.
        kept, expected = (
            ", ".join(f"+{side}.{name}" for name in self._names) for side in ("kept", "expected")
        )
        made = f"(SELECT * FROM {_MADE}.{self._entity} WHERE {self._compared}) expected"
        # Not counted by an index, which can have an entry of a row that is lost.
        seen = f"main.{self._entity} NOT INDEXED WHERE {self._compared} AND {self._visible}"
        # CROSS JOIN: rows are looked up by their numbers, in the order of the loops that is written here.
        alike = f"{made} CROSS JOIN {self._entity} kept ON kept.n=expected.n WHERE ({kept}) IS ({expected})"
        counts = (f"SELECT count(*) FROM {rows}" for rows in (made, seen, alike))
        return len({connection.execute(count).fetchall()[0] for count in counts}) == 1

    def differences(self, connection: Connection) -> Iterator[tuple[str, str]]:
        """Yield the first row that one table has and the other has not."""
        names = ", ".join(self._names)
        select = f"SELECT {names} FROM {self._entity} WHERE {self._compared} ORDER BY n"
        found = first_difference(connection, self._made, select)
        if found:
            yield f"{self._entity} {found[1]}", "The table differs from the log."


def _derived_differences(connection: Connection, made: Connection) -> Iterator[tuple[str, str]]:
    for table, select in KEPT_BY_HOOKS.items():
        if first_difference(connection, made, select):
            yield table, "The derived tables differ from the log."


def _hidden_range(connection: Connection) -> tuple[int, int]:
    """Return the first and last arrival number of hidden rows, an empty range where there are none."""
    select = "SELECT hidden_from, hidden_to FROM staging"
    found = connection.execute(select).fetchone() if has_staging(connection) else None
    return (int(found[0]), int(found[1])) if found else (1, 0)
