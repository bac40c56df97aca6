"""A sheet that Enter answers: it presses the button at hand, from anywhere else the main one."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton

from widgets.sheet import Sheet


class EnterSheet(Sheet):
    """Has a main button, ``main``, that Enter presses while it can be pressed."""

    main: QPushButton

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press a button at Enter."""
        if event.key() not in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            super().keyPressEvent(event)
            return
        at_hand = self.window().focusWidget()
        (at_hand if isinstance(at_hand, QPushButton) else self.main).click()
        event.accept()
