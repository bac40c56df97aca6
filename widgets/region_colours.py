"""Colours of regions and links: twelve that stay apart, by number, the same in every view."""

from __future__ import annotations

from PySide6.QtGui import QColor

COLOURS = (
    "#e69f00", "#56b4e9", "#f0e442", "#cc79a7", "#ff6f61", "#00d9c0",
    "#b9a3ff", "#ffffff", "#d55e00", "#9be564", "#3f8efc", "#ffb3d1",
)  # fmt: skip
"""Light ones for a dark halo.

Source: the eight of Okabe and Ito, "Color Universal Design" (2008), without black, green and the dark
blue, which drown in vegetation and shadow; six of ours take their place and fill up.
"""


def region_colour(number: int) -> QColor:
    """Return the colour of a region or of a group of linked regions."""
    return QColor(COLOURS[number % len(COLOURS)])
