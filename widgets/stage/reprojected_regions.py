"""Reprojected regions: expected positions of other views' regions in a view, computed over a ground plane."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotator.domain.region import Region
from annotator.media.ground_plane import PlaneTransform, plane_transform
from annotator.media.render import UNLINKED
from widgets.stage.view_annotations import ViewAnnotations

Floats = npt.NDArray[np.float64]
LARGEST_SHARE = 4.0
"""Size in image sizes above which a reprojection is dropped: so near the horizon it is meaningless."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReprojectedRegion:
    """The expected position of a region of another view.

    Attributes:
        view: Name of the view in which the region is annotated.
        region: The region.
        corners: float64 (k, 2), x y, image pixels of this view; k = 1 for a point.
        colour: Index into ``COLOURS``.
    """

    view: str
    region: Region
    corners: Floats
    colour: int

    @property
    def label(self) -> str:
        """Label: the other view's name, and the number of the region there."""
        return f"{self.view} {self.region.number}".strip()


@dataclass(frozen=True, kw_only=True, eq=False)
class OtherView:
    """A view whose regions can be reprojected.

    Attributes:
        view: Name of the view.
        to_ground: Homography from its pixels to the ground plane, nine numbers.
        marks: Its annotations at the displayed time.
    """

    view: str
    to_ground: tuple[float, ...]
    marks: ViewAnnotations


def reprojected_regions(
    here: ViewAnnotations,
    *,
    to_ground: Sequence[float],
    others: Iterable[OtherView],
    size: tuple[int, int],
    only: Collection[str] | None = None,
) -> list[ReprojectedRegion]:
    """Return expected positions of other views' regions, except those linked with a region of this view.

    Args:
        here: Annotations of this view at the displayed time.
        to_ground: Homography of this view, nine numbers.
        others: The other views.
        size: Width and height of this view's image, pixels.
        only: Ids of the regions to include, None for all.
    """
    known = _partners(here)
    found: list[ReprojectedRegion] = []
    for other in others:
        to_other = plane_transform(other.to_ground, to_ground)
        if to_other is not None:
            regions = [
                region
                for region in other.marks.marks.regions
                if region.id not in known and (only is None or region.id in only)
            ]
            found += _reprojected(regions, to_other=to_other, other=other, size=size)
    return found


def _partners(here: ViewAnnotations) -> set[str]:
    """Return the ids of all regions that are linked with a region of this view."""
    links = (link for link in here.marks.links if link.kind == "same")
    return {one for link in links if any(own in here.ids for own in link.regions) for one in link.regions}


def _reprojected(
    regions: Sequence[Region], *, to_other: PlaneTransform, other: OtherView, size: tuple[int, int]
) -> Iterator[ReprojectedRegion]:
    outlines = [outline_of(region) for region in regions]
    if not outlines:
        return
    # All outlines in one call: the cost of NumPy is that of calls, not of corners.
    ends = np.cumsum([len(outline) for outline in outlines])
    mapped = np.split(to_other.points(np.concatenate(outlines)), ends[:-1])
    for region, corners in zip(regions, mapped, strict=True):
        if _is_visible(corners, size=size):
            colour = other.marks.link_colour_indices.get(region.id, UNLINKED)
            yield ReprojectedRegion(view=other.view, region=region, corners=corners, colour=colour)


def outline_of(region: Region) -> Floats:
    """Return the outline of a region, float64 (k, 2), x y, image pixels; k = 1 for a point."""
    box = region.box
    if region.is_point:
        return np.array([[box.x1, box.y1]], np.float64)
    corners = ((box.x1, box.y1), (box.x2, box.y1), (box.x2, box.y2), (box.x1, box.y2))
    return np.array(region.polygon or corners, np.float64)


def _is_visible(corners: Floats, *, size: tuple[int, int]) -> bool:
    """Return whether an outline lies wholly below the horizon and at least partly inside the image."""
    # Beyond the horizon a plane has no points: the transform gives NaN.
    if not np.isfinite(corners).all():
        return False
    low, high = corners.min(axis=0), corners.max(axis=0)
    is_large = bool((high - low).max() > LARGEST_SHARE * max(size))
    return not is_large and bool(np.all(high >= 0) and np.all(low <= size))
