"""Projection of media."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.medium import Medium
from annotator.store.connection import Connection
from annotator.store.facet_table import REMOVED_FACET
from annotator.store.flagged_scene import flagged_targets
from annotator.store.medium_facet import (
    DERIVED,
    MEDIUM_FACET_TABLE,
    PLACED,
    place_media,
    refresh_media,
    scenes_of,
)
from annotator.store.projection import Hooks, Row
from annotator.store.scene_facet import refresh_scenes


def _place(connection: Connection, rows: Sequence[Row]) -> list[tuple[str, int, int]]:
    return place_media(connection, [_medium(row) for row in rows])


def _show_inserted(connection: Connection, rows: Sequence[Row]) -> None:
    media = [row.record.id for row in rows]
    # From a merge: flags can be older than what they are about.
    refresh_media(connection, flagged_targets(connection, "medium", media))
    refresh_scenes(connection, scenes_of(connection, media))


def _count(connection: Connection, rows: Sequence[Row]) -> None:
    media = [row.record.id for row in rows]
    refresh_media(connection, media)
    refresh_scenes(connection, scenes_of(connection, media))


def _remove_hidden(connection: Connection, first: int, last: int) -> None:
    # Flags on them are removed before, which has brought their health up to date.
    update = f"UPDATE main.medium SET removed=1, facet={REMOVED_FACET} WHERE n BETWEEN ? AND ? AND removed=0"
    connection.execute(update, (first, last))
    # Few: the scenes that were hidden with them are removed before, and have no views any more.
    select = (
        "SELECT DISTINCT v.scene FROM main.medium m CROSS JOIN main.scene_view v ON v.medium=m.id "
        "WHERE m.n BETWEEN ? AND ?"
    )
    refresh_scenes(connection, [scene for (scene,) in connection.execute(select, (first, last))])


def _medium(row: Row) -> Medium:
    assert isinstance(row.record, Medium)
    return row.record


HOOKS = Hooks(
    derived=DERIVED,
    tables=(MEDIUM_FACET_TABLE, "CREATE INDEX medium_in_facet ON medium(facet, n)"),
    placed=PLACED,
    on_place=_place,
    on_insert=_show_inserted,
    on_update=_count,
    remove_hidden=_remove_hidden,
)
