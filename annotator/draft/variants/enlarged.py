"""Coordinates of an image on a larger version of it: boxes in texts, regions and paths."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from annotator.domain.answers.numerals import NUMBER, write_number
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region

_BOX = re.compile(rf"\[\s*{NUMBER}(?:\s*,\s*{NUMBER}){{3}}\s*\]")
_NUMBER = re.compile(NUMBER)
DIGITS = 1
"""Digits after the point of coordinates that are not whole."""


@dataclass(frozen=True, kw_only=True)
class Enlargement:
    """How much larger an image is than another one that shows the same.

    Attributes:
        x: Ratio of the widths.
        y: Ratio of the heights.
    """

    x: float = 1.0
    y: float = 1.0

    @classmethod
    def of(cls, small: Medium, large: Medium) -> Enlargement:
        """Return the enlargement from one image to another; both sizes are known."""
        return cls(x=large.width_px / small.width_px, y=large.height_px / small.height_px)

    def text(self, text: str) -> str:
        """Return a text with the coordinates of each box ``[x1, y1, x2, y2]`` enlarged."""
        return _BOX.sub(lambda found: self._box_text(found.group()), text)

    def region(self, region: Region, *, medium: str) -> Region:
        """Return a new region of the same number on the larger image."""
        box = region.box
        return msgspec.structs.replace(
            region,
            id=new_id(),
            medium=medium,
            box=Box(x1=box.x1 * self.x, y1=box.y1 * self.y, x2=box.x2 * self.x, y2=box.y2 * self.y),
            polygon=self._points(region.polygon),
            # Depths are measured on the pixels of the smaller image.
            depth=None,
            mapped_from="",
            source="",
            locator="",
            original=msgspec.Raw(b"null"),
            corrections=(),
            import_key="",
        )

    def path(self, path: Polyline, *, medium: str) -> Polyline:
        """Return a new path on the larger image."""
        return msgspec.structs.replace(
            path,
            id=new_id(),
            medium=medium,
            points=self._points(path.points),
            source="",
            locator="",
            original=msgspec.Raw(b"null"),
            import_key="",
        )

    def _points(self, points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        return tuple((x * self.x, y * self.y) for x, y in points)

    def _box_text(self, text: str) -> str:
        numbers = [float(digits) for digits in _NUMBER.findall(text)]
        digits = 0 if all(number.is_integer() for number in numbers) else DIGITS
        factors = (self.x, self.y) * 2
        scaled = (round(number * factor, digits) for number, factor in zip(numbers, factors, strict=True))
        return f"[{', '.join(map(write_number, scaled))}]"


def has_box(text: str) -> bool:
    """Return whether a text gives the coordinates of a box."""
    return _BOX.search(text) is not None
