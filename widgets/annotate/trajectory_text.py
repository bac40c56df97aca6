"""A text of a flight: Enter keeps it, Esc drops it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit

from widgets.focus import ENTER, UNFINISHED_LEAVES


class FlightTextField(QPlainTextEdit):
    """Shows a text that can also change elsewhere; typed text is kept until it is applied or dropped.

    Signals:
        kept: Another text was entered; carries it.
        left: The user is done; carries whether the next key frame is to follow.
    """

    kept = Signal(str)
    left = Signal(bool)

    def __init__(self, name: str, *, lines: int, placeholder: str = "") -> None:
        """Create an empty field.

        Args:
            name: Accessible name.
            lines: Height in lines.
            placeholder: Shown while it is empty.
        """
        super().__init__()
        self._text = ""
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setTabChangesFocus(True)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + 18)

    @property
    def is_typed(self) -> bool:
        """Whether the text differs from the one that was shown or kept last."""
        return self.toPlainText() != self._text

    def show_text(self, text: str) -> None:
        """Show a text; what is being typed stays."""
        is_typed = self.is_typed
        if text != self._text:
            self._text = text
            if not is_typed:
                self.setPlainText(text)

    def keep(self) -> None:
        """Apply the typed text."""
        if self.is_typed:
            self._text = self.toPlainText()
            self.kept.emit(self._text)

    def drop(self) -> None:
        """Restore the text and discard what was typed."""
        self.setPlainText(self._text)

    def event(self, event: QEvent) -> bool:
        """Take Enter and Esc before the shortcuts of the stage."""
        is_key = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_key and (event.key() in ENTER or event.key() == Qt.Key.Key_Escape):  # type: ignore[attr-defined]
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep at Enter, with Ctrl for the next key frame; drop at Esc; Shift+Enter breaks the line."""
        modifiers = event.modifiers()
        if event.key() in ENTER and not modifiers & Qt.KeyboardModifier.ShiftModifier:
            self.keep()
            self.left.emit(bool(modifiers & Qt.KeyboardModifier.ControlModifier))
        elif event.key() == Qt.Key.Key_Escape:
            self.drop()
            self.left.emit(False)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Keep the text, unless only a menu or another window is in front."""
        super().focusOutEvent(event)
        if event.reason() not in UNFINISHED_LEAVES:
            self.keep()
