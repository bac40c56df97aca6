"""Maintains the health of media, and the combinations with their totals that lists of media filter by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotator.domain.media_health import health_of
from annotator.domain.medium import Medium
from annotator.store.connection import Connection
from annotator.store.facet_table import REMOVED_FACET, FacetTable, facet_table

NAME, KEY, TOTALS = "medium_facet", ("dataset", "media_type", "health", "licence"), ("media", "bytes")
MEDIUM_FACET_TABLE = facet_table(NAME, key=KEY, totals=TOTALS)
DERIVED = (
    "health TEXT NOT NULL DEFAULT 'unseen'",
    f"facet INTEGER NOT NULL DEFAULT {REMOVED_FACET}",
    "counted_bytes INTEGER NOT NULL DEFAULT 0",
)
"""Derived columns of ``medium``; ``counted_bytes`` is the size that the totals of its combination include."""
PLACED = ("health", "facet", "counted_bytes")
"""The columns that ``place_media`` gives."""
_STATE = """
SELECT n, dataset, media_type, licence, sha256, size_bytes, removed, health, facet, counted_bytes, (
    SELECT coalesce(group_concat(DISTINCT kind), '') FROM flag
    WHERE target=m.id AND state='open' AND removed=0
) FROM medium m WHERE id=?
"""
_UPDATE = "UPDATE medium SET health=?, facet=?, counted_bytes=? WHERE n=?"


def place_media(connection: Connection, media: Sequence[Medium]) -> list[tuple[str, int, int]]:
    """Return what new media without flags are inserted with: health, combination and counted size.

    Args:
        connection: In the caller's transaction, which inserts them.
        media: Before they are inserted.
    """
    facets = FacetTable(connection, name=NAME, key=KEY, totals=TOTALS)
    placed = []
    for medium in media:
        health = health_of(sha256=medium.sha256, flags=())
        facet = facets.id_of((medium.dataset, medium.media_type, health, medium.licence))
        facets.count(facet, media=1, bytes=medium.size_bytes)
        placed.append((health, facet, medium.size_bytes))
    facets.write()
    return placed


def refresh_media(connection: Connection, media: Iterable[str]) -> None:
    """Update health and combination of media after the media or flags on them changed.

    Args:
        connection: In the caller's transaction.
        media: Ids of the media; unknown ids are skipped.
    """
    facets = FacetTable(connection, name=NAME, key=KEY, totals=TOTALS)
    for medium in dict.fromkeys(media):
        found = connection.execute(_STATE, (medium,)).fetchone()
        if found is None:
            continue
        n, dataset, media_type, licence, sha256, size, removed, *before, flags = found
        health = health_of(sha256=sha256, flags=flags.split(","))
        facet = REMOVED_FACET if removed else facets.id_of((dataset, media_type, health, licence))
        # Subtracted is what the combination has counted: the record's earlier values may differ from it.
        if [health, facet, size] != before:
            connection.execute(_UPDATE, (health, facet, size, n))
            facets.count(before[1], media=-1, bytes=-before[2])
            facets.count(facet, media=1, bytes=size)
    facets.write()


def scenes_of(connection: Connection, media: Iterable[str]) -> list[str]:
    """Return the ids of the scenes that show one of some media."""
    select = "SELECT scene FROM scene_view WHERE medium=?"
    return [scene for medium in dict.fromkeys(media) for (scene,) in connection.execute(select, (medium,))]
