"""Arrays of marks brought up to date where a few regions changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.domain.region import Region
from annotator.media.render import Overlay
from widgets.stage.list_change import Ints, ListChange
from widgets.stage.view_annotations import COLUMNS, MarksChange, PolygonArrays, ViewAnnotations

MOST_AREAS = 64
"""Regions that look different from before; above this a view is painted anew as a whole."""


def update_annotations(
    before: ViewAnnotations, *, marks: Overlay, regions: ListChange[Region], link_colours: Mapping[str, int]
) -> ViewAnnotations:
    """Return the arrays of changed marks; what did not change is copied, not worked out.

    Args:
        before: The arrays as they are.
        marks: The marks now.
        regions: How their regions differ from those before.
        link_colours: Places in ``COLOURS`` of the scene's linked regions now.
    """
    after = ViewAnnotations(marks=marks, link_colours=link_colours)
    new = ViewAnnotations(
        marks=Overlay(regions=tuple(region for _, region in regions.inserted)), link_colours=link_colours
    )
    origins = regions.origins(len(before.marks.regions))
    # Cached properties lie in the object's own dictionary: what is put there is never computed.
    known = vars(after)
    keeps_places = regions.keeps_places(len(before.marks.regions))
    has_same_links = link_colours is before.link_places
    for name in COLUMNS:
        if name != "colours_by_link" or has_same_links:
            known[name] = _column(before, new, name, origins=origins, keeps_places=keeps_places)
    known["numbers"] = ListChange(
        removed=regions.removed, inserted=tuple((at, str(one.number)) for at, one in regions.inserted)
    ).apply(before.numbers)
    ids = _updated_ids(before, regions)
    if ids is not None:
        known["ids"] = ids
    if not any(region.polygon for region in _changed(before, regions)):
        known["polygons"] = _moved(before.polygons, origins=origins, count=len(before.marks.regions))
    known["change"] = _change_of(before, after, regions=regions, origins=origins)
    return after


def _changed(before: ViewAnnotations, regions: ListChange[Region]) -> list[Region]:
    gone = [before.marks.regions[place] for place in regions.removed]
    return [*gone, *(region for _, region in regions.inserted)]


def _column(
    before: ViewAnnotations, new: ViewAnnotations, name: str, *, origins: Ints, keeps_places: bool
) -> npt.NDArray[Any]:
    """Return an array of one value per region after a change; those of new regions are worked out."""
    values: npt.NDArray[Any] = getattr(before, name)
    if not len(values):
        return np.asarray(getattr(new, name))
    if keeps_places and len(origins) >= len(values):
        # All that stay keep their places: copied as a block, in half of the time.
        column = np.empty((len(origins), *values.shape[1:]), values.dtype)
        column[: len(values)] = values
    else:
        column = values[origins]
    column[origins < 0] = getattr(new, name)
    return column


def _updated_ids(before: ViewAnnotations, regions: ListChange[Region]) -> dict[str, int] | None:
    """Return the places of regions by id, None where they have to be counted anew."""
    if not regions.keeps_places(len(before.marks.regions)):
        return None
    gone = [before.marks.regions[place].id for place in regions.removed]
    if gone != [region.id for _, region in regions.inserted[: len(gone)]]:
        return None
    return before.ids | {region.id: place for place, region in regions.inserted}


def _moved(polygons: PolygonArrays, *, origins: Ints, count: int) -> PolygonArrays:
    """Return the same polygons at the places that their regions have now.

    Args:
        polygons: The polygons.
        origins: Place before of each region, int64 (n,), -1 for a new one.
        count: Number of regions before.
    """
    places = np.zeros(count, np.int64)
    is_kept = origins >= 0
    places[origins[is_kept]] = np.flatnonzero(is_kept)
    return replace(polygons, places=places[polygons.places])


def _change_of(
    before: ViewAnnotations, after: ViewAnnotations, *, regions: ListChange[Region], origins: Ints
) -> MarksChange:
    changed = _changed(before, regions)
    areas = np.concatenate([before.boxes[list(regions.removed)], after.boxes[origins < 0]])
    if after.link_places is not before.link_places:
        kept = np.flatnonzero(origins >= 0)
        is_other = before.colours("annotated")[origins[kept]] != after.colours("annotated")[kept]
        areas = np.concatenate([areas, after.boxes[kept[is_other]]])
    is_few = len(areas) <= MOST_AREAS and before.marks.paths == after.marks.paths
    return MarksChange(
        previous=before.revision,
        regions=regions,
        ids=frozenset(region.id for region in changed),
        areas=areas if is_few else None,
    )
