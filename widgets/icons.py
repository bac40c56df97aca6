"""Icons: SVG line drawings, painted in a colour of the current theme."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

import resources
from widgets import theme

SMALL = QSize(16, 16)
LARGE = QSize(20, 20)


@cache
def _source(name: str) -> str:
    return resources.path(f"icons/{name}.svg").read_text(encoding="utf-8")


def draw(painter: QPainter, name: str, *, rect: QRectF, ink: QColor) -> None:
    """Paint an icon into a rectangle.

    Args:
        painter: The painter.
        name: Name of a file in ``resources/icons`` without its ending.
        rect: Square rectangle, in the painter's units.
        ink: Colour of the lines.
    """
    text = _source(name).replace("currentColor", ink.name())
    QSvgRenderer(QByteArray(text.encode())).render(painter, rect)


class _TokenEngine(QIconEngine):
    """Paints an icon: dim if disabled, accent if selected, else in its own token."""

    def __init__(self, name: str, token: str) -> None:
        super().__init__()
        self._name, self._token = name, token

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        chosen = state == QIcon.State.On
        token = "text" if chosen and mode != QIcon.Mode.Disabled else self._token
        ink = theme.current().color(token)
        if mode == QIcon.Mode.Disabled:
            ink = theme.current().color("line")
        draw(painter, self._name, rect=QRectF(rect), ink=ink)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        picture = QPixmap(size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return picture

    def clone(self) -> QIconEngine:
        return _TokenEngine(self._name, self._token)

    def key(self) -> str:
        return "vantage-line"


def icon(name: str, token: str = "text_dim") -> QIcon:
    """Return an icon that follows the theme.

    Args:
        name: Name of a file in ``resources/icons`` without its ending.
        token: Colour token while it is neither selected nor disabled.
    """
    return QIcon(_TokenEngine(name, token))
