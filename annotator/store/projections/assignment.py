"""Projection of assignments; updates what items and scenes are filtered by."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.assignment import Assignment
from annotator.domain.record import Record
from annotator.store.connection import Connection
from annotator.store.projection import Hooks, Row
from annotator.store.projections import item
from annotator.store.scene_facet import refresh_scenes


def _update_targets(connection: Connection, rows: Sequence[Row]) -> None:
    assigned = [_assignment(record) for row in rows for record in (row.before, row.record) if record]
    item.refresh(connection, dict.fromkeys(one.target for one in assigned if one.entity == "item"))
    refresh_scenes(connection, [one.target for one in assigned if one.entity == "scene"])


def _assignment(record: Record) -> Assignment:
    assert isinstance(record, Assignment)
    return record


HOOKS = Hooks(on_insert=_update_targets, on_update=_update_targets)
