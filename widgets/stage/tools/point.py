"""The point tool: marks a position without extent, such as the corner of a roof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter

from annotator.commands.regions import AddRegion
from annotator.domain.region import Box
from widgets.stage.tool import Pointer, ToolStage
from widgets.stage.tools.draft_boxes import paint_point
from widgets.stage.tools.drawing import OUTSIDE, DrawingTool
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

DIGITS = 1
"""Decimal places: a tenth of a pixel is the precision of pointing in an enlarged image."""


class PointTool(DrawingTool):
    """Sets points: press, drag to the position, release."""

    id = "point"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self.draft: Box | None = None
        self.is_waiting = False

    def press(self, at: Pointer) -> None:
        """Start a point at the pointer."""
        if not at.is_inside:
            self.refuse(tr(OUTSIDE), at=at)
            return
        self.begin(at.canvas)
        self.is_waiting = False
        self._follow(at)

    def move(self, at: Pointer) -> None:
        """Move the point."""
        if self.draft is not None and not self.is_waiting and self.is_here(at.canvas):
            self._follow(at)
        elif self.draft is None:
            self.forget_refusal(at)

    def release(self, at: Pointer) -> None:
        """Create a region from the point."""
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
        """Accept a double click: it sets one point and must not enlarge the view."""
        return True

    def give_up(self) -> bool:
        """Discard the point."""
        had = self.draft is not None
        self.draft, self.is_waiting = None, False
        self.end()
        return had

    def settled(self) -> None:
        """Discard the draft: the point is displayed, or could not be created."""
        if self.is_waiting:
            self.give_up()

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the point, or why none was set."""
        if self.draft is not None and self.is_here(canvas):
            paint_point(painter, canvas, self.draft)
        elif self.is_here(canvas):
            self.paint_notice(painter, canvas)

    def _follow(self, at: Pointer) -> None:
        x, y = (round(value, DIGITS) for value in at.held())
        self.draft = Box(x1=x, y1=y, x2=x, y2=y)
        at.canvas.update()
