"""What the guards of window tests put right between two tests of one process."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from annotator.session import Session
from tests.guards_qt import PatientBot, release_buttons
from widgets.window import MainWindow


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


def test_window_when_a_task_is_under_way_at_the_end_of_a_test_then_is_closed_with_its_threads(
    show_window: Callable[[Session | None], MainWindow], request: pytest.FixtureRequest
) -> None:
    window = show_window(None)
    ended = threading.Event()
    window.controller.run_task(lambda: ended.wait(0.5), title="Search")
    assert not window.close()
    request.addfinalizer(lambda: check_closed(window))


def check_closed(window: MainWindow) -> None:
    assert window.isHidden()
    assert not any(thread.name.startswith("vantage-reading") for thread in threading.enumerate())
