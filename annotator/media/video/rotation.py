"""How the frames of a file are turned before anybody sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from annotator.domain.record import ValueObject

if TYPE_CHECKING:
    from av import VideoFrame


class Rotation(ValueObject, frozen=True, kw_only=True):
    """A rotation by multiples of 90°, possibly mirrored: a transposition followed by flips.

    Attributes:
        is_transposed: Whether rows become columns.
        is_flipped_x: Whether left and right are exchanged.
        is_flipped_y: Whether top and bottom are exchanged.
    """

    is_transposed: bool = False
    is_flipped_x: bool = False
    is_flipped_y: bool = False

    @classmethod
    def of_matrix(cls, matrix: Sequence[int]) -> Rotation:
        """Return the turn nearest to a display matrix.

        Source: ISO/IEC 14496-12, 8.3.2, matrix {a, b, u, c, d, v, x, y, w}: a point (p, q) of the
        coded picture is shown at (a p + c q + x, b p + d q + y).

        Args:
            matrix: Its nine numbers, in 16.16 fixed point.
        """
        a, b, _, c, d = matrix[:5]
        # Nearest: the matrix of a slanted camera is no quarter turn, and pictures are not resampled here.
        if abs(b) > abs(a):
            return cls(is_transposed=True, is_flipped_x=c < 0, is_flipped_y=b < 0)
        return cls(is_flipped_x=a < 0, is_flipped_y=d < 0)

    @classmethod
    def of_frame(cls, frame: VideoFrame) -> Rotation:
        """Return the turn that a decoded frame asks for."""
        # PyAV's annotations take these for texts.
        entries: list[Any] = list(frame.side_data)
        for entry in entries:
            if entry.type.name == "DISPLAYMATRIX":
                return cls.of_matrix(np.frombuffer(bytes(entry), np.int32, count=9).tolist())
        return cls()

    @property
    def is_none(self) -> bool:
        """Whether nothing changes."""
        return not (self.is_transposed or self.is_flipped_x or self.is_flipped_y)

    def size_px(self, width: int, height: int) -> tuple[int, int]:
        """Return width and height after the turn."""
        return (height, width) if self.is_transposed else (width, height)

    def apply(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return a picture as it is meant to be seen.

        Args:
            picture: uint8 (height, width, channels), as coded.
        """
        if self.is_none:
            return picture
        turned = picture.transpose(1, 0, 2) if self.is_transposed else picture
        turned = turned[:, ::-1] if self.is_flipped_x else turned
        return np.ascontiguousarray(turned[::-1] if self.is_flipped_y else turned)
