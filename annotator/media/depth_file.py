"""Depth maps as NumPy files: shape and values, never objects."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from annotator.errors import HostError, UserError
from annotator.media.image_file import require_size
from annotator.media.image_header import Size

# Version 3.0 is for names of fields in other letters than Latin: such an array is no plane of numbers.
_READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def array_shape(path: Path) -> tuple[int, int]:
    """Return rows and columns of a NumPy file that holds one plane of numbers.

    Raises:
        UserError: It holds something else, or is damaged, or too large.
        HostError: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            return _plane(file, name=path.name)
    except OSError as error:
        raise HostError(f"{path} cannot be read: {error.strerror}.") from error


def read_depth(path: Path) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return the values of a NumPy file: float32 (rows, columns), in the file's own unit.

    Raises:
        UserError: It holds something else than one plane of numbers, or is damaged, or too large.
        HostError: It cannot be read.
    """
    # The head first: what it claims is held against the limit before memory is asked for.
    rows, columns = array_shape(path)
    try:
        values = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise UserError(f"{path.name} cannot be read as a depth map: it is cut off.") from error
    plane: np.ndarray[tuple[int, int], np.dtype[np.float32]] = values.reshape(rows, columns).astype(
        np.float32
    )
    return plane


def _plane(file: BinaryIO, *, name: str) -> tuple[int, int]:
    try:
        version = np.lib.format.read_magic(file)
        shape, _, kind = _READERS[version](file)
    except (ValueError, KeyError, SyntaxError, TypeError) as error:
        raise UserError(f"{name} cannot be read as a NumPy array: its head is damaged.") from error
    # One side of length 1 is usual: (height, width, 1) and (1, height, width).
    sides = [side for side in shape if side != 1]
    if kind.kind not in "iuf" or len(shape) not in {2, 3} or len(sides) > 2:
        raise UserError(f"{name} holds no depth map but {kind} of the shape {'x'.join(map(str, shape))}.")
    rows, columns = shape[:2] if shape[-1] == 1 or len(shape) == 2 else shape[1:]
    require_size(Size(width_px=columns, height_px=rows), name=name)
    return rows, columns
