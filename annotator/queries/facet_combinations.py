"""Selections over a table of combinations (``facet_table``): which combinations fit, and how many records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import json

from annotator.domain.rows import FacetCount
from annotator.queries.absent_media import (
    MISSING,
    NOTHING_MOVED,
    MovedRows,
    read_moved,
)
from annotator.queries.comment_queries import mentioned_in_sql
from annotator.store.connection import Connection
from annotator.store.staged_rows import visible_sql

ANY = "*"
"""Chosen for a facet of several values, it selects the records that have any of them."""
TRIGRAM = 3
"""The trigram index finds texts of at least three characters; for shorter ones each row is compared."""
DENSE_SHARE = 0.02
"""From this share of all records on, walking the table for a page is faster than sorting the index."""
Wanted = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class RowFilter:
    """What selects single rows, in addition to their combinations.

    Attributes:
        text: Part of the name, "" for any name.
        mentions: Ids of persons whom a comment on the record mentions, any of them; empty for any record.
    """

    text: str = ""
    mentions: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether it excludes rows."""
        return bool(self.text or self.mentions)


class FacetCombination(NamedTuple):
    """One combination of what records are filtered by.

    Attributes:
        id: Number of the combination, as in the ``facet`` column of the records.
        values: Values per facet: one, or any number of tags or flags.
        totals: Number of records, then the other sums.
    """

    id: int
    values: dict[str, tuple[str, ...]]
    totals: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class FacetSpec:
    """A table of records with its table of combinations.

    Attributes:
        entity: The table of records; its combinations are in ``<entity>_facet``.
        facets: Column of the combinations per facet, and how its text is read.
        totals: Columns that count, the number of records first.
        moved: Selects the rows that absent media move to another health (``store.absent_media``).
    """

    entity: str
    facets: dict[str, tuple[str, Callable[[str], tuple[str, ...]]]]
    totals: tuple[str, ...]
    moved: str


