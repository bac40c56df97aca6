"""A splitter whose parts have the widths that the user gave them, from one start to the next."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from widgets.settings import Settings

REST_PX = 2000
"""Usual width of the part that takes the rest: more than it can have."""


class KeptSplitter(QSplitter):
    """Parts side by side; one of them takes the width that the window gains or loses."""

    def __init__(
        self, parts: Sequence[QWidget], *, stretched: int, usual: Sequence[int], settings: Settings, name: str
    ) -> None:
        """Put parts side by side.

        Args:
            parts: The parts, from the left.
            stretched: Number of the part that takes the rest of the width.
            usual: Widths in pixels until the user moves a border.
            settings: Remembers the widths.
            name: Name of the widths in the settings.
        """
        super().__init__(Qt.Orientation.Horizontal)
        self.kept, self._name = settings, name
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        for at, part in enumerate(parts):
            self.addWidget(part)
            self.setStretchFactor(at, int(at == stretched))
        widths = settings.sizes(name)
        self.setSizes(widths if len(widths) == len(parts) else list(usual))
        self.splitterMoved.connect(self._on_moved)

    def _on_moved(self, _place: int, _handle: int) -> None:
        # A part that is hidden has no width to remember.
        if all(self.sizes()):
            self.kept.keep(self._name, self.sizes())
