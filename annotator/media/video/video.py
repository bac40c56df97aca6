"""A video: a file, or a folder of pictures, as frames with numbers and times."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from annotator.errors import UserError
from annotator.media.video.decoder import FrameDecoder
from annotator.media.video.frames import Frame
from annotator.media.video.image_folder import FOLDER_FPS, ImageFolder
from annotator.media.video.index_store import video_index
from annotator.progress import Progress

TIME_TOLERANCE_S = 1e-6
"""A clock may lie so much before a frame's time and still mean it: a tenth of the finest tick."""


class FrameSource(Protocol):
    """What gives frames in order; for one thread at a time."""

    def run(self, first: int, *, last: int, is_over: Callable[[], bool] = ...) -> Iterator[Frame]:
        """Yield the frames from first to last, itself included, without those that cannot be decoded.

        ``is_over`` is asked again and again; where it tells so, the run ends, and can be gone on with.
        """

    def key_frame(self, number: int) -> Frame | None:
        """Return a key frame alone, as fast as it can be had; None where it cannot be decoded."""

    def close(self) -> None:
        """Give back file and memory; the next run opens them again."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Video:
    """A video file or frame folder: frames with numbers and times. Thread-safe.

    Attributes:
        path: The file or folder.
        coding: Name of the codec, "" for a folder of pictures.
        size_px: Displayed width and height.
        fps: Frames per second: that of the container if the time stamps agree with it, otherwise their mean.
        times_s: Time of each frame in seconds since the first: float64 (frames,), ascending.
        duration_s: Seconds from the first frame to the end of the last.
        key_frames: Numbers of the frames at which decoding can begin: int64 (keys,), ascending.
        has_audio: Whether there is an audio stream.
        damage: Description of damage of the whole file, "" for none.
        new_source: Opens the video again, for another thread.
    """

    path: Path
    coding: str
    size_px: tuple[int, int]
    fps: float
    times_s: NDArray[np.float64]
    duration_s: float
    key_frames: NDArray[np.int64]
    new_source: Callable[[], FrameSource]
    has_audio: bool = False
    damage: str = ""
    _source_of_thread: list[FrameSource] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(
        cls, path: Path, *, sha256: str = "", fps: float = FOLDER_FPS, progress: Progress | None = None
    ) -> Video:
        """Open a video file, or a folder of pictures.

        Args:
            path: The file or folder.
            sha256: Hex digest of the content that the project states, "" if unknown.
            fps: Frames per second of a folder; ignored for a file.
            progress: One step per packet while the index is computed.

        Raises:
            UserError: The file is not a video, has no visible frame, or is damaged.
            EnvironmentFailure: The file cannot be read.
            Cancelled: The user cancelled.
        """
        if path.is_dir():
            return cls._of_folder(ImageFolder.open(path, fps=fps))
        index = video_index(path, sha256=sha256, progress=progress)
        facts = index.facts
        return cls(
            path=path,
            coding=facts.coding,
            size_px=facts.turn.size_px(*facts.coded_px),
            fps=facts.rate,
            times_s=index.times_s,
            duration_s=index.duration_s,
            key_frames=index.key_frames,
            has_audio=facts.has_audio,
            damage=facts.damage,
            new_source=lambda: FrameDecoder(path, index),
        )

    @classmethod
    def _of_folder(cls, folder: ImageFolder) -> Video:
        return cls(
            path=folder.path,
            coding="",
            size_px=folder.size_px,
            fps=folder.fps,
            times_s=folder.times_s,
            duration_s=len(folder.names) / folder.fps,
            key_frames=np.arange(len(folder.names)),
            # One for all: a folder keeps nothing open that threads could share.
            new_source=lambda: folder,
        )

    @property
    def frame_count(self) -> int:
        """Number of frames."""
        return len(self.times_s)

    def number_at(self, time_s: float) -> int:
        """Return the number of the frame that is shown at a time: the latest not after it.

        Args:
            time_s: Seconds from the first frame; before it the first frame is meant, behind the end the last.
        """
        found = int(np.searchsorted(self.times_s, time_s + TIME_TOLERANCE_S, side="right")) - 1
        return min(max(0, found), self.frame_count - 1)

    def group_of(self, number: int) -> tuple[int, int]:
        """Return the first and last number between two key frames around a frame."""
        at = int(np.searchsorted(self.key_frames, number, side="right"))
        first = int(self.key_frames[at - 1]) if at else 0
        last = int(self.key_frames[at]) - 1 if at < len(self.key_frames) else self.frame_count - 1
        return first, last

    @property
    def longest_group(self) -> int:
        """Most frames from one key frame to the next."""
        edges: list[int] = [0, *self.key_frames.tolist(), self.frame_count]
        return max(after - before for before, after in pairwise(edges))

    def nearest_key(self, number: int) -> int:
        """Return the number of the key frame nearest to a frame, the frame itself where there is none."""
        if not len(self.key_frames):
            return number
        return int(self.key_frames[int(np.abs(self.key_frames - number).argmin())])

    def frame(self, number: int) -> Frame:
        """Return one frame; waits until it is decoded.

        Args:
            number: From 0.

        Raises:
            UserError: There is no such frame, or it is damaged.
            EnvironmentFailure: The file cannot be read.
        """
        return next(self.frames([number]))

    def frames(self, numbers: Iterable[int]) -> Iterator[Frame]:
        """Yield frames in the order in which they are asked for; quickest where the numbers rise.

        Args:
            numbers: From 0.

        Raises:
            UserError: There is no such frame, or one is damaged.
            EnvironmentFailure: The file cannot be read.
        """
        for number in numbers:
            if not 0 <= number < self.frame_count:
                raise UserError(f"{self.path.name} has no frame {number:,}: it has {self.frame_count:,}.")
            # Held for one frame only, so that two threads that read alternate instead of waiting for the end.
            with self._lock:
                frame = next(self._source().run(number, last=number), None)
            if frame is None or frame.number != number:
                raise UserError(f"Frame {number:,} of {self.path.name} is damaged.")
            yield frame

    def close(self) -> None:
        """Give back what ``frame`` holds open; it opens it again where it is asked once more."""
        with self._lock:
            while self._source_of_thread:
                self._source_of_thread.pop().close()

    def _source(self) -> FrameSource:
        if not self._source_of_thread:
            self._source_of_thread.append(self.new_source())
        return self._source_of_thread[0]
