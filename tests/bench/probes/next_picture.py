"""Goes from scene to scene in Annotate: ``python -m tests.bench.probes.next_picture PROJECT``.

Prints JSON: the milliseconds from the key press to the painted picture, each with the picture made ready by
the pause before, as it is for a person who looks at one picture before going on to the next.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QKeyCombination, QObject
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.domain.actor import Actor
from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure
from annotator.session import Session
from tests.bench.probes.eyes import Eyes, wait_until
from tests.bench.probes.stand import application, tell
from widgets.annotate.slot import AnnotateSlot
from widgets.annotate.workspace import AnnotateWorkspace
from widgets.settings import Settings
from widgets.window import MainWindow, build

WINDOW_PX = (1600, 1000)
NEXT = "stage.next_scene"
STEPS = 10


class Walk(QObject):
    """Steps from one scene to the next and notes how long the picture took.

    Args:
        window: A window with a project, shown.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.times_ms: list[float] = []
        self._window, self._eyes = window, Eyes(window)
        self._awaited, self._came_s = "", 0.0
        window.show_workspace("annotate")
        self._rest()
        self._eyes.painted.connect(self._on_eyes_painted)

    @property
    def _annotate(self) -> AnnotateWorkspace:
        found = self._window.slots.find(AnnotateSlot).workspace
        if found is None:
            raise EnvironmentFailure("The Annotate workspace did not open.")
        return found

    def run(self, steps: int) -> None:
        """Go on so many times; before each the window rests until it has nothing left to do."""
        for _ in range(steps):
            self.times_ms.append(self._step() * 1000)
            self._rest()

    def _step(self) -> float:
        """Press the key; return the seconds until the next picture is on the screen."""
        self._awaited, self._came_s = self._annotate.stage.scene, 0.0
        key = self._window.registry.action(NEXT).shortcut()
        began = time.perf_counter()
        _press(key)
        wait_until(lambda: bool(self._came_s), what="the next picture")
        return self._came_s - began

    def _on_eyes_painted(self) -> None:
        """Note the first painting after which another scene's pictures are on the screen."""
        stage = self._annotate.stage
        has_come = stage.scene != self._awaited and stage.is_settled()
        if not self._came_s and has_come and all(one.picture for one in stage.canvases):
            self._came_s = time.perf_counter()

    def _rest(self) -> None:
        wait_until(self._window.is_settled, what="the window to come to rest")


def _press(key: QKeySequence) -> None:
    """Press a key where the keyboard is, as a person would."""
    # Qt's own list of a sequence's keys, which its types for Python forget.
    pressed: QKeyCombination = key[0]  # type: ignore[index]
    target = QApplication.focusWidget()
    if target is None:
        raise EnvironmentFailure("Nothing in the window has the keyboard.")
    QTest.keyClick(target, pressed.key(), pressed.keyboardModifiers())


def walk(project: Path, *, steps: int = STEPS) -> list[float]:
    """Open a project in the window, go from scene to scene, and return the milliseconds of each step.

    Args:
        project: A project of more scenes than steps, each with a picture.
        steps: How many.
    """
    with tempfile.TemporaryDirectory() as folder:
        session = Session.open(project, actor=Actor(id=new_id(), name="Ada"))
        window = build(session, settings=Settings(Path(folder) / "window.ini"))
        window.resize(*WINDOW_PX)
        window.show()
        # A bare X server has nobody who would give the keyboard to a new window.
        window.activateWindow()
        QTest.qWaitForWindowActive(window)
        try:
            found = Walk(window)
            found.run(1)
            found.times_ms.clear()
            found.run(steps)
        finally:
            window.close()
            window.deleteLater()
    return found.times_ms


def main(project: Path) -> None:
    """Measure and print."""
    # Held until the end: without an application there is no window.
    held = application()
    tell({"steps_ms": walk(project)})
    held.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
