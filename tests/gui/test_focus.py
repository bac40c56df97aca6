"""Enter at buttons: pressed where the keyboard is, and only where it was when the key went down."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.guards import Messages
from tests.windows import NO_SIZE_HINTS
from widgets.dialog import FormDialog
from widgets.focus import EnterKeyWindow


class Place:
    """A window with a field and a button that counts."""

    def __init__(self, window: EnterKeyWindow) -> None:
        self.window, self.pressed = window, 0
        self.field, self.button = QLineEdit(), QPushButton("Go on")
        self.button.clicked.connect(self._on_clicked)
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.addWidget(self.field)
        column.addWidget(self.button)
        window.setCentralWidget(inner)

    def _on_clicked(self) -> None:
        self.pressed += 1


@pytest.fixture
def location(qtbot: QtBot, guard_messages: Messages) -> Place:
    guard_messages.allow(NO_SIZE_HINTS)
    window = EnterKeyWindow()
    made = Place(window)
    qtbot.addWidget(window)
    window.resize(800, 600)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    return made


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_enter_when_the_keyboard_is_at_a_button_then_presses_it(
    location: Place, qtbot: QtBot, key: Qt.Key
) -> None:
    location.button.setFocus()
    qtbot.keyClick(location.button, key)
    assert location.pressed == 1


def test_enter_when_a_field_leads_to_a_button_then_does_not_press_that_too(
    location: Place, qtbot: QtBot
) -> None:
    location.field.returnPressed.connect(location.button.setFocus)
    location.field.setFocus()
    qtbot.keyClick(location.field, Qt.Key.Key_Return)
    assert location.button.hasFocus()
    assert location.pressed == 0
    qtbot.keyClick(location.button, Qt.Key.Key_Return)
    assert location.pressed == 1


def test_enter_when_it_answers_a_sheet_then_no_button_behind_the_sheet_is_pressed(
    location: Place, qtbot: QtBot
) -> None:
    location.button.setFocus()
    sheet = FormDialog(location.window, width=300)
    name = QLineEdit()
    sheet.body.addWidget(name)
    name.returnPressed.connect(sheet.reject)
    sheet.open(name)
    qtbot.keyClick(name, Qt.Key.Key_Return)
    qtbot.waitUntil(location.button.hasFocus)
    assert location.pressed == 0
