"""Keyboard focus, and the Enter key on buttons."""

from __future__ import annotations

from typing import Protocol, cast

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMainWindow, QPushButton, QToolButton, QWidget


class TakesKeyboard(Protocol):
    """A workspace, or what stands for it, that knows which of its widgets takes the keyboard focus."""

    def take_keyboard(self) -> None:
        """Set the keyboard focus to what is in front."""


ENTER = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


def holds_keyboard(part: QWidget) -> bool:
    """Return whether a widget or one of its children has the keyboard focus."""
    # Qt's stubs promise a widget, but there is none as long as nothing has the keyboard.
    focus = cast("QWidget | None", part.window().focusWidget())
    return focus is not None and (part is focus or part.isAncestorOf(focus))


def focus_next(*parts: tuple[QWidget, QWidget]) -> None:
    """Set the keyboard focus to the part after the one that has it, of those that are in sight.

    Args:
        parts: Each with the widget in it that takes the focus.
    """
    shown = [(part, target) for part, target in parts if part.isVisible()]
    at = next((at for at, (part, _) in enumerate(shown) if holds_keyboard(part)), -1)
    if shown:
        shown[(at + 1) % len(shown)][1].setFocus(Qt.FocusReason.ShortcutFocusReason)


def press_focused_button(part: QWidget, event: QKeyEvent) -> bool:
    """Press the button in a part that the keyboard is at, where the key is Enter; return whether one was.

    Qt presses buttons at the space bar everywhere, but at Enter in its own dialogs alone, of which there are
    none here. It is for the key events that nothing within the part has taken.
    """
    at_hand = part.window().focusWidget()
    if event.key() not in ENTER or not isinstance(at_hand, QPushButton | QToolButton):
        return False
    # A field passes Enter on after it has processed it: an accepted dialog is closed by then, and the
    # keyboard focus is on a button behind it.
    if part.isHidden() or not part.isAncestorOf(at_hand):
        return False
    if not event.isAutoRepeat():
        at_hand.click()
    return True


class EnterKeyWindow(QMainWindow):
    """A window in which Enter presses the button that the keyboard is at, where nothing else has taken it."""

    _at_press: QWidget | None = None

    def event(self, event: QEvent) -> bool:
        """Note where the keyboard is when a key goes down: Qt asks for this event before any other."""
        if event.type() == QEvent.Type.ShortcutOverride:
            self._at_press = self.focusWidget()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the button, or do what the window would."""
        # Where a field acted on the same Enter, the keyboard may be at another place by now.
        if self.focusWidget() is not self._at_press or not press_focused_button(self, event):
            super().keyPressEvent(event)
