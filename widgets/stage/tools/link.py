"""The link tool: regions of different views are the same thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from annotator.commands.regions import LinkRegions
from annotator.domain.region import Region
from widgets import theme
from widgets.stage.overlay_painter import line_pens
from widgets.stage.text_badges import paint_badge
from widgets.stage.tools.draft_boxes import POINT_PX, paint_draft
from widgets.stage.tools.tool import Pointer, Tool, ToolStage
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

AROUND_PX = 4
"""Between a region and the frame that says it is linked already."""


class LinkTool(Tool):
    """Links regions: click one, then the same thing in the other views, or pull a line to it."""

    id = "link"
    cursor = Qt.CursorShape.PointingHandCursor

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self.first: Region | None = None
        self._canvas: StageCanvas | None = None
        self._pointer: QPoint | None = None

    def press(self, at: Pointer) -> None:
        """Take the region here, or link it with the one that was taken in another view."""
        if self._taken() is None:
            self.give_up()
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
        """Draw the line to the pointer, across the views; show what is linked with what is under it."""
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

    def linked(self) -> frozenset[str]:
        """Return the ids of what is linked with the region that was taken, else the one under the pointer."""
        hovered = next((one.hovered for one in self.stage.canvases if one.hovered is not None), None)
        region = self.first or hovered
        if region is None or self.stage.shown is None:
            return frozenset()
        links = (link.regions for link in self.stage.shown.marks.links if link.kind == "same")
        return frozenset(one for link in links if region.id in link for one in link if one != region.id)

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the region that was taken, what it is linked with already, and the line to the pointer."""
        for region_id in self.linked():
            if (region := canvas.marks.region(region_id)) is not None:
                _paint_linked(painter, canvas, region)
        first = self._taken()
        if first is None or self._canvas is None:
            return
        ratio = canvas.ratio()
        if canvas is self._canvas:
            paint_draft(painter, _around(canvas, first), ratio=ratio)
        if self._pointer is None:
            return
        rect = self._canvas.region_rect(first)
        middle = (rect.center() / self._canvas.ratio()).toPoint()
        begin = canvas.mapFromGlobal(self._canvas.mapToGlobal(middle))
        end = canvas.mapFromGlobal(self._pointer)
        for pen in line_pens(theme.load("dark").color("accent"), ratio=ratio):
            painter.setPen(pen)
            painter.drawLine(QPointF(begin) * ratio, QPointF(end) * ratio)

    def _taken(self) -> Region | None:
        """Return the region that was taken, as long as its view shows it: another frame has others."""
        if self.first is None or self._canvas is None:
            return None
        return self._canvas.marks.region(self.first.id)

    def _link(self, region: Region) -> None:
        if self.first is None:
            return
        self._pointer = None
        is_linked = region.id in self.linked()
        self.stage.select([self.first.id, region.id])
        if not is_linked:
            self.stage.send(LinkRegions(scene=self.stage.scene, regions=(self.first.id, region.id)))

    def _show_pointer(self, at: Pointer) -> None:
        self._pointer = at.canvas.mapToGlobal(at.view) if self.first is not None else None
        for canvas in self.stage.canvases:
            canvas.update()


def _around(canvas: StageCanvas, region: Region) -> QRectF:
    """Return the frame around a region, of a point the square around its ring; device pixels."""
    least = (POINT_PX if region.is_point else 0.0) * canvas.ratio()
    return canvas.region_rect(region).adjusted(-least, -least, least, least)


def _paint_linked(painter: QPainter, canvas: StageCanvas, region: Region) -> None:
    ratio, tokens = canvas.ratio(), theme.load("dark")
    around = AROUND_PX * ratio
    rect = _around(canvas, region).adjusted(-around, -around, around, around)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, style, width in (
        (tokens.color("bg"), Qt.PenStyle.SolidLine, 3.4),
        (tokens.color("accent"), Qt.PenStyle.DashLine, 1.4),
    ):
        painter.setPen(QPen(colour, width * ratio, style))
        painter.drawRect(rect)
    y = min(round(rect.bottom() + 3 * ratio), canvas.lens.height - round(14 * ratio))
    paint_badge(painter, tr("linked"), x=max(0, round(rect.left())), y=max(0, y), ratio=ratio)
