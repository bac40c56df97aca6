"""Eyes on a window: they know when it was painted, and read the numbers of videos from the screen itself."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QEventLoop, QObject, QPoint, QRect, QSize, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from annotator.errors import EnvironmentFailure
from tests.bench.numbered_videos import BLOCK_SHARE, COLUMNS, ROWS, code_number
from tests.patience import PATIENCE_S

LOOK_EVERY_S = 0.002
WHITE = 127
LOW_IN_BLOCK = 0.8
"""Where a block is read, as a share of its height: above it the name of the view may stand."""


class Eyes(QObject):
    """Looks at the screen whenever a window was painted.

    Signals:
        painted: All that was to be painted has just reached the screen.

    Attributes:
        count: Number of paintings seen.
        painted_s: When the last one ended, in seconds that only rise.
    """

    painted = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.count, self.painted_s = 0, 0.0
        self._window = window
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the window paint itself and look at it afterwards."""
        if watched is self._window and event.type() == QEvent.Type.UpdateRequest:
            watched.event(event)
            self.count, self.painted_s = self.count + 1, time.perf_counter()
            self.painted.emit()
            return True
        return False

    def close(self) -> None:
        """Look no more."""
        self._window.removeEventFilter(self)

    def next_paint(self) -> float:
        """Let the window work until it was painted once more; return the moment, in seconds that only rise.

        Raises:
            EnvironmentFailure: It is not painted.
        """
        before = self.count
        wait_until(lambda: self.count > before, what="the next painting")
        return self.painted_s

    def grab(self, area: QRect) -> QImage:
        """Return what the screen shows in a part of the window: from the X server, where there is one.

        Args:
            area: Pixels of the window.
        """
        location = (area.x(), area.y(), area.width(), area.height())
        return self._window.screen().grabWindow(self._window.winId(), *location).toImage()

    def number_in(self, widget: QWidget, *, picture: QRect) -> int | None:
        """Read the number burnt into the picture that a part of the window shows, None where there is none.

        A line of pixels through each row of blocks is read, all of them from one look at the screen: each
        look waits for the X server.

        Args:
            widget: The part.
            picture: Where in it the whole picture lies; not higher than the part.
        """
        side = picture.width() * BLOCK_SHARE
        rows = [int((row + LOW_IN_BLOCK) * side) for row in range(ROWS)]
        corner = widget.mapTo(self._window, QPoint(picture.x(), picture.y() + rows[0]))
        seen = self.grab(QRect(corner, QSize(int(COLUMNS * side), rows[-1] - rows[0] + 1)))
        ratio = seen.devicePixelRatioF()
        is_white: list[bool] = []
        for row in rows:
            line = seen.copy(0, int((row - rows[0]) * ratio), seen.width(), 1)
            is_white += _whites(line, side=side * ratio)
        return code_number(is_white)


def _whites(line: QImage, *, side: float) -> list[bool]:
    """Return whether each block that a line of pixels goes through is white."""
    if line.isNull():
        return [False] * COLUMNS
    grey = line.convertToFormat(QImage.Format.Format_Grayscale8)
    pixels = np.frombuffer(grey.constBits(), np.uint8)[: grey.width()]
    edges = [(int((column + 0.3) * side), int((column + 0.7) * side) + 1) for column in range(COLUMNS)]
    return [bool(pixels[left:right].mean() > WHITE) if left < len(pixels) else False for left, right in edges]


def wait_until(is_so: Callable[[], bool], *, what: str, patience_s: float = PATIENCE_S) -> None:
    """Let the window work until something is so.

    Args:
        is_so: What is waited for; asked after each turn of the event loop.
        what: The same in words.
        patience_s: How long at most.

    Raises:
        EnvironmentFailure: It did not come about.
    """
    limit = time.monotonic() + patience_s
    while not is_so():
        if time.monotonic() > limit:
            raise EnvironmentFailure(f"Waited {patience_s:.0f} s in vain for {what}.")
        work_for(LOOK_EVERY_S)


def work_for(seconds: float) -> None:
    """Let the window work for a while."""
    # A loop of its own, as the window has it later: only then are widgets deleted that asked for it.
    loop = QEventLoop()
    QTimer.singleShot(max(1, round(seconds * 1000)), loop.quit)
    loop.exec()
