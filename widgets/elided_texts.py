"""Texts of cells, shortened to the width of their place, and kept from one painting to the next."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter, QStaticText, QTransform

MOST_KEPT = 2_000
"""Texts that are kept: some ten screens."""


class ElidedTexts:
    """Paints the texts of a list: to measure and lay out those of a screen takes longer than painting."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, int, bool], tuple[QStaticText, QSizeF]] = {}

    def paint(
        self,
        painter: QPainter,
        rect: QRect,
        text: str,
        *,
        font: str,
        gives_way_in_middle: bool = False,
        is_at_right: bool = False,
    ) -> None:
        """Paint a text at half the height, with an ellipsis at its end or in its middle where it is cut.

        Args:
            painter: With font and pen set.
            rect: The place.
            text: One line.
            font: Name of the font; texts in another one have other widths.
            gives_way_in_middle: Whether the end of the text matters as well.
            is_at_right: Whether it ends at the right side, as a number does.
        """
        key = text, font, rect.width(), gives_way_in_middle
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            found = self._kept[key] = _laid_out(painter, text, rect.width(), gives_way_in_middle)
        static, size = found
        x = rect.x() + rect.width() - size.width() if is_at_right else rect.x()
        painter.drawStaticText(QPointF(x, rect.y() + (rect.height() - size.height()) / 2), static)


def _laid_out(
    painter: QPainter, text: str, width_px: int, gives_way_in_middle: bool
) -> tuple[QStaticText, QSizeF]:
    """Return a text that fits, with its size."""
    metrics = painter.fontMetrics()
    mode = Qt.TextElideMode.ElideMiddle if gives_way_in_middle else Qt.TextElideMode.ElideRight
    elided = metrics.elidedText(text, mode, width_px)
    static = QStaticText(elided)
    # Without it a text that looks like HTML would be shown as such.
    static.setTextFormat(Qt.TextFormat.PlainText)
    static.prepare(QTransform(), painter.font())
    # The size of a static text is rounded up, which would place some a pixel higher than their neighbours.
    size = painter.boundingRect(QRectF(), int(Qt.TextFlag.TextSingleLine), elided).size()
    return static, size
