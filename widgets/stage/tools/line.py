"""Base class of tools that draw a polyline by clicks: paths, polygons, measurements."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPolygonF

from annotator.commands.command import Command
from annotator.commands.regions import Point
from widgets import theme
from widgets.stage.path_painter import line_pens
from widgets.stage.tool import Pointer, ToolStage
from widgets.stage.tools.drawing import DrawingTool

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

ENDS = {Qt.Key.Key_Return, Qt.Key.Key_Enter}
STEP_BACK = Qt.Key.Key_Backspace
DOT_PX = 3.5
MOST_DOTS = 100
"""Above this number, dots are squares: 100 round ones take 2 ms, 1,000 take 30 ms (1600 x 900, two cores)."""


class LineTool(DrawingTool):
    """Draws a polyline: a click adds a point, double click or Enter ends, Backspace removes a point."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self.is_waiting = False
        self.next: Point | None = None
        self.points: list[Point] = []

    @abstractmethod
    def command(self, canvas: StageCanvas) -> Command | None:
        """Return the command that creates an annotation from the points, or None if they are invalid."""

    def press(self, at: Pointer) -> None:
        """Add a point; a click in another view or on another frame starts a new line."""
        if not self.is_here(at.canvas) or self.is_waiting:
            self.give_up()
        self.begin(at.canvas)
        self.say("", at=at)
        self.add(_rounded(at.held()), at=at)
        self.next = None
        at.canvas.update()

    def add(self, point: Point, *, at: Pointer) -> None:
        """Append a clicked point."""
        # The second click of a double click must not add a segment of length 0.
        if point not in self.points[-1:]:
            self.points.append(point)

    def move(self, at: Pointer) -> None:
        """Update the preview of the next segment."""
        if self.points and not self.is_waiting and self._is_kept(at.canvas):
            self.next = _rounded(at.held())
            self.show_hint(at)
            at.canvas.update()

    def show_hint(self, at: Pointer) -> None:
        """Show a message about the effect of a click at the pointer."""

    def double(self, at: Pointer) -> bool:
        """End the line; the first click of the double click has already added its last point."""
        self.finish()
        return True

    def key(self, canvas: StageCanvas, event: QKeyEvent) -> bool:
        """End the line with Enter; remove the last point with Backspace."""
        if not self.wants(event):
            return False
        if not self.is_here(canvas):
            self.give_up()
        elif event.key() == STEP_BACK:
            self.points.pop()
            self.notice = ""
            canvas.update()
        else:
            self.finish()
        return True

    def wants(self, event: QKeyEvent) -> bool:
        """Accept Enter and Backspace while a line is being drawn."""
        is_drawing = bool(self.points) and not self.is_waiting
        return is_drawing and Qt.Key(event.key()) in {*ENDS, STEP_BACK}

    def finish(self) -> None:
        """Emit one command for the points, or show why they are invalid."""
        if self.is_waiting or self.canvas is None:
            return
        command = self.command(self.canvas)
        if command is not None:
            self.is_waiting, self.next = True, None
            self.stage.send(command)
        # With a message displayed, the draft is kept so that the user can correct it.
        elif not self.notice:
            self.give_up()
        else:
            self.canvas.update()

    def give_up(self) -> bool:
        """Discard the line that is being drawn."""
        had = bool(self.points)
        self.points, self.next, self.is_waiting = [], None, False
        self.end()
        return had

    def settled(self) -> None:
        """Discard the draft: the annotation is displayed, or could not be created."""
        if self.is_waiting:
            self.give_up()

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the points and the segment to the pointer."""
        if not self.points or not self.is_here(canvas):
            return
        shown = [*self.points, *([self.next] if self.next is not None else [])]
        self.paint_line(painter, canvas, shown)
        paint_dots(painter, canvas, self.points)
        self.paint_notice(painter, canvas)

    def paint_line(self, painter: QPainter, canvas: StageCanvas, points: list[Point]) -> None:
        """Paint the polyline."""
        for pen in line_pens(theme.load("dark").color("accent"), ratio=canvas.ratio()):
            painter.setPen(pen)
            painter.drawPolyline(view_line(canvas, points))

    def _is_kept(self, canvas: StageCanvas) -> bool:
        """Return whether the draft is valid in a view; discard it if another frame is displayed."""
        if canvas is self.canvas and not self.is_here(canvas):
            self.give_up()
        return self.is_here(canvas)


def view_line(canvas: StageCanvas, points: list[Point] | tuple[Point, ...]) -> QPolygonF:
    """Return the positions of points in a view, device pixels."""
    positions = canvas.transform.to_view(np.array(points, np.float64).reshape(-1, 2))
    return QPolygonF([QPointF(x, y) for x, y in positions.tolist()])


def paint_dots(painter: QPainter, canvas: StageCanvas, points: list[Point] | tuple[Point, ...]) -> None:
    """Paint a dot at each visible point; many are painted as squares with a single call."""
    size = DOT_PX * canvas.ratio()
    area = QRectF(0, 0, canvas.transform.width, canvas.transform.height).adjusted(-size, -size, size, size)
    positions = [position for position in view_line(canvas, points).toList() if area.contains(position)]
    painter.setPen(line_pens(theme.load("dark").color("accent"), ratio=canvas.ratio())[1])
    painter.setBrush(Qt.GlobalColor.white)
    if len(positions) <= MOST_DOTS:
        for position in positions:
            painter.drawEllipse(position, size, size)
    else:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.drawRects([QRectF(position.x() - 1, position.y() - 1, 3, 3) for position in positions])
        painter.restore()
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _rounded(point: Point) -> Point:
    return float(round(point[0])), float(round(point[1]))
