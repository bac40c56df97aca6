"""Cross cursors: mark the pointer's corresponding point in the other views."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from widgets import theme
from widgets.stage.canvas import StageCanvas
from widgets.stage.correspondences import CorrespondingPoint

SIDE_PX = 25
ARM_PX, OPEN_PX = 11.0, 3.5
"""Outer and inner end of the arms, from the centre: the marked pixel stays visible."""


class CrossCursor(QWidget):
    """The cross cursor of one view; transparent for mouse events."""

    def __init__(self, canvas: StageCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._beside = (0.0, 0.0)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.resize(QSize(SIDE_PX, SIDE_PX))

    def point_at(self, point: CorrespondingPoint) -> None:
        """Move to an image point; hide if the point is outside the view."""
        ratio = self._canvas.ratio()
        x, y = (value / ratio for value in self._canvas.view_point(point.x, point.y))
        self.setVisible(0 <= x <= self._canvas.width() and 0 <= y <= self._canvas.height())
        corner = QPoint(round(x - SIDE_PX / 2), round(y - SIDE_PX / 2))
        # Widgets lie on whole pixels; the rest of the way is painted.
        self._beside = x - corner.x(), y - corner.y()
        self.move(corner)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cross with its halo; the centre stays free."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(*self._beside)
        # The dark theme's, as for pins: the brightness of an image does not follow the theme.
        for colour, width in (("bg", 3.0), ("text", 1.2)):
            painter.setPen(QPen(theme.load("dark").color(colour), width))
            for _ in range(4):
                painter.drawLine(QPointF(OPEN_PX, 0), QPointF(ARM_PX, 0))
                painter.rotate(90)


class CrossCursors:
    """The cross cursors of all views except the one with the pointer."""

    def __init__(self) -> None:
        self.crosses: dict[StageCanvas, CrossCursor] = {}

    def place(self, positions: Mapping[StageCanvas, CorrespondingPoint]) -> None:
        """Move cross cursors to corresponding points, and hide all others.

        Args:
            positions: Points that correspond to the pointer. Guesses by relative position are ignored,
                because a cross claims to mark the exact point.
        """
        known = {canvas: point for canvas, point in positions.items() if point.by in {"link", "ground"}}
        for canvas in [one for one in self.crosses if one not in known]:
            cross = self.crosses.pop(canvas)
            # At once: ``deleteLater`` waits for the event loop.
            cross.hide()
            cross.deleteLater()
        for canvas, point in known.items():
            if canvas not in self.crosses:
                self.crosses[canvas] = CrossCursor(canvas)
            self.crosses[canvas].point_at(point)
