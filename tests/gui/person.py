"""Somebody at the window: presses keys where the keyboard is, and waits until it is quiet."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication

from annotator.session import Session
from tests.guards_qt import PatientBot
from widgets.window import MainWindow


class WindowPerson:
    """A person who has a workspace of a project open.

    Args:
        window: Shown, with a project.
        qtbot: Waits and presses.
        workspace: Is opened.
    """

    def __init__(self, window: MainWindow, qtbot: PatientBot, *, workspace: str) -> None:
        self.window, self.qtbot = window, qtbot
        self.settle()
        window.show_workspace(workspace)
        self.settle()

    @property
    def session(self) -> Session:
        """The project."""
        assert self.window.controller.session is not None
        return self.window.controller.session

    def settle(self) -> None:
        """Wait until everything that was asked for is on the screen."""
        self.qtbot.settle(self.window.is_settled)

    def press(self, key: str) -> None:
        """Press a key where the keyboard is."""
        pressed = QKeySequence(key)[0]
        # A window is made active by an event, and keys go to the active one.
        QApplication.processEvents()
        self.qtbot.keyClick(QApplication.focusWidget(), pressed.key(), pressed.keyboardModifiers())
        self.settle()
