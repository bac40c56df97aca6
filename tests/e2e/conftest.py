"""What every test with Qt gets on top of tests/conftest.py, and the window as a person meets it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QWidget

from annotator.session import Session
from tests.guards import Messages
from tests.guards_qt import (
    PatientBot,
    cycles_freed_here,
    no_blocking_dialogs,
    no_images_elsewhere,
    no_leaked_objects,
    no_objects_freed_elsewhere,
    no_pressed_buttons,
    no_titles_of_other_files,
    private_settings,
    qtbot,
    quiet_qt,
    spoken_english,
)
from tests.windows import NO_SIZE_HINTS
from widgets.library.workspace import LibraryWorkspace
from widgets.settings import Settings
from widgets.window import MainWindow, build

__all__ = [
    "cycles_freed_here",
    "no_blocking_dialogs",
    "no_images_elsewhere",
    "no_leaked_objects",
    "no_objects_freed_elsewhere",
    "no_pressed_buttons",
    "no_titles_of_other_files",
    "private_settings",
    "qtbot",
    "quiet_qt",
    "spoken_english",
]

SIZE = (1600, 1000)


class Person:
    """Somebody at the window: looks, types, clicks, and waits until it is quiet."""

    def __init__(self, window: MainWindow, qtbot: PatientBot) -> None:
        self.window, self.qtbot = window, qtbot

    @property
    def library(self) -> LibraryWorkspace:
        """The Library of the project that is open."""
        assert self.window.library is not None
        return self.window.library

    def settle(self) -> None:
        """Wait until everything that was asked for is on the screen."""
        self.qtbot.settle(self.window.is_settled)

    def press(self, key: str, *, at: QWidget | None = None) -> None:
        """Press a key as Qt names it, where the keyboard is."""
        # A window is made active by an event, and keys go to the active one.
        QApplication.processEvents()
        sequence = self.window.registry.action("app.quit").shortcut().fromString(key)[0]
        target = at or QApplication.focusWidget() or self.window
        self.qtbot.keyClick(target, sequence.key(), sequence.keyboardModifiers())
        QApplication.processEvents()

    def write(self, text: str) -> None:
        """Type text where the keyboard is; what has no key of its own comes as from an input method."""
        QApplication.processEvents()
        if text.isascii():
            self.qtbot.keyClicks(QApplication.focusWidget(), text)
            return
        composed = QInputMethodEvent()
        composed.setCommitString(text)
        QApplication.sendEvent(QApplication.focusWidget(), composed)

    def click(self, widget: QWidget) -> None:
        """Click in the middle of a widget."""
        self.qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)

    def names(self) -> list[str]:
        """Read the names in the list in front."""
        model = self.library.listing().model
        for index in range(min(model.rowCount(), 100)):
            model.row(index)
        self.settle()
        rows = [model.row(index) for index in range(min(model.rowCount(), 100))]
        return [row.name for row in rows if row is not None]

    def toggle(self, facet: str, value: str) -> None:
        """Click a value among the filters."""
        listing = self.library.listing()
        rows = listing.facet_model.rows
        at = next(n for n, row in enumerate(rows) if row.facet.id == facet and row.value == value)
        index = listing.facet_model.index(at)
        listing.facets.scrollTo(index)
        position = listing.facets.visualRect(index).center()
        self.qtbot.mouseClick(listing.facets.viewport(), Qt.MouseButton.LeftButton, pos=position)
        self.settle()


Open = Callable[..., Person]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    kept = Settings(tmp_path / "window.ini")
    kept.keep("language", "en")
    kept.keep("theme", "dark")
    return kept


@pytest.fixture
def open_window(settings: Settings, qtbot: PatientBot, guard_messages: Messages) -> Iterator[Open]:
    """Give a function that opens the window on a project, or on none, and shows it."""
    guard_messages.allow(NO_SIZE_HINTS)
    opened: list[MainWindow] = []

    def open_one(path: Path | None = None, *, size: tuple[int, int] | None = SIZE, **parts: object) -> Person:
        session = Session.open(path) if path is not None else None
        window = build(session, settings=settings, **parts)  # type: ignore[arg-type]
        opened.append(window)
        # None: as large as the settings say.
        if size is not None:
            window.resize(*size)
        with qtbot.waitExposed(window):
            window.show()
        window.activateWindow()
        person = Person(window, qtbot)
        person.settle()
        return person

    yield open_one
    for window in opened:
        window.close_now()
        window.deleteLater()
