"""Geometry and painting that dials share: angles are clockwise from the top."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from widgets import theme
from widgets.answers.dial import SIDE_PX

CENTRE = QPointF(SIDE_PX / 2, SIDE_PX / 2)
"""Centre of a round dial."""


def point_at(angle_deg: float, *, centre: QPointF, radius: float) -> QPointF:
    """Return the point at an angle, clockwise from the top, and a distance from a centre."""
    angle = math.radians(angle_deg)
    return centre + QPointF(radius * math.sin(angle), -radius * math.cos(angle))


def angle_at(at: QPointF, *, centre: QPointF) -> float | None:
    """Return the angle of a point around a centre, None at the centre.

    Returns:
        0 to 360 degrees, clockwise from the top.
    """
    away = at - centre
    if away.manhattanLength() < 1:
        return None
    return math.degrees(math.atan2(away.x(), -away.y())) % 360


def square(centre: QPointF, side: float) -> QRectF:
    """Return the square around a point."""
    return QRectF(centre.x() - side / 2, centre.y() - side / 2, side, side)


def paint_rim(painter: QPainter, *, centre: QPointF, radius: float, is_focused: bool) -> None:
    """Paint the circle of a dial."""
    tokens = theme.current()
    painter.setPen(QPen(tokens.color("focus" if is_focused else "line"), 2 if is_focused else 1))
    painter.setBrush(tokens.color("raised"))
    painter.drawEllipse(centre, radius, radius)


def paint_camera(painter: QPainter, *, at: QPointF, angle_deg: float, colour: QColor) -> None:
    """Paint an arrowhead that stands for a camera and points in its direction."""
    painter.save()
    painter.translate(at)
    painter.rotate(angle_deg)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(QPolygonF([QPointF(0, -9), QPointF(6, 7), QPointF(0, 4), QPointF(-6, 7)]))
    painter.restore()
