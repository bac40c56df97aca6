"""The path tool: a way through a picture, click by click."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPolygonF

from annotator.commands.regions import AddPath, Point
from widgets import theme
from widgets.stage.overlay import line_pens
from widgets.stage.tools.tool import Pointer, Tool, ToolStage

if TYPE_CHECKING:
    from widgets.stage.canvas import Canvas

ENDS = {Qt.Key.Key_Return, Qt.Key.Key_Enter}
STEP_BACK = Qt.Key.Key_Backspace
DOT_PX = 3.5


class PathTool(Tool):
    """Draws paths: each click is a point, a double click or Enter the end, Backspace takes a point back."""

    id = "path"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self._canvas: Canvas | None = None
        self._is_waiting = False
        self._next: Point | None = None
        self.points: list[Point] = []

    def press(self, at: Pointer) -> None:
        """Add a point; a click in another view begins there."""
        if at.canvas is not self._canvas or self._is_waiting:
            self.give_up()
        self._canvas = at.canvas
        self.points.append(_rounded(at.held()))
        self._next = None
        at.canvas.update()

    def move(self, at: Pointer) -> None:
        """Show where the next stretch would lead."""
        if self.points and at.canvas is self._canvas and not self._is_waiting:
            self._next = _rounded(at.held())
            at.canvas.update()

    def double(self, at: Pointer) -> bool:
        """End the path: the first of the two clicks set its last point."""
        self._end()
        return True

    def key(self, canvas: Canvas, event: QKeyEvent) -> bool:
        """End the path at Enter; take a point back at Backspace."""
        if not self.wants(event):
            return False
        if event.key() == STEP_BACK:
            self.points.pop()
            if self._canvas is not None:
                self._canvas.update()
        else:
            self._end()
        return True

    def wants(self, event: QKeyEvent) -> bool:
        """Take Enter and Backspace while a path is being drawn."""
        return bool(self.points) and Qt.Key(event.key()) in {*ENDS, STEP_BACK}

    def give_up(self) -> bool:
        """Drop the path that is being drawn."""
        had = bool(self.points)
        canvas, self._canvas, self._next, self._is_waiting = self._canvas, None, None, False
        self.points = []
        if canvas is not None:
            canvas.update()
        return had

    def settled(self) -> None:
        """Drop the draft once the path is there, or could not be made."""
        if self._is_waiting:
            self.give_up()

    def paint(self, painter: QPainter, canvas: Canvas) -> None:
        """Paint the points so far, and the stretch to the pointer."""
        if canvas is not self._canvas or not self.points:
            return
        ratio = canvas.ratio()
        shown = [*self.points, *([self._next] if self._next is not None else [])]
        line = [QPointF(x, y) for x, y in canvas.lens.to_view(np.array(shown, np.float64)).tolist()]
        for pen in line_pens(theme.load("dark").color("accent"), ratio=ratio):
            painter.setPen(pen)
            painter.drawPolyline(QPolygonF(line))
        painter.setBrush(Qt.GlobalColor.white)
        for point in line[: len(self.points)]:
            painter.drawEllipse(point, DOT_PX * ratio, DOT_PX * ratio)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _end(self) -> None:
        points = tuple(point for point, _ in groupby(self.points))
        if self._canvas is None or len(points) < 2:
            self.give_up()
            return
        self._is_waiting, self._next = True, None
        self.stage.send(AddPath(medium=self._canvas.medium, points=points, frame=self._canvas.frame))


def _rounded(point: Point) -> Point:
    return float(round(point[0])), float(round(point[1]))
