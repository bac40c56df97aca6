"""Looks whether the media files are still at their place, whenever the window is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import count

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.domain.changes import Changes
from annotator.media.media_cache import MediaResult
from annotator.media.media_roots import MediaRoots
from annotator.media.media_service import MediaRequest, Priority
from annotator.media.presence import find_absent
from annotator.progress import Progress
from annotator.session import Reader, Session
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader


@dataclass(frozen=True, kw_only=True)
class FoundAbsent:
    """What a look came to.

    Attributes:
        ids: Media whose files are not at their place.
        nbytes: What it takes of the cache: it is not kept.
    """

    ids: frozenset[str]
    nbytes: int = 0


class MediaPresence(QObject):
    """Tells the session which media are absent: when the window becomes active, and when media change.

    Signals:
        changed: Other media are absent than before.
    """

    changed = Signal()

    def __init__(
        self, *, session: Session, bridge: Bridge, media: MediaLoader, window: QWidget, parent: QObject
    ) -> None:
        """Set up; the first look is that of the window's activation, or of ``look``.

        Args:
            session: The project.
            bridge: Tells of changes.
            media: Looks at the disk on its threads, where a slow drive holds nothing else up.
            window: Window whose activation is waited for.
            parent: Qt object that it is deleted with.
        """
        super().__init__(parent)
        self._session, self._bridge, self._media, self._window = session, bridge, media, window
        self._roots = session.roots
        self._numbers = count()
        self._is_looking = self._is_stale = self._is_stopped = False
        window.installEventFilter(self)
        bridge.changed.connect(self._on_bridge_changed)

    def look(self) -> None:
        """Look at the disk; once more after the look that is under way, where there is one."""
        if self._is_looking or self._is_stopped:
            self._is_stale = self._is_looking
            return
        self._is_looking = True
        self._bridge.query(self._session, _read_paths, done=self._on_paths, channel=(id(self), "paths"))

    def stop(self) -> None:
        """Look no more: the project is being closed."""
        self._is_stopped, self._is_looking = True, False
        self._window.removeEventFilter(self)
        self._media.cancel(self)

    def is_settled(self) -> bool:
        """Return whether no look is under way."""
        return not self._is_looking

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look when the window becomes active: a drive may have been taken out meanwhile."""
        if event.type() == QEvent.Type.WindowActivate:
            self.look()
        return super().eventFilter(watched, event)

    def _on_paths(self, paths: list[tuple[str, str]]) -> None:
        load = partial(_find_absent, paths, roots=self._roots)
        request = MediaRequest(key=("presence", next(self._numbers)), load=load, is_kept=False)
        self._media.load(request, done=self._take_result, priority=Priority.THUMBNAIL, owner=self)

    def _take_result(self, result: MediaResult) -> None:
        self._is_looking = False
        # What cannot be read now says nothing about the media; the next look tries again.
        found = result.value.ids if result.error is None else self._session.absent_media
        if found != self._session.absent_media:
            self._session.absent_media = found
            self.changed.emit()
        if self._is_stale:
            self._is_stale = False
            self.look()

    def _on_bridge_changed(self, changes: Changes) -> None:
        if changes.concerns("medium") or changes.concerns("flag"):
            self.look()


def _read_paths(reader: Reader) -> list[tuple[str, str]]:
    return reader.found_media_paths()


# Without the project: a drive may hold the thread up until long after it is closed.
def _find_absent(paths: list[tuple[str, str]], progress: Progress, *, roots: MediaRoots) -> FoundAbsent:
    return FoundAbsent(ids=find_absent(paths, roots=roots, progress=progress))
