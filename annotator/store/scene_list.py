"""Lists of scenes: pages, whole selections, counts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from msgspec import json

from annotator.domain.query import SceneQuery
from annotator.domain.rows import FacetCount, SceneRow
from annotator.store.connection import Connection
from annotator.store.item_list import ANY_FLAG

TRIGRAM = 3
"""The substring index knows runs of three characters; shorter texts are compared one by one."""
ROW = """
SELECT n, id, name, dataset, views,
    (SELECT count(*) FROM event_label WHERE scene=s.id AND removed=0),
    (SELECT count(*) FROM item WHERE scene=s.id AND removed=0),
    (SELECT coalesce(group_concat(kind, ' '), '') FROM (
        SELECT DISTINCT kind FROM flag WHERE scene=s.id AND state='open' AND removed=0 ORDER BY kind))
FROM scene s
"""


class SceneList:
    """The part of a reader that lists scenes."""

    _connection: Connection

    def scene_page(self, query: SceneQuery, *, after: int = 0, limit: int = 100) -> list[SceneRow]:
        """Return the next rows of a selection in order of arrival.

        Args:
            query: The selection.
            after: Row number of the last row known, 0 for the first page.
            limit: Number of rows at most.
        """
        where, values = _condition(query)
        select = f"SELECT n FROM scene s WHERE {where} AND n>? ORDER BY n LIMIT ?"
        rows = self._connection.execute(select, (*values, after, limit))
        return self.scene_rows(row[0] for row in rows)

    def scene_numbers(self, query: SceneQuery) -> npt.NDArray[np.int64]:
        """Return the row numbers of a whole selection, int64 (n,), rising."""
        where, values = _condition(query)
        rows = self._connection.execute(f"SELECT n FROM scene s WHERE {where} ORDER BY n", values)
        return np.fromiter((row[0] for row in rows), dtype=np.int64)

    def scene_rows(self, numbers: Iterable[int]) -> list[SceneRow]:
        """Return rows by their numbers, in the order given; numbers that are gone are left out."""
        wanted = [int(n) for n in numbers]
        # As one JSON text: the number of values that can be bound is limited.
        select = f"{ROW} WHERE removed=0 AND n IN (SELECT value FROM json_each(?))"
        rows = self._connection.execute(select, (json.encode(wanted).decode(),))
        found = {row[0]: row for row in rows}
        return [_scene_row(found[n]) for n in wanted if n in found]

    def scene_count(self, query: SceneQuery) -> int:
        """Return the size of a selection."""
        where, values = _condition(query)
        return int(
            self._connection.execute(f"SELECT count(*) FROM scene s WHERE {where}", values).fetchone()[0]
        )

    def scene_facets(self, query: SceneQuery) -> dict[str, list[FacetCount]]:
        """Return counts per ``dataset`` and ``flag``, each under the other filters of the query."""
        where, values = _condition(query, skip="dataset")
        datasets = f"SELECT dataset, count(*) FROM scene s WHERE {where} GROUP BY dataset ORDER BY dataset"
        flagged, flag_values = _condition(query, skip="flag")
        flags = (
            "SELECT f.kind, count(DISTINCT s.id) FROM flag f JOIN scene s ON s.id=f.scene "
            f"WHERE f.state='open' AND f.removed=0 AND {flagged} GROUP BY f.kind ORDER BY f.kind"
        )
        return {"dataset": self._facet(datasets, values), "flag": self._facet(flags, flag_values)}

    def _facet(self, select: str, values: tuple[str, ...]) -> list[FacetCount]:
        rows = self._connection.execute(select, values)
        return [FacetCount(value=value, count=count) for value, count in rows]


def _condition(query: SceneQuery, *, skip: str = "") -> tuple[str, tuple[str, ...]]:
    """Return the SQL condition of a selection, one facet left out."""
    parts: list[tuple[str, tuple[str, ...]]] = [("s.removed=0", ())]
    if query.datasets and skip != "dataset":
        parts.append((f"s.dataset IN ({_marks(query.datasets)})", query.datasets))
    if query.flags and skip != "flag":
        parts.append(_flagged(query.flags))
    if query.text:
        parts.append(_named(query.text))
    return " AND ".join(text for text, _ in parts), tuple(value for _, values in parts for value in values)


def _flagged(kinds: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    chosen = "" if ANY_FLAG in kinds else f"AND kind IN ({_marks(kinds)})"
    select = (
        f"s.id IN (SELECT scene FROM flag WHERE scene IS NOT NULL AND state='open' AND removed=0 {chosen})"
    )
    return select, () if ANY_FLAG in kinds else kinds


def _named(text: str) -> tuple[str, tuple[str, ...]]:
    if len(text) < TRIGRAM:
        return "instr(lower(s.name), lower(?)) > 0", (text,)
    # A phrase ends at a NUL, whatever stands behind it; no name has one.
    phrase = '"' + text.replace('"', '""').replace("\0", " ") + '"'
    return "s.n IN (SELECT rowid FROM scene_parts WHERE scene_parts MATCH ?)", (phrase,)


def _marks(values: tuple[str, ...]) -> str:
    return ", ".join("?" * len(values))


def _scene_row(row: tuple[int, str, str, str, int, int, int, str]) -> SceneRow:
    n, scene_id, name, dataset, views, labels, items, flags = row
    return SceneRow(
        n=n,
        id=scene_id,
        name=name,
        dataset=dataset,
        views=views,
        labels=labels,
        items=items,
        flags=tuple(flags.split()),
    )
