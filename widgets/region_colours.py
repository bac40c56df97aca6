"""Colours of regions and links: twelve distinct colours by number, the same in every view."""

from __future__ import annotations

from PySide6.QtGui import QColor

from annotator.media.render import COLOURS


def region_colour(number: int) -> QColor:
    """Return the colour of a region or of a group of linked regions."""
    return QColor(COLOURS[number % len(COLOURS)])
