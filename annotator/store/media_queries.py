"""Lists of media: pages, whole selections, counts, bytes. Fast at 10^6 media."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.domain.query import MediumQuery
from annotator.domain.rows import FacetCount, MediaTotal, MediumRow, ViewThumbnail
from annotator.store.connection import Connection
from annotator.store.facet_combinations import FacetCombinations, FacetSpec, numbers_text, one_value
from annotator.store.sort_order import CHANGED_AT

MEDIA = FacetSpec(
    entity="medium",
    facets={name: (name, one_value) for name in ("dataset", "media_type", "health", "licence")},
    totals=("media", "bytes"),
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

    _connection: Connection
    _media: FacetCombinations

    def medium_page(self, query: MediumQuery, *, after: int = 0, limit: int = 100) -> list[MediumRow]:
        """Return the next rows of a selection in order of arrival.

        Args:
            query: The selection.
            after: Row number of the last row known, 0 for the first page.
            limit: Number of rows at most.
        """
        return self.medium_rows(self._media.page(_wanted(query), text=query.text, after=after, limit=limit))

    def medium_numbers(self, query: MediumQuery) -> npt.NDArray[np.int64]:
        """Return the row numbers of a whole selection, int64 (n,), rising."""
        return self._media.numbers(_wanted(query), text=query.text)

    def medium_rows(self, numbers: Iterable[int]) -> list[MediumRow]:
        """Return rows by their numbers, in the order given; numbers that are gone are left out."""
        wanted = [int(n) for n in numbers]
        found = {row[0]: row for row in self._connection.execute(ROW, (numbers_text(wanted),))}
        return [_medium_row(found[n]) for n in wanted if n in found]

    def medium_count(self, query: MediumQuery) -> int:
        """Return the size of a selection."""
        return self._media.count(_wanted(query), text=query.text)

    def medium_facets(self, query: MediumQuery) -> dict[str, list[FacetCount]]:
        """Return counts per dataset, media type, health and licence, each under the other filters."""
        return self._media.facets(_wanted(query), text=query.text)

    def media_totals(self) -> list[MediaTotal]:
        """Return numbers and bytes of all media per dataset, media type, health and licence."""
        totals = [
            MediaTotal(**{name: one.values[name][0] for name in MEDIA.facets}, media=media, size_bytes=size)
            for one in self._media.all()
            for media, size in [one.totals]
        ]
        return sorted(
            totals, key=lambda total: (total.dataset, total.media_type, total.health, total.licence)
        )


def _wanted(query: MediumQuery) -> dict[str, tuple[str, ...]]:
    return {
        "dataset": query.datasets,
        "media_type": query.media_types,
        "health": query.healths,
        "licence": query.licences,
    }


def _medium_row(row: tuple[Any, ...]) -> MediumRow:
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
