"""Lists of scenes: pages, whole selections, counts. Fast at 10^5 scenes.

As for items, counts are sums over combinations (``scene_facet``), and pages are read by keyset.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from annotator.domain.query import SceneQuery
from annotator.domain.rows import FacetCount, SceneRow, ViewThumbnail
from annotator.queries.absent_media import health_now
from annotator.queries.facet_combinations import (
    FacetCombinations,
    FacetSpec,
    RowFilter,
    json_texts,
    numbers_text,
    one_value,
    split_ids,
)
from annotator.queries.sort_order import CHANGED_AT
from annotator.store.connection import Connection

LAST_CHARACTER = "\U0010ffff"
# Row number and combination, then what the combination counts of the row, in the order of its totals.
# 'unseen' stands behind 'missing' in the order of what needs somebody (domain.media_health).
# DISTINCT: a scene with several absent media moves once.
_ABSENT = """
SELECT DISTINCT s.n, s.facet, 1 FROM scene_view v JOIN scene s ON s.id=v.scene
JOIN scene_facet f ON f.id=s.facet JOIN medium m ON m.id=v.medium
WHERE s.removed=0 AND f.health IN ('found', 'unseen') AND m.removed=0 AND m.health='found'
AND v.medium IN (SELECT value FROM json_each(?))
"""
SCENES = FacetSpec(
    entity="scene",
    facets={
        "dataset": ("dataset", one_value),
        "stage": ("stage", one_value),
        "health": ("health", one_value),
        "tag": ("tags", json_texts),
        "flag": ("flags", split_ids),
        "annotation": ("annotation", one_value),
        "assignee": ("assignees", split_ids),
    },
    totals=("scenes",),
    moved=_ABSENT,
)
ROW = f"""
SELECT n, id, name, dataset, views, labels, labelled, items, settled, tags, flags, annotation,
    {CHANGED_AT.format(record="scene")}
FROM scene WHERE removed=0 AND n IN (SELECT value FROM json_each(?))
"""
VIEWS = """
SELECT v.scene, v.view, m.id, m.name, m.path, m.media_type, m.sha256, m.health,
    coalesce(m.record ->> 'duration_s', 0.0), coalesce(m.record ->> 'frames', 0)
FROM scene s JOIN scene_view v ON v.scene=s.id JOIN medium m ON m.id=v.medium
WHERE m.removed=0 AND s.n IN (SELECT value FROM json_each(?)) ORDER BY s.n, v.view, m.n
"""


class SceneQueries:
    """The part of a reader that lists scenes."""

    def __init__(self, connection: Connection, *, scenes: FacetCombinations) -> None:
        self._connection, self._scenes = connection, scenes

    def page(self, query: SceneQuery, *, after: int = 0, limit: int = 100) -> list[SceneRow]:
        """Return the next rows of a selection in order of arrival.

        Args:
            query: The selection.
            after: Row number of the last row known, 0 for the first page.
            limit: Number of rows at most.
        """
        return self.rows(
            self._scenes.page(_wanted(query), row_filter=_row_filter(query), after=after, limit=limit)
        )

    def numbers(self, query: SceneQuery) -> npt.NDArray[np.int64]:
        """Return the row numbers of a whole selection, int64 (n,), rising."""
        return self._scenes.numbers(_wanted(query), row_filter=_row_filter(query))

    def rows(self, numbers: Iterable[int]) -> list[SceneRow]:
        """Return rows by their numbers, in the order given; numbers of removed rows are skipped."""
        wanted = [int(n) for n in numbers]
        text = numbers_text(wanted)
        views: dict[str, list[ViewThumbnail]] = defaultdict(list)
        for scene, *values in self._connection.execute(VIEWS, (text,)):
            shown = ViewThumbnail(*values)
            health = health_now(shown.medium, shown.health, self._scenes.absent)
            views[scene].append(msgspec.structs.replace(shown, health=health))
        found = {row[0]: row for row in self._connection.execute(ROW, (text,))}
        return [_scene_row(found[n], tuple(views[found[n][1]])) for n in wanted if n in found]

    def names(self) -> dict[int, tuple[str, str]]:
        """Return dataset and name of all scenes by their row numbers."""
        select = "SELECT n, dataset, name FROM scene WHERE removed=0"
        return {n: (dataset, name) for n, dataset, name in self._connection.execute(select)}

    def named(self, beginning: str, *, dataset: str) -> list[tuple[str, str]]:
        """Return id and name of the scenes of a dataset whose names begin with a text."""
        # A range of the index on the name, in place of LIKE, for which the text would have to be escaped.
        select = "SELECT id, name FROM scene WHERE removed=0 AND dataset=? AND name>=? AND name<=?"
        rows = self._connection.execute(select, (dataset, beginning, beginning + LAST_CHARACTER))
        return [(scene, name) for scene, name in rows]

    def showing(self, medium: str) -> list[str]:
        """Return the ids of the scenes that have a medium as one of their views, oldest first."""
        select = "SELECT scene FROM scene_view WHERE medium=? ORDER BY scene"
        return [row[0] for row in self._connection.execute(select, (medium,))]

    def showing_any(self, media: Iterable[str]) -> list[str]:
        """Return the ids of the scenes that show any of some media, each once, in the order of the media."""
        return list(dict.fromkeys(scene for medium in dict.fromkeys(media) for scene in self.showing(medium)))

    def count(self, query: SceneQuery) -> int:
        """Return the size of a selection."""
        return self._scenes.count(_wanted(query), row_filter=_row_filter(query))

    def facets(self, query: SceneQuery) -> dict[str, list[FacetCount]]:
        """Return counts per value of each facet, each under the other filters of the query.

        The facets are ``dataset``, ``stage``, ``health``, ``tag``, ``flag``, ``annotation`` and ``assignee``;
        ``tag*``, ``flag*`` and ``assignee*`` count the scenes with any tag, flag or assignee.
        """
        return self._scenes.facets(_wanted(query), row_filter=_row_filter(query))


def _row_filter(query: SceneQuery) -> RowFilter:
    return RowFilter(text=query.text, mentions=query.mentions)


def _wanted(query: SceneQuery) -> dict[str, tuple[str, ...]]:
    return {
        "dataset": query.datasets,
        "stage": query.stages,
        "health": query.healths,
        "tag": query.tags,
        "flag": query.flags,
        "annotation": query.annotations,
        "assignee": query.assignees,
    }


def _scene_row(row: tuple[Any, ...], shown: tuple[ViewThumbnail, ...]) -> SceneRow:
    n, scene_id, name, dataset, views, labels, labelled, items, settled, tags, flags, *rest = row
    annotation, changed_at = rest
    return SceneRow(
        n=n,
        id=scene_id,
        name=name,
        dataset=dataset,
        views=views,
        labels=labels,
        labelled=labelled,
        items=items,
        settled=settled,
        tags=json_texts(tags),
        flags=split_ids(flags),
        shown=shown,
        annotation=annotation,
        changed_at=changed_at,
    )
