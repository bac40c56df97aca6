"""Words on pictures: small dark plates that read on any ground."""

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
    """Return the type of labels on pictures, in device pixels."""
    return _label_font(round(11 * ratio), language())


@cache
def _label_font(size_px: int, _language: str) -> QFont:
    # Kept, since Qt takes longer to make a font than to write with it.
    font = theme.font("label")
    font.setPixelSize(size_px)
    return font


def digit_px(ratio: float) -> int:
    """Return the width of a digit; all are equally wide."""
    return QFontMetrics(label_font(ratio)).horizontalAdvance("0")


def badge_size(text: str, *, ratio: float) -> tuple[int, int]:
    """Return width and height of a label's plate, device pixels."""
    width = QFontMetrics(label_font(ratio)).horizontalAdvance(text)
    return width + round(MARGIN_PX * ratio), round(HEIGHT_PX * ratio)


def paint_badge(painter: QPainter, text: str, *, x: int, y: int, ratio: float, ink: str = "") -> None:
    """Write on a dark plate.

    Args:
        painter: Counts device pixels, or pixels of the window with a ratio of 1.
        text: What is written.
        x: Left edge.
        y: Upper edge.
        ratio: Device pixels per pixel of the window.
        ink: Colour of the words, by default that of text.
    """
    painter.drawImage(x, y, badge(text, ratio=ratio, ink=ink))


def paint_number_badge(painter: QPainter, text: str, *, x: float, y: float, ratio: float) -> None:
    """Write words with numbers that change all the time, put together of pieces that are kept.

    Args:
        painter: Counts pixels of the window.
        text: What is written.
        x: Left edge.
        y: Upper edge.
        ratio: Device pixels per pixel of the window.
    """
    for piece in (" ", *DIGIT.split(text), " "):
        if piece:
            image = _piece(piece, ratio, language())
            painter.drawImage(QPointF(x, y), image)
            x += image.width() / ratio


def badge(text: str, *, ratio: float, ink: str = "") -> QImage:
    """Return a plate with words, device pixels.

    Args:
        text: What is written.
        ratio: Device pixels per pixel of the window.
        ink: Colour of the words, by default that of text.
    """
    return _plate(text, ratio, ink, language())


@lru_cache(KEPT_PLATES)
def _piece(text: str, ratio: float, _language: str) -> QImage:
    """Return a part of a plate, for a window; a margin where there is nothing to read."""
    margin, height = round(MARGIN_PX / 2 * ratio), round(HEIGHT_PX * ratio)
    width = QFontMetrics(label_font(ratio)).horizontalAdvance(text) if text.strip() else margin
    made = _written(text, width, height, ratio=ratio)
    made.setDevicePixelRatio(ratio)
    return made


@lru_cache(KEPT_PLATES)
def _plate(text: str, ratio: float, ink: str, _language: str) -> QImage:
    # Kept: laying one on takes a tenth of writing it, and the same numbers come again every frame.
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
