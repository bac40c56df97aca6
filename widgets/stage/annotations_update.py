"""Updates the annotation arrays of a view after a change of a few regions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.domain.region import Region
from annotator.media.render import Overlay
from widgets.stage.list_change import Ints, ListChange
from widgets.stage.view_annotations import (
    COLUMNS,
    MarksChange,
    PolygonArrays,
    ViewAnnotations,
    number_text,
)

MOST_AREAS = 64
"""Number of changed regions above which the whole view is repainted."""


def update_annotations(
    before: ViewAnnotations, *, marks: Overlay, regions: ListChange[Region], link_colours: Mapping[str, int]
) -> ViewAnnotations:
    """Return the arrays of the changed annotations; unchanged rows are copied, not recomputed.

    Args:
        before: The arrays before the change.
        marks: The annotations after the change.
        regions: Differences between the regions before and after.
        link_colours: Indices into ``COLOURS`` of the scene's linked regions after the change.
    """
    after = ViewAnnotations(marks=marks, link_colours=link_colours)
    new = ViewAnnotations(
        marks=Overlay(regions=tuple(region for _, region in regions.inserted)), link_colours=link_colours
    )
    origins = regions.origins(len(before.marks.regions))
    # A cached property reads its value from the instance dictionary first: a value stored there is not
    # recomputed.
    known = vars(after)
    keeps_indices = regions.keeps_indices(len(before.marks.regions))
    has_same_links = link_colours is before.link_colour_indices
    for name in COLUMNS:
        if name != "colours_by_link" or has_same_links:
            known[name] = _column(before, new, name, origins=origins, keeps_indices=keeps_indices)
    known["numbers"] = ListChange(
        removed=regions.removed, inserted=tuple((at, number_text(one)) for at, one in regions.inserted)
    ).apply(before.numbers)
    ids = _updated_ids(before, regions)
    if ids is not None:
        known["ids"] = ids
    if not any(region.polygon for region in _changed(before, regions)):
        known["polygons"] = _moved(before.polygons, origins=origins, count=len(before.marks.regions))
    known["change"] = _change_of(before, after, regions=regions, origins=origins)
    return after


def _changed(before: ViewAnnotations, regions: ListChange[Region]) -> list[Region]:
    gone = [before.marks.regions[index] for index in regions.removed]
    return [*gone, *(region for _, region in regions.inserted)]


def _column(
    before: ViewAnnotations, new: ViewAnnotations, name: str, *, origins: Ints, keeps_indices: bool
) -> npt.NDArray[Any]:
    """Return an array with one value per region after a change; only values of new regions are computed."""
    values: npt.NDArray[Any] = getattr(before, name)
    if not len(values):
        return np.asarray(getattr(new, name))
    if keeps_indices and len(origins) >= len(values):
        # No kept row moves: one block copy takes half the time of an indexed copy.
        column = np.empty((len(origins), *values.shape[1:]), values.dtype)
        column[: len(values)] = values
    else:
        column = values[origins]
    column[origins < 0] = getattr(new, name)
    return column


def _updated_ids(before: ViewAnnotations, regions: ListChange[Region]) -> dict[str, int] | None:
    """Return the index of each region by id, or None if the indices have to be recomputed."""
    if not regions.keeps_indices(len(before.marks.regions)):
        return None
    gone = [before.marks.regions[index].id for index in regions.removed]
    if gone != [region.id for _, region in regions.inserted[: len(gone)]]:
        return None
    return before.ids | {region.id: index for index, region in regions.inserted}


def _moved(polygons: PolygonArrays, *, origins: Ints, count: int) -> PolygonArrays:
    """Return polygons with the region indices after a change.

    Args:
        polygons: The polygons.
        origins: int64 (n,), index before the change of each region, -1 for a new one.
        count: Number of regions before the change.
    """
    if not len(polygons.region_indices):
        return polygons
    indices = np.zeros(count, np.int64)
    is_kept = origins >= 0
    indices[origins[is_kept]] = np.flatnonzero(is_kept)
    return replace(polygons, region_indices=indices[polygons.region_indices])


def _change_of(
    before: ViewAnnotations, after: ViewAnnotations, *, regions: ListChange[Region], origins: Ints
) -> MarksChange:
    changed = _changed(before, regions)
    areas = np.concatenate([before.boxes[list(regions.removed)], after.boxes[origins < 0]])
    if after.link_colour_indices is not before.link_colour_indices:
        # A link colours its regions in every view, so regions that did not change can look different.
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
