"""Draws top-view maps as TopViewRS has them: semantic maps, and navigation paths.

Source: TopViewRS (arXiv 2406.02537): one colour per category, lower objects first; the start of a path is a
green triangle, its end a red star, its arrows are yellow, the points between have a colour of their own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from annotator.domain.map_categories import FLOOR, WALL, map_categories
from annotator.domain.topview_map import MapPart, Point, TopViewMap

if TYPE_CHECKING:
    from annotator.media.image_decoder import Rgb

START, END, ARROW, BETWEEN = (0, 255, 0), (255, 0, 0), (255, 255, 0), (25, 255, 255)
"""Red, green, blue. Source: TopViewRS."""
HALO = (20, 20, 20)
"""Around everything: yellow arrows would not be seen on a light floor."""
_SCALE_PX = 1000
"""Longer side of the maps for which the widths below are meant; larger maps have multiples of them."""
_LINE, _LINE_HALO, _HEAD, _MOST_OF_LEG = 3, 6, 16, 0.4
_DOT, _MARK = 5, 14
_WALL_SHARE = 1 / 120
"""Width of the walls around rooms over the longer side."""


def draw_semantic_map(content: TopViewMap, *, colours: Mapping[str, str]) -> Rgb:
    """Draw the semantic map of the rooms and objects of a map.

    Args:
        content: The rooms and objects; those left out are not drawn.
        colours: Hex red green blue of each category, of ``FLOOR`` and of ``WALL``.

    Returns:
        uint8 (height, width, 3), RGB.
    """
    import cv2

    outside = _rgb(map_categories().outside)
    picture = np.full((content.height_px, content.width_px, 3), outside, np.uint8)
    for room in content.rooms:
        _fill(picture, room, colour=_rgb(colours[FLOOR]))
    wall = max(1, round(max(picture.shape[:2]) * _WALL_SHARE))
    for room in content.rooms:
        cv2.polylines(
            picture, [_whole(room.corners)], isClosed=True, color=_rgb(colours[WALL]), thickness=wall
        )
    for part in content.by_height():
        _fill(picture, part, colour=_rgb(colours[part.category]))
    return picture


def draw_map_path(picture: Rgb, points: Sequence[Point], *, longest_px: float = 0.0) -> None:
    """Draw a navigation path into a map.

    Args:
        picture: uint8 (height, width, 3), RGB; changed in place.
        points: Corners of the path, image pixels, two or more.
        longest_px: Longer side that widths follow, 0 for that of the picture.
    """
    import cv2

    size = max(1, round((longest_px or max(picture.shape[:2])) / _SCALE_PX))
    positions = [np.array(point, np.float64) for point in points]
    for one, two in itertools.pairwise(positions):
        _draw_arrow(picture, one, two, size=size)
    for position in positions[1:-1]:
        for radius, colour in ((_DOT + 1, HALO), (_DOT, BETWEEN)):
            cv2.circle(picture, _pixel(position), radius * size, colour, cv2.FILLED, cv2.LINE_AA)
    _draw_mark(picture, positions[0], corners=_triangle(), colour=START, size=size)
    _draw_mark(picture, positions[-1], corners=_star(), colour=END, size=size)


def _draw_arrow(picture: Rgb, one: NDArray[Any], two: NDArray[Any], *, size: int) -> None:
    import cv2

    length = math.hypot(*(two - one))
    # OpenCV takes the head as a share of the leg; it has one size on short legs and long ones.
    tip = min(_MOST_OF_LEG, _HEAD * size / max(length, 1.0))
    for colour, width in ((HALO, _LINE_HALO), (ARROW, _LINE)):
        cv2.arrowedLine(picture, _pixel(one), _pixel(two), colour, width * size, cv2.LINE_AA, tipLength=tip)


def _draw_mark(
    picture: Rgb, position: NDArray[Any], *, corners: NDArray[Any], colour: tuple[int, int, int], size: int
) -> None:
    import cv2

    for reach, paint in ((_MARK + 3, HALO), (_MARK, colour)):
        cv2.fillPoly(picture, [_whole(position + corners * reach * size)], paint, cv2.LINE_AA)


def _triangle() -> NDArray[Any]:
    angles = np.radians((-90, 30, 150))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _star() -> NDArray[Any]:
    angles = np.radians(np.arange(10) * 36 - 90)
    reach = np.where(np.arange(10) % 2, 0.42, 1.0)
    return np.stack([np.cos(angles) * reach, np.sin(angles) * reach], axis=1)


def _fill(picture: Rgb, part: MapPart, *, colour: tuple[int, int, int]) -> None:
    import cv2

    if part.outline:
        cv2.fillPoly(picture, [_whole(part.outline)], colour)
        return
    box = part.box
    x1, y1, x2, y2 = (max(0, round(value)) for value in (box.x1, box.y1, box.x2, box.y2))
    picture[y1:y2, x1:x2] = colour


def _whole(points: object) -> NDArray[np.int32]:
    return np.asarray(np.rint(np.asarray(points, np.float64)), np.int32)


def _pixel(position: NDArray[Any]) -> tuple[int, int]:
    return round(float(position[0])), round(float(position[1]))


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[0:2], 16), int(colour[2:4], 16), int(colour[4:6], 16)
