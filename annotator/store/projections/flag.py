"""Projection of flags; keeps the open flags of items and the scene that each flag belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.flag import Flag
from annotator.store.connection import Connection
from annotator.store.flagged_scene import SCENE_OF, place_flags
from annotator.store.projection import Column, Projection, Row
from annotator.store.projections import item


def _tell_targets(connection: Connection, rows: Sequence[Row]) -> None:
    flags = [_flag(row) for row in rows]
    for entity in SCENE_OF:
        targets = (flag.target for flag in flags if flag.entity == entity)
        place_flags(connection, entity=entity, targets=targets)
    item.refresh(connection, dict.fromkeys(flag.target for flag in flags if flag.entity == "item"))


def _flag(row: Row) -> Flag:
    assert isinstance(row.record, Flag)
    return row.record


PROJECTION = Projection(
    entity="flag",
    record=Flag,
    columns=(
        Column(name="entity", type=str, value=lambda r: r.entity),
        Column(name="target", type=str, value=lambda r: r.target),
        Column(name="kind", type=str, value=lambda r: r.kind),
        Column(name="state", type=str, value=lambda r: r.state),
        Column(name="severity", type=str, value=lambda r: r.severity),
        Column(name="raised_by", type=str, value=lambda r: r.raised_by),
    ),
    indexes=(("target", "state", "kind"), ("state", "kind", "n")),
    derived=("scene TEXT",),
    tables=("CREATE INDEX flag_of_scene ON flag(scene, state, kind)",),
    on_insert=_tell_targets,
    on_update=_tell_targets,
)
