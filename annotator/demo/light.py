"""Sunlight on a terrain: slopes, cast shadows and the dimness of narrow places."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.terrain import CELLS_PER_M

Floats = NDArray[Any]

TO_SUN = np.array((-0.52, 0.50, 0.69)) / np.linalg.norm((-0.52, 0.50, 0.69))
"""Unit vector to the sun: east, south, up. Early afternoon; shadows fall to the north-east."""
SUN_COLOUR = np.array((0.55, 0.62, 0.66), np.float32)
"""Blue, green, red of direct light."""
SKY_COLOUR = np.array((0.42, 0.38, 0.35), np.float32)
"""Blue, green, red of the light in a shadow."""


def light_on(height_m: Floats, *, softness_m: float = 0.35) -> NDArray[Any]:
    """Return the light that falls on every cell.

    Args:
        height_m: float32 (rows, columns), tops in metres.
        softness_m: Depth under the shadow's rim at which it is full.

    Returns:
        float32 (rows, columns, 3), blue green red, factors of the colour in even white light.
    """
    lit = np.clip(1 - (_shadow_rim(height_m) - height_m) / softness_m, 0, 1)
    sun = lit * slope_light(height_m)
    sky = _openness(height_m)
    channels = zip(SUN_COLOUR.tolist(), SKY_COLOUR.tolist(), strict=True)
    light: Floats = cv2.merge([sun * from_sun + sky * from_sky for from_sun, from_sky in channels])
    return light


def slope_light(height_m: Floats) -> Floats:
    """Return the share of direct light that each cell's slope catches, 1.0 for level ground."""
    east = np.clip(cv2.Sobel(height_m, cv2.CV_32F, 1, 0, scale=CELLS_PER_M / 8), -1.2, 1.2)
    south = np.clip(cv2.Sobel(height_m, cv2.CV_32F, 0, 1, scale=CELLS_PER_M / 8), -1.2, 1.2)
    facing = (TO_SUN[2] - east * TO_SUN[0] - south * TO_SUN[1]) / np.sqrt(1 + east**2 + south**2)
    return np.asarray(np.clip(facing / TO_SUN[2], 0.0, 1.35), np.float32)


def _shadow_rim(height_m: Floats) -> Floats:
    """Return the height up to which each cell is in shadow.

    The rim is the maximum over distances d of the height d towards the sun less the fall of a ray
    over d; doubling d covers all distances with few steps.
    """
    per_cell_m = 1 / CELLS_PER_M
    run = np.array(TO_SUN[:2]) / np.hypot(*TO_SUN[:2])
    fall_m = TO_SUN[2] / np.hypot(*TO_SUN[:2]) * per_cell_m
    reach = max(1.0, float(height_m.max()) / fall_m)
    # Each pass looks as far again as all before it together.
    rim, step = height_m, 1.0
    while step <= reach:
        moved = _moved(rim, east=run[0] * step, south=run[1] * step)
        rim, step = cv2.max(rim, moved - np.float32(fall_m * step)), step * 2
    return rim


def _moved(values: Floats, *, east: float, south: float) -> Floats:
    """Return the values found at an offset in cells from each cell."""
    shift = np.array(((1, 0, east), (0, 1, south)), np.float64)
    size = (values.shape[1], values.shape[0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(values, shift, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)


def _openness(height_m: Floats) -> Floats:
    """Return the share of the sky that each cell sees, from how much higher its surroundings are."""
    # Seen from a sixth of the cells each way: the dimness of a narrow place has no sharp edges.
    size = (max(1, height_m.shape[1] // 6), max(1, height_m.shape[0] // 6))
    small = cv2.resize(height_m, size, interpolation=cv2.INTER_AREA)
    around = cv2.GaussianBlur(small, (0, 0), 4.0)
    around = cv2.resize(around, height_m.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return np.clip(1.0 - 0.16 * np.maximum(around - height_m, 0), 0.45, 1.0)
