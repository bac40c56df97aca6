"""Reads the current item on the reading thread, keeps it current, and reads the next one ahead."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from annotator.domain.changes import Changes
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.refine.item_view import ItemView, is_item_concerned, read_item_view
from widgets.stage.image_cache import StageImages


class ItemLoader(QObject):
    """Loads one item at a time.

    Attributes:
        wanted: Id of the requested item, or "".

    Signals:
        loaded: The item or a new state of it was read; carries the ``ItemView``, or None for no item.
        read: The item was read, changed or not.
    """

    loaded = Signal(object)
    read = Signal()

    def __init__(self, *, session: Session, bridge: Bridge, images: StageImages, parent: QObject) -> None:
        """Set up without an item.

        Args:
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            images: Keeps the media of the next item.
            parent: Owner.
        """
        super().__init__(parent)
        self._session, self._bridge, self._images = session, bridge, images
        self.wanted = ""
        self.view: ItemView | None = None
        self._next: ItemView | None = None
        self._is_reading = self._is_forced = False

    def load(self, item: str) -> None:
        """Show an item or ""; one that was read ahead is shown at once, and read again."""
        self.wanted = item
        ahead, self._next = self._next, None
        if not item:
            self._bridge.drop((id(self), "item"))
            self._on_read(None)
            return
        if ahead is not None and ahead.item.id == item:
            self._show(ahead)
        self.reload()

    def reload(self, *, is_forced: bool = False) -> None:
        """Read the current item again; an older result that is still to come is dropped.

        Args:
            is_forced: Whether the item is shown again even if it is the same: after an edit that was undone
                before it was read, the fields still have its text.
        """
        if self.wanted:
            self._is_forced = self._is_forced or is_forced
            self._is_reading = True
            question = partial(read_item_view, item_id=self.wanted, roots=self._session.roots)
            self._bridge.query(self._session, question, done=self._on_read, channel=(id(self), "item"))

    def read_ahead(self, item: str) -> None:
        """Read the item that is likely to be shown next, and its media."""
        if self._next is None or self._next.item.id != item:
            question = partial(read_item_view, item_id=item, roots=self._session.roots)
            self._bridge.query(self._session, question, done=self._on_next_read, channel=(id(self), "next"))

    def follow(self, changes: Changes) -> None:
        """Read the item again after a change that can affect it."""
        # What was read ahead may be outdated.
        if self._next is not None and is_item_concerned(self._next, changes):
            self._next = None
        if self.view is None or is_item_concerned(self.view, changes):
            self.reload()

    def is_settled(self) -> bool:
        """Return whether the current state of the item is shown."""
        return not self._is_reading

    def _on_read(self, view: ItemView | None) -> None:
        is_forced, self._is_reading, self._is_forced = self._is_forced, False, False
        self._show(view, is_forced=is_forced)
        self.read.emit()

    def _show(self, view: ItemView | None, *, is_forced: bool = False) -> None:
        before = self.view
        if view is not None and before is not None and view.shown == before.shown:
            # The same object, so that the stage is not painted again for each typed word.
            view = replace(view, shown=before.shown)
        if view is None or is_forced or view != self.view:
            self.view = view
            self.loaded.emit(view)

    def _on_next_read(self, view: ItemView | None) -> None:
        self._next = view
        if view is not None:
            self._images.prefetch(view.shown.media)
