"""Keyboard focus, the Enter key on buttons, and how fields show invalid input."""

from __future__ import annotations

from typing import Protocol, cast

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QMainWindow, QPushButton, QToolButton, QWidget

from widgets import theme


class TakesKeyboard(Protocol):
    """Protocol of a workspace or its placeholder: it decides which of its widgets gets the keyboard focus."""

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the main widget."""


ENTER = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
UNFINISHED_LEAVES = frozenset(
    {Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason},
)
"""Reasons of a loss of focus that does not end the input: another window is active, or a menu is open."""


def mark_wrong(field: QWidget, *, is_wrong: bool) -> None:
    """Show whether the input of a field is invalid."""
    if bool(field.property("is_wrong")) != is_wrong:
        field.setProperty("is_wrong", is_wrong)
        # Qt evaluates property selectors when the style is applied, not when the property changes.
        field.style().unpolish(field)
        field.style().polish(field)


def holds_keyboard(part: QWidget) -> bool:
    """Return whether a widget or one of its children has the keyboard focus."""
    # Qt's stubs declare a widget, but ``focusWidget()`` returns None without keyboard focus.
    focus = cast("QWidget | None", part.window().focusWidget())
    return focus is not None and (part is focus or part.isAncestorOf(focus))


def paint_view_focus(view: QAbstractItemView) -> None:
    """Paint a frame inside a list or table that has the keyboard focus; call this after it is painted."""
    if view.hasFocus():
        with QPainter(view.viewport()) as painter:
            painter.setPen(QPen(theme.current().color("focus"), 1))
            painter.drawRect(view.viewport().rect().adjusted(0, 0, -1, -1))


def focus_next(*parts: tuple[QWidget, QWidget]) -> None:
    """Set the keyboard focus to the visible pane after the one that has it.

    Args:
        parts: Each pane with the widget inside it that takes the focus.
    """
    shown = [(part, target) for part, target in parts if part.isVisible()]
    at = next((at for at, (part, _) in enumerate(shown) if holds_keyboard(part)), -1)
    if shown:
        shown[(at + 1) % len(shown)][1].setFocus(Qt.FocusReason.ShortcutFocusReason)


def press_focused_button(part: QWidget, event: QKeyEvent) -> bool:
    """Press the focused button inside a widget if the key is Enter; return whether a button was pressed.

    Qt presses buttons at the space bar, but at Enter only inside a QDialog. Call this for key events that
    no widget inside has accepted.
    """
    at_hand = part.window().focusWidget()
    if event.key() not in ENTER or not isinstance(at_hand, QPushButton | QToolButton):
        return False
    # A field passes Enter on after it has processed it: by then an accepted dialog is closed, and the
    # focus is on a button behind it.
    if part.isHidden() or not part.isAncestorOf(at_hand):
        return False
    if not event.isAutoRepeat():
        at_hand.click()
    return True


class EnterKeyWindow(QMainWindow):
    """A window in which Enter presses the focused button if no other widget has handled the key."""

    _at_press: QWidget | None = None

    def event(self, event: QEvent) -> bool:
        """Store the focus widget at ShortcutOverride, which Qt sends before it delivers the key press."""
        if event.type() == QEvent.Type.ShortcutOverride:
            self._at_press = self.focusWidget()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the focused button, or use the default handling."""
        # If a field handled the same Enter, the focus may have moved since ShortcutOverride.
        if self.focusWidget() is not self._at_press or not press_focused_button(self, event):
            super().keyPressEvent(event)
