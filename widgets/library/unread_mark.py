"""The mark of a record with unread comments in a row or cell of a list."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap

from widgets import icons, theme

MARK_PX, GAP_PX = 12, 6


def paint_unread(painter: QPainter, rect: QRect) -> QRect:
    """Paint the mark at the right edge of a rectangle, and return what is left of it."""
    at = QPoint(rect.right() - MARK_PX + 1, rect.center().y() - MARK_PX // 2 + 1)
    painter.drawPixmap(at, _mark(theme.current().name, painter.device().devicePixelRatioF()))
    return rect.adjusted(0, 0, -MARK_PX - GAP_PX, 0)


@cache
def _mark(theme_name: str, ratio: float) -> QPixmap:
    # Cached as an image: drawing the SVG in each row would take most of a frame.
    made = QPixmap(QSize(MARK_PX, MARK_PX) * ratio)
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    ink = theme.load(theme_name).color("accent")
    icons.draw(painter, "comment", rect=QRectF(0, 0, MARK_PX, MARK_PX), ink=ink)
    painter.end()
    return made
