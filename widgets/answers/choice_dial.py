"""A drawn scale of numbered choices, which are chosen by number, with arrow keys, or by click."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from widgets.answers.dial import ARROW_STEPS, Dial
from widgets.stage.tools.link_keys import PLAIN, is_digit

_CLEARING = frozenset({Qt.Key.Key_Backspace, Qt.Key.Key_Delete})


class ChoiceDial(Dial):
    """Shows the choices 1 to ``count`` and the chosen one.

    A digit that can begin a number of two digits is chosen after a pause, or with the next key.

    Attributes:
        count: Number of choices.
    """

    def __init__(self, name: str, *, count: int) -> None:
        """Create a scale without a choice.

        Args:
            name: Accessible name.
            count: Number of choices.
        """
        super().__init__(name)
        self.count = count
        self._typed = ""

    def show_value(self, value: float | None) -> None:
        """Show a choice, None for none."""
        self._typed = ""
        super().show_value(value)

    def send_pending(self) -> None:
        """Choose the number that was typed, or stepped to."""
        self._typed = ""
        super().send_pending()

    def is_own(self, event: QKeyEvent) -> bool:
        """Return whether a key is a digit, an arrow key or Backspace."""
        key = Qt.Key(event.key())
        return is_digit(event) or (event.modifiers() in PLAIN and (key in ARROW_STEPS or key in _CLEARING))

    def take_key(self, event: QKeyEvent) -> None:
        """Choose by number, step with arrow keys, clear with Backspace."""
        if is_digit(event):
            self._type(event.text())
        elif Qt.Key(event.key()) in _CLEARING:
            self.turn_to(None)
            self.send_pending()
        else:
            self._step(ARROW_STEPS[Qt.Key(event.key())])

    def _type(self, digit: str) -> None:
        # "4" after "1" is a number of its own where there are only 12.
        typed = next((text for text in (self._typed + digit, digit) if 1 <= int(text) <= self.count), "")
        if not typed:
            return
        self._typed = typed
        self.turn_to(int(typed))
        if int(typed) * 10 <= self.count:
            self.pause.start()
        else:
            self.send_pending()

    def _step(self, step: int) -> None:
        before = int(self.value) if self.value is not None else (0 if step > 0 else 1)
        self._typed = ""
        self.turn_to((before - 1 + step) % self.count + 1)
        self.pause.start()
