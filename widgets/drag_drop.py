"""Helper for files and folders that are dropped on the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QDropEvent


def dropped_paths(event: QDropEvent) -> tuple[Path, ...]:
    """Return the local files and folders of a drop."""
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return tuple(path for path in paths if path.exists())
