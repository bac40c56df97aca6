"""Wraps pixels as Qt images, on the GUI thread only: Qt's image calls hold the interpreter lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

if TYPE_CHECKING:
    from annotator.media.display_pixels import Pixels

NO_IMAGE = QImage()
"""Null image that represents a missing image."""


def wrap_pixels(pixels: Pixels) -> QImage:
    """Return an image that shares the memory of pixels, and keeps them alive.

    Args:
        pixels: uint8 (height, width, 3), red, green, blue, or (height, width, 4), blue, green, red, 255;
            rows are contiguous.
    """
    height, width, channels = pixels.shape
    form = QImage.Format.Format_RGB32 if channels == 4 else QImage.Format.Format_RGB888
    return QImage(pixels.data, width, height, channels * width, form)