class FacetCombinations:
    """The combinations as one connection sees them, cached until another connection commits.

    Attributes:
        absent: Ids of the media whose files are not present now; they count as missing.
    """

    def __init__(self, connection: Connection, ground: FacetSpec) -> None:
        self._connection, self._ground = connection, ground
        self.absent: frozenset[str] = frozenset()
        self._known_at: tuple[int, frozenset[str]] = (-1, self.absent)
        self._known: list[FacetCombination] = []
        self._moved = NOTHING_MOVED

    def all(self) -> list[FacetCombination]:
        """Return every combination that has records."""
        # data_version changes only with commits of other connections. That suffices: a reader never writes.
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        if (version, self.absent) != self._known_at:
            self._moved = read_moved(self._connection, self._ground.moved, self.absent)
            self._known = list(_moved_apart(self._read(), self._moved))
            self._known_at = (version, self.absent)
        return self._known

    def chosen(self, wanted: Wanted, *, skip: str = "") -> list[FacetCombination]:
        """Return the combinations that pass the filters, except the filter of the facet ``skip``."""
        tests = [(name, frozenset(values)) for name, values in wanted.items() if values and name != skip]
        return [one for one in self.all() if all(_matches(one, name, values) for name, values in tests)]

    def count(self, wanted: Wanted, *, row_filter: RowFilter) -> int:
        """Return the size of a selection."""
        return sum(self._numbers_in(self.chosen(wanted), self._matching_rows(row_filter)).values())

    def facets(self, wanted: Wanted, *, row_filter: RowFilter) -> dict[str, list[FacetCount]]:
        """Return counts per value of each facet, each under the other filters.

        ``tag*`` and ``flag*`` count the records with any tag or flag: a record can have several.
        """
        matching = self._matching_rows(row_filter)
        found: dict[str, list[FacetCount]] = {}
        for name, (_, read) in self._ground.facets.items():
            chosen = self.chosen(wanted, skip=name)
            found[name] = self._counted(name, chosen, matching)
            if read is not one_value:
                having = [one for one in chosen if one.values[name]]
                count = sum(self._numbers_in(having, matching).values())
                found[f"{name}{ANY}"] = [FacetCount(value=ANY, count=count)]
        return found

    def numbers(self, wanted: Wanted, *, row_filter: RowFilter) -> npt.NDArray[np.int64]:
        """Return the row numbers of a whole selection, int64 (n,), rising."""
        chosen = self.chosen(wanted)
        ids = _ids(chosen)
        where, values = self._named(row_filter)
        entity = self._ground.entity
        # Without INDEXED BY SQLite may scan the table in order of n, which reads every row for a rare
        # combination.
        index = "" if row_filter else f"INDEXED BY {entity}_in_facet"
        # main.<table>, because INDEXED BY does not work on the reader's view of that name.
        select = (
            f"SELECT n FROM main.{entity} {index} "
            f"WHERE {visible_sql()} AND facet IN (SELECT value FROM json_each(?)) {where}"
        )
        rows = self._connection.execute(select, (ids, *values))
        found = np.fromiter((row[0] for row in rows), dtype=np.int64)
        found.sort()
        return self._with_moved(found, chosen={one.id for one in chosen}, row_filter=row_filter)

    def page(self, wanted: Wanted, *, row_filter: RowFilter, after: int, limit: int) -> list[int]:
        """Return the next row numbers of a selection in order of arrival."""
        chosen = self.chosen(wanted)
        if self._moved.numbers:
            # A page by combinations would miss moved rows: they are stored with another health.
            found = self.numbers(wanted, row_filter=row_filter)
            return [int(n) for n in found[found > after][:limit]]
        is_dense = sum(c.totals[0] for c in chosen) > DENSE_SHARE * sum(c.totals[0] for c in self.all())
        where, values = self._named(row_filter)
        # The unary plus disables the index on facet, with which SQLite would sort a dense selection.
        facet = "+facet" if is_dense else "facet"
        select = (
            f"SELECT n FROM {self._ground.entity} WHERE {facet} IN (SELECT value FROM json_each(?)) {where} "
            "AND n>? ORDER BY n LIMIT ?"
        )
        return [row[0] for row in self._connection.execute(select, (_ids(chosen), *values, after, limit))]

    def _read(self) -> list[FacetCombination]:
        readers = dict(self._ground.facets.values())
        names = ", ".join((*readers, *self._ground.totals))
        # Rows of combinations are never deleted; those without records are skipped.
        select = f"SELECT id, {names} FROM {self._ground.entity}_facet WHERE {self._ground.totals[0]}>0"
        found = []
        for number, *values in self._connection.execute(select):
            # The totals follow the facets.
            texts = zip(self._ground.facets.items(), values, strict=False)
            split = {name: read(text) for (name, (_, read)), text in texts}
            found.append(FacetCombination(number, split, tuple(values[len(readers) :])))
        return found

    def _matching_rows(self, row_filter: RowFilter) -> dict[int, int] | None:
        """Count the rows whose name has the text, per combination; None without a text."""
        if not row_filter:
            return None
        where, values = self._named(row_filter)
        # Removed rows have combination 0 and are not counted.
        select = f"SELECT facet, count(*) FROM {self._ground.entity} WHERE facet>0 {where} GROUP BY facet"
        counts = dict(self._connection.execute(select, values).fetchall())
        for facet, numbers in self._moved.numbers.items():
            # Moved rows count under the negative id of their combination (``_moved_apart``).
            counts[-facet] = len(self._matching(numbers, row_filter))
            counts[facet] = counts.get(facet, 0) - counts[-facet]
        return counts

    def _matching(self, numbers: npt.NDArray[np.int64], row_filter: RowFilter) -> npt.NDArray[np.int64]:
        """Return those of some row numbers whose name has a text."""
        if not row_filter:
            return numbers
        where, values = self._named(row_filter)
        select = f"SELECT n FROM {self._ground.entity} WHERE n IN (SELECT value FROM json_each(?)) {where}"
        rows = self._connection.execute(select, (numbers_text(numbers), *values))
        return np.fromiter((row[0] for row in rows), dtype=np.int64)

    def _with_moved(
        self, found: npt.NDArray[np.int64], *, chosen: set[int], row_filter: RowFilter
    ) -> npt.NDArray[np.int64]:
        """Return row numbers with the moved rows where their own combination is chosen, and only there."""
        for facet, numbers in self._moved.numbers.items():
            if facet in chosen and -facet not in chosen:
                found = np.setdiff1d(found, numbers, assume_unique=True)
            elif -facet in chosen and facet not in chosen:
                found = np.union1d(found, self._matching(numbers, row_filter))
        return found

    def _numbers_in(self, chosen: list[FacetCombination], matching: dict[int, int] | None) -> dict[int, int]:
        return {one.id: one.totals[0] if matching is None else matching.get(one.id, 0) for one in chosen}

    def _counted(
        self, name: str, chosen: list[FacetCombination], matching: dict[int, int] | None
    ) -> list[FacetCount]:
        numbers = self._numbers_in(chosen, matching)
        totals: dict[str, int] = defaultdict(int)
        for one in chosen:
            for value in one.values[name]:
                totals[value] += numbers[one.id]
        return [FacetCount(value=value, count=count) for value, count in sorted(totals.items()) if count]

    def _named(self, row_filter: RowFilter) -> tuple[str, tuple[str, ...]]:
        """Return the condition of a filter of single rows, and its values."""
        conditions, values = [], []
        if row_filter.text:
            conditions.append(self._has_text(row_filter.text))
            values.append(row_filter.text if len(row_filter.text) < TRIGRAM else _phrase(row_filter.text))
        if row_filter.mentions:
            conditions.append(f"AND id IN ({mentioned_in_sql(self._ground.entity)})")
            values.append(json.encode(row_filter.mentions).decode())
        return " ".join(conditions), tuple(values)

    def _has_text(self, text: str) -> str:
        # lower() of SQLite converts ASCII only: one or two other letters have to match in case.
        if len(text) < TRIGRAM:
            return "AND instr(lower(name), lower(?)) > 0"
        parts = f"{self._ground.entity}_parts"
        return f"AND n IN (SELECT rowid FROM {parts} WHERE {parts} MATCH ?)"


