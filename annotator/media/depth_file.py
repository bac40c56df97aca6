"""Depth maps as NumPy files: shape and values, never objects."""

from __future__ import annotations

import tokenize
from pathlib import Path
from typing import BinaryIO

import numpy as np

from annotator.errors import EnvironmentFailure, UserError
from annotator.media.image_file import Size, require_size

# Version 3.0 is for names of fields in other letters than Latin: such an array is no plane of numbers.
# What the readers of heads raise on damaged ones: they take them for a Python literal, in the spelling of
# Python 2 where that fails, and a head of nothing but signs goes as deep as it is long.
_DAMAGE = (ValueError, KeyError, SyntaxError, TypeError, tokenize.TokenError, RecursionError, MemoryError)
# Version 3 of the format differs in names of fields alone, which depth maps do not have.
_READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def array_shape(path: Path) -> tuple[int, int]:
    """Return rows and columns of a NumPy file that holds one plane of numbers.

    Raises:
        UserError: It holds something else, or is damaged, or too large.
        EnvironmentFailure: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            return _plane(file, name=path.name)
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}.") from error


def read_depth(path: Path) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return the values of a NumPy file: float32 (rows, columns), in the file's own unit.

    Raises:
        UserError: It holds something else than one plane of numbers, or is damaged, or too large.
        EnvironmentFailure: It cannot be read.
    """
    # The head first: what it claims is held against the limit before memory is asked for.
    rows, columns = array_shape(path)
    try:
        # Mapped, so that the file's own type is not in memory beside the values.
        values = np.load(path, mmap_mode="r", allow_pickle=False)
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
    except _DAMAGE as error:
        raise UserError(f"{name} cannot be read as a NumPy array: the header is damaged.") from error
    # One side of length 1 is usual: (height, width, 1) and (1, height, width).
    is_plane = len(shape) == 2 or (len(shape) == 3 and 1 in (shape[0], shape[-1]))
    # Two negative sides have as many pixels as two positive ones.
    if kind.kind not in "iuf" or not is_plane or min(shape) < 0:
        raise UserError(
            f"{name} is not a depth map: it contains {kind} of the shape {'x'.join(map(str, shape))}."
        )
    rows, columns = shape[:2] if len(shape) == 2 or shape[-1] == 1 else shape[1:]
    require_size(Size(width_px=columns, height_px=rows), name=name)
    return rows, columns
