"""The search box of a list: searches as the user types."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

from widgets import icons


class SearchBox(QLineEdit):
    """Searches as the user types; Down moves to the list, Escape clears the text.

    Signals:
        left: Emitted when the keyboard focus moves to the list.
    """

    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.addAction(icons.icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self.setClearButtonEnabled(True)

    def event(self, event: QEvent) -> bool:
        """Accept Escape before shortcuts of the window while there is text to clear."""
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if is_escape and event.type() == QEvent.Type.ShortcutOverride and self.text():
            event.accept()
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
