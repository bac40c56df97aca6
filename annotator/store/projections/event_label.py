"""Projection of event labels."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.event_label import EventLabel
from annotator.domain.record import Record
from annotator.store.connection import Connection
from annotator.store.flagged_scene import assign_flag_scenes
from annotator.store.projection import Hooks, Row
from annotator.store.scene_facet import refresh_scenes


def _update_scenes(connection: Connection, rows: Sequence[Row]) -> None:
    refresh_scenes(connection, [_label(row.record).scene for row in rows])


def _move(connection: Connection, rows: Sequence[Row]) -> None:
    scenes = [_label(record).scene for row in rows for record in (row.before, row.record) if record]
    flagged = assign_flag_scenes(connection, entity="event_label", targets=[row.record.id for row in rows])
    refresh_scenes(connection, [*scenes, *flagged])


def _label(record: Record) -> EventLabel:
    assert isinstance(record, EventLabel)
    return record


HOOKS = Hooks(
    on_insert=_update_scenes,
    on_update=_move,
)
