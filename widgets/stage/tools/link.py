"""The link tool: two regions of different views are the same thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QPainter, QPen

from annotator.commands.regions import LinkRegions
from annotator.domain.region import Region
from widgets import theme
from widgets.stage.tools.drafts import paint_draft
from widgets.stage.tools.tool import Pointer, Tool, ToolStage

if TYPE_CHECKING:
    from widgets.stage.canvas import Canvas


class LinkTool(Tool):
    """Links regions: click one, then the same thing in the other views, or pull a line to it."""

    id = "link"
    cursor = Qt.CursorShape.PointingHandCursor

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self.first: Region | None = None
        self._canvas: Canvas | None = None
        self._pointer: QPoint | None = None

    def press(self, at: Pointer) -> None:
        """Take the region here, or link it with the one that was taken in another view."""
        region = at.canvas.marks.region_at(at.x, at.y, reach=at.canvas.reach())
        if region is None:
            self.give_up()
        elif self.first is None or self.first.medium == region.medium:
            self.first, self._canvas = region, at.canvas
            self.stage.select([region.id])
        else:
            self._link(region)
        self._show_pointer(at)

    def move(self, at: Pointer) -> None:
        """Draw the line to the pointer, across the views."""
        if self.first is not None:
            self._show_pointer(at)

    def release(self, at: Pointer) -> None:
        """Link with the region under the pointer, where it was pulled into another view."""
        where = at.canvas.mapToGlobal(at.view)
        canvas = self.stage.canvas_at(where)
        if canvas is None or canvas is self._canvas or self.first is None or at.canvas is not self._canvas:
            return
        x, y = canvas.image_point(canvas.mapFromGlobal(where))
        if (region := canvas.marks.region_at(x, y, reach=canvas.reach())) is not None:
            self._link(region)

    def double(self, at: Pointer) -> bool:
        """Take the double click of somebody who clicks quickly from region to region."""
        return at.canvas.hovered is not None

    def give_up(self) -> bool:
        """Let the first region go."""
        had = self.first is not None
        self.first = self._canvas = self._pointer = None
        for canvas in self.stage.canvases:
            canvas.update()
        return had

    def paint(self, painter: QPainter, canvas: Canvas) -> None:
        """Paint the region that was taken, and the line from it to the pointer."""
        if self.first is None or self._canvas is None:
            return
        ratio = canvas.ratio()
        if canvas is self._canvas:
            paint_draft(painter, canvas.region_rect(self.first), ratio=ratio)
        if self._pointer is None:
            return
        rect = self._canvas.region_rect(self.first)
        middle = (rect.center() / self._canvas.ratio()).toPoint()
        begin = canvas.mapFromGlobal(self._canvas.mapToGlobal(middle))
        end = canvas.mapFromGlobal(self._pointer)
        for colour, width in (
            (theme.load("dark").color("bg"), 3.4),
            (theme.load("dark").color("accent"), 1.4),
        ):
            painter.setPen(QPen(colour, width * ratio))
            painter.drawLine(QPointF(begin) * ratio, QPointF(end) * ratio)

    def _link(self, region: Region) -> None:
        if self.first is None:
            return
        self._pointer = None
        self.stage.select([self.first.id, region.id])
        self.stage.send(LinkRegions(scene=self.stage.scene, regions=(self.first.id, region.id)))

    def _show_pointer(self, at: Pointer) -> None:
        self._pointer = at.canvas.mapToGlobal(at.view) if self.first is not None else None
        for canvas in self.stage.canvases:
            canvas.update()
