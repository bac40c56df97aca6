"""The scale of boxes in replies of models that do not answer in pixels of the image itself."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.record import ValueObject

TOLERANCE = 1.02
"""Corners a little outside are models' rounding; farther ones are of another scale than was asked for."""
IS_SCALED = "is_scaled"
"""Member of a job's spec: the box of its reply is in another unit than pixels of the image itself."""


class BoxScale(ValueObject, frozen=True, kw_only=True):
    """How corners of a reply become pixels of the image.

    Attributes:
        width: What the reply's numbers have for the whole width: 1000, 1, or pixels of the image as sent.
        height: The same for the height.
        image_px: Width and height of the image.
        is_row_first: Whether y stands before x.
        is_padded: Whether numbers are parts of the image padded to a square on both sides.
    """

    width: float
    height: float
    image_px: tuple[int, int]
    is_row_first: bool = False
    is_padded: bool = False

    @property
    def is_fraction(self) -> bool:
        """Whether numbers are parts of the sides, 0 to 1."""
        return self.width == self.height == 1

    @property
    def prompt(self) -> str:
        """The instruction to a model about the form of its answer."""
        return f"Reply with one box in {self._unit}, formatted exactly like: {self._order}"

    @property
    def unit_prompt(self) -> str:
        """The instruction about unit and order alone, for a prompt that names the form itself."""
        return f"Give coordinates in {self._unit}, in the order {self._order}"

    @property
    def question_prompt(self) -> str:
        """The sentence to a model about boxes that its question contains."""
        return f"Boxes in this question are given in {self._unit}, in the order {self._order}"

    @property
    def _order(self) -> str:
        return "[y1, x1, y2, x2]" if self.is_row_first else "[x1, y1, x2, y2]"

    @property
    def _unit(self) -> str:
        if self.is_padded:
            return "parts of the side of the image padded to a square, 0 to 1"
        if self.is_fraction:
            return "parts of the width and height of the image, 0 to 1"
        if self.width == self.height == 1000:
            return "thousandths of the width and height of the image, 0 to 1000"
        return f"pixels of the image, which is {self.width:.0f} x {self.height:.0f} pixels"

    def holds(self, corners: Sequence[float]) -> bool:
        """Return whether corners x1, y1, x2, y2 can be of this scale."""
        sides = (self.width, self.height) * 2
        pairs = zip(corners, sides, strict=True)
        return all(side - side * TOLERANCE <= number <= side * TOLERANCE for number, side in pairs)

    def from_pixels(self, corners: Sequence[float]) -> list[float]:
        """Return corners x1, y1, x2, y2 in pixels of the image as numbers of this scale, in its order."""
        digits = 3 if self.is_fraction else 0
        numbers = [
            round((number + edge) / (length + 2 * edge) * side, digits)
            for number, (side, length, edge) in zip(corners, self._axes(), strict=True)
        ]
        x1, y1, x2, y2 = numbers
        return [y1, x1, y2, x2] if self.is_row_first else numbers

    def to_pixels(self, corners: Sequence[float]) -> list[float]:
        """Return corners x1, y1, x2, y2 in pixels of the image, within it, to a tenth."""
        found = []
        for number, (side, length, edge) in zip(corners, self._axes(), strict=True):
            pixels = number / side * (length + 2 * edge) - edge
            found.append(round(min(max(pixels, 0.0), float(length)), 1))
        return found

    def _axes(self) -> tuple[tuple[float, int, float], ...]:
        """Return for each corner number its whole, the image's side, and the padding before it, pixels."""
        longest = max(self.image_px) if self.is_padded else 0
        edges = [max(0, longest - length) / 2 for length in self.image_px]
        return tuple(zip((self.width, self.height), self.image_px, edges, strict=True)) * 2
