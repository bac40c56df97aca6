"""Scaling of an image of any size into a model's fixed input, with grey bars for the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from annotator.model_api import Rgb

GREY = 114
"""Grey value of the bars. Source: Ultralytics YOLO, ``LetterBox``; the models were trained with it."""


@dataclass(frozen=True, kw_only=True)
class Letterbox:
    """The position of an image in the input of a model.

    Width and height have factors of their own, after rounding to whole pixels, so that boxes are mapped back
    exactly.

    Attributes:
        width_px: Width of the image.
        height_px: Height of the image.
        inner_width_px: Width of the scaled image.
        inner_height_px: Height of the scaled image.
        left_px: Width of the bar on the left.
        top_px: Height of the bar above.
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
        """Return the position of an image.

        Args:
            width_px: Of the picture.
            height_px: The same.
            input_width_px: Of the input.
            input_height_px: The same.
            is_centred: Bars on both sides; otherwise the image is at the upper left, as in YOLOX.
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
        """Return the input: uint8 (input height, input width, 3), channels as in the image."""
        import cv2

        whole = np.full((self.input_height_px, self.input_width_px, 3), GREY, np.uint8)
        is_smaller = self.inner_width_px < self.width_px
        # Linear interpolation skips pixels when it shrinks by more than two, and with them small targets.
        interpolation = cv2.INTER_AREA if is_smaller else cv2.INTER_LINEAR
        size = (self.inner_width_px, self.inner_height_px)
        inner = (
            picture
            if size == (self.width_px, self.height_px)
            else cv2.resize(picture, size, interpolation=interpolation)
        )
        rows = slice(self.top_px, self.top_px + self.inner_height_px)
        whole[rows, self.left_px : self.left_px + self.inner_width_px] = inner
        return whole

    def to_picture(self, boxes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return boxes of the input in pixels of the image.

        Args:
            boxes: float64 (n, 4), x1 y1 x2 y2, pixels of the input.

        Returns:
            float64 (n, 4), x1 y1 x2 y2, pixels of the image, not clipped at its edges.
        """
        scale = np.array([self.width_px / self.inner_width_px, self.height_px / self.inner_height_px] * 2)
        moved: NDArray[np.float64] = (boxes - np.array([self.left_px, self.top_px] * 2)) * scale
        return moved
