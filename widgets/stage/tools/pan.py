"""The tool of a read-only stage: pans the image, and selects annotations for display."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QPoint, Qt

from widgets.stage.tool import Pointer, Tool, ToolStage

SLIP_PX = 3
"""A press that moves less is a click, device-independent pixels."""


class PanTool(Tool):
    """Replaces the select tool on a read-only stage: pans with the left button, selects with a click."""

    id: ClassVar[str] = "select"

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self._begin: QPoint | None = None
        self._last: QPoint | None = None

    def press(self, at: Pointer) -> None:
        """Begin a pan or a click."""
        self._begin, self._last = at.view, None

    def move(self, at: Pointer) -> None:
        """Pan the image."""
        if self._begin is None or not at.is_down:
            return
        if self._last is None and (at.view - self._begin).manhattanLength() < SLIP_PX:
            return
        at.canvas.setCursor(Qt.CursorShape.ClosedHandCursor)
        pulled, ratio = at.view - (self._last or self._begin), at.canvas.ratio()
        self._last = at.view
        at.canvas.change_transform(at.canvas.transform.panned(pulled.x() * ratio, pulled.y() * ratio))

    def release(self, at: Pointer) -> None:
        """End the pan; a click selects what is under the pointer, or clears the selection."""
        if self._begin is not None and self._last is None:
            self.choose(at)
        self._begin = self._last = None
        at.canvas.show_cursor()

    def give_up(self) -> bool:
        """Cancel the pan."""
        was_pulling = self._last is not None
        self._begin = self._last = None
        return was_pulling

    def choose(self, at: Pointer) -> None:
        """Select what is under the pointer, or clear the selection."""
        region = at.canvas.region_at(at.x, at.y)
        found = region or at.canvas.marks.path_at(at.x, at.y, reach=2 * at.canvas.reach())
        if found is None:
            self.stage.select([])
        elif not at.is_adding:
            self.stage.select([found.id])
        elif found.id in self.stage.selected:
            self.stage.select(tuple(one for one in self.stage.selected if one != found.id))
        else:
            self.stage.select((*self.stage.selected, found.id))
