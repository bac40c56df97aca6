"""What detectors and depth models are asked to look at, and how predictions tell what they saw."""

from __future__ import annotations

from typing import Any

import msgspec

from annotator.domain.record import ValueObject
from annotator.domain.region import Box
from annotator.errors import UserError
from annotator.model_api import Detection

FRAMES_OF_A_VIDEO = 32
"""As many as a model run takes by default. Source: DATA.md, 'frames of a video'."""


class VisionSettings(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """Settings of a run of detection or depth.

    Attributes:
        media: Ids of the media, empty for all that show a picture.
        datasets: Only media of these datasets, empty for all.
        numbers: Of videos these frames.
        every_s: Of videos a frame each so many seconds.
        every_frames: Of videos each so many-th frame, the first one included.
        frames: Of videos so many at most, at even distances, where nothing else is said.
    """

    media: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    every_s: float = 0.0
    every_frames: int = 0
    frames: int = FRAMES_OF_A_VIDEO

    @classmethod
    def of(cls, settings: dict[str, Any]) -> VisionSettings:
        """Return the settings of a run.

        Raises:
            UserError: They cannot be understood, or choose frames in more ways than one.
        """
        try:
            read = msgspec.convert(settings, cls)
        except msgspec.ValidationError as error:
            raise UserError(f"Invalid settings of the run: {error}.") from error
        if sum(map(bool, (read.numbers, read.every_s, read.every_frames))) > 1:
            raise UserError("Set only one of frame numbers, seconds, step or count.")
        if read.every_frames < 0 or read.every_s < 0 or read.frames < 1:
            raise UserError("Invalid frame selection.", hint="Frame step and count must be at least 1.")
        return read


class DetectedImage(ValueObject, frozen=True, kw_only=True):
    """What a detector found in one picture: the answer of its prediction.

    Attributes:
        width_px: Of the picture that it saw.
        height_px: The same.
        found: Things, the most certain first.
    """

    width_px: int
    height_px: int
    found: tuple[Detection, ...] = ()


class RegionShape(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A region as a depth model looks at it.

    Attributes:
        region: Its id.
        box: Image pixels.
        polygon: Corners, empty for a plain box.
    """

    region: str
    box: Box
    polygon: tuple[tuple[float, float], ...] = ()


class DepthFigures(ValueObject, frozen=True, kw_only=True):
    """How far away what a region shows is.

    Attributes:
        median: Of the valid pixels; metres where the model is metric, else of no unit.
        p10: Tenth percentile: what is nearest of it.
        p90: Ninetieth percentile.
        valid: Share of its pixels with a depth, 0..1.
    """

    median: float
    p10: float
    p90: float
    valid: float


class Depths(ValueObject, frozen=True, kw_only=True):
    """Depths of the regions of one picture: the answer of a depth model's prediction.

    Attributes:
        is_metric: Whether they are metres.
        regions: Figures by the id of the region, None where no pixel of it has a depth.
        boxes: The boxes that were looked at, by the id of the region.
    """

    is_metric: bool
    regions: dict[str, DepthFigures | None]
    boxes: dict[str, Box]
