"""Work of the GUI thread that waits until nothing is asked of the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

from widgets.cycle_collector import CycleCollector
from widgets.window import MainWindow

LOOK_MS = 250
LOOKS_AT_REST = 6
"""The work is done after so many looks that found nothing loading. They need not be in a row: beside a run
the window asks for numbers again and again."""


class IdleWork(QObject):
    """Does what would hold up a gesture later, as soon as the window of a project is idle.

    It loads pyqtgraph, which takes 0.2 s and would be loaded when a page with a plot is opened, and exempts
    from garbage collection what stays as long as the project is open.

    Args:
        window: The window; the work is done again after each change of its project or language, and after
            a workspace was shown for the first time: all eight have 40,000 objects.
        collector: What exempts objects.
    """

    def __init__(self, window: MainWindow, collector: CycleCollector) -> None:
        super().__init__(window)
        self.is_done = False
        self._window, self._collector, self._looks = window, collector, 0
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        window.controller.session_changed.connect(self._begin_again)
        window.rebuilt.connect(self._begin_again)
        window.extended.connect(self._look_again)
        self._timer.start()

    def _begin_again(self) -> None:
        self._collector.readmit()
        self._look_again()

    def _look_again(self) -> None:
        self.is_done, self._looks = False, 0
        self._timer.start()

    def _on_timer_timeout(self) -> None:
        self._looks += self._is_at_rest()
        if self._looks == LOOKS_AT_REST:
            self._timer.stop()
            # Not needed before a page with a plot is shown.
            import pyqtgraph  # noqa: F401

            self._collector.exempt()
            self.is_done = True

    def _is_at_rest(self) -> bool:
        # The first region can be drawn before the plots are loaded: the mouse would stand still meanwhile.
        is_dragging = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        return self._window.project is not None and self._window.is_settled() and not is_dragging
