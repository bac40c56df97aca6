"""Texts shortened to the width of their place, kept from one painting to the next."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter

MOST_KEPT = 5_000
"""Texts that are kept: some ten screens."""


class ElidedTexts:
    """Shortens texts of a list; to measure the texts of a screen takes longer than to draw them."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, int, bool], str] = {}

    def text(
        self, painter: QPainter, text: str, *, font: str, width_px: int, gives_way_in_middle: bool
    ) -> str:
        """Return a text that fits, with an ellipsis at its end or in its middle where it was cut.

        Args:
            painter: With the font set.
            text: One line.
            font: Name of the font; texts in another one have other widths.
            width_px: Width of the place.
            gives_way_in_middle: Whether the end of the text matters as well.
        """
        key = text, font, width_px, gives_way_in_middle
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            mode = Qt.TextElideMode.ElideMiddle if gives_way_in_middle else Qt.TextElideMode.ElideRight
            found = self._kept[key] = painter.fontMetrics().elidedText(text, mode, width_px)
        return found
