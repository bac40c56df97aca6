"""Thumbnails of media for grids: loads and caches the visible ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QImage

from annotator.domain.medium import Medium
from annotator.domain.rows import ViewThumbnail
from annotator.media.display_pixels import Pixels, to_display
from annotator.media.image_loader import load_thumbnail
from annotator.media.media_service import MediaRequest, Priority
from annotator.media.thumbnails import ThumbnailStore
from annotator.progress import Progress
from widgets.media_loader import MediaLoader
from widgets.qt_images import NO_IMAGE, wrap_pixels

STAND_INS = 10_000
"""Maximum number of media whose last thumbnail size is remembered."""


class ThumbnailKey(NamedTuple):
    """Key of a thumbnail: its medium and its size in device pixels."""

    medium: str
    path: str
    kind: str
    sha256: str
    width: int
    height: int


class ThumbnailLoader(QObject):
    """Loads the visible thumbnails and returns loaded ones.

    Signals:
        arrived: Emitted when thumbnails were loaded.
    """

    arrived = Signal()

    def __init__(
        self,
        media: MediaLoader,
        *,
        file_of: Callable[[str], Path | None],
        store: ThumbnailStore | None = None,
    ) -> None:
        """Create the loader.

        Args:
            media: Loads and caches them.
            file_of: Returns the file for a medium's path, None if it is not found; called on other threads.
            store: Stores small thumbnails on disk, None to read the media files each time.
        """
        super().__init__()
        self._media, self._file_of, self._store = media, file_of, store
        self._channel = object()
        self._last: dict[str, ThumbnailKey] = {}
        media.arrived.connect(self._on_media_arrived)

    def image(self, key: ThumbnailKey) -> QImage | None:
        """Return a thumbnail; null if the medium has no image, None if it is not loaded."""
        result = self._media.get(key)
        if result is None:
            return None
        if result.error is not None:
            return NO_IMAGE
        # Placeholders are optional: clearing all is cheaper than tracking their use.
        if len(self._last) > STAND_INS:
            self._last.clear()
        self._last[key.medium] = key
        return wrap_pixels(result.value)

    def placeholder(self, key: ThumbnailKey) -> QImage | None:
        """Return another size of a thumbnail that is not loaded yet, None if there is none."""
        last = self._last.get(key.medium)
        return self.image(last) if last is not None else None

    def request(self, keys: Sequence[ThumbnailKey]) -> None:
        """Load thumbnails in this order and keep them; earlier requests are dropped."""
        self._media.want(self._channel, self.requests(keys), priority=Priority.THUMBNAIL)

    def requests(self, keys: Sequence[ThumbnailKey]) -> list[MediaRequest]:
        """Return the requests for thumbnails."""
        return [MediaRequest(key=key, load=partial(self._load, key)) for key in keys]

    def is_settled(self) -> bool:
        """Return whether nothing is being loaded."""
        return self._media.is_idle(self._channel)

    def _load(self, key: ThumbnailKey, _progress: Progress) -> Pixels:
        return make_thumbnail(key, file=self._file_of(key.path), store=self._store)

    def _on_media_arrived(self, channels: frozenset[object]) -> None:
        if self._channel in channels:
            self.arrived.emit()


def key_of(shown: ViewThumbnail, *, size: QSize) -> ThumbnailKey:
    """Return the key of a view's thumbnail.

    Args:
        shown: The view.
        size: Width and height in device pixels; the image is cut to fill them.
    """
    path = shown.path or shown.name
    return ThumbnailKey(shown.medium, path, shown.media_type, shown.sha256, size.width(), size.height())


def make_thumbnail(key: ThumbnailKey, *, file: Path | None, store: ThumbnailStore | None = None) -> Pixels:
    """Return a thumbnail cut to fill its size; may be called on any thread.

    Args:
        key: Key of the thumbnail.
        file: File of its medium, None if it is not found.
        store: Stores small thumbnails on disk, None to read the media file.

    Returns:
        uint8 (height, width, 4), blue, green, red, 255.

    Raises:
        ImageUnavailable: The medium has no readable image. Show the message in place of it.
        EnvironmentFailure: The disk cannot be read. Try again later.
    """
    medium = Medium(id=key.medium, name=key.path, sha256=key.sha256)
    size = {"width": key.width, "height": key.height}
    return to_display(load_thumbnail(medium, kind=key.kind, file=file, store=store, **size))
