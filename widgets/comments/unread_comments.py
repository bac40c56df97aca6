"""The comments of others that the person at the window has not read."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from PySide6.QtCore import QObject, Signal

from annotator.comment_read_state import CommentReadState
from annotator.domain.changes import Changes
from annotator.domain.rows import UnreadComment
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.bridge import Bridge


class UnreadComments(QObject):
    """Follows the project, also comments that a merge or another window brings.

    Attributes:
        rows: The comments, oldest first.

    Signals:
        changed: Other comments are unread.
    """

    changed = Signal()

    def __init__(self, session: Session, *, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._bridge = session, bridge
        self._reading = _Reading(person=session.actor.id)
        self.rows: tuple[UnreadComment, ...] = ()
        bridge.changed.connect(self._on_bridge_changed)

    @property
    def ids(self) -> frozenset[str]:
        """Ids of the comments."""
        return frozenset(row.id for row in self.rows)

    def records(self, entity: str) -> frozenset[str]:
        """Return the ids of the records of a kind, "" for any, that show unread comments."""
        return frozenset(row.target for row in self.rows if entity in {"", row.entity})

    def next(self) -> UnreadComment | None:
        """Return the comment to read next, None for none: those that mention the person come first."""
        return next(iter(sorted(self.rows, key=lambda row: not row.mentions_person)), None)

    def refresh(self) -> None:
        """Read the comments again."""
        self.mark_read(())

    def mark_read(self, ids: Collection[str]) -> None:
        """Mark comments as read."""
        # Without a channel: a newer query must not cancel one that marks comments.
        question = partial(self._reading.unread, read=tuple(ids))
        self._bridge.query(self._session, question, done=self._on_read)

    def _on_read(self, rows: tuple[UnreadComment, ...]) -> None:
        if rows != self.rows:
            self.rows = rows
            self.changed.emit()

    def _on_bridge_changed(self, changes: Changes) -> None:
        if changes.concerns("comment"):
            self.refresh()


class _Reading:
    """The read state; all calls come from the reading thread."""

    def __init__(self, *, person: str) -> None:
        self._person = person
        self._state: CommentReadState | None = None

    def unread(self, reader: Reader, *, read: Collection[str]) -> tuple[UnreadComment, ...]:
        """Mark comments as read, and return those that are not read."""
        if self._state is None:
            self._state = CommentReadState(project=reader.project.id, person=self._person)
        if read:
            self._state.mark_read(read)
        return tuple(self._state.unread(reader))
