"""The point tool: a place without any extent, such as the corner of a roof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter

from annotator.commands.regions import AddRegion
from annotator.domain.region import Box
from widgets.stage.tools.draft_boxes import paint_point
from widgets.stage.tools.drawing import DrawingTool
from widgets.stage.tools.tool import Pointer, ToolStage

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

DIGITS = 1
"""A tenth of a pixel: as finely as one can point in an enlarged picture."""


class PointTool(DrawingTool):
    """Sets points: press, pull it to where it belongs, release."""

    id = "point"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self.draft: Box | None = None
        self.is_waiting = False

    def press(self, at: Pointer) -> None:
        """Begin with the point here."""
        self.begin(at.canvas)
        self.is_waiting = False
        self._follow(at)

    def move(self, at: Pointer) -> None:
        """Pull the point along."""
        if self.draft is not None and not self.is_waiting and self.is_here(at.canvas):
            self._follow(at)

    def release(self, at: Pointer) -> None:
        """Make a region of the point."""
        if self.draft is None or self.is_waiting:
            return
        if not self.is_here(at.canvas):
            self.give_up()
            return
        self._follow(at)
        self.is_waiting = True
        command = AddRegion(medium=at.canvas.medium, box=self.draft, frame=at.canvas.frame)
        self.stage.select([command.id])
        self.stage.send(command)

    def double(self, at: Pointer) -> bool:
        """Take a double click: it sets one point, and makes no view large."""
        return True

    def give_up(self) -> bool:
        """Drop the point."""
        had = self.draft is not None
        self.draft, self.is_waiting = None, False
        self.end()
        return had

    def settled(self) -> None:
        """Drop the draft once the point is there, or could not be made."""
        if self.is_waiting:
            self.give_up()

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the point."""
        if self.draft is not None and self.is_here(canvas):
            paint_point(painter, canvas, self.draft)

    def _follow(self, at: Pointer) -> None:
        x, y = (round(value, DIGITS) for value in at.held())
        self.draft = Box(x1=x, y1=y, x2=x, y2=y)
        at.canvas.update()
