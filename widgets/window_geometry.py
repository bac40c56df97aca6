"""Stores the geometry of the window between starts."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from widgets.settings import Settings

USUAL = QSize(1600, 1000)
FRAME_PX = 48
"""Height of the system's window frame, px."""
_NAME = "window/geometry"


def restore_geometry(window: QWidget, settings: Settings) -> None:
    """Restore the geometry of a window; the default size if none is stored."""
    position = settings.data(_NAME)
    if position.isEmpty() or not window.restoreGeometry(position):
        screen = QGuiApplication.primaryScreen().availableGeometry().size() - QSize(0, FRAME_PX)
        window.resize(USUAL.boundedTo(screen))


def save_geometry(window: QWidget, settings: Settings) -> None:
    """Store the geometry of a window."""
    settings.keep(_NAME, window.saveGeometry())
    settings.sync()
