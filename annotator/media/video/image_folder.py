"""A folder of images as a video: in natural order, at a given frame rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from annotator.errors import UserError
from annotator.media.image_decoder import decode_image
from annotator.media.listing import frame_files, is_frame
from annotator.media.video.frames import ImageFrame

FOLDER_FPS = 25.0
"""What is taken for a folder of frames that nobody gives a rate for: the demo's and most simulators' rate."""


@dataclass(frozen=True, kw_only=True)
class ImageFolder:
    """The images of a folder. Thread-safe, since each image is read independently.

    Attributes:
        path: The folder.
        names: Names of the images, in natural order.
        fps: Frames per second.
        size_px: Width and height of the first image.
    """

    path: Path
    names: tuple[str, ...]
    fps: float
    size_px: tuple[int, int]

    @classmethod
    def open(cls, path: Path, *, fps: float) -> ImageFolder:
        """List a folder and read its first picture.

        Args:
            path: The folder.
            fps: Frames per second, over 0.

        Raises:
            UserError: It holds no pictures, or the rate is none.
            EnvironmentFailure: It cannot be read.
        """
        if not 0 < fps < 10_000:
            raise UserError(
                f"{fps:g} is not a valid frame rate.",
                hint="Use a rate between 0 and 10,000 frames per second.",
            )
        names = tuple(file.name for file in frame_files(path) if is_frame(file))
        if not names:
            raise UserError(f"{path.name} contains no images.")
        height, width = decode_image(path / names[0]).shape[:2]
        return cls(path=path, names=names, fps=fps, size_px=(width, height))

    @cached_property
    def times_s(self) -> NDArray[np.float64]:
        """Time of each picture from the first: float64 (pictures,)."""
        return np.arange(len(self.names)) / self.fps

    def run(
        self, first: int, *, last: int, is_over: Callable[[], bool] = lambda: False
    ) -> Iterator[ImageFrame]:
        """Yield the pictures from first to last, itself included, without those that cannot be read.

        Raises:
            EnvironmentFailure: The disk refused.
        """
        for number in range(first, last + 1):
            if is_over():
                return
            if (frame := self.key_frame(number)) is not None:
                yield frame

    def key_frame(self, number: int) -> ImageFrame | None:
        """Return one picture, None where it is damaged."""
        try:
            picture = decode_image(self.path / self.names[number])
        except UserError:
            return None
        return ImageFrame(number=number, time_s=number / self.fps, picture=picture)

    def close(self) -> None:
        """Do nothing: no file stays open."""
