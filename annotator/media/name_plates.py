"""Names of regions on dark plates, placed so that they cover as few other names as possible.

OpenCV draws a letter in about 0.02 ms, too slow for the names of 20,000 regions. Plates of numbered names are
therefore put together from images of their digits, which are drawn once, to the same pixels; and names that
others cover completely are not drawn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from annotator.domain.region import Box

if TYPE_CHECKING:
    from annotator.media.image_decoder import Rgb

Plate = npt.NDArray[np.uint8]
GROUND, INK = (20, 22, 26), (255, 255, 255)
LEFT_PX, TOP_PX, SPARE_PX = 3, 2, 4
"""Distance of letters from the left and upper edge of their plate; its height over that of the letters."""
_NUMBERED = re.compile(r"(.*[^0-9])([0-9]+)", re.DOTALL)
_NARROW = "1"
"""Stands for the digits before those that are drawn: all digits are equally wide."""
_NARROWED = str.maketrans(dict.fromkeys("0123456789", _NARROW))
_Size = tuple[int, int, int]
_Rect = tuple[int, int, int, int]
"""Left, top, and right and bottom, which are exclusive."""


class NamePlates:
    """Writes names into one picture.

    Args:
        picture: uint8 (height, width, 3), RGB; changed in place.
        width: Width of lines, px: of the letters, and the gap between a box and its name.
        letter: Scale of OpenCV's simplex letters, which are 22 px high at 1.0.
    """

    def __init__(self, picture: Rgb, *, width: int, letter: float) -> None:
        # OpenCV takes a third of a second to import, which the start of the window does not have.
        import cv2

        self._cv2, self._picture, self._width, self._letter = cv2, picture, width, letter
        # By pixel: comparing each name with all others would take minutes for thousands of regions.
        self._taken = np.zeros(picture.shape[:2], bool)
        # Single values are read from it four times as fast as from the array.
        self._look = self._taken.data
        self._blanks: dict[tuple[str, int], Plate | None] = {}
        self._sizes: dict[str, tuple[int, int]] = {}
        self._digits: dict[tuple[str, int, str], tuple[int, Plate]] = {}

    def write(self, names: Sequence[tuple[str, Box]]) -> None:
        """Write names above their boxes or below, on no other name, else inside; never outside the picture.

        Args:
            names: Texts, each with the box that it names; where two overlap, the later one is seen.
        """
        positions = [self._place(text, box) for text, box in names]
        # From the last to the first, so that only what stays visible is drawn: of 20,000 names in one picture
        # a twentieth.
        uncovered = np.full(self._picture.shape[:2], 255, np.uint8)
        for (text, _), (left, top, right, bottom) in zip(reversed(names), reversed(positions), strict=True):
            visible = uncovered[top:bottom, left:right]
            if self._cv2.countNonZero(visible):
                # A picture can be lower than a name.
                plate = self._plate(text)[: bottom - top]
                self._cv2.copyTo(plate, visible, self._picture[top:bottom, left:right])
                visible[:] = 0

    def _place(self, text: str, box: Box) -> _Rect:
        """Return a place for a name, which others avoid from now on."""
        left, top, right, bottom = self._free_place(box, *self._plate_size(text))
        self._taken[top:bottom, left:right] = True
        return left, top, right, bottom

    def _plate_size(self, text: str) -> tuple[int, int]:
        """Return the width and height of the plate of a name."""
        narrow = text.translate(_NARROWED)
        if narrow not in self._sizes:
            _, wide, high, below = self._fitted_size(narrow)
            self._sizes[narrow] = min(self._picture.shape[1], wide + 2 * LEFT_PX), high + below + SPARE_PX
        return self._sizes[narrow]

    def _plate(self, text: str) -> Plate:
        """Return the plate of a name, put together from the digits of its number if it ends in one."""
        numbered = _NUMBERED.fullmatch(text)
        plate = None if numbered is None else self._put_together(*numbered.groups())
        return self._drawn(text) if plate is None else plate

    def _put_together(self, text: str, number: str) -> Plate | None:
        """Return the plate of a name with a number, None if it is wider than the picture."""
        key = text, len(number)
        if key not in self._blanks:
            self._blanks[key] = self._blank(*key)
        blank = self._blanks[key]
        if blank is None:
            return None
        plate = blank.copy()
        for index in range(len(number)):
            left, part = self._digit(text, index, number[max(0, index - 1) : index + 1])
            plate[:, left : left + part.shape[1]] = part
        return plate

    def _blank(self, text: str, digits: int) -> Plate | None:
        """Return the plate of a name with a number of so many digits, without the number."""
        name = text + _NARROW * digits
        if self._size(name)[0] + 2 * LEFT_PX > self._picture.shape[1]:
            return None
        plate, drawn = self._drawn(name), self._drawn(text)
        plate[:] = GROUND
        plate[:, : drawn.shape[1]] = drawn
        return plate

    def _digit(self, text: str, index: int, pair: str) -> tuple[int, Plate]:
        """Return where a digit of a number begins on its plate, and its image up to the edge of the plate.

        Args:
            text: Text before the number.
            index: Place of the digit in the number, from 0.
            pair: The digit, after the one before it, whose soft edge can reach into its place.
        """
        found = self._digits.get((text, index, pair))
        if found is None:
            left = self._begin(text + _NARROW * index)
            drawn = self._drawn(text + _NARROW * (index + 1 - len(pair)) + pair)
            found = self._digits[text, index, pair] = left, drawn[:, left:]
        return found

    def _begin(self, text: str) -> int:
        """Return the column of a plate at which the next letter begins, with its soft edge."""
        # The size contains the width of a line.
        return max(0, LEFT_PX + self._size(text)[0] - 2 * self._width - 1)

    def _size(self, text: str, *, share: float = 1.0) -> _Size:
        """Return the width of a text, its height above the base line and its depth below it, px."""
        letter, width = share * self._letter, self._width
        (wide, high), below = self._cv2.getTextSize(text, self._cv2.FONT_HERSHEY_SIMPLEX, letter, width)
        return wide, high, below

    def _fitted_size(self, text: str) -> tuple[float, int, int, int]:
        """Return the share of the scale at which a text fits into the picture, and its size at that."""
        columns = self._picture.shape[1]
        wide, high, below = self._size(text)
        if wide + 2 * LEFT_PX <= columns:
            return 1.0, wide, high, below
        # Pictures narrower than a name have smaller letters.
        share = max(1, columns - 2 * LEFT_PX - 2) / wide
        return share, *self._size(text, share=share)

    def _drawn(self, text: str) -> Plate:
        """Return a plate drawn letter by letter."""
        share, _, high, _ = self._fitted_size(text)
        columns, rows = self._plate_size(text)
        plate = np.full((rows, columns, 3), GROUND, np.uint8)
        self._cv2.putText(
            plate, text, (LEFT_PX, TOP_PX + high), self._cv2.FONT_HERSHEY_SIMPLEX, share * self._letter, INK,
            self._width, lineType=self._cv2.LINE_AA,
        )  # fmt: skip
        return plate

    def _free_place(self, box: Box, wide: int, high: int) -> _Rect:
        """Return the position of a name: the best free one, otherwise the best one inside the picture."""
        rows, columns = self._taken.shape
        over, under = round(box.y1) - high - self._width, round(box.y2) + self._width + 1
        heights = [top for top in (over, under) if 0 <= top <= rows - high]
        heights.append(min(max(0, round(box.y1) + self._width), max(0, rows - high)))
        rightmost = columns - wide
        sides = [min(max(0, side), rightmost) for side in (round(box.x1), round(box.x2) - wide)]
        for left in sides:
            for top in heights:
                if not self._is_taken(left, top, left + wide, min(top + high, rows)):
                    return left, top, left + wide, min(top + high, rows)
        return sides[0], heights[0], sides[0] + wide, min(heights[0] + high, rows)

    def _is_taken(self, left: int, top: int, right: int, bottom: int) -> bool:
        # Names are of similar size: where two overlap, a corner of one mostly lies in the other.
        look = self._look
        if look[top, left] or look[top, right - 1] or look[bottom - 1, left] or look[bottom - 1, right - 1]:
            return True
        return bool(self._taken[top:bottom, left:right].any())
