"""A sheet that Enter answers: it presses the button at hand, from anywhere else the main one."""

from __future__ import annotations

from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton

from widgets.focus import ENTER, presses_button
from widgets.sheet import Sheet


class EnterSheet(Sheet):
    """Has a main button, ``main``, that Enter presses while it can be pressed."""

    main: QPushButton

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press a button at Enter."""
        if event.key() not in ENTER:
            super().keyPressEvent(event)
            return
        # A key held down that opened the sheet shall not answer it, too.
        if not presses_button(self, event) and not event.isAutoRepeat():
            self.main.click()
        event.accept()
