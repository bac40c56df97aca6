"""Lists of items: pages, whole selections, counts. Fast at 10^6 items.

A selection without words is a list of combinations (``item_facet``); counts are sums over those,
and pages are read by keyset, never by OFFSET.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from annotator.domain.query import ItemQuery
from annotator.domain.rows import FacetCount, ItemRow
from annotator.domain.wording import search_words
from annotator.store.connection import Connection

ANY_FLAG = "*"
ROW = "n, id, name, task_set, task, state, flags, question"
DENSE_SHARE = 0.02
"""From this share of all items on, a page is found faster by walking the table than by merging the
combinations' indexes; measured at 10^6 items, where both take about 4 ms."""
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
    items: int


class ItemList:
    """The part of a reader that lists items."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def item_page(self, query: ItemQuery, *, after: int = 0, limit: int = 100) -> list[ItemRow]:
        """Return the next rows of a selection in order of arrival.

        Args:
            query: The selection.
            after: Row number of the last row known, 0 for the first page.
            limit: Number of rows at most.
        """
        numbers = list(islice(self._numbers(query, after=after, limit=limit), limit))
        return self.item_rows(numbers)

    def item_numbers(self, query: ItemQuery) -> npt.NDArray[np.int64]:
        """Return the row numbers of a whole selection, int64 (n,), rising."""
        if query.text or query.scene:
            return np.fromiter(self._searched(query, after=0, limit=-1), dtype=np.int64)
        facets = self._chosen(query)
        marks = ", ".join(str(facet.id) for facet in facets)
        select = f"SELECT n FROM item INDEXED BY item_in_facet WHERE facet IN ({marks})"
        rows = self._connection.execute(select)
        numbers = np.fromiter(
            (row[0] for row in rows), dtype=np.int64, count=sum(facet.items for facet in facets)
        )
        numbers.sort()
        return numbers

    def item_rows(self, numbers: Iterable[int]) -> list[ItemRow]:
        """Return rows by their numbers, in the order given; numbers that are gone are left out."""
        wanted = [int(n) for n in numbers]
        marks = ", ".join("?" * len(wanted))
        rows = self._connection.execute(f"SELECT {ROW} FROM item WHERE removed=0 AND n IN ({marks})", wanted)
        found = {row[0]: row for row in rows}
        return [_item_row(found[n]) for n in wanted if n in found]

    def item_count(self, query: ItemQuery) -> int:
        """Return the size of a selection."""
        return sum(self._counted(query, skip="").values())

    def item_facets(self, query: ItemQuery) -> dict[str, list[FacetCount]]:
        """Return counts per value of each facet, each under the other filters of the query.

        The facets are ``task_set``, ``task``, ``state``, ``flag`` and ``source``.
        """
        in_words = self._in_words(query)
        return {
            name: _counted_values(self._counted(query, skip=name, in_words=in_words), values)
            for name, values in _VALUES.items()
        }

    def _numbers(self, query: ItemQuery, *, after: int, limit: int) -> Iterator[int]:
        if query.text or query.scene:
            return self._searched(query, after=after, limit=limit)
        facets = self._chosen(query)
        chosen, total = sum(facet.items for facet in facets), sum(facet.items for facet in self._facets())
        if len(facets) > MERGED_AT_MOST or chosen > total * DENSE_SHARE:
            return self._walked(facets, after=after, limit=limit)
        return self._merged(facets, after=after, limit=limit)

    def _walked(self, facets: list[Facet], *, after: int, limit: int) -> Iterator[int]:
        marks = ", ".join(str(facet.id) for facet in facets)
        # The unary plus keeps SQLite from the facet index, which would sort the whole selection.
        select = f"SELECT n FROM item WHERE +facet IN ({marks}) AND n>? ORDER BY n LIMIT ?"
        return (row[0] for row in self._connection.execute(select, (after, limit)))

    def _merged(self, facets: list[Facet], *, after: int, limit: int) -> Iterator[int]:
        select = "SELECT n FROM item WHERE facet=? AND n>? ORDER BY n LIMIT ?"
        runs = [[row[0] for row in self._connection.execute(select, (f.id, after, limit))] for f in facets]
        return heapq.merge(*runs)

    def _searched(self, query: ItemQuery, *, after: int, limit: int) -> Iterator[int]:
        """Yield row numbers of a selection with words or within a scene, in order of arrival."""
        tables, where, values = _joined(query)
        marks = ", ".join(str(facet.id) for facet in self._chosen(query))
        order = "w.rowid" if query.text else "i.n"
        where = f"{where} AND i.facet IN ({marks}) AND {order}>?"
        select = f"SELECT i.n FROM {tables} WHERE {where} ORDER BY {order} LIMIT ?"
        return (row[0] for row in self._connection.execute(select, (*values, after, limit)))

    def _in_words(self, query: ItemQuery) -> dict[int, int] | None:
        """Count the rows that the words or the scene select, per combination; None without either."""
        if not (query.text or query.scene):
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

    def _chosen(self, query: ItemQuery, *, skip: str = "") -> list[Facet]:
        tests = [test for name, test in _tests(query).items() if name != skip]
        return [facet for facet in self._facets() if all(test(facet) for test in tests)]

    def _facets(self) -> list[Facet]:
        select = "SELECT id, task_set, task, state, source, flags, items FROM item_facet WHERE items>0"
        rows = self._connection.execute(select)
        return [
            Facet(facet_id, task_set, task, state, source, frozenset(flags.split()), items)
            for facet_id, task_set, task, state, source, flags, items in rows
        ]


_VALUES: dict[str, Callable[[Facet], Iterable[str]]] = {
    "task_set": lambda facet: (facet.task_set,),
    "task": lambda facet: (facet.task,),
    "state": lambda facet: (facet.state,),
    "flag": lambda facet: facet.flags,
    "source": lambda facet: (facet.source,),
}


def _tests(query: ItemQuery) -> dict[str, Callable[[Facet], bool]]:
    """Return the filters of a query that are set, by facet."""
    wanted = {
        "task_set": query.task_sets,
        "task": query.tasks,
        "state": query.states,
        "flag": query.flags,
        "source": query.sources,
    }
    return {name: _test(name, frozenset(values)) for name, values in wanted.items() if values}


def _test(name: str, wanted: frozenset[str]) -> Callable[[Facet], bool]:
    values = _VALUES[name]
    if ANY_FLAG in wanted and name == "flag":
        return lambda facet: bool(facet.flags)
    return lambda facet: not wanted.isdisjoint(values(facet))


def _joined(query: ItemQuery) -> tuple[str, str, tuple[str, ...]]:
    """Return tables, condition and values that select by words and scene."""
    conditions, values = [], []
    if query.text:
        conditions.append("w.item_words MATCH ?")
        values.append(match_expression(query.text))
    if query.scene:
        conditions.append("i.scene=?")
        values.append(query.scene)
    # CROSS JOIN fixes the order: the search's hits in order of rowid, each looked up once.
    tables = "item_words w CROSS JOIN item i ON i.n=w.rowid" if query.text else "item i"
    return tables, " AND ".join(conditions), tuple(values)


def match_expression(text: str) -> str:
    """Return the FTS5 expression for the words of a search box; the last word may be unfinished.

    Each blank-separated part is a phrase, so that what was typed as one word (``A2A_Object``, or a
    Chinese word) is found as one. Punctuation alone selects nothing.
    """
    parts = [search_words(part) for part in text.split()]
    phrases = [f'"{" ".join(words)}"' for words in parts if words]
    return " ".join(phrases) + ("*" if phrases else '""')


def _counted_values(counts: dict[Facet, int], values: Callable[[Facet], Iterable[str]]) -> list[FacetCount]:
    totals: dict[str, int] = defaultdict(int)
    for facet, count in counts.items():
        for value in values(facet):
            totals[value] += count
    return [FacetCount(value=value, count=count) for value, count in sorted(totals.items()) if count]


def _item_row(row: tuple[int, str, str, str, str, str, str, str]) -> ItemRow:
    n, item_id, name, task_set, task, state, flags, question = row
    return ItemRow(
        n=n,
        id=item_id,
        name=name,
        task_set=task_set,
        task=task,
        state=state,
        flags=tuple(flags.split()),
        question=question,
    )
