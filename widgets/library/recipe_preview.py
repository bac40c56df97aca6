"""The preview of a recipe: source and derived image, whole and in their pixels."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from annotator.domain.image_recipe import ImageRecipe
from annotator.media.degraded_images import degrade
from annotator.media.image_decoder import decode_image

if TYPE_CHECKING:
    from annotator.media.display_pixels import Pixels

PREVIEW_PX = (360, 180)
"""Width and height of the room for one image."""


@dataclass(frozen=True, kw_only=True)
class RecipePreview:
    """A source and what a recipe makes of it.

    Attributes:
        whole: Both images, scaled down.
        close: The middle of both, pixel by pixel.
    """

    whole: tuple[Pixels, Pixels]
    close: tuple[Pixels, Pixels]


class PreviewSource:
    """Makes previews of one image, which is decoded once; for any thread.

    Args:
        file: The image.
        content: Digest of its content, as for the derived image.
    """

    def __init__(self, file: Path, *, content: str) -> None:
        self._file, self._content = file, content
        self._lock = threading.Lock()
        self._picture: Pixels | None = None

    def preview(self, recipe: ImageRecipe) -> RecipePreview:
        """Return the preview of a recipe: cut and scaled from the very image that would be written.

        Raises:
            UserError: The file is damaged.
            EnvironmentFailure: The file cannot be read.
        """
        with self._lock:
            if self._picture is None:
                self._picture = decode_image(self._file)
            source = self._picture
        derived = degrade(source, recipe, content=self._content)
        return RecipePreview(
            whole=(_scaled(source), _scaled(derived)), close=(_middle(source), _middle(derived))
        )


def _scaled(picture: Pixels) -> Pixels:
    import cv2

    height, width = picture.shape[:2]
    factor = min(PREVIEW_PX[0] / width, PREVIEW_PX[1] / height, 1.0)
    size = max(1, round(width * factor)), max(1, round(height * factor))
    return np.ascontiguousarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _middle(picture: Pixels) -> Pixels:
    height, width = picture.shape[:2]
    left, top = max(0, (width - PREVIEW_PX[0]) // 2), max(0, (height - PREVIEW_PX[1]) // 2)
    return np.ascontiguousarray(picture[top : top + PREVIEW_PX[1], left : left + PREVIEW_PX[0]])
