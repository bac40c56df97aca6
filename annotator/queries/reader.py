"""Questions to the project file, over a connection that cannot write."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar, cast
from weakref import WeakSet

import msgspec

from annotator.domain.actor import Actor
from annotator.domain.command import CommandRecord
from annotator.domain.event import CREATED
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.project import Project
from annotator.domain.query import SortOrder
from annotator.domain.record import ANY, AnyValue, Record
from annotator.errors import UserError
from annotator.queries.acceptance_queries import AcceptanceQueries
from annotator.queries.comment_queries import CommentQueries
from annotator.queries.facet_combinations import FacetCombinations
from annotator.queries.gate_queries import GateQueries
from annotator.queries.history_queries import HistoryQueries
from annotator.queries.item_work import ItemWorkQueries
from annotator.queries.log_heads import LogHeads
from annotator.queries.media_queries import MEDIA
from annotator.queries.progress_queries import ProgressQueries
from annotator.queries.record_order import RecordOrder
from annotator.queries.record_stream import FETCH, rows_by_number
from annotator.queries.region_queries import RegionQueries
from annotator.queries.response_queries import ResponseQueries
from annotator.queries.review_outcomes import ReviewOutcomes
from annotator.queries.review_queries import ReviewQueries
from annotator.queries.scene_queries import SCENES
from annotator.queries.similar_items import SimilarItems
from annotator.queries.sort_order import Numbers
from annotator.queries.workload_queries import WorkloadQueries
from annotator.store.connection import Connection, Cursor, connect
from annotator.store.projections import PROJECTIONS
from annotator.store.schema import require_project_schema
from annotator.store.scratch_database import one_state
from annotator.store.session_id import is_elsewhere_sql
from annotator.store.staged_views import hide_staged
from annotator.store.work.run_queries import RunQueries

R = TypeVar("R", bound=Record)
ItemGroup = tuple[str, str, str]
"""Task set, task and state of an item: few of many items, so that they are read once for all alike."""
ITEM_GROUP = "SELECT task_set, task, state FROM item_facet WHERE id=?"
OWN_GROUP = "SELECT task_set, task, state FROM item WHERE n=?"


class LoggedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an event that undo and history read; fields as in ``domain.event``.

    Attributes:
        n: Arrival number.
        parents: Ids joined with commas.
    """

    n: int
    id: str
    actor: str
    lamport: int
    parents: str
    entity: str
    entity_id: str
    field: str
    value: str
    command: str
    wall_time: str


EVENT_FIELDS = ", ".join(LoggedEvent.__struct_fields__)
# '*': an edit conflicts with any later change of the record's creation, which covers all fields.
LATER_AUTHOR = (
    "SELECT e.actor, coalesce(a.record ->> 'name', e.actor) FROM event e "
    "LEFT JOIN actor a ON a.id=e.actor WHERE e.entity_id=?1 AND e.n>?2 AND ?3 IN (e.field, '*') "
    f"AND (e.actor<>?4 OR {is_elsewhere_sql('e.incarnation', machine='?5')}) LIMIT 1"
)
CHANGE_FIELDS = EVENT_FIELDS.replace("value", f"iif(field='{CREATED}', '', value)")


class ChangedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record that has events after a position of the log.

    Attributes:
        entity: Record type.
        entity_id: Id of the record.
        item: Row number of the item itself, or of the item that a flag is on; None for other records.
    """

    entity: str
    entity_id: str
    item: int | None


# Tables of main, not the views that hide staged rows: SQLite scans a view on the right of an outer join in a
# DISTINCT query. The events come from the view, so they are visible ones. A flag never changes its target, so
# its current row is valid for events of any age.
TOUCHED = """
SELECT DISTINCT e.entity, e.entity_id, i.n FROM event e
LEFT JOIN main.flag f ON e.entity='flag' AND f.id=e.entity_id
LEFT JOIN main.item i ON i.id=iif(e.entity='flag', f.target, e.entity_id)
WHERE e.n>?
"""


class Reader(
    ReviewQueries,
    ReviewOutcomes,
    ProgressQueries,
    LogHeads,
    RunQueries,
    RecordOrder,
    RegionQueries,
    SimilarItems,
    HistoryQueries,
    ResponseQueries,
    ItemWorkQueries,
    WorkloadQueries,
    CommentQueries,
    GateQueries,
    AcceptanceQueries,
):
    """Queries of a project file. One reader per thread; each query sees the last committed state.

    Lists (pages, counts, facets) are in ``ItemQueries``, ``SceneQueries`` and ``MediaQueries``, progress in
    ``ProgressQueries``, model work in ``RunQueries``, positions of the log in ``LogHeads``.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._scenes = FacetCombinations(connection, SCENES)
        self._media = FacetCombinations(connection, MEDIA)
        self._orders: OrderedDict[tuple[str, SortOrder], tuple[int, Numbers]] = OrderedDict()
        self._streams: WeakSet[Cursor] = WeakSet()

    @classmethod
    def open(cls, path: Path) -> Reader:
        """Open a project for reading.

        Raises:
            UserError: There is no project at that path.
            EnvironmentFailure: It cannot be opened.
        """
        connection = connect(path, read_only=True)
        try:
            require_project_schema(connection, path=path)
            hide_staged(connection)
        # BaseException: on Windows a connection left open prevents the file from being moved.
        except BaseException:
            connection.close()
            raise
        return cls(connection)

    @cached_property
    def path(self) -> Path:
        """The project file."""
        return Path(self._connection.execute("PRAGMA database_list").fetchone()[2])

    def close(self) -> None:
        """Close the connection; the reader cannot be used afterwards."""
        self._connection.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """See one state of the project inside the block; streams opened in it are closed at its end.

        A block inside another one sees the state of the outer one.
        """
        if self._connection.in_transaction:
            yield
            return
        with one_state(self._connection):
            try:
                # WAL fixes the snapshot at the first read, not at BEGIN.
                self._connection.execute("SELECT 1 FROM event LIMIT 1").fetchone()
                yield
            finally:
                # A cursor that is not read to the end, for instance one in a traceback, would keep this state
                # open.
                for cursor in list(self._streams):
                    cursor.close()

    @property
    def project(self) -> Project:
        """The project's own record."""
        return next(self.records(Project))

    def get(self, kind: type[R], record_id: str) -> R | None:
        """Return one record, None where there is none or it was removed."""
        projection = PROJECTIONS[kind.table.entity]
        select = f"SELECT record FROM {projection.entity} WHERE id=? AND removed=0"
        found = self._connection.execute(select, (record_id,)).fetchone()
        return cast("R", projection.decode(found[0])) if found else None

    def require(self, kind: type[R], record_id: str) -> R:
        """Return one record.

        Raises:
            UserError: There is none, or it was removed.
        """
        record = self.get(kind, record_id)
        if record is None:
            raise UserError(
                f"There is no {kind.table.entity} {record_id}.", hint="It may have been undone or removed."
            )
        return record

    def records(self, kind: type[R], *, ids: list[str] | None = None) -> Iterator[R]:
        """Yield records in order of arrival, or those of a list of ids in its order."""
        if ids is not None:
            found = (self.get(kind, record_id) for record_id in ids)
            yield from (record for record in found if record is not None)
            return
        yield from self.find(kind)

    def find(self, kind: type[R], /, **columns: str | int | AnyValue | None) -> Iterator[R]:
        """Yield the records whose projection columns equal the values given, in order of arrival.

        A column that the table's ``usual`` names has that value unless it is given; ``ANY`` stands for all.
        """
        projection = PROJECTIONS[kind.table.entity]
        known = {column.name for column in projection.table.columns}
        if unknown := set(columns) - known:
            raise KeyError(f"{projection.entity} has no column {', '.join(sorted(unknown))}")
        wanted = {
            name: value for name, value in {**projection.table.usual, **columns}.items() if value is not ANY
        }
        # IS and not =, which is never true of NULL.
        where = " AND ".join(["removed=0", *(f"{name} IS ?" for name in wanted)])
        select = f"SELECT n, record FROM {projection.entity} WHERE {where} {{after}} ORDER BY n"
        after = "+n>" if wanted else "n>"
        values = tuple(wanted.values())
        for _, text in rows_by_number(self._connection, select, values, streams=self._streams, after=after):
            yield cast("R", projection.decode(text))

    def stream_json(self, kind: type[Record]) -> Iterator[bytes]:
        """Yield the records' JSON as stored, in order of arrival: the fast way out of the file."""
        # As bytes: SQLite's UTF-8 goes to the file without becoming a str and bytes again.
        entity = kind.table.entity
        select = f"SELECT CAST(record AS BLOB) FROM {entity} WHERE {_in_use(entity)} ORDER BY n"
        yield from (row[0] for row in self._stream(select, ()))

    def stream_item_columns(self) -> Iterator[tuple[ItemGroup, str, str | None, str, bytes | None]]:
        """Yield what is counted of each visible item, without decoding all records.

        Task set, task and state; answer format, ``answer_shape``, question, and the record's JSON where there
        is no shape.
        """

        # Of an item that others have changed meanwhile, the combination can be a new one.
        @cache
        def group_of(facet: int) -> ItemGroup | None:
            return cast("ItemGroup | None", self._connection.execute(ITEM_GROUP, (facet,)).fetchone())

        select = (
            "SELECT n, facet, answer_format, answer_shape, question,"
            " CASE WHEN answer_shape IS NULL THEN CAST(record AS BLOB) END "
            f"FROM item WHERE {_in_use('item')} ORDER BY n"
        )
        for n, facet, answer_format, shape, question, record in self._stream(select, ()):
            # In a damaged project an item can refer to no combination; its own columns are still there.
            group = group_of(facet) or self._connection.execute(OWN_GROUP, (n,)).fetchone()
            yield group, answer_format, shape, question, record

    def flags_of(self, target: str) -> list[Flag]:
        """Return all flags on one record, open ones first."""
        return self._all(Flag, "flag", "target=? ORDER BY state<>'open', n", target)

    def labels_of(self, scene: str) -> list[EventLabel]:
        """Return the event labels of one scene, in order of arrival."""
        return self._all(EventLabel, "event_label", "scene=? ORDER BY n", scene)

    def scenes_showing(self, medium: str) -> list[str]:
        """Return the ids of the scenes that have a medium as one of their views, oldest first."""
        select = "SELECT scene FROM scene_view WHERE medium=? ORDER BY scene"
        return [row[0] for row in self._connection.execute(select, (medium,))]

    def counts(self) -> dict[str, int]:
        """Return the number of visible records of each type."""
        counts = {
            e: self._count(f"SELECT count(*) FROM {e} WHERE {_in_use(e)}") for e in PROJECTIONS if e != "item"
        }
        # count(*) of a million rows scans an index; the sum over the combinations is immediate.
        return counts | {"item": self._count("SELECT coalesce(sum(items), 0) FROM item_facet")}

    def open_flag_counts(self) -> dict[str, int]:
        """Return the number of open flags per kind."""
        select = (
            "SELECT kind, count(*) FROM flag WHERE state='open' AND removed=0 GROUP BY kind ORDER BY kind"
        )
        return dict(self._connection.execute(select).fetchall())

    def next_undo(self, actor: str, *, machine: str = "") -> CommandRecord | None:
        """Return the command that undo would reverse.

        Args:
            actor: Id of the person.
            machine: Digits of a machine, to leave out what the person did on others; "" for all machines.
        """
        return self._command("state='done'", order="DESC", actor=actor, machine=machine)

    def next_redo(self, actor: str, *, machine: str = "") -> CommandRecord | None:
        """Return the command that redo would do again; arguments as for ``next_undo``."""
        return self._command("state='undone'", order="ASC", actor=actor, machine=machine)

    def event(self, event_id: str) -> LoggedEvent | None:
        """Return one event of the log."""
        found = self._connection.execute(
            f"SELECT {EVENT_FIELDS} FROM event WHERE id=?", (event_id,)
        ).fetchone()
        return _logged(found) if found else None

    def event_count(self, command: str) -> int:
        """Return the number of events of one command."""
        return self._count("SELECT count(*) FROM event WHERE command=?", command)

    def event_total(self) -> int:
        """Return the number of events of the log."""
        return self._count("SELECT count(*) FROM event")

    @property
    def position(self) -> int:
        """Arrival number of the last event of the log, 0 before the first."""
        return self._count("SELECT coalesce(max(n), 0) FROM event")

    def changed_since(self, position: int) -> Iterator[ChangedRecord]:
        """Yield the records that have events after a position of the log, each once."""
        for entity, entity_id, item in self._stream(TOUCHED, (position,)):
            yield ChangedRecord(entity=entity, entity_id=entity_id, item=item)

    def events_of(self, command: str, *, newest_first: bool) -> Iterator[LoggedEvent]:
        """Yield the events of one command; those that create records without their values, which are long."""
        order, after = ("DESC", "n<") if newest_first else ("ASC", "n>")
        select = f"SELECT {CHANGE_FIELDS} FROM event WHERE command=? {{after}} ORDER BY n {order}"
        rows = rows_by_number(self._connection, select, (command,), streams=self._streams, after=after)
        yield from map(_logged, rows)

    def later_author(self, event: LoggedEvent, *, machine: str) -> Actor | None:
        """Return who changed the event's field after it, as another person or on another machine, or None."""
        values = (event.entity_id, event.n, event.field, event.actor, machine)
        found = self._connection.execute(LATER_AUTHOR, values).fetchone()
        return Actor(id=found[0], name=found[1]) if found else None

    def _command(self, state: str, *, order: str, actor: str, machine: str) -> CommandRecord | None:
        elsewhere = is_elsewhere_sql("(SELECT incarnation FROM event e WHERE e.n=command.n)", machine="?2")
        where = f"kind='do' AND {state} AND actor=?1 AND NOT {elsewhere} ORDER BY n {order} LIMIT 1"
        found = self._all(CommandRecord, "command", where, actor, machine)
        return found[0] if found else None

    def _all(self, record: type[R], entity: str, where: str, *values: str) -> list[R]:
        rows = self._connection.execute(f"SELECT record FROM {entity} WHERE removed=0 AND {where}", values)
        return [msgspec.json.decode(text, type=record) for (text,) in rows]

    def _count(self, select: str, *values: str) -> int:
        return int(self._connection.execute(select, values).fetchone()[0])

    def _stream(self, select: str, values: tuple[object, ...]) -> Iterator[tuple[Any, ...]]:
        # A consumer that stops early leaves the cursor open; ``snapshot`` closes it.
        cursor = self._connection.execute(select, values)
        self._streams.add(cursor)
        while rows := cursor.fetchmany(FETCH):
            yield from rows


def _in_use(entity: str) -> str:
    """Return the condition of the records that a search returns by default."""
    usual = PROJECTIONS[entity].table.usual
    return " AND ".join(["removed=0", *(f"{name}={value}" for name, value in usual.items())])


def _logged(row: tuple[Any, ...]) -> LoggedEvent:
    return LoggedEvent(**dict(zip(LoggedEvent.__struct_fields__, row, strict=True)))
