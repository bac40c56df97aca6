"""Low-resolution previews of large images, shown until the image is decoded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QPainter

from annotator.errors import VantageError
from annotator.media.cache_files import cache_folder
from annotator.media.display_pixels import Pixels, decode_jpeg, to_display
from widgets.qt_images import wrap_pixels
from widgets.stage.pyramid import paint_image
from widgets.stage.view_transform import ViewTransform

if TYPE_CHECKING:
    from annotator.domain.medium import Medium

LEAST_PIXELS = 16_000_000
"""Images with fewer pixels need no preview: 9 megapixels are decoded in 0.1 s."""
SIDE_PX = 1600
"""Side of a preview: an eighth of a 100-megapixel JPEG takes 0.13 s, the full image 1.5 s."""
SAME_SHAPE = 0.03
"""Tolerated rounding error of the aspect ratio; a larger one means that the thumbnail is of another image."""
JPEG = b"\xff\xd8\xff"


class PreviewImage:
    """A preview that reports the size of the full image.

    Args:
        pixels: uint8 (height, width, 3), RGB.
        size_px: Width and height of the full image, pixels.
    """

    def __init__(self, pixels: Pixels, *, size_px: tuple[int, int]) -> None:
        self.pixels = np.ascontiguousarray(pixels)
        self.width, self.height = size_px
        self._shown = to_display(self.pixels)

    def paint(self, painter: QPainter, transform: ViewTransform) -> None:
        """Paint the part selected by a view transform, always smoothed; unit: device pixels."""
        paint_image(painter, wrap_pixels(self._shown), transform=transform, is_smooth=True)


def has_preview(medium: Medium) -> bool:
    """Return whether an image is large enough for a preview to be useful."""
    return medium.media_type == "image" and medium.width_px * medium.height_px >= LEAST_PIXELS


def cached_preview(medium: Medium, file: Path) -> PreviewImage | None:
    """Return the cached thumbnail of an image, or None. This function is thread-safe."""
    from annotator.media.thumbnails import ThumbnailStore, thumbnail_key

    try:
        kept = ThumbnailStore(cache_folder() / "thumbnails").get(thumbnail_key(medium, file))
    except VantageError:
        # The error is reported when the image itself is loaded.
        return None
    pixels = decode_jpeg(kept) if kept else None
    return _preview(pixels, medium) if pixels is not None else None


def quick_preview(medium: Medium, file: Path) -> PreviewImage | None:
    """Return an image decoded at reduced size, or None if its format has no fast way. Thread-safe."""
    from annotator.media.image_decoder import decode_image
    from annotator.media.pyramid_levels import has_pyramid_level

    try:
        with file.open("rb") as opened:
            is_jpeg = opened.read(len(JPEG)) == JPEG
        # A preview computed from all pixels would hardly be faster than the image itself, and would delay it.
        if not is_jpeg and not has_pyramid_level(file, max_side_px=SIDE_PX):
            return None
        return _preview(decode_image(file, max_side_px=SIDE_PX), medium)
    except (VantageError, OSError):
        # The error is reported when the image itself is loaded.
        return None


def _preview(pixels: Pixels, medium: Medium) -> PreviewImage | None:
    height, width, _ = pixels.shape
    is_same = abs(width * medium.height_px / (height * medium.width_px) - 1) <= SAME_SHAPE
    return PreviewImage(pixels, size_px=(medium.width_px, medium.height_px)) if is_same else None
