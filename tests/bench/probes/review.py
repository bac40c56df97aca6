"""Decides on cases in Review: ``python -m tests.bench.probes.review PROJECT``.

Prints JSON: the milliseconds from the key that gives the reason to the painting of the window that shows the
next case with its image. They include the transaction of the decision.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.domain.actor import Actor
from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure
from annotator.session import Session
from tests.bench.probes.eyes import Eyes, wait_until
from tests.bench.probes.stand import application, tell
from widgets.review.slot import ReviewSlot
from widgets.review.workspace import ReviewWorkspace
from widgets.settings import Settings
from widgets.window import MainWindow, build

WINDOW_PX = (1600, 1000)
DECISIONS, WARM_UP = 15, 3


class Deciding(QObject):
    """Keeps one case after the other with its first reason, and notes when the next one is on the screen.

    Args:
        window: A window with a project of cases, shown.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.times_ms: list[float] = []
        self._window, self._eyes = window, Eyes(window)
        self._before, self._came_s = "", 0.0
        window.show_workspace("review")
        self._rest()
        self._eyes.painted.connect(self._on_eyes_painted)

    def run(self, decisions: int) -> None:
        """Decide so many cases; before each the window rests until it has nothing left to do."""
        for _ in range(decisions):
            self._before, self._came_s = self._review.loader.wanted, 0.0
            self._press(Qt.Key.Key_K)
            self._rest()
            self._came_s = 0.0
            began = time.perf_counter()
            self._press(Qt.Key.Key_1)
            wait_until(lambda: bool(self._came_s), what="the next case on the screen")
            self.times_ms.append((self._came_s - began) * 1000)
            self._rest()

    @property
    def _review(self) -> ReviewWorkspace:
        found = self._window.slots.find(ReviewSlot).workspace
        if found is None:
            raise EnvironmentFailure("The Review workspace did not open.")
        return found

    def _press(self, key: Qt.Key) -> None:
        QTest.keyClick(QApplication.focusWidget() or self._window, key)

    def _on_eyes_painted(self) -> None:
        """Note the first painting with another case in the panel and its image on the stage."""
        view, stage = self._review.panel.view, self._review.stage
        is_next = view is not None and view.key != self._before
        if is_next and not self._came_s and all(canvas.showing is not None for canvas in stage.canvases):
            self._came_s = time.perf_counter()

    def _rest(self) -> None:
        wait_until(self._window.is_settled, what="the window to come to rest")


def decide(project: Path, *, decisions: int = DECISIONS) -> dict[str, list[float]]:
    """Open a project in the window, decide on cases, and return what is printed."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session.open(project, actor=Actor(id=new_id(), name="Ada"))
        window = build(session, settings=Settings(Path(folder) / "window.ini"))
        window.resize(*WINDOW_PX)
        window.show()
        QTest.qWaitForWindowExposed(window)
        window.activateWindow()
        try:
            deciding = Deciding(window)
            deciding.run(WARM_UP + decisions)
        finally:
            window.close()
            window.deleteLater()
    return {"shown_ms": deciding.times_ms[WARM_UP:]}


def main(project: Path) -> None:
    """Measure and print."""
    # Held until the end: without an application there is no window.
    held = application()
    tell(decide(project))
    held.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
