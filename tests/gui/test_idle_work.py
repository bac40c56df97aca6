"""What stays as long as a project is open is exempt from garbage collection, and freed with the project."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from annotator.session import Session
from tests.guards_qt import PatientBot
from widgets import idle_work
from widgets.cycle_collector import CycleCollector
from widgets.idle_work import LOOKS_AT_REST, IdleWork
from widgets.window import MainWindow

Show = Callable[[Session | None], MainWindow]


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_work, "LOOK_MS", 1)


@pytest.mark.usefixtures("exempt_again")
def test_project_when_idle_then_its_objects_are_exempt_until_it_is_closed(
    show_window: Show, tmp_path: Path, qtbot: PatientBot
) -> None:
    window = show_window(Session.create(tmp_path / "pilot.vantage"))
    idle = IdleWork(window, CycleCollector(window))
    qtbot.waitUntil(lambda: idle.is_done)
    assert gc.get_freeze_count() > 0
    assert "pyqtgraph" in sys.modules
    library = weakref.ref(window.library)

    window.controller.close_project()
    qtbot.waitUntil(lambda: window.controller.session is None and window.is_settled())
    assert gc.get_freeze_count() == 0
    assert not idle.is_done

    def require_freed() -> None:
        gc.collect()
        assert library() is None

    qtbot.waitUntil(require_freed)


@pytest.mark.usefixtures("exempt_again")
def test_window_when_it_is_rebuilt_in_another_language_then_the_former_objects_are_freed(
    show_window: Show, tmp_path: Path, qtbot: PatientBot
) -> None:
    window = show_window(Session.create(tmp_path / "pilot.vantage"))
    idle = IdleWork(window, CycleCollector(window))
    qtbot.waitUntil(lambda: idle.is_done)
    library = weakref.ref(window.library)

    window.set_language("en")
    assert gc.get_freeze_count() == 0

    def require_freed() -> None:
        gc.collect()
        assert library() is None

    qtbot.waitUntil(require_freed)
    qtbot.waitUntil(lambda: idle.is_done)


@pytest.mark.usefixtures("exempt_again")
def test_work_when_the_mouse_drags_then_waits_until_it_is_released(
    show_window: Show, tmp_path: Path, qtbot: PatientBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[bool] = []
    window = show_window(Session.create(tmp_path / "pilot.vantage"))
    qtbot.settle(window.is_settled)
    mouse = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(2, 2))
    QTest.mousePress(window.status_bar, *mouse)
    idle = IdleWork(window, CycleCollector(window))
    is_settled = window.is_settled
    monkeypatch.setattr(window, "is_settled", lambda: looks.append(idle.is_done) or is_settled())
    qtbot.waitUntil(lambda: len(looks) > 2 * LOOKS_AT_REST)
    assert not any(looks)

    QTest.mouseRelease(window.status_bar, *mouse)
    qtbot.waitUntil(lambda: idle.is_done)


@pytest.mark.usefixtures("exempt_again")
def test_workspace_when_first_shown_then_its_objects_are_exempt_as_well(
    show_window: Show, tmp_path: Path, qtbot: PatientBot
) -> None:
    window = show_window(Session.create(tmp_path / "pilot.vantage"))
    idle = IdleWork(window, CycleCollector(window))
    qtbot.waitUntil(lambda: idle.is_done)
    before = gc.get_freeze_count()
    window.show_workspace("review")
    assert not idle.is_done
    qtbot.waitUntil(lambda: idle.is_done)
    assert gc.get_freeze_count() > before + 1_000
    assert len(gc.get_objects()) < 10_000
    window.show_workspace("library")
    window.show_workspace("review")
    assert idle.is_done
