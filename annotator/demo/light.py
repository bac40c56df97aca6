"""Sunlight on a terrain: slopes, cast shadows and the dimness of narrow places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.terrain import CELLS_PER_M

Floats = NDArray[Any]

NOON_HOUR = 14.4
"""Hour of the demo's images where none is given: early afternoon, shadows fall to the north-east."""
# Latitude of central Europe, and the sun of early May or early August.
_LATITUDE_DEG, _DECLINATION_DEG = 46.0, 16.0
_SUN_COLOUR = np.array((0.55, 0.62, 0.66), np.float32)
_SKY_COLOUR = np.array((0.42, 0.38, 0.35), np.float32)
_SOFTNESS_M = 0.35


@dataclass(frozen=True, kw_only=True)
class Sun:
    """The light of an hour.

    Attributes:
        to_sun: float64 (3,), unit vector to the sun, east, south, up.
        direct: float32 (3,), blue green red of direct light on level ground.
        sky: float32 (3,), blue green red of the light in a shadow.
    """

    to_sun: Floats
    direct: Floats
    sky: Floats

    @classmethod
    def at(cls, hour: float = NOON_HOUR) -> Sun:
        """Return the light of an hour of a summer's day, 0..24 by the sun; by night the sun just sets.

        Source: the altitude and azimuth of the sun from latitude, declination and hour angle, as in
        Meeus, "Astronomical Algorithms", chapter 13.
        """
        latitude, declination = np.radians(_LATITUDE_DEG), np.radians(_DECLINATION_DEG)
        angle = np.radians((hour - 12.0) * 15.0)
        south = np.sin(latitude) * np.cos(declination) * np.cos(angle) - np.cos(latitude) * np.sin(
            declination
        )
        west = np.cos(declination) * np.sin(angle)
        up = np.sin(latitude) * np.sin(declination) + np.cos(latitude) * np.cos(declination) * np.cos(angle)
        # Never below: the town has no lamps, and no light at all would give black images.
        to_sun = np.array((-west, south, max(up, 0.06)))
        to_sun /= np.linalg.norm(to_sun)
        # A low sun is weaker on level ground, and redder; 1.0 from a third of the way up.
        strength = float(np.clip(to_sun[2] / 0.55, 0.12, 1.0))
        warm = np.array((strength**0.8, strength**0.45, strength**0.25), np.float32)
        return cls(
            to_sun=to_sun, direct=_SUN_COLOUR * warm, sky=_SKY_COLOUR * np.float32(0.55 + 0.45 * strength)
        )

    def faced(self, normal_east: Floats, normal_south: Floats) -> Floats:
        """Return the direct light on upright faces as a share of that on level ground, at most 1.2."""
        facing = normal_east * np.float32(self.to_sun[0]) + normal_south * np.float32(self.to_sun[1])
        return np.asarray(np.clip(facing / np.float32(self.to_sun[2]), 0, 1.2))


NOON = Sun.at()
"""The light of the demo's images where no hour is given."""


def light_on(height_m: Floats, *, rim_m: Floats, around_m: Floats, sun: Sun) -> NDArray[Any]:
    """Return the light that falls on every cell.

    Args:
        height_m: float32 (rows, columns), tops in metres.
        rim_m: float32 (rows, columns), height up to which there is shadow (see ``shadow_rim``).
        around_m: float32 (rows, columns), height of what lies around (see ``surroundings``).
        sun: The light of the hour.

    Returns:
        float32 (rows, columns, 3), blue green red, factors of the colour in even white light.
    """
    direct = sunlit(height_m, rim_m=rim_m) * slope_light(height_m, sun=sun)
    return mixed(direct, openness(height_m, around_m=around_m), sun=sun)


def mixed(direct: Floats, sky: Floats, *, sun: Sun) -> Floats:
    """Return light of shares of the sun and of the sky: float32, one more axis of blue green red."""
    channels = zip(sun.direct.tolist(), sun.sky.tolist(), strict=True)
    light: Floats = cv2.merge([direct * from_sun + sky * from_sky for from_sun, from_sky in channels])
    return light


def sunlit(height_m: Floats, *, rim_m: Floats) -> Floats:
    """Return the share of the sun that reaches heights, from the height up to which there is shadow."""
    return np.asarray(np.clip(1 - (rim_m - height_m) * np.float32(1 / _SOFTNESS_M), 0, 1))


def slope_light(height_m: Floats, *, sun: Sun) -> Floats:
    """Return the share of direct light that each cell's slope catches, 1.0 for level ground."""
    to_sun = sun.to_sun
    # Sobel's kernel sums to eight times the slope.
    east = np.clip(cv2.Sobel(height_m, cv2.CV_32F, 1, 0, scale=CELLS_PER_M / 8), -1.2, 1.2)
    south = np.clip(cv2.Sobel(height_m, cv2.CV_32F, 0, 1, scale=CELLS_PER_M / 8), -1.2, 1.2)
    facing = (to_sun[2] - east * to_sun[0] - south * to_sun[1]) / np.sqrt(1 + east**2 + south**2)
    return np.asarray(np.clip(facing / to_sun[2], 0.0, 1.35), np.float32)


def shadow_rim(height_m: Floats, *, sun: Sun) -> Floats:
    """Return the height up to which each cell is in shadow.

    The rim is the maximum over distances d of the height d towards the sun less the fall of a ray
    over d; doubling d covers all distances with few steps.
    """
    per_cell_m, level = 1 / CELLS_PER_M, np.hypot(*sun.to_sun[:2])
    run = np.array(sun.to_sun[:2]) / level
    fall_m = sun.to_sun[2] / level * per_cell_m
    reach = max(1.0, float(height_m.max()) / fall_m)
    # Each pass looks as far again as all before it together.
    rim, step = height_m, 1.0
    while step <= reach:
        moved = _moved(rim, east=run[0] * step, south=run[1] * step)
        rim, step = cv2.max(rim, moved - np.float32(fall_m * step)), step * 2
    return rim


def surroundings(height_m: Floats) -> Floats:
    """Return the smoothed height of what lies around each cell: float32 (rows, columns), metres."""
    # Seen from a sixth of the cells each way: the dimness of a narrow place has no sharp edges.
    size = (max(1, height_m.shape[1] // 6), max(1, height_m.shape[0] // 6))
    small = cv2.resize(height_m, size, interpolation=cv2.INTER_AREA)
    around = cv2.GaussianBlur(small, (0, 0), 4.0)
    return np.asarray(cv2.resize(around, height_m.shape[::-1], interpolation=cv2.INTER_LINEAR))


def openness(height_m: Floats, *, around_m: Floats) -> Floats:
    """Return the share of the sky that each cell sees, from how much higher its surroundings are."""
    return np.asarray(np.clip(1.0 - 0.16 * np.maximum(around_m - height_m, 0), 0.45, 1.0))


def _moved(values: Floats, *, east: float, south: float) -> Floats:
    """Return the values found at an offset in cells from each cell."""
    shift = np.array(((1, 0, east), (0, 1, south)), np.float64)
    size = (values.shape[1], values.shape[0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(values, shift, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
