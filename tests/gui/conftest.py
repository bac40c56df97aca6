"""What every test with Qt gets on top of tests/conftest.py, and what tests of single widgets need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from annotator.session import Session
from tests.guards import Messages
from tests.guards_qt import (
    PatientBot,
    cycles_freed_here,
    exempt_again,
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
from tests.windows import NO_SIZE_HINTS, make_project
from widgets import theme
from widgets.action_registry import ActionRegistry
from widgets.actions import ACTION_TABLE
from widgets.bridge import Bridge
from widgets.key_bindings import chosen_keys
from widgets.media_loader import MediaLoader
from widgets.settings import Settings
from widgets.window import MainWindow, build

__all__ = [
    "cycles_freed_here",
    "exempt_again",
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


@pytest.fixture(autouse=True)
def dressed(qapp: QApplication) -> None:
    """Wear the dark theme, whatever the machine's own or the test before did."""
    if theme.current().name != "dark" or qapp.style().name() != "fusion":
        qapp.setStyle("Fusion")
        theme.apply("dark")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "window.ini")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Open the small project of tests/windows.py."""
    with Session.open(make_project(tmp_path / "pilot.vantage")) as opened:
        yield opened


@pytest.fixture
def bridge(session: Session) -> Iterator[Bridge]:
    """Give a bridge that serves the session and hears its changes."""
    made = Bridge()
    made.connect_session(session)
    stop = session.subscribe(made.post_changes)
    yield made
    stop()
    made.close()


@pytest.fixture
def media() -> Iterator[MediaLoader]:
    made = MediaLoader()
    yield made
    made.close()
    made.drain()


@pytest.fixture
def registry(settings: Settings) -> Iterator[ActionRegistry]:
    made = ActionRegistry(ACTION_TABLE, chosen_keys(settings, table=ACTION_TABLE))
    yield made
    made.deleteLater()


@pytest.fixture
def show_window(
    settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[Callable[[Session | None], MainWindow]]:
    """Give what shows the window of a project; the windows are closed after the test."""
    guard_messages.allow(NO_SIZE_HINTS)
    windows: list[MainWindow] = []

    def show(session: Session | None) -> MainWindow:
        window = build(session, settings=settings)
        windows.append(window)
        qtbot.addWidget(window)
        window.resize(1600, 1000)
        with qtbot.waitExposed(window):
            window.show()
        window.activateWindow()
        return window

    yield show
    for window in windows:
        window.close()
