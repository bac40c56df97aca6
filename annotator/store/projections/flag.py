"""Projection of flags; updates the open flags of items and the scene of each flag."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.flag import Flag
from annotator.store.connection import Connection
from annotator.store.flagged_scene import FLAGGED_OF_SCENES, assign_flag_scenes
from annotator.store.medium_facet import refresh_media, scenes_of
from annotator.store.projection import Hooks, Row
from annotator.store.projections import item
from annotator.store.scene_facet import refresh_scenes

# Review cases are grouped from this index alone, in its order.
CASE_INDEX = """
CREATE INDEX flag_of_case ON flag(target, entity, kind, raised_by, severity, votes, scene, n)
WHERE state='open' AND removed=0
"""


def _update_targets(connection: Connection, rows: Sequence[Row]) -> None:
    targets: dict[str, dict[str, None]] = {entity: {} for entity in FLAGGED_OF_SCENES}
    for flag in (_flag(row) for row in rows):
        if flag.entity in targets:
            targets[flag.entity][flag.target] = None
    # Before the figures are refreshed: scenes count their flags by this column.
    scenes = {
        s
        for entity in targets
        for s in assign_flag_scenes(connection, entity=entity, targets=targets[entity])
    }
    item.refresh(connection, targets["item"])
    refresh_media(connection, targets["medium"])
    refresh_scenes(connection, [*scenes, *scenes_of(connection, targets["medium"])])


def _flag(row: Row) -> Flag:
    assert isinstance(row.record, Flag)
    return row.record


HOOKS = Hooks(
    derived=("scene TEXT",),
    tables=(
        "CREATE INDEX flag_of_scene ON flag(scene, state, removed, kind)",
        CASE_INDEX,
    ),
    on_insert=_update_targets,
    on_update=_update_targets,
)
