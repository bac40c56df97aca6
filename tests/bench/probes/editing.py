"""Draws boxes in Annotate: ``python -m tests.bench.probes.editing PROJECT``.

Prints JSON: the milliseconds from the commit of each box to the painting of the window that shows it, and
the CPU milliseconds of the GUI thread from the gesture to that painting.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtTest import QTest

from annotator.commands.regions import AddRegion
from annotator.domain.actor import Actor
from annotator.domain.changes import Changes
from annotator.domain.record import new_id
from annotator.domain.region import Box
from annotator.errors import EnvironmentFailure
from annotator.session import Session
from tests.bench.probes.eyes import Eyes, wait_until
from tests.bench.probes.stand import application, tell
from widgets.annotate.slot import AnnotateSlot
from widgets.annotate.workspace import AnnotateWorkspace
from widgets.settings import Settings
from widgets.stage.canvas import StageCanvas
from widgets.window import MainWindow, build

WINDOW_PX = (1600, 1000)
BOXES, WARM_UP = 20, 3
SIDE_PX, STEP_PX = 60, 70


class Drawing(QObject):
    """Sends boxes as a tool of the stage does, and notes when each is on the screen.

    Args:
        window: A window with a project of one scene, shown.
        session: The project.
    """

    def __init__(self, window: MainWindow, session: Session) -> None:
        super().__init__()
        self.times_ms: list[float] = []
        self.work_ms: list[float] = []
        self._window, self._eyes = window, Eyes(window)
        self._awaited, self._committed_s, self._came_s, self._work_s = "", 0.0, 0.0, 0.0
        window.show_workspace("annotate")
        self._rest()
        session.subscribe(self._note_commit)
        self._eyes.painted.connect(self._on_eyes_painted)

    def run(self, boxes: int) -> None:
        """Draw so many boxes; after each the window rests until it has nothing left to do."""
        for number in range(boxes):
            self._draw(number)
            self._rest()
            self.times_ms.append((self._came_s - self._committed_s) * 1000)
            self.work_ms.append(self._work_s * 1000)

    @property
    def _annotate(self) -> AnnotateWorkspace:
        found = self._window.slots.find(AnnotateSlot).workspace
        if found is None:
            raise EnvironmentFailure("The Annotate workspace did not open.")
        return found

    @property
    def _canvas(self) -> StageCanvas:
        return self._annotate.stage.canvases[0]

    def _draw(self, number: int) -> None:
        x, y = 100.0 + STEP_PX * number, 100.0 + STEP_PX * (number % 7)
        command = AddRegion(medium=self._canvas.medium, box=Box(x1=x, y1=y, x2=x + SIDE_PX, y2=y + SIDE_PX))
        self._awaited, self._committed_s, self._came_s = command.id, 0.0, 0.0
        self._work_s = -time.thread_time()
        self._annotate.stage.send(command)
        wait_until(lambda: bool(self._came_s), what="the box on the screen")

    def _note_commit(self, _changes: Changes) -> None:
        self._committed_s = time.perf_counter()

    def _on_eyes_painted(self) -> None:
        """Note the first painting after which the marks of the view have the box."""
        if not self._came_s and self._canvas.marks.region(self._awaited) is not None:
            self._came_s = time.perf_counter()
            self._work_s += time.thread_time()

    def _rest(self) -> None:
        wait_until(self._window.is_settled, what="the window to come to rest")


def draw(project: Path, *, boxes: int = BOXES) -> dict[str, list[float]]:
    """Open a project in the window, draw boxes, and return what is printed."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session.open(project, actor=Actor(id=new_id(), name="Ada"))
        window = build(session, settings=Settings(Path(folder) / "window.ini"))
        window.resize(*WINDOW_PX)
        window.show()
        QTest.qWaitForWindowExposed(window)
        try:
            drawing = Drawing(window, session)
            drawing.run(WARM_UP + boxes)
        finally:
            window.close()
            window.deleteLater()
    return {"refresh_ms": drawing.times_ms[WARM_UP:], "work_ms": drawing.work_ms[WARM_UP:]}


def main(project: Path) -> None:
    """Measure and print."""
    # Held until the end: without an application there is no window.
    held = application()
    tell(draw(project))
    held.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
