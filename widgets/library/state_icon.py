"""Icons of the states of items and of the annotation of scenes: shapes, as colour is not the only sign."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QPolygonF

from widgets import theme

GLYPH_PX = 12
STATE_TOKENS = {
    "drafted": "text_dim",
    "filtered": "text_dim",
    "in_refinement": "warn",
    "refined": "accent",
    "flagged": "bad",
    "accepted": "good",
    "rejected": "text_dim",
    "to_do": "text_dim",
    "open": "warn",
    "finished": "good",
}
"""Colour token of a state's icon; its shape has the same meaning."""


def paint_state(painter: QPainter, state: str, *, at: QPoint) -> None:
    """Paint the icon of a state with its top left corner at a point."""
    painter.drawPixmap(at, _glyph(state, theme.current().name, painter.device().devicePixelRatioF()))


@cache
def _glyph(state: str, theme_name: str, ratio: float) -> QPixmap:
    # Cached as images: drawing the circles takes a third of the time of a screen of rows.
    picture = QPixmap(round(GLYPH_PX * ratio), round(GLYPH_PX * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    ink = theme.load(theme_name).color(STATE_TOKENS.get(state, "text_dim"))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(ink, 1.5))
    _GLYPHS.get(state, _paint_ring)(painter, QRectF(1, 1, GLYPH_PX - 2, GLYPH_PX - 2), ink)
    painter.end()
    return picture


def _paint_ring(painter: QPainter, rect: QRectF, _ink: QColor) -> None:
    painter.drawEllipse(rect)


def _paint_dotted_ring(painter: QPainter, rect: QRectF, ink: QColor) -> None:
    painter.drawEllipse(rect)
    painter.setBrush(ink)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawEllipse(rect.center(), 2.0, 2.0)


def _paint_half(painter: QPainter, rect: QRectF, ink: QColor) -> None:
    painter.drawEllipse(rect)
    painter.setBrush(ink)
    painter.drawPie(rect, 90 * 16, 180 * 16)


def _paint_disc(painter: QPainter, rect: QRectF, ink: QColor) -> None:
    painter.setBrush(ink)
    painter.drawEllipse(rect)


def _paint_diamond(painter: QPainter, rect: QRectF, ink: QColor) -> None:
    painter.setBrush(ink)
    middle = rect.center()
    upper, lower = QPointF(middle.x(), rect.top()), QPointF(middle.x(), rect.bottom())
    left, right = QPointF(rect.left(), middle.y()), QPointF(rect.right(), middle.y())
    painter.drawPolygon(QPolygonF([upper, right, lower, left]))


def _paint_triangle(painter: QPainter, rect: QRectF, ink: QColor) -> None:
    painter.setBrush(ink)
    middle = rect.center().x()
    corners = [QPointF(middle, rect.top()), rect.bottomRight(), rect.bottomLeft()]
    painter.drawPolygon(QPolygonF(corners))


def _paint_cross(painter: QPainter, rect: QRectF, _ink: QColor) -> None:
    inner = rect.adjusted(1, 1, -1, -1)
    painter.drawLine(inner.topLeft(), inner.bottomRight())
    painter.drawLine(inner.topRight(), inner.bottomLeft())


_GLYPHS = {
    "drafted": _paint_ring,
    "filtered": _paint_dotted_ring,
    "in_refinement": _paint_half,
    "refined": _paint_diamond,
    "flagged": _paint_triangle,
    "accepted": _paint_disc,
    "rejected": _paint_cross,
    "to_do": _paint_ring,
    "open": _paint_half,
    "finished": _paint_disc,
}
