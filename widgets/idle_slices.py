"""Work of the GUI thread that is done in pieces while nobody waits for the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

PAUSE_MS = 60


class IdleSlices(QObject):
    """Does one piece of work after the other, each in a turn of the event loop of its own.

    A widget that is built when it is first shown takes the time of several frames at once; built before, in
    pieces, it takes none.

    Args:
        slices: Does a piece of the work up to each ``yield``.
        is_at_rest: Returns whether nothing is asked of the window at the moment.
        parent: The work ends with it.
    """

    def __init__(self, slices: Iterator[None], *, is_at_rest: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self.is_done = False
        self._slices, self._is_at_rest = slices, is_at_rest
        self._timer = QTimer(self)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._timer.start()

    def _on_timer_timeout(self) -> None:
        if QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton or not self._is_at_rest():
            return
        try:
            next(self._slices)
        except StopIteration:
            self.is_done = True
            self._timer.stop()
