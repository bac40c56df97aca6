"""A video frame prepared for painting; only what is painted is computed."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QPainter

from annotator.media.display_pixels import Pixels, halve
from widgets.qt_images import wrap_pixels
from widgets.stage.pyramid import level_for, paint_level
from widgets.stage.view_transform import ViewTransform

if TYPE_CHECKING:
    from annotator.media.video.frames import Frame


class FrameImage:
    """A short-lived image; its converted colours and halved sizes are computed when they are painted.

    Args:
        frame: The frame.
        size_px: Width and height, pixels.
    """

    def __init__(self, frame: Frame, *, size_px: tuple[int, int]) -> None:
        self.frame = frame
        self.width, self.height = size_px
        self._levels: list[Pixels] = []
        # ``prepare`` can run on another thread while the GUI thread paints.
        self._lock = threading.Lock()

    @cached_property
    def pixels(self) -> Pixels:
        """The full image: uint8 (height, width, 3), RGB."""
        return _shaped(self.frame.rgb())

    def prepare(self, level: int) -> None:
        """Compute the data needed to paint a pyramid level. This function is thread-safe."""
        self._level(level)

    def paint(self, painter: QPainter, transform: ViewTransform) -> None:
        """Paint the part selected by a view transform; the painter's unit is the device pixel.

        A playing video is painted like a still: halved while at least twice too large, then scaled smoothly.
        Measured on two cores: 1.3 to 1.8 ms from 720p, 2 to 6 ms from 4K; area averaging takes 9 to 25 ms.
        """
        level = level_for(transform.zoom)
        paint_level(painter, wrap_pixels(self._level(level)), transform=transform)

    def _level(self, level: int) -> Pixels:
        with self._lock:
            if not self._levels:
                self._levels.append(_shaped(self.frame.bgra()))
            while len(self._levels) <= level:
                self._levels.append(halve(self._levels[-1]))
            return self._levels[level]


def _shaped(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Pixels:
    # The renderer and Qt both require contiguous rows.
    height, width, channels = pixels.shape
    return np.ascontiguousarray(pixels).reshape(height, width, channels)
