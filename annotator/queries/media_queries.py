"""Lists of media: pages, whole selections, counts, bytes. Fast at 10^6 media."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import json

from annotator.domain.query import MediumQuery
from annotator.domain.rows import FacetCount, MediaTotal, MediumRow, ViewThumbnail
from annotator.queries.absent_media import health_now
from annotator.queries.facet_combinations import (
    FacetCombinations,
    FacetSpec,
    RowFilter,
    numbers_text,
    one_value,
)
from annotator.queries.sort_order import CHANGED_AT
from annotator.store.connection import Connection

# Row number and combination, then what the combination counts of the row, in the order of its totals.
# ``counted_bytes`` and not the size: only what was added to a total may be taken out of it.
_ABSENT = """
SELECT n, facet, 1, counted_bytes FROM medium
WHERE removed=0 AND health='found' AND id IN (SELECT value FROM json_each(?))
"""
_FOUND_PATHS = "SELECT id, path FROM medium WHERE removed=0 AND health='found' AND path<>''"
MEDIA = FacetSpec(
    entity="medium",
    facets={name: (name, one_value) for name in ("dataset", "media_type", "health", "licence")},
    totals=("media", "bytes"),
    moved=_ABSENT,
)
ROW = f"""
SELECT n, id, name, dataset, media_type, path, sha256, health, licence, size_bytes,
    coalesce(record ->> 'duration_s', 0.0), coalesce(record ->> 'frames', 0), record ->> 'source',
    (SELECT s.name FROM scene_view v JOIN scene s ON s.id=v.scene WHERE v.medium=m.id ORDER BY s.n LIMIT 1),
    {CHANGED_AT.format(record="m")}
FROM medium m WHERE removed=0 AND n IN (SELECT value FROM json_each(?))
"""


class MediaQueries:
    """The part of a reader that lists media."""

    def __init__(
        self, connection: Connection, *, media: FacetCombinations, scenes: FacetCombinations
    ) -> None:
        self._connection, self._media, self._scenes = connection, media, scenes

    def page(self, query: MediumQuery, *, after: int = 0, limit: int = 100) -> list[MediumRow]:
        """Return the next rows of a selection in order of arrival.

        Args:
            query: The selection.
            after: Row number of the last row known, 0 for the first page.
            limit: Number of rows at most.
        """
        return self.rows(
            self._media.page(_wanted(query), row_filter=_row_filter(query), after=after, limit=limit)
        )

    def numbers(self, query: MediumQuery) -> npt.NDArray[np.int64]:
        """Return the row numbers of a whole selection, int64 (n,), rising."""
        return self._media.numbers(_wanted(query), row_filter=_row_filter(query))

    def rows(self, numbers: Iterable[int]) -> list[MediumRow]:
        """Return rows by their numbers, in the order given; numbers of removed rows are skipped."""
        wanted = [int(n) for n in numbers]
        found = {row[0]: row for row in self._connection.execute(ROW, (numbers_text(wanted),))}
        return [_medium_row(found[n], absent=self.absent) for n in wanted if n in found]

    @property
    def absent(self) -> frozenset[str]:
        """Ids of the media whose files are not at their place now; they are shown as missing."""
        return self._media.absent

    def take_absent(self, absent: frozenset[str]) -> None:
        """Show media as missing from now on, and the scenes that show them."""
        self._media.absent = self._scenes.absent = absent

    def found_paths(self) -> list[tuple[str, str]]:
        """Return id and path of the media whose files were there when they were last searched for."""
        return self._connection.execute(_FOUND_PATHS).fetchall()

    def healths(self, media: Iterable[str]) -> dict[str, str]:
        """Return the health of media by their ids, absent ones as missing."""
        select = "SELECT id, health FROM medium WHERE id IN (SELECT value FROM json_each(?))"
        rows = self._connection.execute(select, (json.encode(list(media)).decode(),))
        return {medium: health_now(medium, health, self.absent) for medium, health in rows}

    def count(self, query: MediumQuery) -> int:
        """Return the size of a selection."""
        return self._media.count(_wanted(query), row_filter=_row_filter(query))

    def facets(self, query: MediumQuery) -> dict[str, list[FacetCount]]:
        """Return counts per dataset, media type, health and licence, each under the other filters."""
        return self._media.facets(_wanted(query), row_filter=_row_filter(query))

    def unseen_count(self) -> int:
        """Return the number of media whose file was never found."""
        select = "SELECT count(*) FROM medium WHERE sha256='' AND removed=0"
        return int(self._connection.execute(select).fetchone()[0])

    def totals(self) -> list[MediaTotal]:
        """Return numbers and bytes of all media per dataset, media type, health and licence."""
        totals = [
            MediaTotal(**{name: one.values[name][0] for name in MEDIA.facets}, media=media, size_bytes=size)
            for one in self._media.all()
            for media, size in [one.totals]
        ]
        return sorted(
            totals, key=lambda total: (total.dataset, total.media_type, total.health, total.licence)
        )


def _row_filter(query: MediumQuery) -> RowFilter:
    return RowFilter(text=query.text)


def _wanted(query: MediumQuery) -> dict[str, tuple[str, ...]]:
    return {
        "dataset": query.datasets,
        "media_type": query.media_types,
        "health": query.healths,
        "licence": query.licences,
    }


def _medium_row(row: tuple[Any, ...], *, absent: frozenset[str]) -> MediumRow:
    (
        n,
        medium_id,
        name,
        dataset,
        media_type,
        path,
        sha256,
        health,
        licence,
        size,
        *length,
        source,
        scene,
        changed_at,
    ) = row
    health = health_now(medium_id, health, absent)
    # The view's name belongs to a scene; a list of media shows the medium by itself.
    shown = ViewThumbnail("", medium_id, name, path, media_type, sha256, health, *length)
    return MediumRow(
        n=n,
        id=medium_id,
        name=name,
        dataset=dataset,
        media_type=media_type,
        health=health,
        licence=licence,
        size_bytes=size,
        source=source or "",
        scene=scene or "",
        shown=(shown,),
        changed_at=changed_at,
    )
