"""The rubber band: a rectangle that is drawn over free space to select what is inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPen

from annotator.domain.region import Box
from widgets import theme
from widgets.stage.tool import Pointer
from widgets.stage.tools.draft_boxes import box_between, box_rect

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

FILL_ALPHA = 40


class RubberBand:
    """The rubber band of the select tool.

    Attributes:
        box: The rectangle, image pixels; None while none is drawn.
    """

    def __init__(self) -> None:
        self.box: Box | None = None

    def stretch(self, begin: Pointer, at: Pointer) -> None:
        """Draw it from where the drag began to the pointer."""
        self.box = box_between(begin.held(), at.held())
        at.canvas.update()

    def take(self, canvas: StageCanvas) -> list[str]:
        """Remove it, and return the ids of the shown regions that are inside."""
        box, self.box = self.box, None
        canvas.update()
        return [one for one in canvas.marks.regions_in(box) if one not in canvas.left_out] if box else []

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint it in the view in which it is drawn; the painter's unit is the device pixel."""
        if self.box is None:
            return
        accent = theme.current().color("accent")
        painter.setPen(QPen(accent, canvas.ratio()))
        accent.setAlpha(FILL_ALPHA)
        painter.setBrush(accent)
        painter.drawRect(box_rect(canvas, self.box))
        painter.setBrush(Qt.BrushStyle.NoBrush)
