"""How far away the regions of a picture are: statistics over the pixels of a depth map."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotator.domain.region import Box
from annotator.domain.vision_settings import DepthFigures

SHARES = (50, 10, 90)
"""Percentiles: the middle, and what is nearest and farthest but for outliers at the thing's edges."""


def region_depth(
    plane: NDArray[np.float32], *, box: Box, polygon: Sequence[tuple[float, float]] = ()
) -> DepthFigures | None:
    """Return the depth statistics of one region; None if none of its pixels has a depth.

    A pixel belongs to the region if its centre is inside; for a region smaller than a pixel the pixel at its
    centre is used. A depth is valid if it is finite and above 0.

    Args:
        plane: float32 (height, width) in the size of the image; larger is farther.
        box: In image pixels.
        polygon: Corners x, y in image pixels, empty for a box.
    """
    left, right = _pixels(box.x1, box.x2, size=plane.shape[1])
    top, bottom = _pixels(box.y1, box.y2, size=plane.shape[0])
    if left >= right or top >= bottom:
        return None
    part = plane[top:bottom, left:right]
    inside = part[_mask(polygon, left=left, top=top, shape=part.shape)] if polygon else part.ravel()
    known = inside[np.isfinite(inside) & (inside > 0)]
    if not len(known):
        return None
    median, p10, p90 = (float(value) for value in np.percentile(known.astype(np.float64), SHARES))
    return DepthFigures(
        median=_rounded(median),
        p10=_rounded(p10),
        p90=_rounded(p90),
        valid=round(len(known) / len(inside), 4),
    )


def resize_depth(plane: NDArray[np.float32], *, width_px: int, height_px: int) -> NDArray[np.float32]:
    """Resize a depth map to the size of its image.

    The nearest value is used: interpolation at an object's edge would give depths at which there is nothing.

    Args:
        plane: float32 (rows, columns) of any size.
        width_px: Width of the image.
        height_px: Height of the image.
    """
    if plane.shape == (height_px, width_px):
        return plane
    rows = (np.arange(height_px) + 0.5) * plane.shape[0] / height_px
    columns = (np.arange(width_px) + 0.5) * plane.shape[1] / width_px
    laid: NDArray[np.float32] = plane[rows.astype(np.int64)[:, None], columns.astype(np.int64)]
    return laid


def _pixels(low: float, high: float, *, size: int) -> tuple[int, int]:
    """Return the half-open range of pixels whose centres are between two coordinates."""
    # Centres stand at half pixels: pixel i covers i to i + 1.
    first, behind = math.ceil(low - 0.5), math.ceil(high - 0.5)
    if behind <= first:
        first = math.floor((low + high) / 2)
        behind = first + 1
    return max(0, first), min(size, behind)


def _mask(
    polygon: Sequence[tuple[float, float]], *, left: int, top: int, shape: tuple[int, ...]
) -> NDArray[np.bool_]:
    """Return which pixels of a part of the picture have their centres in a polygon (even-odd rule)."""
    y = np.arange(shape[0])[:, None] + top + 0.5
    x = np.arange(shape[1])[None, :] + left + 0.5
    inside = np.zeros(shape, np.bool_)
    for (x1, y1), (x2, y2) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        # A level side crosses no row between its ends, and would divide by 0.
        if y1 == y2:
            continue
        crosses = (y1 > y) != (y2 > y)
        inside ^= crosses & (x < x1 + (y - y1) * (x2 - x1) / (y2 - y1))
    # An outline thinner than a pixel holds no centre; what is around it tells its depth all the same.
    return inside if inside.any() else np.ones(shape, np.bool_)


def _rounded(value: float) -> float:
    """Return a depth to five digits: no model knows more, and answers are kept."""
    return float(f"{value:.5g}")
