"""A panel that takes the keyboard focus itself, so that letters act on the record that it shows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from widgets import theme

LINE_PX = 2


class KeyboardPane(QWidget):
    """Shows by a line along the top that it has the keyboard focus."""

    def __init__(self, *, name: str, least_px: int) -> None:
        """Create an empty panel.

        Args:
            name: Its name for screen readers.
            least_px: Its minimum width.
        """
        super().__init__()
        self.setObjectName("pane")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        self.setMinimumWidth(least_px)

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the panel itself."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Show by a line along the top that the panel has the keyboard focus."""
        super().paintEvent(event)
        if self.hasFocus():
            QPainter(self).fillRect(0, 0, self.width(), LINE_PX, theme.current().color("focus"))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the line."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the line."""
        super().focusOutEvent(event)
        self.update()
