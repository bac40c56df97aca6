"""Checks whether the media files exist: when the window becomes active, and when one is not found."""

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
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader


@dataclass(frozen=True, kw_only=True)
class FoundAbsent:
    """Result of one check.

    Attributes:
        ids: Media whose files do not exist.
        nbytes: Size in the media cache, bytes; the result is not cached.
    """

    ids: frozenset[str]
    nbytes: int = 0


class MediaPresence(QObject):
    """Reports absent media to the session when the window becomes active, when media change or are missed.

    Signals:
        changed: Emitted when the set of absent media has changed.
    """

    changed = Signal()

    def __init__(
        self, *, session: Session, bridge: Bridge, media: MediaLoader, window: QWidget, parent: QObject
    ) -> None:
        """Create the checker; the first check follows the window's activation or a call of ``look``.

        Args:
            session: The project.
            bridge: Reports changes of the project.
            media: Runs the check on its threads, so that a slow drive does not block the window.
            window: Window whose activation starts a check.
            parent: Qt object that it is deleted with.
        """
        super().__init__(parent)
        self._session, self._bridge, self._media, self._window = session, bridge, media, window
        self._roots = session.roots
        self._numbers = count()
        self._is_looking = self._is_stale = self._is_stopped = False
        window.installEventFilter(self)
        bridge.changed.connect(self._on_bridge_changed)
        # A drive may be removed while the window is active: what failed is shown again when the drive is back
        # only if it is known to be absent until then.
        media.file_missed.connect(self.check_now)

    def check_now(self) -> None:
        """Start a check; a check in progress is followed by another one."""
        if self._is_looking or self._is_stopped:
            self._is_stale = self._is_looking
            return
        self._is_looking = True
        self._bridge.query(
            self._session,
            _read_paths,
            done=self._on_paths,
            failed=self._on_paths_failed,
            channel=(id(self), "paths"),
        )

    def stop(self) -> None:
        """Stop checking before the project is closed."""
        self._is_stopped, self._is_looking = True, False
        self._window.removeEventFilter(self)
        self._media.cancel(self)

    def is_settled(self) -> bool:
        """Return whether no check is in progress."""
        return not self._is_looking

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Start a check when the window becomes active: a drive may have been removed or attached."""
        if event.type() == QEvent.Type.WindowActivate:
            self.check_now()
        return super().eventFilter(watched, event)

    def _on_paths(self, paths: list[tuple[str, str]]) -> None:
        load = partial(_find_absent, paths, roots=self._roots)
        # A key of its own for each check: no earlier result may answer it.
        request = MediaRequest(key=("presence", next(self._numbers)), load=load, is_kept=False)
        self._media.load(request, done=self._take_result, priority=Priority.THUMBNAIL, owner=self)

    def _on_paths_failed(self, error: BaseException) -> None:
        # The next check tries again.
        self._is_looking = self._is_stale = False
        self._bridge.failed.emit(error)

    def _take_result(self, result: MediaResult) -> None:
        self._is_looking = False
        # A failed read says nothing about the media files; the next check tries again.
        found = result.value.ids if result.error is None else self._session.readers.absent_media
        if found != self._session.readers.absent_media:
            self._session.readers.absent_media = found
            self.changed.emit()
        if self._is_stale:
            self._is_stale = False
            self.check_now()

    def _on_bridge_changed(self, changes: Changes) -> None:
        if changes.concerns("medium") or changes.concerns("flag"):
            self.check_now()


def _read_paths(reader: Reader) -> list[tuple[str, str]]:
    return reader.media.found_paths()


# Without access to the project: a drive can block this thread until after the project is closed.
def _find_absent(paths: list[tuple[str, str]], progress: Progress, *, roots: MediaRoots) -> FoundAbsent:
    return FoundAbsent(ids=find_absent(paths, roots=roots, progress=progress))
