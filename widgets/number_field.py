"""A field for a number: Enter applies it, Esc restores it, the arrow keys change it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from widgets.focus import ENTER
from widgets.translation import tr

LARGE_STEP = 10
"""Steps of an arrow key with Shift."""
_STEPS = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
ROUNDING = 0.005
"""A shown bound may differ from the exact one by as much; a number entered as shown is moved to the bound."""
_OWN_KEYS = frozenset({*ENTER, *_STEPS, Qt.Key.Key_Escape})


def number_text(value: float) -> str:
    """Return a number with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def parse_number(text: str) -> float | None:
    """Return the number of a text, with a point or a comma as the decimal sign; None for anything else."""
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


class NumberField(QLineEdit):
    """Shows a number that changes elsewhere as well; a text that is being entered stays until it is applied.

    Signals:
        entered: Another valid number was entered; carries it, None where the field was emptied.
        refused: The text is no valid number; carries the reason, "" when that is over.
    """

    entered = Signal(object)
    refused = Signal(str)

    def __init__(self, name: str, *, may_be_empty: bool = False) -> None:
        """Make an empty field.

        Args:
            name: What the number is, for screen readers.
            may_be_empty: Whether an empty text is valid: the number is unknown.
        """
        super().__init__()
        self._may_be_empty = may_be_empty
        self.setAccessibleName(name)
        self._value: float | None = None
        self._range = (0.0, 0.0)
        self._is_refused = False
        self.textEdited.connect(self._on_text_edited)

    @property
    def value(self) -> float | None:
        """The number that was shown or applied last, None for none."""
        return self._value

    def show_value(self, value: float | None, *, least: float = 0.0, most: float = 0.0) -> None:
        """Show a number, or None for none; a text that is being entered stays.

        Args:
            value: The number.
            least: The least that may be entered.
            most: The most that may be entered.
        """
        self._range = least, most
        # Asked at each move of the pointer.
        if value != self._value:
            self._value = value
            self._show()

    def restore(self) -> None:
        """Show the number again in place of a text that was entered."""
        self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Apply at Enter, restore at Esc, change the number by an arrow key."""
        key = Qt.Key(event.key())
        if key in ENTER:
            if self._apply():
                self.selectAll()
        elif key == Qt.Key.Key_Escape and self.isModified():
            self.restore()
            self.selectAll()
        elif key in _STEPS:
            is_large = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self._step(_STEPS[key] * (LARGE_STEP if is_large else 1))
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Keep own keys from the actions of the window."""
        is_own = isinstance(event, QKeyEvent) and Qt.Key(event.key()) in _OWN_KEYS
        if is_own and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Apply a valid number when the keyboard leaves, and drop any other text."""
        # Switching to another window, or opening the menu of the field, is no end of the input.
        if (
            event.reason()
            not in {
                Qt.FocusReason.ActiveWindowFocusReason,
                Qt.FocusReason.PopupFocusReason,
            }
            and not self._apply()
        ):
            self.restore()
        super().focusOutEvent(event)

    def _apply(self) -> bool:
        """Emit the number that was entered; return whether the text is valid."""
        if not self.isModified():
            return True
        reason = self._reason()
        self._refuse(reason)
        if reason:
            return False
        least, most = self._range
        typed, before = parse_number(self.text()), self._value
        value = None if typed is None else min(max(typed, least), most)
        self._value = value
        self._show()
        if value != before:
            self.entered.emit(value)
        return True

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
        if bool(reason) != self._is_refused:
            self._is_refused = bool(reason)
            self.setProperty("is_wrong", self._is_refused)
            # A style sheet looks at a property when it is applied, not when the property changes.
            self.style().unpolish(self)
            self.style().polish(self)
        self.refused.emit(reason)

    def _on_text_edited(self, _text: str) -> None:
        self._refuse("")
