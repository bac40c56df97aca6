"""Screenshots of the window with all content loaded, for the command line and the guide."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, QObject, QSize, QTimer
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QDialog

from annotator.errors import EnvironmentFailure
from widgets import theme
from widgets.window import MainWindow

LOOK_EVERY_MS = 20
QUIET_LOOKS = 3
"""Consecutive polls without pending content: an image that arrived last is laid out one turn later."""
GIVE_UP_MS = 20_000
"""Time limit, ms; the screenshot is then taken with incomplete content."""

DIMMED = QColor(0, 0, 0, 110)
"""Colour over a window under an open dialog."""


class _SettledWatcher(QObject):
    """Quits an event loop when the window has no pending content."""

    def __init__(self, window: MainWindow, loop: QEventLoop) -> None:
        super().__init__()
        self._window, self._loop = window, loop
        self._looks = self._quiet = 0
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._timer.start()

    def _on_timer_timeout(self) -> None:
        self._looks += 1
        self._quiet = self._quiet + 1 if self._window.is_settled() else 0
        if self._quiet == QUIET_LOOKS or self._looks * LOOK_EVERY_MS > GIVE_UP_MS:
            self._timer.stop()
            self._loop.quit()


class _FirstPaint(QObject):
    """Calls a function once, after the first paint of a window."""

    def __init__(self, window: MainWindow, call: Callable[[], object]) -> None:
        super().__init__(window)
        self._call = call
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wait for the paint event, and call the function after it."""
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            # After the event: a call from here would delay the paint that it waits for.
            QTimer.singleShot(0, self._call)
        return False


def wait_until_settled(window: MainWindow) -> None:
    """Run an event loop until all requested content is shown.

    Call it before the application's own event loop starts, never inside it.
    """
    loop = QEventLoop()
    quiet = _SettledWatcher(window, loop)
    loop.exec()
    quiet.deleteLater()


def take_picture(window: MainWindow, *, scale: float = 1.0) -> QPixmap:
    """Return a screenshot of the window.

    Args:
        window: The window.
        scale: Device pixels per pixel, 2.0 for a screen at 200 %.
    """
    picture = QPixmap(window.size() * scale)
    picture.setDevicePixelRatio(scale)
    window.render(picture)
    for dialog in window.findChildren(QDialog):
        if dialog.isVisible():
            _render_dialog(picture, window=window, dialog=dialog)
    return picture


def _render_dialog(picture: QPixmap, *, window: MainWindow, dialog: QDialog) -> None:
    """Render a dialog centred over its window, where the window system would show it."""
    rect = dialog.rect()
    rect.moveCenter(window.rect().center())
    painter = QPainter(picture)
    painter.fillRect(window.rect(), DIMMED)
    dialog.render(painter, rect.topLeft())
    painter.setPen(theme.current().color("line"))
    painter.drawRect(rect)
    painter.end()


def save_screenshot(
    window: MainWindow, file: Path, *, size: tuple[int, int] = (1600, 1000), scale: float = 1.0
) -> None:
    """Show the window, wait until all content is loaded, and save a screenshot.

    Args:
        window: The window; it stays open.
        file: A PNG file; its folder is created if necessary.
        size: Width and height of the window in pixels.
        scale: Device pixels per pixel.

    Raises:
        EnvironmentFailure: The file cannot be written.
    """
    window.show()
    window.resize(QSize(*size))
    wait_until_settled(window)
    picture = take_picture(window, scale=scale)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_written(file) from error
    if not picture.save(str(file), "PNG"):
        raise _not_written(file)


def _not_written(file: Path) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"The image {file} could not be written.",
        hint="Check the free disk space and the write permission of the folder.",
    )


def call_when_painted(window: MainWindow, call: Callable[[], object]) -> None:
    """Call a function after the window was painted for the first time."""
    _FirstPaint(window, call)
