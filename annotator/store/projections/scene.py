"""Projection of scenes, with the table ``scene_view`` that maps media to the scenes that show them."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.scene import Scene
from annotator.store.connection import Connection
from annotator.store.deferred import deferred_of
from annotator.store.flagged_scene import assign_flag_scenes
from annotator.store.projection import Hooks, Row
from annotator.store.scene_facet import DERIVED, SCENE_FACET_TABLE, refresh_scenes

VIEW_TABLE = """
CREATE TABLE scene_view (
    medium TEXT NOT NULL,
    scene TEXT NOT NULL,
    view TEXT NOT NULL,
    PRIMARY KEY (medium, scene, view)
) STRICT, WITHOUT ROWID
"""


def _write_views(connection: Connection, rows: Sequence[Row]) -> None:
    values = [(view.medium, row.record.id, view.name) for row in rows for view in _scene(row).views]
    insert = "INSERT OR IGNORE INTO scene_view (medium, scene, view) VALUES (?, ?, ?)"
    connection.executemany(insert, values)
    scenes = _assign_flags(connection, [medium for medium, *_ in values])
    refresh_scenes(connection, [*(row.record.id for row in rows), *scenes])


def _rewrite_views(connection: Connection, rows: Sequence[Row]) -> None:
    for row in rows:
        delete = "DELETE FROM scene_view WHERE scene=? RETURNING medium"
        lost = [medium for (medium,) in connection.execute(delete, (row.record.id,))]
        _write_views(connection, [] if row.removed else [row])
        refresh_scenes(connection, [row.record.id, *_assign_flags(connection, lost)])


def _assign_flags(connection: Connection, media: list[str]) -> set[str]:
    """Write the scene of the flags on some media, and return the ids of the scenes touched.

    Flags on visible media wait for the transaction that makes the scenes visible, or hides them.
    """
    if (deferred := deferred_of(connection)) is not None:
        visible = {m for m in media if deferred.is_visible(connection, "medium", m)}
        deferred.shown_media.update(dict.fromkeys(visible))
        media = [medium for medium in media if medium not in visible]
    return assign_flag_scenes(connection, entity="medium", targets=media)


def _scene(row: Row) -> Scene:
    assert isinstance(row.record, Scene)
    return row.record


HOOKS = Hooks(
    derived=DERIVED,
    tables=(
        VIEW_TABLE,
        "CREATE INDEX scene_view_scene ON scene_view(scene)",
        SCENE_FACET_TABLE,
        "CREATE INDEX scene_in_facet ON scene(facet, n)",
    ),
    on_insert=_write_views,
    on_update=_rewrite_views,
)
