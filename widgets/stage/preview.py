"""What stands in for a large picture until it is decoded: the same picture, of fewer pixels."""

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
"""Smaller pictures are decoded before anybody misses them: 9 megapixels in 0.1 s."""
SIDE_PX = 1600
"""Of what is decoded for the stage: an eighth of 100 megapixels takes 0.13 s of a JPEG, all of it 1.5 s."""
SAME_SHAPE = 0.03
"""How far the proportions may be off by rounding; more, and it is another picture than is known."""
JPEG = b"\xff\xd8\xff"


class PreviewImage:
    """A picture that says it is as large as the one that it stands in for.

    Args:
        pixels: uint8 (height, width, 3), red, green, blue.
        size_px: Width and height of the whole picture.
    """

    def __init__(self, pixels: Pixels, *, size_px: tuple[int, int]) -> None:
        self.pixels = np.ascontiguousarray(pixels)
        self.width, self.height = size_px
        self._shown = to_display(self.pixels)

    def paint(self, painter: QPainter, lens: ViewTransform) -> None:
        """Paint what a lens shows of it, smoothly at any zoom; the painter counts device pixels."""
        paint_image(painter, wrap_pixels(self._shown), lens=lens, is_smooth=True)


def has_preview(medium: Medium) -> bool:
    """Return whether a picture is so large that a preview is worth it."""
    return medium.media_type == "image" and medium.width_px * medium.height_px >= LEAST_PIXELS


def cached_preview(medium: Medium, file: Path) -> PreviewImage | None:
    """Return the thumbnail that the cache has of a picture, None where it has none; any thread may ask."""
    from annotator.media.thumbnails import ThumbnailStore, thumbnail_key

    try:
        kept = ThumbnailStore(cache_folder() / "thumbnails").get(thumbnail_key(medium, file))
    except VantageError:
        # Reading the picture itself says what is wrong.
        return None
    pixels = decode_jpeg(kept) if kept else None
    return _preview(pixels, medium) if pixels is not None else None


def quick_preview(medium: Medium, file: Path) -> PreviewImage | None:
    """Return a picture read in fewer pixels, None where its coding has no such way; any thread may ask."""
    from annotator.media.image_decoder import decode_image
    from annotator.media.pyramid_levels import has_pyramid_level

    try:
        with file.open("rb") as opened:
            is_jpeg = opened.read(len(JPEG)) == JPEG
        # Shrunk from all of its pixels, a preview would come hardly sooner than the picture, and delay it.
        if not is_jpeg and not has_pyramid_level(file, max_side_px=SIDE_PX):
            return None
        return _preview(decode_image(file, max_side_px=SIDE_PX), medium)
    except (VantageError, OSError):
        # Reading the picture itself says what is wrong.
        return None


def _preview(pixels: Pixels, medium: Medium) -> PreviewImage | None:
    height, width, _ = pixels.shape
    is_same = abs(width * medium.height_px / (height * medium.width_px) - 1) <= SAME_SHAPE
    return PreviewImage(pixels, size_px=(medium.width_px, medium.height_px)) if is_same else None
