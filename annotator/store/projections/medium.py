"""Projection of media."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.medium import Medium
from annotator.store.connection import Connection
from annotator.store.medium_facet import DERIVED, MEDIUM_FACET_TABLE, refresh_media, scenes_of
from annotator.store.projection import Column, Projection, Row
from annotator.store.scene_facet import refresh_scenes


def _count(connection: Connection, rows: Sequence[Row]) -> None:
    media = [row.record.id for row in rows]
    refresh_media(connection, media)
    refresh_scenes(connection, scenes_of(connection, media))


PROJECTION = Projection(
    entity="medium",
    record=Medium,
    columns=(
        Column(name="name", type=str, value=lambda r: r.name),
        Column(name="dataset", type=str, value=lambda r: r.dataset),
        Column(name="kind", type=str, value=lambda r: r.kind),
        Column(name="sha256", type=str, value=lambda r: r.sha256),
        Column(name="path", type=str, value=lambda r: r.path),
        Column(name="licence", type=str, value=lambda r: r.licence),
        Column(name="size_bytes", type=int, value=lambda r: r.size_bytes),
    ),
    indexes=(("name", "dataset"), ("sha256",)),
    substrings=lambda r: r.name,
    derived=DERIVED,
    tables=(MEDIUM_FACET_TABLE, "CREATE INDEX medium_in_facet ON medium(facet, n)"),
    on_insert=_count,
    on_update=_count,
)
