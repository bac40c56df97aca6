"""The box tool: press, pull, release, and there is a region."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter

from annotator.commands.regions import AddRegion
from annotator.domain.region import Box
from widgets.stage.text_badges import badge_size, paint_badge
from widgets.stage.tools.draft_boxes import box_between, box_rect, paint_draft
from widgets.stage.tools.drawing import DrawingTool
from widgets.stage.tools.tool import Pointer, ToolStage

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

SMALLEST_PX = 3.0
"""A smaller pull, in pixels of the window, is a slip of the hand."""


class BoxTool(DrawingTool):
    """Draws new regions."""

    id = "box"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self._begin = (0.0, 0.0)
        self._is_drawing = False
        self.draft: Box | None = None

    def press(self, at: Pointer) -> None:
        """Begin at this corner."""
        self.begin(at.canvas)
        self._begin, self._is_drawing = at.held(), True
        self.draft = None

    def move(self, at: Pointer) -> None:
        """Pull the other corner."""
        if self._is_drawing and self.is_here(at.canvas):
            self.draft = box_between(self._begin, at.held())
            at.canvas.update()

    def release(self, at: Pointer) -> None:
        """Make a region of the box."""
        if not self._is_drawing:
            return
        self._is_drawing = False
        box = box_between(self._begin, at.held())
        least = SMALLEST_PX * at.canvas.ratio() / at.canvas.lens.zoom
        if not self.is_here(at.canvas) or min(box.x2 - box.x1, box.y2 - box.y1) < max(1.0, least):
            self.give_up()
            return
        self.draft = box
        command = AddRegion(medium=at.canvas.medium, box=box, frame=at.canvas.frame)
        self.stage.select([command.id])
        self.stage.send(command)

    def give_up(self) -> bool:
        """Drop the box that is being drawn."""
        had = self._is_drawing or self.draft is not None
        self.draft, self._is_drawing = None, False
        self.end()
        return had

    def settled(self) -> None:
        """Drop the box: the region is there, or could not be made."""
        if not self._is_drawing:
            self.give_up()

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the box that is being drawn with its size."""
        if self.draft is None or not self.is_here(canvas):
            return
        ratio, rect = canvas.ratio(), box_rect(canvas, self.draft)
        paint_draft(painter, rect, ratio=ratio)
        if self._is_drawing:
            text = f"{self.draft.x2 - self.draft.x1:.0f} × {self.draft.y2 - self.draft.y1:.0f}"
            width, height = badge_size(text, ratio=ratio)
            x = min(round(rect.right() + 4 * ratio), canvas.lens.width - width)
            y = min(round(rect.bottom() + 4 * ratio), canvas.lens.height - height)
            paint_badge(painter, text, x=x, y=y, ratio=ratio)
