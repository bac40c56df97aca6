"""Asks for the reason of a decision: a digit chooses one of the usual ones, or it is typed."""

from __future__ import annotations

from functools import partial
from typing import cast

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPushButton, QSizePolicy, QWidget

from widgets.box_layout import column_layout
from widgets.focus import ENTER
from widgets.labels import label
from widgets.translation import tr


class ReasonLine(QLineEdit):
    """A line in which a digit chooses a usual reason while nothing is typed, or all of it is selected.

    Signals:
        digit_typed: A digit was typed where it is no text; carries it. 0 is for what is decided besides.
        left: Esc was pressed.
        confirmed: Enter was pressed.
    """

    digit_typed = Signal(int)
    left = Signal()
    confirmed = Signal()

    def event(self, event: QEvent) -> bool:
        """Take Enter and Esc before they are shortcuts of the workspace."""
        is_override = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if is_override and cast("QKeyEvent", event).key() in {*ENTER, Qt.Key.Key_Escape}:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle digits in the empty line, Enter and Esc."""
        digit = event.key() - Qt.Key.Key_0
        is_free = self.selectedText() == self.text()
        if is_free and 0 <= digit <= 9 and event.text().isdigit():
            self.digit_typed.emit(digit)
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in ENTER:
            self.confirmed.emit()
        else:
            super().keyPressEvent(event)


class ReasonField(QWidget):
    """The question, the usual reasons with their digits, and the line.

    Signals:
        given: A reason was chosen or typed; carries it.
        left: No reason is given.
    """

    given = Signal(str)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.question, self.note = label(role="strong", wrap=True), label(role="label", wrap=True)
        self.line = ReasonLine()
        self.line.setPlaceholderText(tr("Or type a reason, then press Enter"))
        self.line.digit_typed.connect(self._on_digit_typed)
        self.line.left.connect(self.left)
        self.line.confirmed.connect(self._on_line_confirmed)
        self.accept = QCheckBox(tr("Accept the item as well   0"))
        self.accept.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.rows: list[QPushButton] = []
        self._reasons: tuple[str, ...] = ()
        self._list = column_layout(spacing_px=0)
        column = column_layout(self, margins_px=0, spacing_px=4)
        column.addWidget(self.question)
        column.addLayout(self._list)
        column.addWidget(self.line)
        column.addWidget(self.accept)
        column.addWidget(self.note)

    def ask(
        self, question: str, *, reasons: tuple[str, ...], may_accept: bool, note: str, typed: str = ""
    ) -> None:
        """Ask for a reason, with the keyboard in the line.

        Args:
            question: What is asked.
            reasons: Usual answers.
            may_accept: Whether the item can be accepted with the decision.
            note: What else can be done.
            typed: What was typed before and led to no decision; it is selected.
        """
        self.accept.setVisible(may_accept)
        self.question.setText(question)
        self.line.setAccessibleName(question)
        self.show_note(note)
        self.line.setText(typed)
        self.line.selectAll()
        self._show_reasons(reasons)
        self.show()
        self.take_keyboard()

    def show_note(self, note: str) -> None:
        """Show what else can be done, "" for nothing."""
        self.note.setText(note)
        self.note.setVisible(bool(note))

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the line."""
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_reasons(self, reasons: tuple[str, ...]) -> None:
        self._reasons = reasons
        for row in self.rows:
            row.hide()
            row.deleteLater()
        self.rows = []
        for at, reason in enumerate(reasons, start=1):
            row = QPushButton(f"{at}   {reason}".replace("&", "&&"))
            row.setProperty("kind", "row")
            row.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            row.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            row.setToolTip(reason)
            row.clicked.connect(partial(self.given.emit, reason))
            self._list.addWidget(row)
            self.rows.append(row)

    def _on_digit_typed(self, digit: int) -> None:
        if not digit and not self.accept.isHidden():
            self.accept.toggle()
        elif 1 <= digit <= len(self._reasons):
            self.given.emit(self._reasons[digit - 1])

    def _on_line_confirmed(self) -> None:
        if text := self.line.text().strip():
            self.given.emit(text)
