"""Hands at a window that count what they do."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QKeyCombination, QPoint, Qt
from PySide6.QtGui import QKeySequence, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from annotator.errors import EnvironmentFailure
from annotator.queries.reader import Reader
from tests.bench.hands.effort import Effort
from tests.bench.probes.eyes import wait_until
from widgets.stage.canvas import StageCanvas
from widgets.window import MainWindow

LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
Place = tuple[float, float]
"""A point of a picture, image pixels."""


class CountingHands:
    """A person's hands at a window; after each action, the window comes to rest.

    Args:
        window: Shown and active, with a project.
    """

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self._counts: Counter[str] = Counter()

    @property
    def effort(self) -> Effort:
        """What was done since the work began."""
        return Effort(**self._counts)

    @property
    def reader(self) -> Reader:
        """The project as it is stored."""
        session = self.window.controller.session
        if session is None:
            raise EnvironmentFailure("The window has no project.")
        return session.reader

    def begin(self) -> None:
        """Begin a piece of work: nothing was done yet."""
        self._counts.clear()

    def think(self) -> None:
        """Count a mental step."""
        self._counts["thoughts"] += 1

    def press(self, keys: str) -> None:
        """Press a key, or a combination as Qt writes it, where the keyboard is."""
        # Qt's own list of a sequence's keys, which its types for Python forget.
        pressed: QKeyCombination = QKeySequence(keys)[0]  # type: ignore[index]
        QTest.keyClick(_focus(), pressed.key(), pressed.keyboardModifiers())
        self._counts["keys"] += 1
        self.rest()

    def press_each(self, characters: str) -> None:
        """Press a key for each character, as for a number."""
        for character in characters:
            QTest.keyClicks(_focus(), character)
            self._counts["keys"] += 1
            self.rest()

    def type(self, text: str) -> None:
        """Type a text that the work consists of."""
        QTest.keyClicks(_focus(), text)
        self._counts["typed"] += len(text)
        self.rest()

    def click(self, canvas: StageCanvas, position: Place, *, is_adding: bool = False) -> None:
        """Click at a place of a picture, with Shift to add to the selection."""
        held = Qt.KeyboardModifier.ShiftModifier if is_adding else NO_KEYS
        QTest.mouseClick(canvas, LEFT, held, _point(canvas, position))
        self._counts["clicks"] += 1
        self.rest()

    def drag(self, canvas: StageCanvas, begin: Place, end: Place) -> None:
        """Drag from one place of a picture to another."""
        QTest.mousePress(canvas, LEFT, NO_KEYS, _point(canvas, begin))
        # QTest moves without the button, and tools tell a drag by it.
        at = _point(canvas, end)
        moved = QMouseEvent(
            QMouseEvent.Type.MouseMove, at.toPointF(), canvas.mapToGlobal(at).toPointF(),
            Qt.MouseButton.NoButton, LEFT, NO_KEYS,
        )  # fmt: skip
        QApplication.sendEvent(canvas, moved)
        QTest.mouseRelease(canvas, LEFT, NO_KEYS, at)
        self._counts["drags"] += 1
        self.rest()

    def rest(self) -> None:
        """Wait until the window has shown and stored all that was done."""
        QApplication.processEvents()
        wait_until(self.window.is_settled, what="the window to come to rest")


def expect(has_result: bool, *, what: str) -> None:
    """Raise an error unless a piece of work has its result: counts of failed work mean nothing."""
    if not has_result:
        raise EnvironmentFailure(f"The project does not have {what}.")


def _focus() -> QWidget:
    # A window is made active by an event, and keys go to the active one.
    QApplication.processEvents()
    target = QApplication.focusWidget()
    if target is None:
        raise EnvironmentFailure("Nothing in the window has the keyboard.")
    return target


def _point(canvas: StageCanvas, position: Place) -> QPoint:
    x, y = canvas.view_point(*position)
    return QPoint(round(x / canvas.ratio()), round(y / canvas.ratio()))
