"""Overviews of a TIFF: smaller versions of the image, which GIS programs store on its further pages.

Reading an overview instead of 108 megapixels takes a tenth of the time or less, for every compression.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.media.image_file import DAMAGE, ORIENTATION_TAG, open_image

if TYPE_CHECKING:
    from PIL.Image import Image

# Source: TIFF 6.0, section 8, NewSubfileType: bit 0 is a reduced version of another page, bit 2 a mask of it;
# a mask that is kept in several sizes has both.
SUBFILE_TYPE_TAG, REDUCED = 0x00FE, 1
# Halved from page to page; more than 16 times would be below a pixel for any picture that is decoded.
MOST_PAGES = 20
SAME_SHAPE = 0.03
"""How far the proportions may be off by rounding; more, and the page shows something else."""
DEEP_GREY = frozenset({"I;16", "I;16B", "I;16L", "I", "F"})
"""Pillow's modes of grey with more than 8 bits."""


def has_pyramid_level(path: Path, *, max_side_px: int) -> bool:
    """Return whether a file is a TIFF with an overview of at least a given size.

    Args:
        path: The file.
        max_side_px: Required longer side.

    Raises:
        UserError: The file contains no readable image, or one that is too large.
        EnvironmentFailure: The file cannot be read.
    """
    with open_image(path) as image:
        factor = max_side_px / max(image.width, image.height)
        return seek_pyramid_level(image, size=(round(image.width * factor), round(image.height * factor)))


def seek_pyramid_level(image: Image, *, size: tuple[int, int]) -> bool:
    """Select the smallest sufficient overview of an opened image; returns whether there is one.

    Pages with other images, as in a series of scans, are not overviews and are not selected.

    Args:
        image: Opened, not decoded; an image that is not a TIFF is not changed.
        size: Required width and height.
    """
    # Percentiles of deep grey are those of all its values. Overviews seldom repeat how the picture is turned.
    if image.format != "TIFF" or image.mode in DEEP_GREY or _tags(image).get(ORIENTATION_TAG, 1) != 1:
        return False
    whole, mode, best, best_width = (image.width, image.height), image.mode, 0, image.width
    for page in range(1, MOST_PAGES):
        try:
            image.seek(page)
        except DAMAGE:
            # No more pages, or none that can be read: the picture itself still may.
            break
        is_own = _tags(image).get(SUBFILE_TYPE_TAG) == REDUCED and image.mode == mode
        if is_own and _is_same(image, whole) and size[0] <= image.width < best_width:
            best, best_width = page, image.width
    image.seek(best)
    return best > 0


def _tags(image: Image) -> Mapping[int, object]:
    # Pillow's annotations do not say that pictures of TIFF have them.
    found: Mapping[int, object] = getattr(image, "tag_v2", {})
    return found


def _is_same(image: Image, whole: tuple[int, int]) -> bool:
    return bool(abs(image.width * whole[1] / (image.height * whole[0]) - 1) <= SAME_SHAPE)
