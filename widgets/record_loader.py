"""Reads the record of a stage on the reading thread, keeps it current, and reads the next one ahead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from annotator.domain.changes import Changes
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.stage.image_cache import StageImages
from widgets.stage.scene import StageScene


@dataclass(frozen=True, kw_only=True)
class StageRecord:
    """A record with its visual input; subclasses add what is shown beside it.

    Attributes:
        shown: Its visual input; without media, a scene without views.
    """

    shown: StageScene

    @property
    def key(self) -> str:
        """What the record is requested by, such as its id."""
        raise NotImplementedError


View = TypeVar("View", bound=StageRecord)


class RecordLoader(QObject, Generic[View]):
    """Loads one record at a time.

    Attributes:
        wanted: Key of the requested record, or "".

    Signals:
        loaded: The record or a new state of it was read; carries the view, or None for no record.
        read: The record was read, changed or not.
    """

    loaded = Signal(object)
    read = Signal()

    def __init__(
        self,
        read_view: Callable[[Reader, str], View | None],
        *,
        is_concerned: Callable[[View, Changes], bool],
        session: Session,
        bridge: Bridge,
        images: StageImages,
        parent: QObject,
    ) -> None:
        """Set up without a record.

        Args:
            read_view: Reads a record by its key; called on the reading thread.
            is_concerned: Returns whether a change can affect what is shown of a record.
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            images: Keeps the media of the next record.
            parent: Owner.
        """
        super().__init__(parent)
        self._read_view, self._is_concerned = read_view, is_concerned
        self._session, self._bridge, self._images = session, bridge, images
        self.wanted = ""
        self.view: View | None = None
        self._next: View | None = None
        self._is_forced = False

    def load(self, key: str) -> None:
        """Show a record or ""; one that was read ahead is shown at once, and read again."""
        self.wanted = key
        ahead, self._next = self._next, None
        if not key:
            self._bridge.drop((id(self), "record"))
            self._on_read(None)
            return
        if ahead is not None and ahead.key == key:
            self._show(ahead)
        self.reload()

    def reload(self, *, is_forced: bool = False) -> None:
        """Read the current record again; an older result that is still to come is dropped.

        Args:
            is_forced: Whether the record is shown again even if it is the same: after an edit that was undone
                before it was read, the fields still have its text.
        """
        if self.wanted:
            self._is_forced = self._is_forced or is_forced
            self._query(self.wanted, done=self._on_read, what="record")

    def read_ahead(self, key: str) -> None:
        """Read the record that is likely to be shown next, and its media."""
        if self._next is None or self._next.key != key:
            self._query(key, done=self._on_next_read, what="next")

    def follow(self, changes: Changes) -> None:
        """Read the record again after a change that can affect it."""
        self._check_next(changes)
        if self.view is None or self._is_concerned(self.view, changes):
            self.reload()

    def is_settled(self) -> bool:
        """Return whether the current state of the record is shown."""
        return not self._bridge.is_waiting((id(self), "record"))

    def _check_next(self, changes: Changes) -> None:
        """Drop what was read ahead if a change can affect it."""
        if self._next is not None and self._is_concerned(self._next, changes):
            self._next = None

    def _query(self, key: str, *, done: Callable[[View | None], None], what: str) -> None:
        question = partial(_read, read_view=self._read_view, key=key)
        self._bridge.query(self._session, question, done=done, channel=(id(self), what))

    def _on_read(self, view: View | None) -> None:
        is_forced, self._is_forced = self._is_forced, False
        self._show(view, is_forced=is_forced)
        self.read.emit()

    def _show(self, view: View | None, *, is_forced: bool = False) -> None:
        before = self.view
        if view is not None and before is not None and view.shown == before.shown:
            # The same object, so that the stage is not painted again for each typed word.
            view = replace(view, shown=before.shown)
        if view is None or is_forced or view != self.view:
            self.view = view
            self.loaded.emit(view)

    def _on_next_read(self, view: View | None) -> None:
        self._next = view
        if view is not None:
            self._images.prefetch(view.shown.media)


def _read(reader: Reader, *, read_view: Callable[[Reader, str], View | None], key: str) -> View | None:
    return read_view(reader, key)