def _phrase(text: str) -> str:
    # FTS5 ends a phrase at a NUL character; names contain none.
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'


def _moved_apart(known: Iterable[FacetCombination], moved: MovedRows) -> Iterator[FacetCombination]:
    """Yield combinations without their moved rows, and these as combinations of their own, ids negative."""
    for one in known:
        gone = moved.totals.get(one.id)
        if gone is None:
            yield one
            continue
        left = tuple(whole - part for whole, part in zip(one.totals, gone, strict=True))
        if left[0]:
            yield one._replace(totals=left)
        yield FacetCombination(-one.id, one.values | {"health": (MISSING,)}, gone)


def one_value(text: str) -> tuple[str, ...]:
    """Read a column that holds one value."""
    return (text,)


def split_ids(text: str) -> tuple[str, ...]:
    """Read a column of ids with blanks between them."""
    return tuple(text.split())


def json_texts(text: str) -> tuple[str, ...]:
    """Read a column that holds a JSON list of texts."""
    return json.decode(text, type=tuple[str, ...])


def numbers_text(numbers: Iterable[int]) -> str:
    """Return numbers as one JSON text: how many values can be bound is limited."""
    return json.encode([int(number) for number in numbers]).decode()


def _ids(chosen: list[FacetCombination]) -> str:
    return numbers_text(one.id for one in chosen)


def _matches(combination: FacetCombination, name: str, wanted: frozenset[str]) -> bool:
    values = combination.values[name]
    return bool(values) if ANY in wanted else not wanted.isdisjoint(values)
