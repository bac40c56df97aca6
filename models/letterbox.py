"""A picture of any size in a model's input of a fixed one: scaled as a whole, grey bars at the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from annotator.model_api import Rgb

GREY = 114
"""Of the bars. Source: Ultralytics YOLO, ``LetterBox``; the models were trained with it."""


@dataclass(frozen=True, kw_only=True)
class Letterbox:
    """Where a picture lies in the input of a model.

    Width and height are scaled by what the rounding to whole pixels made of the common factor, so that boxes
    come back to the very pixel.

    Attributes:
        width_px: Of the picture.
        height_px: The same.
        inner_width_px: Of the picture as it is scaled.
        inner_height_px: The same.
        left_px: Bar to the left of it.
        top_px: Bar above it.
        input_width_px: Of the input.
        input_height_px: The same.
    """

    width_px: int
    height_px: int
    inner_width_px: int
    inner_height_px: int
    left_px: int
    top_px: int
    input_width_px: int
    input_height_px: int

    @classmethod
    def of(
        cls,
        *,
        width_px: int,
        height_px: int,
        input_width_px: int,
        input_height_px: int,
        is_centred: bool = True,
    ) -> Letterbox:
        """Return where a picture goes.

        Args:
            width_px: Of the picture.
            height_px: The same.
            input_width_px: Of the input.
            input_height_px: The same.
            is_centred: Bars on both sides; else the picture lies in the upper left, as YOLOX has it.
        """
        factor = min(input_width_px / width_px, input_height_px / height_px)
        inner_width = max(1, min(input_width_px, round(width_px * factor)))
        inner_height = max(1, min(input_height_px, round(height_px * factor)))
        return cls(
            width_px=width_px,
            height_px=height_px,
            inner_width_px=inner_width,
            inner_height_px=inner_height,
            left_px=(input_width_px - inner_width) // 2 if is_centred else 0,
            top_px=(input_height_px - inner_height) // 2 if is_centred else 0,
            input_width_px=input_width_px,
            input_height_px=input_height_px,
        )

    def filled(self, picture: Rgb) -> Rgb:
        """Return the input: uint8 (input height, input width, 3), channels as in the picture."""
        import cv2

        whole = np.full((self.input_height_px, self.input_width_px, 3), GREY, np.uint8)
        is_smaller = self.inner_width_px < self.width_px
        # Linear shrinking by more than two leaves pixels out, and with them the small targets.
        way = cv2.INTER_AREA if is_smaller else cv2.INTER_LINEAR
        size = (self.inner_width_px, self.inner_height_px)
        inner = (
            picture
            if size == (self.width_px, self.height_px)
            else cv2.resize(picture, size, interpolation=way)
        )
        rows = slice(self.top_px, self.top_px + self.inner_height_px)
        whole[rows, self.left_px : self.left_px + self.inner_width_px] = inner
        return whole

    def to_picture(self, boxes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return boxes of the input in pixels of the picture.

        Args:
            boxes: float64 (n, 4), x1 y1 x2 y2, pixels of the input.

        Returns:
            float64 (n, 4), x1 y1 x2 y2, pixels of the picture, not cut at its edges.
        """
        scale = np.array([self.width_px / self.inner_width_px, self.height_px / self.inner_height_px] * 2)
        moved: NDArray[np.float64] = (boxes - np.array([self.left_px, self.top_px] * 2)) * scale
        return moved
