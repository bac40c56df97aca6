"""Paints paths on the stage: with the renderer of releases, at the zoom of the view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor, QPainter, QPen

from annotator.domain.polyline import Polyline
from annotator.media.path_drawing import PathScale
from annotator.media.render import draw_path
from widgets import theme
from widgets.stage.text_badges import paint_badge
from widgets.stage.view_transform import ViewTransform


@dataclass(frozen=True, kw_only=True)
class PlacedPath:
    """A path with its place among the drawn paths of its image.

    Attributes:
        path: The path.
        colour_index: Decides its colour.
    """

    path: Polyline
    colour_index: int


def line_pens(colour: QColor, *, ratio: float) -> tuple[QPen, QPen]:
    """Return the pen of a dark halo, and the pen of the line on top of it."""
    halo = theme.load("dark").color("bg")
    return QPen(halo, 3.4 * ratio), QPen(colour, 1.4 * ratio)


def draw_paths(
    pixels: npt.NDArray[np.uint32], paths: Sequence[PlacedPath], *, transform: ViewTransform, is_map: bool
) -> None:
    """Draw paths as the renderer draws them; at 100 % each pixel is that of a release.

    Args:
        pixels: uint32 (height, width), 0xffRRGGBB, device pixels; modified in place.
        paths: The paths.
        transform: View transform.
        is_map: Whether the image is a top-view map.
    """
    if not paths:
        return
    # Importing OpenCV takes a third of a second and is deferred to keep startup fast.
    import cv2

    # Cut at the image: what leaves it is not in a release, and OpenCV draws cut lines differently.
    corners = np.array(((0.0, 0.0), (transform.image_width, transform.image_height)))
    (left, top), (right, bottom) = np.rint(transform.to_view(corners)).astype(int).tolist()
    x1, y1 = max(0, left), max(0, top)
    part = pixels[y1 : max(y1, bottom), x1 : max(x1, right)]
    if not part.size:
        return
    buffer = np.ascontiguousarray(part).view(np.uint8).reshape(*part.shape, 4)
    picture = np.asarray(cv2.cvtColor(buffer, cv2.COLOR_BGRA2RGB), np.uint8)
    # Lines do not become thicker than at 100 %, so that they do not cover what is zoomed into.
    scale = PathScale(
        longest_px=max(transform.image_width, transform.image_height) * min(transform.zoom, 1.0),
        edge=(right - x1, bottom - y1),
    )
    for placed in paths:
        points = transform.to_view(np.array(placed.path.points, np.float64)) - (x1, y1)
        seen = msgspec.structs.replace(placed.path, points=tuple((x, y) for x, y in points.tolist()))
        draw_path(picture, seen, index=placed.colour_index, scale=scale, is_map=is_map)
    part[:] = cv2.cvtColor(picture, cv2.COLOR_RGB2BGRA).view(np.uint32)[:, :, 0]


def paint_path_labels(
    painter: QPainter, paths: Sequence[PlacedPath], *, transform: ViewTransform, ratio: float
) -> None:
    """Paint the labels of paths at their starts; the arrows of a fan have their numbers at the tips."""
    for placed in paths:
        if placed.path.label and placed.path.style != "direction":
            x, y = transform.to_view(np.array(placed.path.points[:1], np.float64))[0].tolist()
            location = round(x + 6 * ratio), round(y + 6 * ratio)
            paint_badge(painter, placed.path.label, x=location[0], y=location[1], ratio=ratio)
