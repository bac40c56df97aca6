"""A top-view map: the rooms and objects that its regions mark, and where they lie.

Coordinates are image pixels, x to the right, y down.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from annotator.domain.map_categories import map_categories
from annotator.domain.region import Box, Region

Point = tuple[float, float]

LEAST_SIDE_PX = 8.0
"""A smaller object is a dot on the map."""
LEAST_AREA_SHARE = 0.0005
"""Smallest area of an object over that of the map: the smallest furniture of a flat of 130 m² has 0.0010."""
TOO_SMALL, NOT_SHOWN, NO_CATEGORY = "too small", "category left out", "no category"


@dataclass(frozen=True, kw_only=True)
class MapLimits:
    """What is too small to be drawn and asked about.

    Attributes:
        least_side_px: Smallest side of an object's box, pixels.
        least_area_share: Smallest area of an object's box over that of the map, 0 to 1.
    """

    least_side_px: float = LEAST_SIDE_PX
    least_area_share: float = LEAST_AREA_SHARE

    def reason_to_leave_out(self, region: Region, *, size_px: tuple[int, int]) -> str:
        """Return why an object is neither drawn nor asked about, "" if it is.

        Args:
            region: An object of the map.
            size_px: Width and height of the map.
        """
        if not region.category.strip():
            return NO_CATEGORY
        if map_categories().is_left_out(region.category):
            return NOT_SHOWN
        wide, high = region.box.x2 - region.box.x1, region.box.y2 - region.box.y1
        is_small = min(wide, high) < self.least_side_px
        is_small = is_small or wide * high < self.least_area_share * size_px[0] * size_px[1]
        return TOO_SMALL if is_small else ""


@dataclass(frozen=True, kw_only=True)
class MapPart:
    """A room or an object.

    Attributes:
        region: Id of its region.
        number: Number of the region.
        category: Category of the object, kind of the room.
        box: Its extent.
        outline: Corners, empty for a plain box.
        height_m: Height of its top above the floor, None if unknown.
    """

    region: str
    number: int
    category: str
    box: Box
    outline: tuple[Point, ...] = ()
    height_m: float | None = None

    @property
    def corners(self) -> tuple[Point, ...]:
        """Its outline, the corners of the box if it has none."""
        box = self.box
        return self.outline or ((box.x1, box.y1), (box.x2, box.y1), (box.x2, box.y2), (box.x1, box.y2))

    @property
    def size_px2(self) -> float:
        """Its area."""
        return abs(_signed_area(self.corners))

    @property
    def middle(self) -> Point:
        """Its centroid; an outline without area has the middle of its box."""
        corners, area = self.corners, _signed_area(self.corners)
        if not area:
            return (self.box.x1 + self.box.x2) / 2, (self.box.y1 + self.box.y2) / 2
        # Each edge makes a triangle with the origin, weighted by its signed area. The sign of the whole
        # divides out, so it does not matter in which direction the corners were clicked.
        edges = list(zip(corners, (*corners[1:], corners[0]), strict=True))
        weights = [x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in edges]
        x = sum((one[0] + two[0]) * w for (one, two), w in zip(edges, weights, strict=True))
        y = sum((one[1] + two[1]) * w for (one, two), w in zip(edges, weights, strict=True))
        return x / (6 * area), y / (6 * area)

    def holds(self, at: Point) -> bool:
        """Return whether a point lies in it.

        Source: the crossing number of a ray to the right; a point on the lower or right edge is outside.
        """
        x, y = at
        corners = self.corners
        crossings = 0
        for (x1, y1), (x2, y2) in zip(corners, (*corners[1:], corners[0]), strict=True):
            # Half open: a ray through a corner crosses one of its two edges, not both or none. A horizontal
            # edge is never crossed, so nothing is divided by 0.
            if (y1 <= y) != (y2 <= y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
                crossings += 1
        return crossings % 2 == 1

    def distance_to_edge(self, at: Point) -> float:
        """Return the distance of a point from its outline, pixels, 0 or more inside and outside."""
        corners = self.corners
        return min(
            distance_to_line(at, one, two)
            for one, two in zip(corners, (*corners[1:], corners[0]), strict=True)
        )

    def distance_to(self, at: Point) -> float:
        """Return the distance of a point from it, pixels, 0 inside."""
        return 0.0 if self.holds(at) else self.distance_to_edge(at)


@dataclass(frozen=True, kw_only=True)
class TopViewMap:
    """The content of a map.

    Attributes:
        width_px: Width of the image.
        height_px: Height of the image.
        rooms: In order of their numbers.
        objects: In order of their numbers, without those left out.
        left_out: Number of objects that are left out, by reason.
        hidden: Categories of the objects that are left out: they are there all the same.
    """

    width_px: int
    height_px: int
    rooms: tuple[MapPart, ...] = ()
    objects: tuple[MapPart, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()

    @property
    def diagonal_px(self) -> float:
        """Length of the map's diagonal, the scale of distances on it."""
        return math.hypot(self.width_px, self.height_px)

    def room_at(self, at: Point) -> MapPart | None:
        """Return the only room that a point lies in, None in none or several."""
        found = [room for room in self.rooms if room.holds(at)]
        return found[0] if len(found) == 1 else None

    def by_height(self) -> list[MapPart]:
        """Return the objects from the lowest to the highest, as semantic maps draw them.

        An object of unknown height counts as flat; of several of one height the larger is drawn first.
        """
        return sorted(self.objects, key=lambda part: (part.height_m or 0.0, -part.size_px2, part.number))


def read_map(
    regions: Iterable[Region], *, size_px: tuple[int, int], limits: MapLimits | None = None
) -> TopViewMap:
    """Return what the regions of a map's image mark.

    Args:
        regions: Regions of the image.
        size_px: Width and height of the image.
        limits: What is too small; None for the defaults.
    """
    known = sorted(regions, key=lambda region: (region.number, region.id))
    left_out: Counter[str] = Counter()
    hidden, objects, known_limits = [], [], limits or MapLimits()
    for region in known:
        if region.is_room:
            continue
        reason = known_limits.reason_to_leave_out(region, size_px=size_px)
        if reason:
            left_out[reason] += 1
            # Not drawn, but in the room: "no chair" would be wrong where one is only too small to be drawn.
            hidden.append(region.category.strip())
        else:
            objects.append(_part(region))
    return TopViewMap(
        width_px=size_px[0],
        height_px=size_px[1],
        rooms=tuple(_part(region) for region in known if region.is_room),
        objects=tuple(objects),
        left_out=dict(left_out),
        hidden=tuple(filter(None, hidden)),
    )


def distance_to_line(at: Point, one: Point, two: Point) -> float:
    """Return the distance of a point from the stretch between two others."""
    along = two[0] - one[0], two[1] - one[1]
    length2 = along[0] ** 2 + along[1] ** 2
    share = ((at[0] - one[0]) * along[0] + (at[1] - one[1]) * along[1]) / length2 if length2 else 0.0
    # Beyond an end of the stretch, the end itself is nearest.
    share = min(1.0, max(0.0, share))
    return math.hypot(at[0] - one[0] - share * along[0], at[1] - one[1] - share * along[1])


def _part(region: Region) -> MapPart:
    return MapPart(
        region=region.id,
        number=region.number,
        category=region.category.strip(),
        box=region.box,
        outline=region.polygon,
        height_m=region.height_m,
    )


def _signed_area(corners: tuple[Point, ...]) -> float:
    edges = zip(corners, (*corners[1:], corners[0]), strict=True)
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in edges) / 2
