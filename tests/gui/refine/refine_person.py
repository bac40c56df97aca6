"""Somebody at the window who refines items by the keyboard, and counts the keys."""

from __future__ import annotations

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.domain.item import Item
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from widgets.refine.workspace import RefineWorkspace
from widgets.window import MainWindow


class RefinePerson(WindowPerson):
    """The window at Refine, with eyes on the project."""

    def __init__(self, window: MainWindow, qtbot: PatientBot) -> None:
        super().__init__(window, qtbot, workspace="refine")

    @property
    def refine(self) -> RefineWorkspace:
        made = self.window.slots["refine"].workspace
        assert made is not None
        return made

    @property
    def shown(self) -> Item:
        """The item on the screen."""
        view = self.refine.loader.view
        assert view is not None
        return view.item

    def stored(self, name: str) -> Item:
        """Read an item from the project by its name."""
        return next(one for one in self.session.reader.records(Item) if one.name == name)

    def hurry(self, key: str) -> None:
        """Press a key without waiting for anything."""
        from PySide6.QtGui import QKeySequence

        pressed = QKeySequence(key)[0]
        QTest.keyClick(QApplication.focusWidget(), pressed.key(), pressed.keyboardModifiers())

    def paste(self, data: QMimeData) -> None:
        """Paste from the clipboard."""
        QGuiApplication.clipboard().setMimeData(data)
        self.hurry("Ctrl+V")
        # Made in Python: in the clipboard it would be destroyed at the exit, when there is no interpreter.
        QGuiApplication.clipboard().clear()

    def replace(self, text: str) -> None:
        """Type text in place of that of the field."""
        self.hurry("Ctrl+A")
        self.write(text)
