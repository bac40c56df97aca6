"""A splitter that stores the widths of its parts between starts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from widgets.settings import Settings

REST_PX = 2000
"""Default width of the stretched part, px: larger than any window."""


class KeptSplitter(QSplitter):
    """Parts side by side; one of them stretches with the window."""

    def __init__(
        self,
        parts: Sequence[QWidget],
        *,
        stretched: int,
        usual: Sequence[int],
        settings: Settings,
        name: str,
        parent: QWidget | None = None,
    ) -> None:
        """Create the splitter.

        Args:
            parts: The parts, from left to right.
            stretched: Index of the part that stretches.
            usual: Default widths in pixels.
            settings: Stores the widths.
            name: Key of the widths in the settings.
            parent: What the splitter will be a part of, so that its own parts are restyled once less.
        """
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.kept, self._name = settings, name
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        for at, part in enumerate(parts):
            self.addWidget(part)
            self.setStretchFactor(at, int(at == stretched))
        widths = settings.sizes(name)
        # An older version may have stored widths for another number of parts.
        self.setSizes(widths if len(widths) == len(parts) else list(usual))
        self.splitterMoved.connect(self._on_moved)

    def _on_moved(self, _index: int, _handle: int) -> None:
        # A hidden part has width 0, which must not be stored.
        if all(self.sizes()):
            self.kept.keep(self._name, self.sizes())
