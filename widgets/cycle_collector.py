"""Collects reference cycles on the GUI thread only."""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

INTERVAL_MS = 200
FULL_INTERVAL_S = 10.0
"""A full collection takes up to 45 ms where the objects of a window are not exempt, so it runs rarely."""
OVERDUE_S = 60.0


class CycleCollector(QObject):
    """Runs Python's cyclic garbage collector from a timer of the GUI thread.

    Python runs the collector on whichever thread allocates next. A closed dialog or a controller is part of a
    reference cycle; when the collector of a decoding or storing thread frees it, Qt destroys a widget or a
    running timer on the wrong thread, and the process crashes. Reference counting is not affected.

    A full collection walks every object, which takes up to 45 ms in a window with plots: a late frame. Those
    that stay as long as the project is open can be exempted meanwhile.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._full_at = time.monotonic()
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._timer.start()

    def exempt(self) -> None:
        """Exempt all objects that are there now; cycles of them are freed after `readmit` only."""
        # First: garbage that is exempted would stay in memory until ``readmit``.
        gc.collect()
        gc.freeze()

    def readmit(self) -> None:
        """Collect exempted objects again, because a project or a whole interface has been closed."""
        gc.unfreeze()

    def _on_timer_timeout(self) -> None:
        generation = self._due_generation()
        if generation == 2:
            self._full_at = time.monotonic()
        if generation >= 0:
            gc.collect(generation)

    def _due_generation(self) -> int:
        """Return the oldest generation whose threshold is exceeded, -1 for none."""
        # Python goes on counting while its own collector is disabled, so its thresholds can be used.
        exceeded = [count > limit for count, limit in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if exceeded[2] and self._may_pause():
            return 2
        return 1 if exceeded[1] else 0 if exceeded[0] else -1

    def _may_pause(self) -> bool:
        """Return whether a pause is acceptable: not during a drag, unless the collection is overdue."""
        waited_s = time.monotonic() - self._full_at
        is_dragging = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        return waited_s > OVERDUE_S or (waited_s > FULL_INTERVAL_S and not is_dragging)
