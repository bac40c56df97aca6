"""Rotated boxes: a region whose polygon is a rectangle that is not upright.

A region stores the four corners alone, as every rendering and export of polygons takes them; sides and
angle are computed from these. The first corner is the one that is upper left when the angle is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from annotator.domain.record import ValueObject
from annotator.domain.region import Box, Region

Point = tuple[float, float]
TOLERANCE_PX = 0.05
"""How far a corner may be from that of an exact rectangle: files round coordinates."""
RIGHT_ANGLE_DEG = 90
UPRIGHT_DEG = 1e-6
"""An angle that differs less from a multiple of 90 is one."""
_SIDES = ((-1, -1), (1, -1), (1, 1), (-1, 1))


class RotatedBox(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A rectangle at any angle, image pixels.

    Attributes:
        x: Of its middle.
        y: Of its middle.
        width: Of the side that is horizontal when the angle is 0.
        height: Of the other side.
        angle_deg: Clockwise as one sees it, 0 or more and less than 360.
    """

    x: float
    y: float
    width: float
    height: float
    angle_deg: float = 0.0

    @property
    def is_upright(self) -> bool:
        """Whether the sides are horizontal and vertical."""
        away = self.angle_deg % RIGHT_ANGLE_DEG
        return min(away, RIGHT_ANGLE_DEG - away) < UPRIGHT_DEG

    def corners(self) -> tuple[Point, ...]:
        """Return the four corners, clockwise from the first."""
        return tuple(
            self.to_image((x_side * self.width / 2, y_side * self.height / 2)) for x_side, y_side in _SIDES
        )

    def to_image(self, offset: Point) -> Point:
        """Return the image point at an offset from the middle along the sides."""
        x, y = turn(offset, degrees=self.angle_deg)
        return self.x + x, self.y + y

    def to_offset(self, point: Point) -> Point:
        """Return the offset from the middle along the sides of an image point."""
        return turn((point[0] - self.x, point[1] - self.y), degrees=-self.angle_deg)


def turn(point: Point, *, degrees: float) -> Point:
    """Return a point turned about the origin, clockwise as one sees it on an image."""
    # y runs down, so that the usual formula turns clockwise as one sees it.
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return point[0] * cos - point[1] * sin, point[0] * sin + point[1] * cos


def rotate_box(box: Box, *, degrees: float, about: Point) -> tuple[Point, ...]:
    """Return the corners of a box turned clockwise, as one sees it on the image, about a point."""
    corners = ((box.x1, box.y1), (box.x2, box.y1), (box.x2, box.y2), (box.x1, box.y2))
    turned = (turn((x - about[0], y - about[1]), degrees=degrees) for x, y in corners)
    return tuple((about[0] + x, about[1] + y) for x, y in turned)


def upright(box: Box) -> RotatedBox:
    """Return a plain box as a rotated one with the angle 0."""
    return RotatedBox(
        x=(box.x1 + box.x2) / 2, y=(box.y1 + box.y2) / 2, width=box.x2 - box.x1, height=box.y2 - box.y1
    )


def rotated_box_of(region: Region) -> RotatedBox | None:
    """Return the rectangle of a region; None for a point, and for a polygon that is no rotated rectangle."""
    if region.polygon:
        return rectangle_of(region.polygon)
    return None if region.is_point else upright(region.box)


def rectangle_of(corners: Sequence[Point]) -> RotatedBox | None:
    """Return the rotated rectangle with four corners; None where they form none, or an upright one."""
    if len(corners) != len(_SIDES):
        return None
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    if (x1 - x0) * (y3 - y0) < (y1 - y0) * (x3 - x0):
        # Corners that run counterclockwise: the same rectangle, from the same first corner.
        x1, y1, x3, y3 = x3, y3, x1, y1
    width, height = math.hypot(x1 - x0, y1 - y0), math.hypot(x3 - x0, y3 - y0)
    if not (width and height):
        return None
    found = RotatedBox(
        x=(x0 + x1 + x2 + x3) / 4,
        y=(y0 + y1 + y2 + y3) / 4,
        width=width,
        height=height,
        angle_deg=math.degrees(math.atan2(y1 - y0, x1 - x0)) % 360,
    )
    given = ((x0, y0), (x1, y1), (x2, y2), (x3, y3))
    is_rectangle = all(
        math.dist(one, other) <= TOLERANCE_PX for one, other in zip(found.corners(), given, strict=True)
    )
    return found if is_rectangle and not found.is_upright else None
