"""One comment as a card: author, time, text, place, and what can be done with it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout

from annotator.domain.rows import CommentRow
from widgets import display_text
from widgets.answers.flow_layout import FlowLayout
from widgets.box_layout import column_layout, row_layout
from widgets.focus import ENTER
from widgets.labels import ElidedLabel, chip, label
from widgets.translation import tr

REPLY_INDENT_PX = 16
QUESTION_TONES = {"open": "warn", "resolved": "good", "dismissed": "good"}


class CommentCard(QFrame):
    """A comment; takes the keyboard focus, so that its buttons follow it in the order of Tab.

    Signals:
        chosen: An action of the card was chosen; carries its name (``reply``, ``edit``, ``delete``,
            ``resolve``, ``reopen`` or ``pin``) and the ``CommentRow``.
    """

    chosen = Signal(str, object)

    def __init__(
        self, row: CommentRow, *, is_own: bool, is_unread: bool, number: int, is_read_only: bool
    ) -> None:
        """Create a card.

        Args:
            row: The comment.
            is_own: Whether the person at the window wrote it.
            is_unread: Whether the person had not read it before.
            number: Number of its pin on the stage, 0 for none.
            is_read_only: Whether the project cannot be changed.
        """
        super().__init__()
        self.row, self.is_unread = row, is_unread
        self.buttons: dict[str, QPushButton] = {}
        self.setObjectName("comment_card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setAccessibleName(f"{row.name}: {row.text}")
        column = column_layout(self, margins_px=(12, 8, 12, 8), spacing_px=4)
        column.addLayout(self._head())
        parts = (display_text.local_time(row.written_at), tr("edited") if row.is_edited else "")
        column.addWidget(ElidedLabel(" · ".join(filter(None, (*parts, subject_text(row)))), role="label"))
        column.addWidget(label(row.text, wrap=True, selectable=True))
        self._add_buttons(column, is_own=is_own, number=number, is_read_only=is_read_only)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show the place of the comment with Enter."""
        if event.key() in ENTER and "pin" in self.buttons:
            self.chosen.emit("pin", self.row)
        else:
            super().keyPressEvent(event)

    def _head(self) -> QHBoxLayout:
        head = row_layout(spacing_px=8)
        head.addWidget(ElidedLabel(self.row.name, role="strong"), 1)
        if self.is_unread:
            head.addWidget(chip(tr("New")))
        if self.row.question:
            text = tr("Question") if self.row.question == "open" else tr("Answered")
            head.addWidget(chip(text, tone=QUESTION_TONES[self.row.question]))
        return head

    def _add_buttons(self, column: QVBoxLayout, *, is_own: bool, number: int, is_read_only: bool) -> None:
        actions = {"pin": tr("Show pin {n}", n=number)} if number else {}
        if not is_read_only:
            actions |= {"reply": tr("Reply")}
            if self.row.question:
                is_open = self.row.question == "open"
                actions |= {"resolve": tr("Resolve")} if is_open else {"reopen": tr("Reopen")}
            if is_own:
                actions |= {"edit": tr("Edit"), "delete": tr("Delete")}
        flow = FlowLayout()
        for name, text in actions.items():
            made = self.buttons[name] = QPushButton(text)
            made.setProperty("kind", "pill")
            made.clicked.connect(partial(self._on_button_clicked, name))
            flow.addWidget(made)
        column.addLayout(flow)

    def _on_button_clicked(self, name: str) -> None:
        self.chosen.emit(name, self.row)


def subject_text(row: CommentRow) -> str:
    """Return the part of a scene that a comment is about, "" for the scene itself and for other records."""
    names = {
        "region": tr("Region {n}", n=row.subject),
        "event_label": tr("label of {view}", view=row.subject or tr("No view")),
        "medium": row.subject,
        "item": row.subject,
    }
    return names.get(row.comment.entity, "") if row.subject else ""
