"""Somebody at the window: types where the keyboard is, counts the keys, and waits until it is quiet."""

from __future__ import annotations

from PySide6.QtGui import QInputMethodEvent, QKeySequence
from PySide6.QtTest import QTest
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

    Attributes:
        keys: Number of keys that were pressed; a test sets it to 0 where it begins to count.
    """

    def __init__(self, window: MainWindow, qtbot: PatientBot, *, workspace: str) -> None:
        self.window, self.qtbot, self.keys = window, qtbot, 0
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
        """Press a key where the keyboard is, and count it."""
        self.keys += 1
        pressed = QKeySequence(key)[0]
        # A window is made active by an event, and keys go to the active one.
        QApplication.processEvents()
        self.qtbot.keyClick(QApplication.focusWidget(), pressed.key(), pressed.keyboardModifiers())
        self.settle()

    def write(self, text: str) -> None:
        """Type text where the keyboard is; what has no key of its own comes as from an input method."""
        QApplication.processEvents()
        if text.isascii():
            QTest.keyClicks(QApplication.focusWidget(), text)
            return
        composed = QInputMethodEvent()
        composed.setCommitString(text)
        QApplication.sendEvent(QApplication.focusWidget(), composed)
