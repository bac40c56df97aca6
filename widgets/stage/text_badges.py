"""Text badges: text on a small dark background that is legible on any image."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter

from widgets import theme
from widgets.translation import language

HEIGHT_PX, MARGIN_PX = 14, 6
KEPT_PLATES = 4096
DIGIT = re.compile(r"(\d)")
CENTRE = int(Qt.AlignmentFlag.AlignCenter)


def label_font(ratio: float) -> QFont:
    """Return the font of labels on images, sized in device pixels."""
    return _label_font(round(11 * ratio), language())


@cache
def _label_font(size_px: int, _language: str) -> QFont:
    # Cached, because creating a font takes Qt longer than drawing text with it.
    font = theme.font("label")
    font.setPixelSize(size_px)
    return font


def digit_px(ratio: float) -> int:
    """Return the width of a digit, device pixels; all digits have the same width."""
    return QFontMetrics(label_font(ratio)).horizontalAdvance("0")


def badge_size(text: str, *, ratio: float) -> tuple[int, int]:
    """Return width and height of a badge, device pixels."""
    width = QFontMetrics(label_font(ratio)).horizontalAdvance(text)
    return width + round(MARGIN_PX * ratio), round(HEIGHT_PX * ratio)


def paint_badge(painter: QPainter, text: str, *, x: int, y: int, ratio: float, ink: str = "") -> None:
    """Paint a badge.

    Args:
        painter: Painter with device pixels as unit, or device-independent pixels with a ratio of 1.
        text: The text.
        x: Left edge.
        y: Upper edge.
        ratio: Device pixel ratio of the widget.
        ink: Text colour; the default text colour if empty.
    """
    painter.drawImage(x, y, badge(text, ratio=ratio, ink=ink))


def paint_number_badge(painter: QPainter, text: str, *, x: float, y: float, ratio: float) -> None:
    """Paint a badge with frequently changing numbers, composed of cached pieces.

    Args:
        painter: Painter with device-independent pixels as unit.
        text: The text.
        x: Left edge.
        y: Upper edge.
        ratio: Device pixel ratio of the widget.
    """
    for piece in (" ", *DIGIT.split(text), " "):
        if piece:
            image = _piece(piece, ratio, language())
            painter.drawImage(QPointF(x, y), image)
            x += image.width() / ratio


def badge(text: str, *, ratio: float, ink: str = "") -> QImage:
    """Return the image of a badge, device pixels.

    Args:
        text: The text.
        ratio: Device pixel ratio of the widget.
        ink: Text colour; the default text colour if empty.
    """
    return _plate(text, ratio, ink, language())


@lru_cache(KEPT_PLATES)
def _piece(text: str, ratio: float, _language: str) -> QImage:
    """Return a piece of a badge; a margin if the text is empty."""
    margin, height = round(MARGIN_PX / 2 * ratio), round(HEIGHT_PX * ratio)
    width = QFontMetrics(label_font(ratio)).horizontalAdvance(text) if text.strip() else margin
    made = _written(text, width, height, ratio=ratio)
    made.setDevicePixelRatio(ratio)
    return made


@lru_cache(KEPT_PLATES)
def _plate(text: str, ratio: float, ink: str, _language: str) -> QImage:
    # Cached: painting the image takes a tenth of drawing the text, and the same numbers recur in every frame.
    return _written(text, *badge_size(text, ratio=ratio), ratio=ratio, ink=ink)


def _written(text: str, width: int, height: int, *, ratio: float, ink: str = "") -> QImage:
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    ground = theme.load("dark").color("bg")
    ground.setAlpha(205)
    image.fill(ground)
    painter = QPainter(image)
    painter.setPen(QColor(ink) if ink else theme.load("dark").color("text"))
    painter.setFont(label_font(ratio))
    painter.drawText(QRectF(0, 0, width, height), CENTRE, text)
    painter.end()
    return image
