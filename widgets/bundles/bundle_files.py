"""Bundles among dropped files, and their drop on the window."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from widgets.drag_drop import dropped_paths

SUFFIX = ".bundle"


def are_bundles(paths: Sequence[Path]) -> bool:
    """Return whether paths are bundles by their names, and at least one."""
    return bool(paths) and all(path.suffix.lower() == SUFFIX and path.is_file() for path in paths)


def typed_path(text: str) -> Path:
    """Return the path that somebody typed; ``~`` is the home folder, where there is such a person."""
    path = Path(text.strip())
    # For "~somebody" without a home folder, there is no other path than the text.
    with suppress(RuntimeError):
        return path.expanduser()
    return path


class BundleDrop(QObject):
    """Takes bundles that are dropped anywhere on a window, where no widget takes the drop itself.

    Signals:
        dropped: Emitted with the paths of the bundles.
    """

    dropped = Signal(object)

    def __init__(self, window: QWidget, *, parent: QObject) -> None:
        """Watch a window.

        Args:
            window: The window.
            parent: Qt object that it is deleted with, when the project is closed.
        """
        super().__init__(parent)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept the drag of bundles, and emit ``dropped`` for their drop."""
        # A drag that enters or moves is of this class, too: Qt offers no drop unless it is accepted.
        if isinstance(event, QDropEvent) and are_bundles(dropped_paths(event)):
            event.acceptProposedAction()
            if event.type() == QEvent.Type.Drop:
                self.dropped.emit(dropped_paths(event))
            return True
        return super().eventFilter(watched, event)
