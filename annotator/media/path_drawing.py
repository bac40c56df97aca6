"""Draws paths into images: lines with an arrow head, and the numbered arrows of a fan of directions."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from annotator.domain.polyline import Polyline

if TYPE_CHECKING:
    from annotator.media.image_decoder import Rgb

Colour = tuple[int, int, int]
Point = tuple[float, float]
Ints = NDArray[np.int32]
ARROW_SHARE = 8
"""Length of arrow heads over the width of the line."""
DIRECTIONS_DEG = (15.0, 45.0, 75.0, 105.0, 135.0, 165.0)
"""Angles of directions 1 to 6, anticlockwise from the right. Source: SpatialUAV, overlay of path planning."""
DIRECTION_COLOURS: tuple[Colour, ...] = (
    (225, 70, 70), (238, 139, 67), (232, 185, 64), (76, 171, 131), (65, 145, 197), (132, 106, 215),
)  # fmt: skip
"""Red, green, blue of directions 1 to 6. Source: as above."""
FAN_SHARE = 0.5
"""Length of the arrows over the height of the image, or over half of its width if that is smaller."""
_FAN_LINE, _DISC, _LETTER = 3, 11, 18.5
"""Width of the arrows and radius of the discs over the width of a line; radius for letters of scale 1."""
_SMALLEST_DISC = 9
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, kw_only=True)
class PathScale:
    """The image that a path belongs to, where the picture is a view of it.

    Attributes:
        longest_px: Its longer side, which widths follow, pixels of the picture.
        edge: Its right and lower edge, pixels of the picture.
    """

    longest_px: float
    edge: tuple[int, int]

    @classmethod
    def of(cls, picture: Rgb) -> PathScale:
        """Return the scale of a picture that is the image itself."""
        height, width = picture.shape[:2]
        return cls(longest_px=max(height, width), edge=(width, height))


@dataclass(frozen=True, kw_only=True)
class PathPen:
    """How the line of a path is drawn.

    Attributes:
        colour: Red, green, blue.
        width: Width of the line, pixels.
        halo: Colour around everything.
        edge: Right and lower edge of the image, pixels of the picture.
    """

    colour: Colour
    width: int
    halo: Colour
    edge: tuple[int, int]


def direction_points(width_px: int, height_px: int) -> tuple[tuple[Point, Point], ...]:
    """Return begin and end of the six arrows in an image: they start at the middle of its lower edge."""
    origin, length = (width_px / 2, float(height_px)), FAN_SHARE * min(height_px, width_px / 2)
    angles = (math.radians(angle) for angle in DIRECTIONS_DEG)
    ends = (
        (round(origin[0] + length * math.cos(angle), 1), round(origin[1] - length * math.sin(angle), 1))
        for angle in angles
    )
    return tuple((origin, end) for end in ends)


def draw_arrow_line(picture: Rgb, points: Sequence[Point], *, pen: PathPen) -> None:
    """Draw a line with an arrow head at its end.

    Args:
        picture: uint8 (height, width, 3), RGB; changed in place.
        points: Corners, pixels of the picture, two or more.
        pen: Colour and widths.
    """
    import cv2

    indices, edge = _whole(points), np.array(pen.edge, np.int32)
    # Points on the right and lower edge are moved to the last pixel, where they are seen.
    inside = np.where(indices == edge, edge - 1, indices)
    for ink, wide in ((pen.halo, pen.width + 2), (pen.colour, pen.width)):
        cv2.polylines(picture, [inside], isClosed=False, color=ink, thickness=wide, lineType=cv2.LINE_8)
    if not np.any(indices != indices[0]):
        return
    for ink, extra in ((pen.halo, 2), (pen.colour, 0)):
        head = arrow_head(indices, length=pen.width * ARROW_SHARE + extra)
        cv2.fillConvexPoly(picture, head, ink, lineType=cv2.LINE_AA)


def direction_colour(path: Polyline) -> Colour:
    """Return the colour of an arrow of a fan, red, green, blue."""
    return DIRECTION_COLOURS[(_number_of(path) - 1) % len(DIRECTION_COLOURS)]


def draw_direction_arrow(picture: Rgb, path: Polyline, *, pen: PathPen) -> None:
    """Draw an arrow with its number on a disc before the tip.

    Args:
        picture: uint8 (height, width, 3), RGB; changed in place.
        path: The arrow; its label ends in the number.
        pen: Its colour, and the widths of an ordinary line.
    """
    import cv2

    wide_pen = replace(pen, width=pen.width * _FAN_LINE)
    draw_arrow_line(picture, path.points, pen=wide_pen)
    radius = max(_SMALLEST_DISC, pen.width * _DISC)
    (x, y) = _beyond(path.points, reach_px=radius + wide_pen.width * ARROW_SHARE / 2 + 3)
    for ink, reach in ((pen.halo, radius + 2), (pen.colour, radius)):
        cv2.circle(picture, (x, y), reach, ink, cv2.FILLED, cv2.LINE_AA)
    text, font, letter, thickness = (
        str(_number_of(path)),
        cv2.FONT_HERSHEY_SIMPLEX,
        radius / _LETTER,
        pen.width + 1,
    )
    (wide, high), _ = cv2.getTextSize(text, font, letter, thickness)
    location = (x - wide // 2, y + high // 2)
    cv2.putText(picture, text, location, font, letter, (255, 255, 255), thickness, lineType=cv2.LINE_AA)


def _beyond(points: Sequence[Point], *, reach_px: float) -> tuple[int, int]:
    """Return the pixel that lies some way beyond the end of a line."""
    (x1, y1), (x2, y2) = points[0], points[-1]
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    return round(x2 + (x2 - x1) / length * reach_px), round(y2 + (y2 - y1) / length * reach_px)


def _number_of(path: Polyline) -> int:
    found = _NUMBER.search(path.label)
    return int(found[0]) if found is not None else 1


def arrow_head(points: Ints, *, length: float) -> Ints:
    """Return the three corners of the arrow head at the end of a line.

    Args:
        points: int32 (n, 2), x y, image pixels; two or more, not all the same.
        length: From tip to base, px.

    Returns:
        int32 (3, 2), the tip first.
    """
    tip = points[-1].astype(np.float64)
    # The last point that differs: a line may end in several at one place, which have no direction.
    others = points[np.any(points != points[-1], axis=1)]
    along = tip - others[-1]
    along = along / np.hypot(*along)
    across = np.array([-along[1], along[0]])
    ahead = tip + along * length / 2
    corners = [
        ahead,
        ahead - along * length + across * length / 2,
        ahead - along * length - across * length / 2,
    ]
    return _whole(corners)


def _whole(points: object) -> Ints:
    return np.asarray(np.rint(np.asarray(points, np.float64)), np.int32)
