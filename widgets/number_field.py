"""A number field: Enter applies the input, Esc restores the value, the arrow keys change it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from widgets.focus import ENTER, UNFINISHED_LEAVES, mark_wrong
from widgets.translation import tr

LARGE_STEP = 10
"""Factor of the arrow keys while Shift is pressed."""
_STEPS = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
ROUNDING = 0.005
"""Tolerance of the bounds: a displayed bound is rounded; an input within the tolerance is clamped."""
_OWN_KEYS = frozenset({*ENTER, *_STEPS, Qt.Key.Key_Escape})


def number_text(value: float) -> str:
    """Return a number with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def parse_number(text: str) -> float | None:
    """Return the number in a text, with a point or a comma as decimal sign; None if it is invalid."""
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


class NumberField(QLineEdit):
    """Shows a number that can also change elsewhere; unapplied input is kept until it is applied.

    Signals:
        entered: Emitted when another number is applied; carries it, None for an empty field.
        refused: Emitted for invalid input; carries the reason, "" when the input is valid again.
    """

    entered = Signal(object)
    refused = Signal(str)

    def __init__(self, name: str, *, may_be_empty: bool = False, leaves_enter: bool = False) -> None:
        """Create an empty field.

        Args:
            name: Accessible name.
            may_be_empty: Whether an empty field is valid and means an unknown number.
            leaves_enter: Whether Enter belongs to the screen while there is no input, and Ctrl+Enter always.
        """
        super().__init__()
        self._may_be_empty, self._leaves_enter = may_be_empty, leaves_enter
        self.setAccessibleName(name)
        self._value: float | None = None
        self._range = (0.0, 0.0)
        self.textEdited.connect(self._on_text_edited)

    @property
    def value(self) -> float | None:
        """The number that was shown or applied last, None for none."""
        return self._value

    def show_value(self, value: float | None, *, least: float = 0.0, most: float = 0.0) -> None:
        """Show a number, or None for an empty field; unapplied input is kept.

        Args:
            value: The number.
            least: Minimum.
            most: Maximum.
        """
        self._range = least, most
        # Called for each mouse move, so that an unchanged value returns early.
        if value != self._value:
            self._value = value
            self._show()

    def restore(self) -> None:
        """Restore the number and discard the input."""
        self._show()

    def apply(self) -> bool:
        """Apply the input; return whether it is valid."""
        if not self.isModified():
            return True
        reason = self._reason()
        self._refuse(reason)
        if reason:
            return False
        least, most = self._range
        typed, before = parse_number(self.text()), self._value
        # Within the tolerance of ``ROUNDING``; other values were refused above.
        value = None if typed is None else min(max(typed, least), most)
        self._value = value
        self._show()
        if value != before:
            self.entered.emit(value)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Apply at Enter, restore at Esc, change the number with the arrow keys."""
        key = Qt.Key(event.key())
        if self._passes_enter(event):
            event.ignore()
        elif key in ENTER:
            if self.apply():
                self.selectAll()
        # Without unapplied input, Esc belongs to the surrounding dialog or tool.
        elif key == Qt.Key.Key_Escape and self.isModified():
            self.restore()
            self.selectAll()
        elif key in _STEPS:
            is_large = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self._step(_STEPS[key] * (LARGE_STEP if is_large else 1))
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Accept the field's own keys before they trigger shortcuts of the window."""
        is_own = (
            isinstance(event, QKeyEvent)
            and Qt.Key(event.key()) in _OWN_KEYS
            and not self._passes_enter(event)
        )
        if is_own and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Apply valid input when the focus leaves the field, and discard invalid input."""
        if event.reason() not in UNFINISHED_LEAVES and not self.apply():
            self.restore()
        super().focusOutEvent(event)

    def _passes_enter(self, event: QKeyEvent) -> bool:
        """Return whether Enter belongs to the screen: without input, and with Ctrl."""
        is_ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        is_enter = self._leaves_enter and Qt.Key(event.key()) in ENTER
        return is_enter and (is_ctrl or not self.isModified())

    def _step(self, step: int) -> None:
        value = parse_number(self.text())
        if value is None or self.isReadOnly():
            return
        least, most = self._range
        self.setText(number_text(min(max(value + step, least), most)))
        self.setModified(True)
        self._refuse("")

    def _reason(self) -> str:
        value, (least, most) = parse_number(self.text()), self._range
        if self._may_be_empty and not self.text().strip():
            return ""
        if value is None:
            return tr("Enter a number.")
        if least - ROUNDING <= value <= most + ROUNDING:
            return ""
        return tr("Enter a number from {least} to {most}.", least=number_text(least), most=number_text(most))

    def _show(self) -> None:
        self.setText("" if self._value is None else number_text(self._value))
        self.setModified(False)
        self._refuse("")

    def _refuse(self, reason: str) -> None:
        mark_wrong(self, is_wrong=bool(reason))
        self.refused.emit(reason)

    def _on_text_edited(self, _text: str) -> None:
        self._refuse("")
