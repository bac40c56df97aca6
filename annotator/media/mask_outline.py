"""The outline of an object in a mask, as a polygon that a person can edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.media.polygon import LEAST_CORNERS, crosses_itself, remove_repeats

Point = tuple[float, float]
TOLERANCE_PX = 1.5
"""Usual distance of a polygon from the outline of its mask, image pixels."""
MOST_SIDE_PX = 4096
"""Masks of larger images are traced at this longer side, which bounds memory; the corners are scaled."""


def outline_of(
    values: NDArray[np.float32],
    *,
    size_px: tuple[int, int],
    points: Sequence[Point] = (),
    tolerance_px: float = TOLERANCE_PX,
) -> tuple[Point, ...]:
    """Return the outline of one connected part of a mask; holes in it are filled.

    The part that holds the first of some points is taken, else the largest one.

    Args:
        values: float32 (rows, columns), evenly over the image; above 0 inside the object.
        size_px: Width and height of the image.
        points: Where the object is, x y, image pixels.
        tolerance_px: Largest distance of the polygon from the outline, image pixels.

    Returns:
        Corners x, y, image pixels, along the outer edges of the pixels; empty if nothing is inside.
    """
    import cv2

    scale = min(1.0, MOST_SIDE_PX / max(size_px))
    width, height = (max(1, round(side * scale)) for side in size_px)
    is_whole = values.shape == (height, width)
    traced = values if is_whole else cv2.resize(values, (width, height), interpolation=cv2.INTER_LINEAR)
    # Corners of pixels, not their middles: each pixel reaches to the next corner on the right and below.
    inside = np.pad((np.asarray(traced) > 0).astype(np.uint8), ((0, 1), (0, 1)))
    corners = cv2.dilate(inside, np.ones((2, 2), np.uint8), anchor=(1, 1))
    found: Sequence[Any] = cv2.findContours(corners, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]
    if not found:
        return ()
    contour = _chosen(found, [(x * width / size_px[0], y * height / size_px[1]) for x, y in points])
    polygon = _simplified(contour, tolerance_px=tolerance_px * scale)
    return tuple((x * size_px[0] / width, y * size_px[1] / height) for x, y in polygon)


def _chosen(contours: Sequence[Any], points: Sequence[Point]) -> NDArray[Any]:
    """Return the contour that holds the first point that any holds, else the largest one."""
    import cv2

    for point in points:
        for contour in contours:
            if cv2.pointPolygonTest(contour, point, measureDist=False) >= 0:
                return np.asarray(contour)
    return np.asarray(max(contours, key=cv2.contourArea))


def _simplified(contour: NDArray[Any], *, tolerance_px: float) -> tuple[Point, ...]:
    """Return a polygon near a contour that does not cross itself."""
    import cv2

    while tolerance_px > 0.1:
        corners = np.asarray(cv2.approxPolyDP(contour, tolerance_px, closed=True)).reshape(-1, 2)
        polygon = remove_repeats((float(x), float(y)) for x, y in corners.tolist())
        if len(polygon) >= LEAST_CORNERS and not crosses_itself(polygon):
            return polygon
        # Simplified too much, a thin part collapses or crosses another one.
        tolerance_px /= 2
    x, y, width, height = cv2.boundingRect(contour)
    right, lower = float(x + width - 1), float(y + height - 1)
    return ((float(x), float(y)), (right, float(y)), (right, lower), (float(x), lower))
