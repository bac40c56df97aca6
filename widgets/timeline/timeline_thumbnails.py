"""Thumbnails of video frames for the timeline: visible ones are loaded and cached."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from annotator.domain.medium import Medium
from annotator.media.display_pixels import Pixels
from annotator.media.frame_thumbnails import FrameThumbnails
from annotator.media.media_service import MediaRequest, Priority
from annotator.media.thumbnails import ThumbnailStore
from annotator.media.video.video import Video
from annotator.progress import Progress
from widgets.media_loader import MediaLoader
from widgets.qt_images import NO_IMAGE, wrap_pixels

STAND_INS = 5000
"""Maximum number of frames whose thumbnails in another height are kept as placeholders."""


class FrameThumbnailKey(NamedTuple):
    """Identifies a thumbnail by medium, frame number and height in device pixels."""

    medium: str
    number: int
    height_px: int = 0


class TimelineThumbnails(QObject):
    """Provides loaded thumbnails of frames, and loads the visible ones.

    Signals:
        arrived: More thumbnails have been loaded.
    """

    arrived = Signal()

    def __init__(self, media: MediaLoader, *, store: ThumbnailStore) -> None:
        """Create the loader.

        Args:
            media: Loads thumbnails and caches them in memory.
            store: Caches them on disk.
        """
        super().__init__()
        self._media, self._frames = media, FrameThumbnails(store)
        self._channel = object()
        self._videos: dict[str, tuple[Video, Medium]] = {}
        self._wanted: list[FrameThumbnailKey] = []
        self._last: dict[FrameThumbnailKey, FrameThumbnailKey] = {}
        self._is_held = False
        media.arrived.connect(self._on_media_arrived)

    def image(self, shot: FrameThumbnailKey) -> QImage | None:
        """Return a thumbnail: null if the frame has none, None if it is not loaded yet."""
        result = self._media.get(self._key(shot))
        if result is None:
            return None
        if result.error is not None:
            return NO_IMAGE
        if len(self._last) > STAND_INS:
            self._last.clear()
        self._last[shot._replace(height_px=0)] = shot
        return wrap_pixels(result.value)

    def placeholder(self, shot: FrameThumbnailKey) -> QImage | None:
        """Return a thumbnail of the same frame in another height, or None."""
        last = self._last.get(shot._replace(height_px=0))
        return self.image(last) if last is not None else None

    def show_videos(self, videos: dict[str, tuple[Video, Medium]]) -> None:
        """Set the videos, by medium id, whose thumbnails are loaded; all others are discarded."""
        before = {id(video) for video, _ in self._videos.values()}
        self._videos = dict(videos)
        shown = [video for video, _ in videos.values()]
        self.request([shot for shot in self._wanted if shot.medium in videos])
        if before - {id(video) for video in shown}:
            # Not on this thread: closing blocks until the reading thread has finished.
            self._media.run_task(partial(self._frames.keep_open, shown))

    def request(self, shots: Sequence[FrameThumbnailKey]) -> None:
        """Load the visible thumbnails in order; previous requests are cancelled."""
        self._wanted = [shot for shot in shots if shot.medium in self._videos]
        requests = [MediaRequest(key=self._key(shot), load=self._load_of(shot)) for shot in self._wanted]
        self._media.want(self._channel, requests, priority=Priority.FRAME, is_paused=self._is_held)

    def hold(self, is_held: bool) -> None:
        """Pause loading during playback, which needs the decoding time, and continue afterwards."""
        self._is_held = is_held
        self._media.pause(self._channel, is_paused=is_held)

    def is_settled(self) -> bool:
        """Return whether no thumbnail is being loaded."""
        return self._media.is_idle(self._channel)

    def close(self) -> None:
        """Stop loading."""
        self._wanted, self._videos = [], {}
        self._media.want(self._channel, (), priority=Priority.FRAME)
        self._media.run_task(self._frames.close)

    def _key(self, shot: FrameThumbnailKey) -> tuple[object, ...]:
        # The cache key contains the video: if the file of a medium changes, cached thumbnails are not used.
        return "frame", self._videos.get(shot.medium, (None,))[0], shot

    def _load_of(self, shot: FrameThumbnailKey) -> partial[Pixels]:
        video, medium = self._videos[shot.medium]
        return partial(_load, self._frames, shot, video, medium)

    def _on_media_arrived(self, channels: frozenset[object]) -> None:
        if self._channel in channels:
            self.arrived.emit()


def _load(
    frames: FrameThumbnails, shot: FrameThumbnailKey, video: Video, medium: Medium, progress: Progress
) -> Pixels:
    return frames.load(video, medium=medium, number=shot.number, height=shot.height_px, progress=progress)
