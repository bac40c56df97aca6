"""A line for an answer: Enter applies the input, Esc restores the answer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from widgets.focus import ENTER, UNFINISHED_LEAVES


class AnswerLine(QLineEdit):
    """A field whose input is applied at Enter and when the focus leaves it.

    Without input, Enter and Esc are left to the screen around it: Enter again accepts the item.

    Signals:
        entered: Carries the input.
        emptied: Backspace was pressed in the empty field.
    """

    entered = Signal(str)
    emptied = Signal()

    def __init__(self, name: str) -> None:
        """Create an empty field.

        Args:
            name: Accessible name.
        """
        super().__init__()
        self.setAccessibleName(name)
        self._shown = ""

    def show_text(self, text: str) -> None:
        """Show an applied text."""
        self._shown = text
        self.setText(text)
        # A long answer starts at its beginning.
        self.setCursorPosition(0)

    def apply(self) -> None:
        """Apply the input, if there is any."""
        if self.isModified():
            self.setModified(False)
            self.entered.emit(self.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Apply at Enter, restore at Esc."""
        if self._is_own(event):
            if event.key() == Qt.Key.Key_Escape:
                self.show_text(self._shown)
            else:
                self.apply()
            self.selectAll()
        elif event.key() == Qt.Key.Key_Backspace and not self.text():
            self.emptied.emit()
        else:
            super().keyPressEvent(event)
            # QLineEdit takes Enter after its signal; without input it belongs to the screen.
            if Qt.Key(event.key()) in ENTER:
                event.ignore()

    def event(self, event: QEvent) -> bool:
        """Accept Enter and Esc while there is input, before they trigger shortcuts of the window."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._is_own(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Apply the input when the focus leaves the field."""
        if event.reason() not in UNFINISHED_LEAVES:
            self.apply()
        super().focusOutEvent(event)

    def _is_own(self, event: QKeyEvent) -> bool:
        return self.isModified() and Qt.Key(event.key()) in {*ENTER, Qt.Key.Key_Escape}
