"""Icons: SVG line drawings, painted in a colour of the current theme."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap, QPixmapCache
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
    _renderer(name, ink.name()).render(painter, rect)


@cache
def _renderer(name: str, ink: str) -> QSvgRenderer:
    # Kept: reading the drawing takes longer than painting it, and a window paints some twenty at once.
    return QSvgRenderer(QByteArray(_source(name).replace("currentColor", ink).encode()))


class _TokenEngine(QIconEngine):
    """Paints an icon: dim if disabled, accent if selected, else in its own token."""

    def __init__(self, name: str, token: str) -> None:
        super().__init__()
        self._name, self._token = name, token

    def _ink(self, mode: QIcon.Mode, state: QIcon.State) -> QColor:
        if mode == QIcon.Mode.Disabled:
            return theme.current().color("line")
        return theme.current().color("text" if state == QIcon.State.On else self._token)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        draw(painter, self._name, rect=QRectF(rect), ink=self._ink(mode, state))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        ink = self._ink(mode, state)
        # Buttons ask for it each time they are painted.
        key = f"vantage-{self._name}-{ink.name()}-{size.width()}x{size.height()}"
        picture = QPixmap()
        if not QPixmapCache.find(key, picture):
            picture = QPixmap(size)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            draw(painter, self._name, rect=QRectF(QPoint(0, 0), size), ink=ink)
            painter.end()
            QPixmapCache.insert(key, picture)
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
