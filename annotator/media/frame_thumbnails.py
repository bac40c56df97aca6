"""Thumbnails of the frames of videos: kept on disk, decoded where they are not."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from annotator.domain.medium import Medium
from annotator.errors import Cancelled, UserError
from annotator.media.display_pixels import Pixels, decode_jpeg, scale_to_fit, scale_to_height, to_display
from annotator.media.thumbnails import ThumbnailStore, thumbnail_key
from annotator.media.video.frames import Frame
from annotator.media.video.video import FrameSource, Video
from annotator.progress import Progress

SIDE_PX = 192
"""Longest side on disk: twice what the tallest lane shows, for screens of 200 %."""
QUALITY = 80


@dataclass(eq=False)
class _OpenVideo:
    """A decoder that stays open; one thread reads it at a time."""

    source: FrameSource
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_closed: bool = False

    def close(self) -> None:
        """Close it; waits for the thread that reads it."""
        with self.lock:
            self.is_closed = True
            self.source.close()

    def read(self, video: Video, number: int, *, progress: Progress) -> Frame | None:
        """Return a frame, None where it is damaged or nobody waits for it any more.

        Raises:
            Cancelled: The thumbnail is no longer needed.
        """
        with self.lock:
            progress.raise_if_cancelled()
            if self.is_closed:
                raise Cancelled
            if number in video.key_frames:
                return self.source.key_frame(number)
            frames = self.source.run(number, last=number, is_over=lambda: progress.is_cancelled)
            return next(iter(frames), None)


class FrameThumbnails:
    """Loads thumbnails of frames; any thread may call it.

    Args:
        store: Where they are kept on disk.
    """

    def __init__(self, store: ThumbnailStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._open: dict[Video, _OpenVideo] = {}
        self._is_closed = False

    def load(self, video: Video, *, medium: Medium, number: int, height: int, progress: Progress) -> Pixels:
        """Return the thumbnail of a frame.

        Args:
            video: The video.
            medium: Its medium.
            number: Number of the frame.
            height: Height of the result, px.
            progress: Cancelled when the thumbnail is no longer needed.

        Returns:
            uint8 (height, width, 4), blue, green, red, 255.

        Raises:
            UserError: The frame is damaged.
            EnvironmentFailure: The file cannot be read.
            Cancelled: The thumbnail is no longer needed.
        """
        key = f"{thumbnail_key(medium, video.path)}f{number}"
        content = self._store.get(key)
        pixels = decode_jpeg(content) if content else None
        if content != b"" and pixels is None:
            pixels = self._decoded(video, number=number, progress=progress, key=key)
        if pixels is None:
            raise UserError(f"Frame {number:,} of {medium.name} is damaged.")
        return to_display(scale_to_height(pixels, height=height))

    def keep_open(self, videos: list[Video]) -> None:
        """Close the decoders of all other videos; waits for the threads that read them."""
        with self._lock:
            gone = [self._open.pop(video) for video in list(self._open) if video not in videos]
        for opened in gone:
            opened.close()

    def close(self) -> None:
        """Close all decoders; waits for the threads that read them."""
        self._is_closed = True
        self.keep_open([])

    def _decoded(self, video: Video, *, number: int, progress: Progress, key: str) -> Pixels | None:
        # Its libraries take a tenth of a second to import, which the start of the window does not have.
        from annotator.media.image_decoder import encode_jpeg

        frame = self._opened(video).read(video, number, progress=progress)
        if frame is None:
            # Given up, and not damaged: that must not be kept on disk.
            progress.raise_if_cancelled()
            self._store.put(key, b"")
            return None
        rgb = frame.rgb()
        height, width, _ = rgb.shape
        pixels = scale_to_fit(rgb.reshape(height, width, 3), width=SIDE_PX, height=SIDE_PX)
        self._store.put(key, encode_jpeg(pixels, quality=QUALITY))
        return pixels

    def _opened(self, video: Video) -> _OpenVideo:
        with self._lock:
            if self._is_closed:
                raise Cancelled
            if video not in self._open:
                self._open[video] = _OpenVideo(video.new_source())
            return self._open[video]
