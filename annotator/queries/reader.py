"""Questions to the project file, over a connection that cannot write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TypeVar, cast

import msgspec

from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.project import Project
from annotator.domain.record import ANY, AnyValue, Record
from annotator.errors import UserError
from annotator.queries.comment_queries import CommentQueries
from annotator.queries.facet_combinations import FacetCombinations
from annotator.queries.fork_queries import ForkQueries
from annotator.queries.gate_queries import GateQueries
from annotator.queries.history_queries import HistoryQueries
from annotator.queries.item_queries import ItemQueries
from annotator.queries.item_work import ItemWorkQueries
from annotator.queries.log_queries import LogQueries
from annotator.queries.media_queries import MEDIA, MediaQueries
from annotator.queries.progress_queries import ProgressQueries
from annotator.queries.record_order import RecordOrder
from annotator.queries.record_stream import RecordStreams
from annotator.queries.region_queries import RegionQueries
from annotator.queries.related_scenes import RelatedScenes
from annotator.queries.response_queries import ResponseQueries
from annotator.queries.review_queries import ReviewQueries
from annotator.queries.scene_queries import SCENES, SceneQueries
from annotator.queries.similar_items import SimilarItems
from annotator.queries.workload_queries import WorkloadQueries
from annotator.store.connection import Connection, connect
from annotator.store.projections import PROJECTIONS
from annotator.store.schema import require_project_schema
from annotator.store.scratch_database import one_state
from annotator.store.staged_views import hide_staged
from annotator.store.work.run_queries import RunQueries

R = TypeVar("R", bound=Record)


class Reader:
    """Queries of a project file. One reader per thread; each query sees the last committed state.

    Attributes:
        items: Lists and counts of items.
        scenes: Lists and counts of scenes.
        media: Lists and counts of media.
        related: Scenes of items and media, and the reverse.
        order: Orders of records.
        similar: Items and scenes found by their content.
        regions: Regions and their categories.
        forks: Fields with two newest values.
        reviews: Cases that wait for a decision, and the decisions.
        comments: Comments on records.
        responses: Answers that persons gave, and who may still answer.
        assigned: Items by task and person.
        workload: What persons have to do and have done.
        progress: Progress by task and dataset.
        gates: What the gates of a release ask.
        history: What happened to records.
        log: The log of events and commands.
        runs: Model work.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._streams = RecordStreams(connection)
        scenes, media = FacetCombinations(connection, SCENES), FacetCombinations(connection, MEDIA)
        self.items = ItemQueries(connection, streams=self._streams)
        self.scenes = SceneQueries(connection, scenes=scenes)
        self.media = MediaQueries(connection, media=media, scenes=scenes)
        self.order = RecordOrder(connection)
        self.related = RelatedScenes(
            connection, items=self.items, scenes=self.scenes, media=self.media, order=self.order
        )
        self.similar = SimilarItems(connection)
        self.regions = RegionQueries(connection)
        self.forks = ForkQueries(connection)
        self.reviews = ReviewQueries(connection, items=self.items, forks=self.forks)
        self.comments = CommentQueries(connection)
        self.responses = ResponseQueries(connection)
        self.assigned = ItemWorkQueries(connection)
        self.workload = WorkloadQueries(connection)
        self.progress = ProgressQueries(connection, scenes=scenes)
        self.gates = GateQueries(connection)
        self.history = HistoryQueries(connection)
        self.log = LogQueries(connection, streams=self._streams)
        self.runs = RunQueries(connection)

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
                self._streams.close()

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
        # The columns have indexes of their own; by its number, the table would be walked from there on.
        after = "+n>" if wanted else "n>"
        values = tuple(wanted.values())
        for _, text in self._streams.rows_by_number(select, values, after=after):
            yield cast("R", projection.decode(text))

    def stream_json(self, kind: type[Record]) -> Iterator[bytes]:
        """Yield the records' JSON as stored, in order of arrival: the fast way out of the file."""
        # As bytes: SQLite's UTF-8 goes to the file without becoming a str and bytes again.
        projection = PROJECTIONS[kind.table.entity]
        select = (
            f"SELECT CAST(record AS BLOB) FROM {projection.entity} WHERE {projection.in_use_sql} ORDER BY n"
        )
        yield from (row[0] for row in self._streams.rows(select))

    def flags_of(self, target: str) -> list[Flag]:
        """Return all flags on one record, open ones first."""
        return self._all(Flag, "flag", "target=? ORDER BY state<>'open', n", target)

    def labels_of(self, scene: str) -> list[EventLabel]:
        """Return the event labels of one scene, in order of arrival."""
        return self._all(EventLabel, "event_label", "scene=? ORDER BY n", scene)

    def counts(self) -> dict[str, int]:
        """Return the number of visible records of each type."""
        counts = {
            name: self._count(f"SELECT count(*) FROM {name} WHERE {projection.in_use_sql}")
            for name, projection in PROJECTIONS.items()
            if name != "item"
        }
        # count(*) of a million rows scans an index; the sum over the combinations is immediate.
        return counts | {"item": self._count("SELECT coalesce(sum(items), 0) FROM item_facet")}

    def open_flag_counts(self) -> dict[str, int]:
        """Return the number of open flags per kind."""
        select = (
            "SELECT kind, count(*) FROM flag WHERE state='open' AND removed=0 GROUP BY kind ORDER BY kind"
        )
        return dict(self._connection.execute(select).fetchall())

    def _all(self, record: type[R], entity: str, where: str, *values: str) -> list[R]:
        rows = self._connection.execute(f"SELECT record FROM {entity} WHERE removed=0 AND {where}", values)
        return [msgspec.json.decode(text, type=record) for (text,) in rows]

    def _count(self, select: str) -> int:
        return int(self._connection.execute(select).fetchone()[0])
