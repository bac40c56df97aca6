"""The base of the widgets that fill a workspace."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget


class WorkspaceWidget(QWidget):
    """The content of a workspace of one open project.

    Signals:
        name_changed: Another record is displayed; carries its name, "" for none.
    """

    name_changed = Signal(str)

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the main widget."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def is_settled(self) -> bool:
        """Return whether all requested content is displayed, and every edit stored."""
        return True

    def leave(self) -> None:
        """Stop background work, because the project is being closed."""
