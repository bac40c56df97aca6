"""Lists of items: pages, whole selections, counts. Fast at 10^6 items.

A selection without search text is a list of combinations (``item_facet``). Counts are sums over combinations,
and pages are read by keyset: OFFSET would read all rows before the page.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
from msgspec import json

from annotator.domain.query import ItemQuery, qualified_task, selects_task
from annotator.domain.rows import FacetCount, ItemRow
from annotator.domain.text_search import searchable
from annotator.queries.comment_queries import mentioned_in_sql
from annotator.queries.record_stream import RecordStreams
from annotator.queries.sort_order import CHANGED_AT
from annotator.store.connection import Connection
from annotator.store.projections import PROJECTIONS
from annotator.store.staged_rows import visible_sql

ANY_FLAG = "*"
ROW = f"n, id, name, task_set, task, state, flags, question, {CHANGED_AT.format(record='item')}"
DENSE_SHARE = 0.02
"""Share of all items from which a page is read by scanning the table instead of merging the indexes of the
combinations. At 10^6 items both take about 4 ms at this share (measured)."""
# main.item, because INDEXED BY does not work on the reader's view of that name.
IN_FACETS = f"SELECT n FROM main.item INDEXED BY item_in_facet WHERE {visible_sql()} AND facet IN"
IS_VISIBLE = visible_sql("rowid")
MERGED_AT_MOST = 400
"""Combinations merged for one page; more are walked."""


class Facet(NamedTuple):
    """One combination of what items are filtered by, and how many items have it."""

    id: int
    task_set: str
    task: str
    state: str
    source: str
    flags: frozenset[str]
    assignees: frozenset[str]
    items: int


ItemGroup = tuple[str, str, str]
"""Task set, task and state of an item: few of many items, so that they are read once for all alike."""
ITEM_GROUP = "SELECT task_set, task, state FROM item_facet WHERE id=?"
OWN_GROUP = "SELECT task_set, task, state FROM item WHERE n=?"


class ItemQueries:
    """The part of a reader that lists items."""

    def __init__(self, connection: Connection, *, streams: RecordStreams) -> None:
        self._connection, self._streams = connection, streams
        self._known_facets: tuple[int, list[Facet]] = (-1, [])

    def page(self, query: ItemQuery, *, after: int = 0, limit: int = 100) -> list[ItemRow]:
        """Return the next rows of a selection in order of arrival.

        Args:
            query: The selection.
            after: Row number of the last row known, 0 for the first page.
            limit: Number of rows at most.
        """
        numbers = list(islice(self._numbers(query, after=after, limit=limit), limit))
        return self.rows(numbers)

    def numbers(self, query: ItemQuery) -> npt.NDArray[np.int64]:
        """Return the row numbers of a whole selection, int64 (n,), rising."""
        if not query.text or query.names_items:
            return self._searched_numbers(query) if query.names_items else self._filtered_numbers(query)
        select = f"SELECT rowid FROM item_words WHERE item_words MATCH ? AND {IS_VISIBLE} ORDER BY rowid"
        hits = self._array(select, (match_expression(query.text),))
        if not _tests(query):
            return hits
        # Intersecting two sorted arrays in memory is faster than a look-up of each hit in SQLite. The numbers
        # are unique on both sides, which saves intersect1d from sorting again.
        return np.intersect1d(hits, self._filtered_numbers(query), assume_unique=True)

    def _searched_numbers(self, query: ItemQuery) -> npt.NDArray[np.int64]:
        # A negative LIMIT is none.
        return np.fromiter(self._searched(query, after=0, limit=-1), dtype=np.int64)

    def _filtered_numbers(self, query: ItemQuery) -> npt.NDArray[np.int64]:
        numbers = self._array(f"{IN_FACETS} ({_marks(self._chosen(query))})", ())
        numbers.sort()
        return numbers

    def _array(self, select: str, values: tuple[str, ...]) -> npt.NDArray[np.int64]:
        # No count is given: others may have committed since the combinations were read.
        return np.fromiter((row[0] for row in self._connection.execute(select, values)), dtype=np.int64)

    def rows(self, numbers: Iterable[int]) -> list[ItemRow]:
        """Return rows by their numbers, in the order given; numbers of removed rows are skipped."""
        wanted = [int(n) for n in numbers]
        # As one JSON text: the number of values that can be bound is limited.
        select = f"SELECT {ROW} FROM item WHERE removed=0 AND n IN (SELECT value FROM json_each(?))"
        rows = self._connection.execute(select, (json.encode(wanted).decode(),))
        found = {row[0]: row for row in rows}
        return [_item_row(found[n]) for n in wanted if n in found]

    def count(self, query: ItemQuery) -> int:
        """Return the size of a selection."""
        return sum(self._counted(query, skip="").values())

    def facets(self, query: ItemQuery) -> dict[str, list[FacetCount]]:
        """Return counts per value of each facet, each under the other filters of the query.

        The facets are ``task_set``, ``task`` (as ``set/task``), ``state``, ``flag``, ``source`` and
        ``assignee``; ``flag*`` counts the items with any flag: an item can have several.
        """
        in_words = self._in_words(query)
        found = {
            name: _counted_values(self._counted(query, skip=name, in_words=in_words), values)
            for name, values in _VALUES.items()
        }
        counts = self._counted(query, skip="flag", in_words=in_words)
        flagged = sum(count for facet, count in counts.items() if facet.flags)
        return found | {f"flag{ANY_FLAG}": [FacetCount(value=ANY_FLAG, count=flagged)]}

    def _numbers(self, query: ItemQuery, *, after: int, limit: int) -> Iterator[int]:
        if query.text or query.names_items:
            return self._searched(query, after=after, limit=limit)
        facets = self._chosen(query)
        if len(facets) > MERGED_AT_MOST or self._is_dense(facets):
            return self._walked(facets, after=after, limit=limit)
        return self._merged(facets, after=after, limit=limit)

    def _is_dense(self, facets: list[Facet]) -> bool:
        chosen = sum(facet.items for facet in facets)
        total = sum(facet.items for facet in self.known_facets())
        return chosen > total * DENSE_SHARE

    def _walked(self, facets: list[Facet], *, after: int, limit: int) -> Iterator[int]:
        # The unary plus disables the facet index, with which SQLite would sort the whole selection.
        select = f"SELECT n FROM item WHERE +facet IN ({_marks(facets)}) AND n>? ORDER BY n LIMIT ?"
        return (row[0] for row in self._connection.execute(select, (after, limit)))

    def _merged(self, facets: list[Facet], *, after: int, limit: int) -> Iterator[int]:
        select = "SELECT n FROM item WHERE facet=? AND n>? ORDER BY n LIMIT ?"
        # Of each combination as many as the page holds: more cannot be among its first.
        runs = [[row[0] for row in self._connection.execute(select, (f.id, after, limit))] for f in facets]
        return heapq.merge(*runs)

    def _searched(self, query: ItemQuery, *, after: int, limit: int) -> Iterator[int]:
        """Yield row numbers of a selection by words, scene or ids, in order of arrival."""
        facets = self._chosen(query)
        if query.text and not query.names_items and not self._is_dense(facets):
            # Few items pass the filter, so hits are compared with their list. The unary plus prevents SQLite
            # from running the text search once for each of these items.
            where = f"item_words MATCH ? AND +rowid IN ({IN_FACETS} ({_marks(facets)})) AND rowid>?"
            select = f"SELECT rowid FROM item_words WHERE {where} ORDER BY rowid LIMIT ?"
            values: tuple[str, ...] = (match_expression(query.text),)
        else:
            tables, where, values = _joined(query)
            order = "w.rowid" if query.text else "i.n"
            where = f"{where} AND i.facet IN ({_marks(facets)}) AND {order}>?"
            select = f"SELECT i.n FROM {tables} WHERE {where} ORDER BY {order} LIMIT ?"
        return (row[0] for row in self._connection.execute(select, (*values, after, limit)))

    def _in_words(self, query: ItemQuery) -> dict[int, int] | None:
        """Count the rows that words, scene or ids select, per combination; None without any."""
        if not (query.text or query.names_items):
            return None
        tables, where, values = _joined(query)
        select = f"SELECT i.facet, count(*) FROM {tables} WHERE {where} AND i.facet>0 GROUP BY i.facet"
        return dict(self._connection.execute(select, values).fetchall())

    def _counted(
        self, query: ItemQuery, *, skip: str, in_words: dict[int, int] | None = None
    ) -> dict[Facet, int]:
        counts = self._in_words(query) if in_words is None else in_words
        facets = self._chosen(query, skip=skip)
        return {facet: facet.items if counts is None else counts.get(facet.id, 0) for facet in facets}

    def stream_columns(self) -> Iterator[tuple[ItemGroup, str, str | None, str, bytes | None]]:
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
            f"FROM item WHERE {PROJECTIONS['item'].in_use_sql} ORDER BY n"
        )
        for n, facet, answer_format, shape, question, record in self._streams.rows(select):
            # In a damaged project an item can refer to no combination; its own columns are still there.
            group = group_of(facet) or self._connection.execute(OWN_GROUP, (n,)).fetchone()
            yield group, answer_format, shape, question, record

    def _chosen(self, query: ItemQuery, *, skip: str = "") -> list[Facet]:
        tests = [test for name, test in _tests(query).items() if name != skip]
        return [facet for facet in self.known_facets() if all(test(facet) for test in tests)]

    def known_facets(self) -> list[Facet]:
        """Return the combinations that visible items have."""
        # data_version is read in microseconds; reading 800 combinations takes 4 ms.
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._known_facets[0]:
            self._known_facets = (version, self._read_facets())
        return self._known_facets[1]

    def _read_facets(self) -> list[Facet]:
        columns = "id, task_set, task, state, source, flags, assignees, items"
        rows = self._connection.execute(f"SELECT {columns} FROM item_facet WHERE items>0")
        return [
            Facet(
                id=facet_id,
                task_set=task_set,
                task=task,
                state=state,
                source=source,
                flags=frozenset(flags.split()),
                assignees=frozenset(assignees.split()),
                items=items,
            )
            for facet_id, task_set, task, state, source, flags, assignees, items in rows
        ]


_VALUES: dict[str, Callable[[Facet], Iterable[str]]] = {
    "task_set": lambda facet: (facet.task_set,),
    "task": lambda facet: (qualified_task(facet.task_set, facet.task),),
    "state": lambda facet: (facet.state,),
    "flag": lambda facet: facet.flags,
    "source": lambda facet: (facet.source,),
    "assignee": lambda facet: facet.assignees,
}


def _tests(query: ItemQuery) -> dict[str, Callable[[Facet], bool]]:
    """Return the filters of a query that are set, by facet."""
    wanted = {
        "task_set": query.task_sets,
        "task": query.tasks,
        "state": query.states,
        "flag": query.flags,
        "source": query.sources,
        "assignee": query.assignees,
    }
    return {name: _test(name, frozenset(values)) for name, values in wanted.items() if values}


def _test(name: str, wanted: frozenset[str]) -> Callable[[Facet], bool]:
    values = _VALUES[name]
    if ANY_FLAG in wanted and name in {"flag", "assignee"}:
        return lambda facet: bool(values(facet))
    if name == "task":
        return lambda facet: selects_task(wanted, task_set=facet.task_set, task=facet.task)
    return lambda facet: not wanted.isdisjoint(values(facet))


def _marks(facets: list[Facet]) -> str:
    # Integers of our own table; no text of a user becomes part of a statement.
    return ", ".join(str(facet.id) for facet in facets)


def _joined(query: ItemQuery) -> tuple[str, str, tuple[str, ...]]:
    """Return tables, condition and values that select by words, scene and ids."""
    conditions, values = [], []
    if query.text:
        conditions.append("w.item_words MATCH ?")
        values.append(match_expression(query.text))
    if query.scene:
        conditions.append("i.scene=?")
        values.append(query.scene)
    if query.ids:
        conditions.append("i.id IN (SELECT value FROM json_each(?))")
        values.append(json.encode(query.ids).decode())
    if query.mentions:
        conditions.append(f"i.id IN ({mentioned_in_sql('item')})")
        values.append(json.encode(query.mentions).decode())
    # CROSS JOIN fixes the join order: hits of the text search by rowid, each looked up once.
    tables = "item_words w CROSS JOIN item i ON i.n=w.rowid" if query.text else "item i"
    return tables, " AND ".join(conditions), tuple(values)


def match_expression(text: str) -> str:
    """Return the FTS5 expression for the text of a search box; the last word is a prefix.

    Each part between blanks is a phrase, so that a part such as ``A2A_Object`` or a Chinese word matches as a
    whole. A part of punctuation alone matches nothing.
    """
    # FTS5 splits a quoted phrase with the tokenizer of the index; inside quotes no operator has a meaning.
    phrases = [f'"{searchable(part)}"' for part in text.replace("\0", " ").replace('"', ".").split()]
    return " ".join(phrases) + ("*" if phrases else '""')


def _counted_values(counts: dict[Facet, int], values: Callable[[Facet], Iterable[str]]) -> list[FacetCount]:
    totals: dict[str, int] = defaultdict(int)
    for facet, count in counts.items():
        for value in values(facet):
            totals[value] += count
    return [FacetCount(value=value, count=count) for value, count in sorted(totals.items()) if count]


def _item_row(row: tuple[int, str, str, str, str, str, str, str, str]) -> ItemRow:
    n, item_id, name, task_set, task, state, flags, question, changed_at = row
    return ItemRow(
        n=n,
        id=item_id,
        name=name,
        task_set=task_set,
        task=task,
        state=state,
        flags=tuple(flags.split()),
        question=question,
        changed_at=changed_at,
    )
