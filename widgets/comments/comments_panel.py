"""The panel of comments at the right edge of the window; it shows those of the record in the workspace."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QToolButton, QWidget

from annotator.domain.rows import CommentRow
from widgets import icons
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.comments.comment_card import REPLY_INDENT_PX, CommentCard
from widgets.comments.comment_form import CommentForm
from widgets.comments.record_comments import RecordComments
from widgets.labels import ElidedLabel, label
from widgets.record_reference import RecordReference
from widgets.translation import tr

WIDTH_PX = 300


class CommentsPanel(QWidget):
    """Threads of comments above a form for the next one.

    Signals:
        chosen: An action of a comment was chosen; carries its name and the ``CommentRow``.
        closed: The panel is to be closed.
        seen: The comments of a record are on the screen; carries their ids.
    """

    chosen = Signal(str, object)
    closed = Signal()
    seen = Signal(object)

    def __init__(self, *, registry: ActionRegistry, person: str, is_read_only: bool) -> None:
        """Create the panel without a record.

        Args:
            registry: The actions.
            person: Id of the person at the window.
            is_read_only: Whether the project cannot be changed.
        """
        super().__init__()
        self.setObjectName("pane")
        self.setFixedWidth(WIDTH_PX)
        self._person, self._is_read_only = person, is_read_only
        self.shown = RecordComments()
        self.cards: list[CommentCard] = []
        self._new: frozenset[str] = frozenset()
        self.name = ElidedLabel(role="mono", mode=Qt.TextElideMode.ElideMiddle)
        self.count = label(role="label")
        self.close_button = QToolButton()
        self.close_button.setIcon(icons.icon("close"))
        self.close_button.setIconSize(icons.SMALL)
        self.close_button.setToolTip(f"{tr('Close comments')}  Esc")
        self.close_button.setAccessibleName(tr("Close comments"))
        self.close_button.clicked.connect(self.closed)
        self.area, self.form = QScrollArea(), CommentForm(registry=registry, person=person)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.form.left.connect(self.closed)
        self._lay_out()
        # Not before it has a parent: it would be a window of its own, which takes the keyboard from this one.
        self.form.setVisible(not is_read_only)
        self.show_comments(RecordComments(), unread=frozenset())

    def show_comments(self, shown: RecordComments, *, unread: Collection[str]) -> None:
        """Show the comments of a record.

        Args:
            shown: The comments.
            unread: Ids of the comments that the person has not read; they stay marked while the record is
                shown.
        """
        before = self.shown
        is_same = _id(before.subject) == _id(shown.subject)
        new = frozenset(unread).intersection(row.comment.id for row in shown.rows)
        if is_same:
            new |= self._new
        if is_same and (before.rows, self._new) == (shown.rows, new) and self.cards:
            return
        self.shown, self._new = shown, new
        self.form.field.show_people(shown.people)
        self.name.setText(shown.subject.name if shown.subject is not None else "")
        self.count.setText(f"{len(shown.rows):,}" if shown.rows else "")
        index = self.area.verticalScrollBar().value() if is_same else 0
        self._fill()
        self.area.verticalScrollBar().setValue(index)
        has_more = is_same and len(shown.rows) > len(before.rows)
        self._scroll_to(self._new_card(before) if has_more else self._unread_card())
        self._tell_seen()

    def card(self, comment: str) -> CommentCard | None:
        """Return the card of a comment, None for none."""
        return next((card for card in self.cards if card.row.comment.id == comment), None)

    def choose(self, comment: str) -> None:
        """Scroll to the card of a comment, and set the keyboard focus to it."""
        if (card := self.card(comment)) is not None:
            self.area.ensureWidgetVisible(card)
            card.setFocus(Qt.FocusReason.OtherFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        """Mark the comments as read."""
        super().showEvent(event)
        self._tell_seen()

    def _new_card(self, before: RecordComments) -> CommentCard | None:
        known = {row.comment.id for row in before.rows}
        return next((card for card in self.cards if card.row.comment.id not in known), None)

    def _unread_card(self) -> CommentCard | None:
        return next((card for card in self.cards if card.is_unread), None)

    def _scroll_to(self, card: CommentCard | None) -> None:
        if card is not None:
            # The cards have their places after the next layout.
            QTimer.singleShot(0, card, partial(self.area.ensureWidgetVisible, card))

    def _tell_seen(self) -> None:
        if self.isVisible() and self.shown.rows:
            self.seen.emit(tuple(row.comment.id for row in self.shown.rows))

    def _fill(self) -> None:
        # A new container: Qt deletes the old one with all its cards at once.
        inner = QWidget()
        column = column_layout(inner, margins_px=(12, 4, 12, 8), spacing_px=8)
        self.cards = []
        known = {row.comment.id for row in self.shown.rows}
        for row in self.shown.rows:
            line = row_layout(margins_px=(REPLY_INDENT_PX if row.comment.parent in known else 0, 0, 0, 0))
            line.addWidget(self._card(row))
            column.addLayout(line)
        if not self.cards:
            column.addWidget(label(self._empty_text(), role="dim", wrap=True))
        column.addStretch(1)
        self.area.setWidget(inner)

    def _card(self, row: CommentRow) -> CommentCard:
        made = CommentCard(
            row,
            is_own=row.author == self._person,
            is_unread=row.comment.id in self._new,
            number=self.shown.number_of(row.comment.id),
            is_read_only=self._is_read_only,
        )
        made.chosen.connect(self.chosen)
        self.cards.append(made)
        return made

    def _empty_text(self) -> str:
        if self.shown.subject is None:
            return tr("Select a record to read and write comments on it.")
        return tr("No comments. Everyone with access to the project can read what you write here.")

    def _lay_out(self) -> None:
        head = row_layout(margins_px=(12, 12, 8, 4), spacing_px=8)
        head.addWidget(label(tr("Comments"), role="strong"))
        head.addWidget(self.count)
        head.addWidget(self.name, 1)
        head.addWidget(self.close_button)
        line, edge = QFrame(), QFrame()
        line.setObjectName("divider")
        edge.setObjectName("edge")
        column = column_layout(margins_px=0, spacing_px=0)
        column.addLayout(head)
        column.addWidget(self.area, 1)
        column.addWidget(line)
        column.addWidget(self.form)
        whole = row_layout(self, margins_px=0, spacing_px=0)
        whole.addWidget(edge)
        whole.addLayout(column, 1)


def _id(subject: RecordReference | None) -> str:
    return subject.id if subject is not None else ""
