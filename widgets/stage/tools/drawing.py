"""What tools that draw have in common: a draft belongs to one view, of a film to one frame of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtGui import QPainter

from widgets.stage.text_badges import badge_size, paint_badge
from widgets.stage.tools.tool import Pointer, Tool, ToolStage

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

BESIDE_PX = 14
"""From the pointer to words beside it."""


class DrawingTool(Tool):
    """A tool with a draft, and with words beside the pointer that say why something cannot be."""

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self.canvas: StageCanvas | None = None
        self.notice = ""
        self._frame: int | None = None
        self._pointer = QPoint()

    def begin(self, canvas: StageCanvas) -> None:
        """Let the draft belong to a view, and to the frame that it shows."""
        self.canvas, self._frame = canvas, canvas.frame
        self.notice = ""

    def is_here(self, canvas: StageCanvas) -> bool:
        """Tell whether the draft belongs to what a view shows: another frame is another picture."""
        return canvas is self.canvas and canvas.frame == self._frame

    def end(self) -> None:
        """Let the view go, which paints what is there now."""
        canvas, self.canvas, self.notice = self.canvas, None, ""
        if canvas is not None:
            canvas.update()

    def say(self, words: str, *, at: Pointer) -> None:
        """Write beside the pointer, "" for nothing."""
        self.notice, self._pointer = words, at.view

    def paint_notice(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the words beside the pointer."""
        if self.notice:
            paint_beside(painter, canvas, self.notice, at=self._pointer)


def paint_beside(painter: QPainter, canvas: StageCanvas, text: str, *, at: QPoint) -> None:
    """Write on a plate beside a point of a view, inside of the view.

    Args:
        painter: Counts device pixels.
        canvas: The view.
        text: The words.
        at: Point of the widget.
    """
    ratio = canvas.ratio()
    width, height = badge_size(text, ratio=ratio)
    x = min(round((at.x() + BESIDE_PX) * ratio), canvas.lens.width - width)
    y = min(round((at.y() + BESIDE_PX) * ratio), canvas.lens.height - height)
    paint_badge(painter, text, x=max(0, x), y=max(0, y), ratio=ratio)
