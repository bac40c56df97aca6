"""One frame of a video: kept as the decoder gave it, made into colours when it is shown."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from annotator.media.video.rotation import Rotation

if TYPE_CHECKING:
    from av import VideoFrame
    from av.video.reformatter import VideoReformatter

Rgb = NDArray[np.uint8]
Colours = Literal["rgb24", "bgr24", "bgra"]
_own = threading.local()


class Frame(Protocol):
    """A frame that knows which one it is."""

    @property
    def number(self) -> int:
        """Its number, from 0 in the order in which frames are shown."""

    @property
    def time_s(self) -> float:
        """Its time in seconds, from the first frame."""

    @property
    def is_damaged(self) -> bool:
        """Whether the decoder met damage on the way to it, so that parts of it may be wrong."""

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""

    def rgb(self) -> Rgb:
        """Return it upright: uint8 (height, width, 3), red, green, blue."""

    def bgra(self) -> Rgb:
        """Return it upright: uint8 (height, width, 4), blue, green, red, 255, as a QImage of RGB32 lies."""


@dataclass(frozen=True, kw_only=True)
class DecodedFrame:
    """A frame as the decoder gave it, mostly planes of brightness and colour: 1.5 bytes a pixel, not 3."""

    number: int
    time_s: float
    picture: VideoFrame
    turn: Rotation
    is_damaged: bool = False

    @cached_property
    def nbytes(self) -> int:
        """The memory that it takes."""
        return sum(plane.buffer_size for plane in self.picture.planes)

    def rgb(self) -> Rgb:
        """Return it upright: uint8 (height, width, 3), red, green, blue."""
        return self._converted("rgb24")

    def bgra(self) -> Rgb:
        """Return it upright: uint8 (height, width, 4), blue, green, red, 255."""
        return self._converted("bgra")

    def _converted(self, colours: Colours) -> Rgb:
        # One thread: splitting a picture costs more than it brings (2.3 ms with several, 0.6 with one, 720p).
        converted = _reformatter().reformat(self.picture, format=colours, threads=1)
        return self.turn.apply(np.asarray(converted.to_ndarray(), np.uint8))


@dataclass(frozen=True, kw_only=True)
class ImageFrame:
    """A frame that is a picture file: its colours are all there is."""

    number: int
    time_s: float
    picture: Rgb
    is_damaged: bool = False

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        return self.picture.nbytes

    def rgb(self) -> Rgb:
        """Return it: uint8 (height, width, 3), red, green, blue."""
        return self.picture

    def bgra(self) -> Rgb:
        """Return it: uint8 (height, width, 4), blue, green, red, 255."""
        import cv2

        return np.asarray(cv2.cvtColor(self.picture, cv2.COLOR_RGB2BGRA), np.uint8)


def _reformatter() -> VideoReformatter:
    """Return this thread's converter: it keeps its tables, and is not to be shared."""
    from av.video.reformatter import VideoReformatter

    if not hasattr(_own, "reformatter"):
        _own.reformatter = VideoReformatter()
    found: VideoReformatter = _own.reformatter
    return found
