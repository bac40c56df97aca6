"""What regions and their images have beside geometry and category, as an object in files of other formats.

Formats such as COCO allow further members; programs that do not know this one ignore it.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import msgspec

from annotator.domain.medium import MediaType
from annotator.domain.record import ValueObject
from annotator.domain.region import HAND, Box, Region, RegionDepth, RegionState

MEMBER = "vantage"
"""Name of the object."""
SAME_PX = 0.001
"""Largest difference of two boxes that are the same but for rounding."""


class LinkMember(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """The part of a region in a link.

    Attributes:
        link: Name of the link in its file.
        index: Index of the region in the link.
        kind: Kind of the link.
    """

    link: str
    index: int = msgspec.field(name="place")
    kind: str = "same"


class ImageAttributes(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """What an image is in its project.

    Attributes:
        name: Name of the medium.
        media_type: Kind of the medium.
        frame: Number of the frame of a video, None for a still.
        scene: Name of its scene, "" for none.
        view: Name of its view in the scene.
    """

    name: str = ""
    media_type: MediaType = "image"
    frame: int | None = None
    scene: str = ""
    view: str = ""


class RegionAttributes(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """What a region has beside geometry, category, score and track: the fields of ``Region``.

    Attributes:
        has_category: Whether the category of the file is one of the region.
        box: The box without rounding; it counts only where that of the file differs by rounding alone.
        is_outline: Whether the polygon of the file is only the outline of the box.
        links: The links that it is part of.
        score: Confidence, for formats without a place for it.
        track: Track, for formats without a place for it.
    """

    number: int
    box: Box
    has_category: bool = True
    is_outline: bool = False
    made_by: str = HAND
    visible: float | None = None
    state: RegionState = "visible"
    is_abnormal: bool = False
    is_locked: bool = False
    is_room: bool = False
    height_m: float | None = None
    depth: RegionDepth | None = None
    links: tuple[LinkMember, ...] = ()
    score: float | None = None
    track: str = ""

    @classmethod
    def of(cls, region: Region, *, links: tuple[LinkMember, ...] = ()) -> RegionAttributes:
        """Return the attributes of a region."""
        shared: dict[str, Any] = {name: getattr(region, name) for name in _SHARED}
        return cls(**shared, box=region.box, has_category=bool(region.category), links=links)

    def outlined(self) -> RegionAttributes:
        """Return the attributes of a box that a file has as a polygon, too."""
        return msgspec.structs.replace(self, is_outline=True)

    def applied(self, region: Region) -> Region:
        """Return a region of a file with these attributes."""
        shared: dict[str, Any] = {name: getattr(self, name) for name in _SHARED}
        category = region.category if self.has_category else ""
        box = self.box if _is_same(self.box, region.box) else region.box
        return msgspec.structs.replace(
            region,
            **shared,
            box=box,
            # A polygon that another program has changed is one.
            polygon=() if self.is_outline and _is_outline(region.polygon, self.box, box) else region.polygon,
            category=category,
            score=region.score if self.score is None else self.score,
            track=self.track or region.track,
        )


_SHARED = (
    "number", "made_by", "visible", "state", "is_abnormal", "is_locked", "is_room", "height_m", "depth",
)  # fmt: skip


def box_outline(box: Box) -> tuple[tuple[float, float], ...]:
    """Return the corners of a box, from the upper left one down."""
    return ((box.x1, box.y1), (box.x1, box.y2), (box.x2, box.y2), (box.x2, box.y1))


def _is_outline(polygon: tuple[tuple[float, float], ...], *boxes: Box) -> bool:
    """Return whether a polygon is the outline of one of some boxes."""
    return len(polygon) == 4 and any(
        all(map(_is_near, chain(*polygon), chain(*box_outline(box)))) for box in boxes
    )


def _is_near(one: float, two: float) -> bool:
    return abs(one - two) <= SAME_PX


def _is_same(box: Box, other: Box) -> bool:
    sides = ((box.x1, other.x1), (box.y1, other.y1), (box.x2, other.x2), (box.y2, other.y2))
    return all(_is_near(one, two) for one, two in sides)
