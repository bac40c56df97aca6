"""What is wrong with a field, below it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy

from widgets.labels import cut


class FieldNote(QLabel):
    """The messages of checks on one field; without any it takes no room."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "note")
        self.setWordWrap(True)
        # One long word would otherwise set the least width of the pane.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.hide()

    def show_messages(self, messages: Iterable[str]) -> None:
        """Show messages, one per line."""
        self.setText(cut("\n".join(messages)))
        self.setVisible(bool(self.text()))
