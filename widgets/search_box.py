"""The search box of a list: searches as the user types."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QToolButton

from widgets import icons

PADDING_PX = 28
"""Frame, padding and space beside the buttons inside the box, px."""


class SearchBox(QLineEdit):
    """Searches as the user types; Down moves to the list, Escape clears the text.

    Undo and redo apply to the text first; without such a step they apply to the project.

    Signals:
        left: Emitted when the keyboard focus moves to the list.
    """

    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.addAction(icons.icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self.setClearButtonEnabled(True)
        self._hint, self._key = "", ""

    def set_hint(self, hint: str, *, key: str) -> None:
        """Set the text of the empty box: the words, and the key behind them where both fit."""
        self._hint, self._key = hint, key
        self._show_hint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the key only if the new width has room for it."""
        super().resizeEvent(event)
        if self._hint:
            self._show_hint()

    def event(self, event: QEvent) -> bool:
        """Take Escape before the window while there is text; leave it undo and redo without a step here."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            if event.key() == Qt.Key.Key_Escape and self.text():
                event.accept()
                return True
            if self._has_no_step(event):
                # The line edit would take the key and do nothing.
                event.ignore()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the keyboard focus to the list at Down or Enter, clear the text at Escape."""
        if event.key() in {Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.left.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)

    def _has_no_step(self, event: QKeyEvent) -> bool:
        is_undo = event.matches(QKeySequence.StandardKey.Undo)
        is_redo = event.matches(QKeySequence.StandardKey.Redo)
        return (is_undo and not self.isUndoAvailable()) or (is_redo and not self.isRedoAvailable())

    def _show_hint(self) -> None:
        whole = f"{self._hint}   {self._key}".rstrip()
        fits = self.fontMetrics().horizontalAdvance(whole) <= self._room_px()
        self.setPlaceholderText(whole if fits else self._hint)

    def _room_px(self) -> int:
        # The buttons inside the box: the search icon before the text, the clear button behind it.
        buttons = sum(button.width() for button in self.findChildren(QToolButton))
        margins = self.contentsMargins().left() + self.contentsMargins().right()
        return self.width() - margins - buttons - PADDING_PX
