"""How much two images differ: the mean difference of small grey copies, which ignores noise and sharpness."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from annotator.domain.medium import Medium
from annotator.media.cache_files import cache_folder
from annotator.media.image_loader import ImageUnavailable, load_thumbnail
from annotator.media.thumbnails import ThumbnailStore
from annotator.progress import Progress

K = TypeVar("K")
COLUMNS, ROWS, SCALE = 32, 18, 8
"""Cells of a small copy, and pixels across a cell: an object of a 60th of the image still changes a cell."""
LUMA = np.array([0.299, 0.587, 0.114])
"""Weights of red, green and blue. Source: ITU-R BT.601."""
Cells = npt.NDArray[np.float64]


def small_copy(medium: Medium, *, file: Path | None) -> Cells | None:
    """Return the small grey copy of an image or a video's first frame, None if there is no image.

    Args:
        medium: The medium.
        file: Its file, None if it is outside the media folders.

    Returns:
        float64 (``ROWS``, ``COLUMNS``), 0..1.
    """
    try:
        pixels = load_thumbnail(
            medium,
            kind=medium.media_type,
            file=file,
            width=COLUMNS * SCALE,
            height=ROWS * SCALE,
            store=ThumbnailStore(cache_folder() / "thumbnails"),
        )
    except ImageUnavailable:
        return None
    grey = np.asarray(pixels[:, :, :3] @ LUMA / 255, np.float64)
    cells: Cells = grey.reshape(ROWS, SCALE, COLUMNS, SCALE).mean(axis=(1, 3))
    return cells


def difference_percent(one: Cells, other: Cells) -> float:
    """Return the mean difference of two small copies, 0 for equal ones, 100 for black against white."""
    return float(np.abs(one - other).mean() * 100)


def first_different(
    reference: Medium,
    others: Iterable[tuple[K, Medium]],
    *,
    total: int,
    limit_percent: float,
    file_of: Callable[[str], Path | None],
    progress: Progress,
) -> K | None:
    """Return the first image that differs from a reference by at least a limit, None if none does.

    Media without an image are passed over.

    Args:
        reference: The image to compare with.
        others: Keys and media in order.
        total: Number of the others at most.
        limit_percent: Least difference, in percent.
        file_of: Returns the file for the path of a medium.
        progress: Advanced for each image.

    Raises:
        Cancelled: The user cancelled the operation.
        EnvironmentFailure: A file cannot be read from the disk.
    """
    progress.begin("Comparing frames", total=total)
    own = small_copy(reference, file=file_of(reference.path))
    for key, medium in others:
        progress.step()
        found = small_copy(medium, file=file_of(medium.path)) if own is not None else None
        if own is not None and found is not None and difference_percent(own, found) >= limit_percent:
            return key
    progress.end()
    return None
