"""Projection of flags; keeps the open flags of items and the scene that each flag belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.flag import Flag
from annotator.store.connection import Connection
from annotator.store.projection import Column, Projection, Row
from annotator.store.projections import item

# The scene of a flag's target, so that a scene's flags are one look-up.
_SCENE_OF = {
    "scene": "SELECT ?1",
    "item": "SELECT scene FROM item WHERE id=?1",
    "event_label": "SELECT scene FROM event_label WHERE id=?1",
    "medium": "SELECT scene FROM scene_view WHERE medium=?1 ORDER BY scene LIMIT 1",
}


def _tell_targets(connection: Connection, rows: Sequence[Row]) -> None:
    flags = [_flag(row) for row in rows]
    for entity, select in _SCENE_OF.items():
        values = [
            (flag.target, row.n) for flag, row in zip(flags, rows, strict=True) if flag.entity == entity
        ]
        connection.executemany(f"UPDATE flag SET scene=({select}) WHERE n=?2", values)
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
