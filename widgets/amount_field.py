"""The field for an amount of money, such as a cost limit."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit

from annotator.domain.run import MICRO
from widgets import run_text
from widgets.translation import tr


class AmountField(QLineEdit):
    """Field for an amount of money; empty means no limit."""

    def __init__(self, name: str, *, amount_micro: int | None) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(tr("no limit"))
        if amount_micro is not None:
            self.setText(f"{amount_micro / MICRO:g}")

    @property
    def is_sound(self) -> bool:
        """Whether the field is empty or contains a valid amount."""
        try:
            run_text.micro(self.text())
        except ValueError:
            return False
        return True

    @property
    def amount_micro(self) -> int | None:
        """The amount in millionths of the currency, None for no limit.

        Raises:
            ValueError: The text is not an amount. Check ``is_sound`` first.
        """
        return run_text.micro(self.text())
