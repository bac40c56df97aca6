"""Small pictures of a film's frames: decoded behind the screen, kept on disk by content."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage

from annotator.domain.medium import Medium
from annotator.errors import Cancelled, VantageError
from annotator.media.display_pixels import Pixels, decode_jpeg, to_display
from annotator.media.thumbnails import ThumbnailStore, thumbnail_key
from annotator.media.video.film import Film, Source
from widgets.bridge import Bridge
from widgets.qt_images import NO_IMAGE, wrap_pixels

SIDE_PX = 192
"""Longest side: twice what the tallest lane shows, for screens of 200 %."""
QUALITY = 80
KEPT_BYTES = 64 * 1024 * 1024
"""Of small pictures in memory, about 750, beside those that are in sight."""
SCALED = 1000
"""So many of them are kept in the height of their lane."""
TURN_S = 0.08
"""The thread hands over what it has after this time, so that a lane fills as it comes."""


class Shot(NamedTuple):
    """A small picture: of which medium, and which of its frames."""

    medium: str
    number: int


class FilmThumbnails(QObject):
    """Gives small pictures of frames that are there, and makes those that are wanted.

    Signals:
        arrived: More of them are there.
    """

    arrived = Signal()

    def __init__(self, *, bridge: Bridge, store: ThumbnailStore) -> None:
        """Set it up.

        Args:
            bridge: Way back from its thread.
            store: Keeps them on disk.
        """
        super().__init__()
        self._bridge, self._store = bridge, store
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="vantage-filmstrip")
        self._kept: OrderedDict[Shot, QImage] = OrderedDict()
        self._scaled: dict[tuple[Shot, int], QImage] = {}
        self._bytes = 0
        self._films: dict[str, tuple[Film, Medium]] = {}
        # Touched by the thread of the pool alone.
        self._sources: dict[str, tuple[Film, Source]] = {}
        self._lock = threading.Lock()
        self._wanted: list[Shot] = []
        self._needed: frozenset[Shot] = frozenset()
        self._is_held = self._is_closed = self._is_working = False

    def image(self, shot: Shot, *, height_px: int) -> QImage | None:
        """Return a small picture in a height; null where the frame has none, None where it is not made yet.

        Args:
            shot: Which one.
            height_px: Device pixels.
        """
        kept = self._kept.get(shot)
        if kept is None or kept.isNull():
            return kept
        self._kept.move_to_end(shot)
        # A painter's own scaling takes single pixels, and small pictures become noise.
        small = self._scaled.get((shot, height_px))
        if small is None:
            if len(self._scaled) >= SCALED:
                self._scaled.clear()
            small = kept.scaledToHeight(height_px, Qt.TransformationMode.SmoothTransformation)
            self._scaled[shot, height_px] = small
        return small

    def show_films(self, films: dict[str, tuple[Film, Medium]]) -> None:
        """Make pictures of these films from now on, by ids of media; what was wanted of others is dropped."""
        for medium, (film, _) in films.items():
            if self._films.get(medium, (film, None))[0] is not film:
                self._forget(medium)
        with self._lock:
            self._films = dict(films)
            self._wanted = [shot for shot in self._wanted if shot.medium in films]
        self._start()

    def want(self, shots: list[Shot]) -> None:
        """Make these next, the first ones first; what was wanted before is forgotten."""
        with self._lock:
            self._needed = frozenset(shots)
            missing = dict.fromkeys(shot for shot in shots if shot not in self._kept)
            self._wanted = [shot for shot in missing if shot.medium in self._films]
        self._start()

    def hold(self, is_held: bool) -> None:
        """Leave the machine to the films while they play, and go on behind them."""
        self._is_held = is_held
        self._start()

    def is_settled(self) -> bool:
        """Tell whether nothing is being made."""
        return not self._is_working and (self._is_held or not self._wanted)

    def close(self) -> None:
        """Make nothing more."""
        self._is_closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)
        for _, source in self._sources.values():
            source.close()
        self._sources.clear()

    def _start(self) -> None:
        # One turn at a time; also one that only gives back what films that went held open.
        is_due = bool(self._wanted) and not self._is_held
        is_stale = any(medium not in self._films for medium in list(self._sources))
        if (is_due or is_stale) and not self._is_working and not self._is_closed:
            self._is_working = True
            self._bridge.wait_for(self._pool.submit(self._make_some), done=self._on_made)

    def _make_some(self) -> dict[Shot, Pixels | None]:
        """Make pictures until a turn is over; runs on the thread of the pool."""
        self._close_sources()
        made: dict[Shot, Pixels | None] = {}
        until = time.monotonic() + TURN_S
        while time.monotonic() < until and (task := self._next()) is not None:
            shot, film, medium = task
            try:
                made[shot] = self._make(shot, film=film, medium=medium)
            except Cancelled:
                self._put_back(shot)
        return made

    def _put_back(self, shot: Shot) -> None:
        """Want a picture again that playing came between."""
        with self._lock:
            if shot.medium in self._films and shot not in self._wanted:
                self._wanted.insert(0, shot)

    def _next(self) -> tuple[Shot, Film, Medium] | None:
        with self._lock:
            if not self._wanted or self._is_over(self._wanted[0].medium):
                return None
            shot = self._wanted.pop(0)
            return shot, *self._films[shot.medium]

    def _make(self, shot: Shot, *, film: Film, medium: Medium) -> Pixels | None:
        """Return a small picture, None where the frame has none.

        Raises:
            Cancelled: Nobody waits for it any more.
        """
        try:
            key = f"{thumbnail_key(medium, film.path)}f{shot.number}"
            content = self._store.get(key)
            if content is None:
                content = self._decoded(shot, film)
                self._store.put(key, content)
        except Cancelled:
            raise
        except VantageError:
            # The stage says what is wrong with the film; its lane stays empty there.
            return None
        pixels = decode_jpeg(content)
        return None if pixels is None else to_display(pixels)

    def _decoded(self, shot: Shot, film: Film) -> bytes:
        # Their libraries take a tenth of a second to import, which the start of the window does not have.
        import cv2

        from annotator.media.pictures import encode_jpeg

        source = self._source(shot.medium, film)
        number = shot.number
        if number in film.key_frames:
            frame = source.key_frame(number)
        else:
            frames = source.run(number, last=number, is_over=partial(self._is_over, shot.medium))
            frame = next(iter(frames), None)
        if frame is None:
            if self._is_over(shot.medium):
                raise Cancelled
            return b""
        width, height = film.size_px
        factor = min(1.0, SIDE_PX / max(width, height))
        size = max(1, round(width * factor)), max(1, round(height * factor))
        small = cv2.resize(frame.rgb(), size, interpolation=cv2.INTER_AREA)
        return encode_jpeg(np.asarray(small, np.uint8), quality=QUALITY)

    def _is_over(self, medium: str) -> bool:
        """Tell whether nobody waits for pictures of a medium now."""
        return self._is_held or self._is_closed or medium not in self._films

    def _source(self, medium: str, film: Film) -> Source:
        kept = self._sources.get(medium)
        if kept is None or kept[0] is not film:
            if kept is not None:
                kept[1].close()
            kept = self._sources[medium] = film, film.new_source()
        return kept[1]

    def _close_sources(self) -> None:
        for medium in [medium for medium in self._sources if medium not in self._films]:
            self._sources.pop(medium)[1].close()

    def _on_made(self, made: dict[Shot, Pixels | None]) -> None:
        self._is_working = False
        for shot, pixels in made.items():
            image = NO_IMAGE if pixels is None else wrap_pixels(pixels)
            self._kept[shot] = image
            self._bytes += image.sizeInBytes()
        self._make_room()
        self._start()
        if made:
            self.arrived.emit()

    def _forget(self, medium: str) -> None:
        """Keep nothing of a medium: it is another file now."""
        for shot in [shot for shot in self._kept if shot.medium == medium]:
            self._bytes -= self._kept.pop(shot).sizeInBytes()
        self._scaled.clear()

    def _make_room(self) -> None:
        # What is in sight stays: it would only be made again.
        for shot in [shot for shot in self._kept if shot not in self._needed]:
            if self._bytes <= KEPT_BYTES:
                return
            self._bytes -= self._kept.pop(shot).sizeInBytes()
