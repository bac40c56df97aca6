"""Words for where in an image something is."""

from __future__ import annotations

from annotator.draft.map_words import PARTS

_BORDER_SHARE = 0.04
"""Nearer than this to the border of two parts, of the image's side, neither is named."""


def thirds() -> list[str]:
    """Return the words for all nine parts."""
    return [word for row in PARTS for word in row]


def clear_third(at: tuple[float, float], *, size: tuple[float, float]) -> str:
    """Return the words for the part of an image in which a point lies, "" near a border of two parts.

    Args:
        at: x and y.
        size: Width and height of the image, in the same unit.
    """
    shares = [at[0] / size[0], at[1] / size[1]]
    if any(abs(share - border) < _BORDER_SHARE for share in shares for border in (1 / 3, 2 / 3)):
        return ""
    column, row = (min(2, max(0, int(share * 3))) for share in shares)
    return PARTS[row][column]
