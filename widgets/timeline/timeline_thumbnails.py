"""Thumbnails of a video's frames for the timeline: what is in sight is loaded and kept."""

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
"""Frames of which another height is remembered."""


class FrameThumbnailKey(NamedTuple):
    """A thumbnail: of which medium, which of its frames, and its height in device pixels."""

    medium: str
    number: int
    height_px: int = 0


class TimelineThumbnails(QObject):
    """Gives thumbnails of frames that are there, and has those in sight loaded.

    Signals:
        arrived: More of them are there.
    """

    arrived = Signal()

    def __init__(self, media: MediaLoader, *, store: ThumbnailStore) -> None:
        """Set it up.

        Args:
            media: Loads and keeps them.
            store: Keeps them on disk.
        """
        super().__init__()
        self._media, self._frames = media, FrameThumbnails(store)
        self._channel = object()
        self._films: dict[str, tuple[Video, Medium]] = {}
        self._wanted: list[FrameThumbnailKey] = []
        self._last: dict[FrameThumbnailKey, FrameThumbnailKey] = {}
        self._is_held = False
        media.arrived.connect(self._on_media_arrived)

    def image(self, shot: FrameThumbnailKey) -> QImage | None:
        """Return a thumbnail; null where the frame has none, None where it is not loaded yet."""
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
        """Return a thumbnail in another height, None where there is none."""
        last = self._last.get(shot._replace(height_px=0))
        return self.image(last) if last is not None else None

    def show_films(self, films: dict[str, tuple[Video, Medium]]) -> None:
        """Load thumbnails of these films from now on, by ids of media, and of no others."""
        before = {id(film) for film, _ in self._films.values()}
        self._films = dict(films)
        shown = [film for film, _ in films.values()]
        self.request([shot for shot in self._wanted if shot.medium in films])
        if before - {id(film) for film in shown}:
            # Not here: closing waits for the thread that reads.
            self._media.run_task(partial(self._frames.keep_open, shown))

    def request(self, shots: Sequence[FrameThumbnailKey]) -> None:
        """Load the thumbnails in sight, the first ones first, and keep them; those before are given up."""
        self._wanted = [shot for shot in shots if shot.medium in self._films]
        requests = [MediaRequest(key=self._key(shot), load=self._load_of(shot)) for shot in self._wanted]
        self._media.want(self._channel, requests, priority=Priority.FRAME, is_paused=self._is_held)

    def hold(self, is_held: bool) -> None:
        """Leave the machine to the films while they play, and go on behind them."""
        self._is_held = is_held
        self._media.pause(self._channel, is_paused=is_held)

    def is_settled(self) -> bool:
        """Tell whether nothing is being loaded."""
        return self._media.is_idle(self._channel)

    def close(self) -> None:
        """Load nothing more."""
        self._wanted, self._films = [], {}
        self._media.want(self._channel, (), priority=Priority.FRAME)
        self._media.run_task(self._frames.close)

    def _key(self, shot: FrameThumbnailKey) -> tuple[object, ...]:
        # The film itself: of a medium that is another file now, nothing is kept.
        return "frame", self._films.get(shot.medium, (None,))[0], shot

    def _load_of(self, shot: FrameThumbnailKey) -> partial[Pixels]:
        film, medium = self._films[shot.medium]
        return partial(_load, self._frames, shot, film, medium)

    def _on_media_arrived(self, channels: frozenset[object]) -> None:
        if self._channel in channels:
            self.arrived.emit()


def _load(
    frames: FrameThumbnails, shot: FrameThumbnailKey, film: Video, medium: Medium, progress: Progress
) -> Pixels:
    return frames.load(film, medium=medium, number=shot.number, height=shot.height_px, progress=progress)
