"""The detector used by workers, for any model: slices, limits and names."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import msgspec
import numpy as np

from annotator.errors import UserError
from annotator.model_api import Detection, ModelIdentity
from models.boxes import BoxArrays
from models.slicing import Slice, SliceResult, Slices, merge_slices, slices_of

if TYPE_CHECKING:
    from annotator.model_api import Rgb


class DetectorOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of every detector, in ``ModelProfile.options``.

    Attributes:
        score: Lowest score of a returned detection, 0..1.
        iou: Intersection over union above which two boxes of a category are one object, 0..1.
        most: Maximum number of detections per image.
        batch: Images or slices per batch, 0 for a size that suits the device.
        size: Side of the input if the model does not fix it, pixels; 0 for the value in its file, or 640.
        device: ``auto``, ``cpu`` or ``cuda``.
        slice_px: Side of slices for small targets, pixels; 0 for the whole image only.
        overlap: Share of the side that neighbouring slices have in common, 0..0.75.
        with_whole: Detect in the whole image in addition to the slices.
    """

    score: float = 0.25
    iou: float = 0.5
    most: int = 1_000
    batch: int = 0
    size: int = 0
    device: str = "auto"
    slice_px: int = 0
    overlap: float = 0.2
    with_whole: bool = True

    @property
    def slices(self) -> Slices:
        """How pictures are sliced."""
        return Slices(slice_px=self.slice_px, overlap=self.overlap, with_whole=self.with_whole)

    def require_sound(self) -> None:
        """Refuse invalid options.

        Raises:
            UserError: One is out of bounds.
        """
        self.slices.require_sound()
        for name, value in (("score", self.score), ("iou", self.iou)):
            if not 0 <= value <= 1:
                raise UserError(f"The option {name} cannot be {value:g}.", hint="Set a value from 0 to 1.")
        if self.most < 1 or self.batch < 0 or not 0 <= self.size <= 8_192:
            raise UserError("The option most must be 1 or more, batch 0 or more, and size 0 to 8192.")


class BoxFinder(Protocol):
    """A model that detects boxes in images without slicing."""

    @property
    def names(self) -> Sequence[str]:
        """Categories by their numbers."""

    @property
    def batch(self) -> int:
        """Best number of images per batch."""

    def find(self, pictures: Sequence[Rgb]) -> list[BoxArrays]:
        """Return the boxes of each image, in its pixels, each object once.

        Raises:
            CallFailed: The model's program failed.
            EnvironmentFailure: Its device is broken.
        """

    def close(self) -> None:
        """Give back memory."""


class SlicingDetector:
    """Detects objects in images of any size; an ``annotator.model_api.Detector``.

    Args:
        finder: Finds boxes.
        options: Slices and limits.
        identity: Which model it is.
    """

    def __init__(self, finder: BoxFinder, *, options: DetectorOptions, identity: ModelIdentity) -> None:
        self.identity = identity
        self._finder, self._options = finder, options
        self._lock = threading.Lock()

    @property
    def batch(self) -> int:
        """Best number of images per batch; 1 with slicing."""
        return 1 if self._options.slice_px else self._finder.batch

    def detect(self, pictures: Sequence[Rgb]) -> list[list[Detection]]:
        """Return the detections of each image, highest score first; other threads wait.

        Args:
            pictures: uint8 (height, width, 3), red, green, blue; of any sizes.

        Raises:
            CallFailed: The model's program failed.
            EnvironmentFailure: Its device is broken.
            UserError: An image has too many slices; increase the size of slices.
        """
        parts = [self._slices(picture) for picture in pictures]
        cuts = [_crop(picture, part) for picture, own in zip(pictures, parts, strict=True) for part in own]
        # One model on one device: a second thread would not be faster, and not every package is thread-safe.
        with self._lock:
            found = iter(self._found(cuts))
        return [
            self._together(picture, own, list(islice(found, len(own))))
            for picture, own in zip(pictures, parts, strict=True)
        ]

    def close(self) -> None:
        """Give back memory."""
        self._finder.close()

    def _slices(self, picture: Rgb) -> list[Slice]:
        return slices_of(self._options.slices, width_px=picture.shape[1], height_px=picture.shape[0])

    def _found(self, pictures: Sequence[Rgb]) -> list[BoxArrays]:
        step = max(1, self._finder.batch)
        batches = [pictures[at : at + step] for at in range(0, len(pictures), step)]
        return [found for batch in batches for found in self._finder.find(batch)]

    def _together(self, picture: Rgb, slices: list[Slice], found: list[BoxArrays]) -> list[Detection]:
        height, width = picture.shape[:2]
        seen = [
            SliceResult(slice=part, found=_in_picture(own, part))
            for part, own in zip(slices, found, strict=True)
        ]
        merged = merge_slices(
            seen,
            width_px=width,
            height_px=height,
            most_overlap=self._options.iou,
            most=self._options.most,
        )
        return merged.detections(self._finder.names)


def _crop(picture: Rgb, part: Slice) -> Rgb:
    return np.ascontiguousarray(picture[part.top : part.bottom, part.left : part.right])


def _in_picture(found: BoxArrays, part: Slice) -> BoxArrays:
    """Return boxes of a slice in pixels of the image, clipped at the slice's edges."""
    inner = found.clip(width_px=part.right - part.left, height_px=part.bottom - part.top)
    moved = inner.boxes + np.array([part.left, part.top] * 2, np.float64)
    return BoxArrays(boxes=moved, scores=inner.scores, classes=inner.classes)
