"""What the guards of window tests put right between two tests of one process."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.guards_qt import PatientBot, release_buttons


def test_buttons_when_a_widget_is_gone_with_them_pressed_then_are_released(qtbot: PatientBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    QTest.mousePress(widget, Qt.MouseButton.LeftButton)
    widget.close()
    assert QGuiApplication.mouseButtons() == Qt.MouseButton.LeftButton
    release_buttons()
    assert QGuiApplication.mouseButtons() == Qt.MouseButton.NoButton
