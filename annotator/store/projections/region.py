"""Projection of regions; the first region made by hand in a scene begins its annotation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotator.domain.record import Record
from annotator.domain.region import HAND, Region
from annotator.store.connection import Connection
from annotator.store.medium_facet import scenes_of
from annotator.store.projection import Hooks, Row
from annotator.store.scene_facet import refresh_scenes


def _show_drawn(connection: Connection, rows: Sequence[Row]) -> None:
    _refresh(connection, (_region(row.record) for row in rows))


def _show_changed(connection: Connection, rows: Sequence[Row]) -> None:
    # A region that is moved or renamed begins and ends no annotation.
    changed = (
        row for row in rows if row.removed != row.was_removed or _origin(row.before) != _origin(row.record)
    )
    records = (record for row in changed for record in (row.before, row.record) if record)
    _refresh(connection, map(_region, records))


def _refresh(connection: Connection, regions: Iterable[Region]) -> None:
    media = dict.fromkeys(region.medium for region in regions if region.made_by == HAND)
    if media:
        refresh_scenes(connection, scenes_of(connection, media))


def _origin(record: Record | None) -> tuple[str, str] | None:
    return (_region(record).medium, _region(record).made_by) if record is not None else None


def _region(record: Record) -> Region:
    assert isinstance(record, Region)
    return record


HOOKS = Hooks(
    tables=("CREATE INDEX region_by_hand ON region(medium) WHERE by_hand=1",),
    on_insert=_show_drawn,
    on_update=_show_changed,
)
