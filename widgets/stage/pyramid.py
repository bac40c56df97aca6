"""An image with successively halved sizes: painting costs the same for images of any size."""

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
"""Size at which halving ends: painting a level of this size is imperceptibly fast."""
QUICK_PIXELS = 32_000_000
"""Images up to this size are kept in Qt's byte order, which paints twice as fast as RGB.

It takes a third more memory; of larger images, only the halved levels are kept in that order.
"""
CRISP_ZOOM = 2.0
"""Zoom from which pixels are painted as squares, without interpolated colours."""


class StageImage(Protocol):
    """Interface of everything that a view displays: a still, a video frame, or a model's input."""

    @property
    def pixels(self) -> Pixels:
        """The full image: uint8 (height, width, 3), RGB."""

    @property
    def width(self) -> int:
        """Width of the full image, pixels."""

    @property
    def height(self) -> int:
        """Height of the full image, pixels."""

    def paint(self, painter: QPainter, transform: ViewTransform) -> None:
        """Paint the part selected by a view transform; the painter's unit is the device pixel."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ImagePyramid:
    """An image with its half, its quarter and so on.

    Attributes:
        pixels: uint8 (height, width, 3), RGB: the full image.
        levels: The full image in paint format, then each level half the size of the previous one:
            uint8 (height, width, 4), BGRA with alpha 255, or for a very large image (height, width, 3), RGB.
    """

    pixels: Pixels
    levels: tuple[Pixels, ...]

    @property
    def width(self) -> int:
        """Width of the full image, pixels."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Height of the full image, pixels."""
        return int(self.pixels.shape[0])

    @property
    def nbytes(self) -> int:
        """Memory use, bytes."""
        # A full image in RGB shares its memory with the pixels and must not be counted twice.
        is_shared = self.levels[0] is self.pixels
        return int(self.pixels.nbytes) + sum(level.nbytes for level in self.levels[is_shared:])

    def paint(self, painter: QPainter, transform: ViewTransform) -> None:
        """Paint the part selected by a view transform; the painter's unit is the device pixel."""
        level = min(level_for(transform.zoom), len(self.levels) - 1)
        paint_level(painter, wrap_pixels(self.levels[level]), transform=transform)


def level_for(zoom: float) -> int:
    """Return the smallest level with at least one pixel per painted pixel.

    Args:
        zoom: Device pixels per pixel of the full image.
    """
    level = 0
    while zoom <= 0.5 ** (level + 1):
        level += 1
    return level


def paint_image(painter: QPainter, image: QImage, *, transform: ViewTransform, is_smooth: bool) -> None:
    """Paint the part of an image selected by a view transform, from a version of equal or smaller size.

    Args:
        painter: Painter with device pixels as unit.
        image: The whole image, in full or reduced size.
        transform: View transform of the full image.
        is_smooth: Whether to interpolate between pixels.
    """
    # Device pixels per pixel of this version. Odd sizes do not halve evenly: the last pixels extend to the
    # edge.
    x_step = transform.zoom * transform.image_width / image.width()
    y_step = transform.zoom * transform.image_height / image.height()
    # Only the visible part is read, extended to whole pixels.
    left, top = max(0, int(-transform.left / x_step)), max(0, int(-transform.top / y_step))
    right = min(image.width(), int((transform.width - transform.left) / x_step) + 2)
    bottom = min(image.height(), int((transform.height - transform.top) / y_step) + 2)
    if right <= left or bottom <= top:
        return
    rect = QRectF(
        transform.left + left * x_step,
        transform.top + top * y_step,
        (right - left) * x_step,
        (bottom - top) * y_step,
    )
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_smooth)
    painter.drawImage(rect, image, QRectF(left, top, right - left, bottom - top))


def paint_level(painter: QPainter, image: QImage, *, transform: ViewTransform) -> None:
    """Paint the part of an image selected by a view transform; smoothed up to a pixel-level zoom.

    Args:
        painter: Painter with device pixels as unit.
        image: The full image or one of its halved sizes.
        transform: View transform of the full image.
    """
    paint_image(
        painter, image, transform=transform, is_smooth=transform.zoom != 1.0 and transform.zoom < CRISP_ZOOM
    )


def make_pyramid(pixels: Pixels) -> ImagePyramid:
    """Return the pyramid of an image. This function is thread-safe.

    Args:
        pixels: uint8 (height, width, 3), RGB.
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
