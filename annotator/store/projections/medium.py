"""Projection of media."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.store.connection import Connection
from annotator.store.medium_facet import DERIVED, MEDIUM_FACET_TABLE, refresh_media, scenes_of
from annotator.store.projection import Hooks, Row
from annotator.store.scene_facet import refresh_scenes


def _count(connection: Connection, rows: Sequence[Row]) -> None:
    media = [row.record.id for row in rows]
    refresh_media(connection, media)
    refresh_scenes(connection, scenes_of(connection, media))


HOOKS = Hooks(
    derived=DERIVED,
    tables=(MEDIUM_FACET_TABLE, "CREATE INDEX medium_in_facet ON medium(facet, n)"),
    on_insert=_count,
    on_update=_count,
)
