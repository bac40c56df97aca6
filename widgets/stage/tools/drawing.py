"""Base class of drawing tools: a draft belongs to one view and, for a video, to one frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtGui import QPainter

from widgets.stage.text_badges import badge_size, paint_badge
from widgets.stage.tool import Pointer, Tool, ToolStage
from widgets.translation import mark

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

BESIDE_PX = 14
"""Distance from the pointer to the message beside it."""
FORGOTTEN_PX = 40
"""A message about what was refused is shown until the pointer is so far away from there."""
OUTSIDE = mark("Draw inside the image")


class DrawingTool(Tool):
    """A tool with a draft, and with a message beside the pointer why an operation is not possible."""

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self.canvas: StageCanvas | None = None
        self.notice = ""
        self._frame: int | None = None
        self._pointer = QPoint()

    def begin(self, canvas: StageCanvas) -> None:
        """Bind the draft to a view and its displayed frame."""
        self.canvas, self._frame = canvas, canvas.frame
        self.notice = ""

    def is_here(self, canvas: StageCanvas) -> bool:
        """Return whether the draft belongs to what a view displays; another frame is another image."""
        return canvas is self.canvas and canvas.frame == self._frame

    def end(self) -> None:
        """Release the view, which repaints without the draft."""
        canvas, self.canvas, self.notice = self.canvas, None, ""
        if canvas is not None:
            canvas.update()

    def say(self, text: str, *, at: Pointer) -> None:
        """Show a message beside the pointer or ""."""
        self.notice, self._pointer = text, at.view

    def refuse(self, text: str, *, at: Pointer) -> None:
        """Discard the draft, and show beside the pointer why it is refused."""
        self.give_up()
        self.begin(at.canvas)
        self.say(text, at=at)
        at.canvas.update()

    def forget_refusal(self, at: Pointer) -> None:
        """Remove the message about a refused draft when the pointer has left its place."""
        if self.notice and (at.view - self._pointer).manhattanLength() > FORGOTTEN_PX:
            self.end()

    def paint_notice(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the message beside the pointer."""
        if self.notice:
            paint_beside(painter, canvas, self.notice, at=self._pointer)


def paint_beside(painter: QPainter, canvas: StageCanvas, text: str, *, at: QPoint) -> None:
    """Paint a text badge beside a point, clamped to the view.

    Args:
        painter: Painter with device pixels as unit.
        canvas: The view.
        text: The text.
        at: Point in the widget, device-independent pixels.
    """
    ratio = canvas.ratio()
    width, height = badge_size(text, ratio=ratio)
    x = min(round((at.x() + BESIDE_PX) * ratio), canvas.transform.width - width)
    y = min(round((at.y() + BESIDE_PX) * ratio), canvas.transform.height - height)
    paint_badge(painter, text, x=max(0, x), y=max(0, y), ratio=ratio)
