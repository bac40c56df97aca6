"""Projection of links; the first link of a scene begins its annotation."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.link import Link
from annotator.domain.record import Record
from annotator.store.connection import Connection
from annotator.store.projection import Hooks, Row
from annotator.store.scene_facet import refresh_scenes


def _update_scenes(connection: Connection, rows: Sequence[Row]) -> None:
    refresh_scenes(
        connection, [_link(record).scene for row in rows for record in (row.before, row.record) if record]
    )


def _link(record: Record) -> Link:
    assert isinstance(record, Link)
    return record


HOOKS = Hooks(on_insert=_update_scenes, on_update=_update_scenes)
