"""Thumbnails of media for grids: made on threads of their own, what is in sight first, the last ones kept."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QImage

from annotator.domain.medium import Medium
from annotator.domain.rows import ShownView
from annotator.errors import HostError
from annotator.media.thumbnails import ThumbnailStore, thumbnail_key
from widgets.bridge import Bridge
from widgets.library.pictures import read_file

KEPT_BYTES = 160 * 1024 * 1024
"""Bytes of thumbnails kept: about 1,500 of medium size, many screens in either direction."""
THREADS = 1 if (os.cpu_count() or 1) <= 2 else 2
"""On two cores one of them is left to the window."""
LARGEST_KEPT_PX = 360
"""Up to this side the store's thumbnails, which have 320, look well; larger ones are made of the file."""
TURN_S = 0.04
"""A thread hands over what it has made after this time, so that a screen fills as it comes."""


class Key(NamedTuple):
    """A thumbnail: of which medium, and how large in device pixels."""

    medium: str
    path: str
    kind: str
    sha256: str
    width: int
    height: int


class ThumbnailLoader(QObject):
    """Gives thumbnails that are there, and makes those that are in sight.

    Signals:
        arrived: More thumbnails are there.
    """

    arrived = Signal()

    def __init__(
        self,
        *,
        bridge: Bridge,
        file_of: Callable[[str], Path | None],
        store: ThumbnailStore | None = None,
    ) -> None:
        """Set the loader up.

        Args:
            bridge: Way back from its threads.
            file_of: Gives the file of a medium's path, None where it leads nowhere; called on the threads.
            store: Keeps small thumbnails on disk, None to read the files each time.
        """
        super().__init__()
        self._bridge, self._file_of, self._store = bridge, file_of, store
        self._pool = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="vantage-thumbnails")
        self._kept: OrderedDict[Key, QImage] = OrderedDict()
        self._last: dict[str, Key] = {}
        self._bytes = 0
        self._lock = threading.Lock()
        self._wanted: list[Key] = []
        self._making: set[Key] = set()
        self._working = 0
        self._round = 0
        self._is_closed = False

    def image(self, key: Key) -> QImage | None:
        """Return a thumbnail; null where the medium has no picture, None where it is not made yet."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def stand_in(self, key: Key) -> QImage | None:
        """Return another size of a thumbnail that is not made yet, None where there is none."""
        return self._kept.get(self._last.get(key.medium, key))

    def want(self, keys: list[Key]) -> None:
        """Make these thumbnails next, the first ones first; what was wanted before is forgotten."""
        # A window that is being closed still paints.
        if self._is_closed:
            return
        with self._lock:
            self._wanted = [key for key in keys if key not in self._kept and key not in self._making]
        self._start()

    def forget(self) -> None:
        """Forget what was found: files may lie elsewhere now."""
        # What is being made at this moment was read where the files lay before.
        self._round += 1
        self._kept.clear()
        self._last.clear()
        self._bytes = 0

    def is_settled(self) -> bool:
        """Tell whether nothing is being made."""
        return not (self._working or self._wanted)

    def close(self) -> None:
        """Make nothing more."""
        self._is_closed = True
        with self._lock:
            self._wanted = []
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _start(self) -> None:
        while self._wanted and self._working < THREADS:
            self._working += 1
            done = partial(self._on_made, self._round)
            self._bridge.wait_for(self._pool.submit(self._make_some), done=done)

    def _make_some(self) -> dict[Key, QImage]:
        """Make thumbnails until a turn is over; runs on a thread of the pool."""
        made: dict[Key, QImage] = {}
        until = time.monotonic() + TURN_S
        while time.monotonic() < until and (key := self._next()) is not None:
            made[key] = make_thumbnail(key, file=self._file_of(key.path), store=self._store)
        return made

    def _next(self) -> Key | None:
        with self._lock:
            if not self._wanted:
                return None
            # From the front: the grid names what is missing in the order in which it is read.
            key = self._wanted.pop(0)
            self._making.add(key)
            return key

    def _on_made(self, begun: int, made: dict[Key, QImage]) -> None:
        self._working -= 1
        with self._lock:
            self._making.difference_update(made)
        if begun == self._round:
            self._keep(made)
        self._start()
        if made:
            # Also where it came too late: whoever paints then asks for it again.
            self.arrived.emit()

    def _keep(self, made: dict[Key, QImage]) -> None:
        for key, image in made.items():
            self._kept[key] = image
            self._last[key.medium] = key
            self._bytes += image.sizeInBytes()
        while self._bytes > KEPT_BYTES:
            old, gone = self._kept.popitem(last=False)
            self._bytes -= gone.sizeInBytes()
            if self._last.get(old.medium) == old:
                del self._last[old.medium]


def key_of(shown: ShownView, *, size: QSize) -> Key:
    """Return the key of a view's thumbnail.

    Args:
        shown: The view.
        size: Width and height in device pixels; the picture is cut to fill them.
    """
    path = shown.path or shown.name
    return Key(shown.medium, path, shown.kind, shown.sha256, size.width(), size.height())


def make_thumbnail(key: Key, *, file: Path | None, store: ThumbnailStore | None = None) -> QImage:
    """Return a thumbnail cut to fill its size, null where there is none; may be called on any thread.

    Args:
        key: Which one.
        file: Where its medium lies, None where its path leads nowhere.
        store: Where small thumbnails are kept on disk, None to read the file itself.
    """
    size = QSize(key.width, key.height)
    picture = _kept_picture(key, file=file, store=store)
    if picture is None:
        # Read at twice the size at most: the rest of a large picture is never decoded.
        picture = read_file(file, kind=key.kind, within=size * 2, is_covering=True).image
    if picture.isNull():
        return picture
    scaled = picture.scaled(
        size, Qt.AspectRatioMode.KeepAspectRatioByExpanding, Qt.TransformationMode.SmoothTransformation
    )
    cut = QRect(0, 0, key.width, key.height)
    cut.moveCenter(scaled.rect().center())
    return scaled.copy(cut).convertToFormat(QImage.Format.Format_RGB32)


def _kept_picture(key: Key, *, file: Path | None, store: ThumbnailStore | None) -> QImage | None:
    """Return the picture of the store, None where a larger one than it keeps is wanted."""
    if store is None or file is None or max(key.width, key.height) > LARGEST_KEPT_PX:
        return None
    medium = Medium(id=key.medium, name=key.path, sha256=key.sha256)
    try:
        name = thumbnail_key(medium, file)
        content = store.get(name)
        return QImage.fromData(store.make(file, name) if content is None else content)
    except HostError:
        return QImage()
