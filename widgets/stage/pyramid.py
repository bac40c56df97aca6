"""A picture in halving sizes, so that one of any size is painted at the same cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from annotator.media.display_pixels import Pixels, halve, to_display
from widgets.qt_images import wrap_pixels
from widgets.stage.view_transform import ViewTransform

SMALLEST_SIDE_PX = 512
"""Halving ends there: the smallest level is painted faster than anybody sees."""
QUICK_PIXELS = 32_000_000
"""Up to here the whole picture is kept in Qt's own order of bytes, which paints twice as fast as red, green,
blue and takes a third more memory; above, only the halves are."""
CRISP_ZOOM = 2.0
"""From here on pixels are shown as squares: what the camera saw, nothing made up between."""


class StageImage(Protocol):
    """What a view shows: a still, a frame of a film, or what the renderer made of either."""

    @property
    def pixels(self) -> Pixels:
        """The picture itself: uint8 (height, width, 3), red, green, blue."""

    @property
    def width(self) -> int:
        """Width of the whole picture, px."""

    @property
    def height(self) -> int:
        """Height of the whole picture, px."""

    def paint(self, painter: QPainter, lens: ViewTransform) -> None:
        """Paint what a lens shows of it; the painter counts device pixels."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ImagePyramid:
    """A picture, its half, its quarter and so on.

    Attributes:
        pixels: uint8 (height, width, 3), red, green, blue: the picture itself.
        levels: The picture as it is painted, then each the half of the one before: uint8 (height, width, 4),
            blue, green, red, 255, or of a very large one (height, width, 3), red, green, blue.
    """

    pixels: Pixels
    levels: tuple[Pixels, ...]

    @property
    def width(self) -> int:
        """Width of the whole picture, px."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Height of the whole picture, px."""
        return int(self.pixels.shape[0])

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        # The whole picture in red, green, blue is the pixels themselves, not another copy of them.
        is_shared = self.levels[0] is self.pixels
        return int(self.pixels.nbytes) + sum(level.nbytes for level in self.levels[is_shared:])

    def paint(self, painter: QPainter, lens: ViewTransform) -> None:
        """Paint what a lens shows of it; the painter counts device pixels."""
        level = min(level_for(lens.zoom), len(self.levels) - 1)
        paint_level(painter, wrap_pixels(self.levels[level]), lens=lens)


def level_for(zoom: float) -> int:
    """Return the smallest level that has a pixel for each one painted.

    Args:
        zoom: Device pixels per pixel of the whole picture.
    """
    level = 0
    while zoom <= 0.5 ** (level + 1):
        level += 1
    return level


def paint_image(painter: QPainter, image: QImage, *, lens: ViewTransform, is_smooth: bool) -> None:
    """Paint what a lens shows of a picture, of which an image has all, in fewer pixels or as many.

    Args:
        painter: Counts device pixels.
        image: All of the picture.
        lens: What is seen of the whole one.
        is_smooth: Whether colours between pixels are mixed.
    """
    # Device pixels per pixel of the image. Odd sizes do not halve evenly: the last pixels reach to the edge.
    x_step = lens.zoom * lens.image_width / image.width()
    y_step = lens.zoom * lens.image_height / image.height()
    # Only what is in sight is read: pixels of the image, whole ones.
    left, top = max(0, int(-lens.left / x_step)), max(0, int(-lens.top / y_step))
    right = min(image.width(), int((lens.width - lens.left) / x_step) + 2)
    bottom = min(image.height(), int((lens.height - lens.top) / y_step) + 2)
    if right <= left or bottom <= top:
        return
    place = QRectF(
        lens.left + left * x_step, lens.top + top * y_step, (right - left) * x_step, (bottom - top) * y_step
    )
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_smooth)
    painter.drawImage(place, image, QRectF(left, top, right - left, bottom - top))


def paint_level(painter: QPainter, image: QImage, *, lens: ViewTransform) -> None:
    """Paint what a lens shows of a picture, itself or halved: smoothly where its pixels are not to be seen.

    Args:
        painter: Counts device pixels.
        image: The picture, or one of its halves.
        lens: What is seen of the whole one.
    """
    paint_image(painter, image, lens=lens, is_smooth=lens.zoom != 1.0 and lens.zoom < CRISP_ZOOM)


def make_pyramid(pixels: Pixels) -> ImagePyramid:
    """Return the pyramid of a picture; may be called on any thread.

    Args:
        pixels: uint8 (height, width, 3), red, green, blue.
    """
    levels, part = [], np.ascontiguousarray(pixels)
    pixels = part
    while True:
        is_quick = part.shape[0] * part.shape[1] <= QUICK_PIXELS
        levels.append(to_display(part) if is_quick else part)
        height, width = part.shape[:2]
        if max(height, width) // 2 < SMALLEST_SIDE_PX:
            return ImagePyramid(pixels=pixels, levels=tuple(levels))
        part = halve(part)
