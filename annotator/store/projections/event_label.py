"""Projection of event labels."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.event_label import EventLabel
from annotator.store.connection import Connection
from annotator.store.flagged_scene import place_flags
from annotator.store.projection import Column, Projection, Row


def _move_flags(connection: Connection, rows: Sequence[Row]) -> None:
    place_flags(connection, entity="event_label", targets=[row.record.id for row in rows])


PROJECTION = Projection(
    entity="event_label",
    record=EventLabel,
    columns=(
        Column(name="scene", type=str, value=lambda r: r.scene),
        Column(name="medium", type=str, value=lambda r: r.medium),
        Column(name="source", type=str, value=lambda r: r.source),
        Column(name="import_key", type=str, value=lambda r: r.import_key or None),
    ),
    indexes=(("scene", "n"), ("medium", "n"), ("import_key",)),
    on_update=_move_flags,
)
