"""The numbered arrows of a path-planning picture, from right to left."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from annotator.domain.answers.direction_label import ARROW_COUNT
from widgets import theme
from widgets.answers.choice_dial import ChoiceDial
from widgets.answers.dial_geometry import angle_at, point_at, square
from widgets.translation import tr

WIDTH_PX, HEIGHT_PX = 204, 116
ARROW_PX, NUMBER_PX, SPOT_PX = 70, 90, 11
"""Distances of the tips and the numbers from the start of the arrows; radius of the spot of a number."""
INNER_PX, HEAD_PX = 18, 9
STEP_DEG = 180 / ARROW_COUNT
_START = QPointF(WIDTH_PX / 2, HEIGHT_PX - 10)


class DirectionFan(ChoiceDial):
    """Six arrows over half a circle.

    Source: SpatialUAV, gen_path_planning_arrows.py: 15, 45 … 165 degrees from the right edge.
    """

    def __init__(self) -> None:
        super().__init__(tr("Direction label"), count=ARROW_COUNT)

    def sizeHint(self) -> QSize:
        """Return the size."""
        return QSize(WIDTH_PX, HEIGHT_PX)

    def value_at(self, at: QPointF, _held: Qt.KeyboardModifier, /) -> float | None:
        """Return the arrow nearest to a point, None below the arrows."""
        angle = angle_at(at, centre=_START)
        if angle is None or 90 < angle < 270:
            return None
        # Clockwise from the top, -90 to 90, becomes counter-clockwise from the right.
        from_right = 90 - (angle if angle <= 90 else angle - 360)
        return min(int(from_right // STEP_DEG) + 1, ARROW_COUNT)

    def paint(self, painter: QPainter) -> None:
        """Paint the arrows with their numbers."""
        for arrow in range(1, ARROW_COUNT + 1):
            self._paint_arrow(painter, arrow, angle_deg=90 - (arrow - 0.5) * STEP_DEG)
        if self.hasFocus():
            painter.setPen(QPen(theme.current().color("focus"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)

    def _paint_arrow(self, painter: QPainter, arrow: int, *, angle_deg: float) -> None:
        tokens, is_chosen = theme.current(), arrow == self.value
        colour = tokens.color("accent" if is_chosen else "text_dim")
        tip = point_at(angle_deg, centre=_START, radius=ARROW_PX)
        painter.setPen(QPen(colour, 2))
        painter.drawLine(point_at(angle_deg, centre=_START, radius=INNER_PX), tip)
        painter.setBrush(colour)
        painter.setPen(Qt.PenStyle.NoPen)
        sides = [point_at(angle_deg + turn, centre=tip, radius=HEAD_PX) for turn in (155, 205)]
        painter.drawPolygon(QPolygonF([tip, *sides]))
        position = point_at(angle_deg, centre=_START, radius=NUMBER_PX)
        if is_chosen:
            painter.setBrush(tokens.color("accent"))
            painter.drawEllipse(position, SPOT_PX, SPOT_PX)
        painter.setPen(tokens.color("on_accent" if is_chosen else "text"))
        painter.drawText(square(position, 2 * SPOT_PX), Qt.AlignmentFlag.AlignCenter, str(arrow))
