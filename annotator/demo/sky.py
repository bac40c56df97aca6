"""The sky, the air between things, and the fields round the town."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.light import Sun
from annotator.demo.terrain import colour_of

Array = NDArray[Any]

HAZE = np.array((214, 207, 199), np.float32)
"""Blue green red of the air far away at noon."""
HAZE_LENGTH_M = 520.0
"""Distance over which two thirds of a colour are lost; a mild summer haze."""
HORIZON_M = 6000.0
"""Distance of the farthest ground that is seen; beyond it is sky."""

_ZENITH = np.array((178, 128, 84), np.float32)
_CLOUD = np.array((240, 238, 236), np.float32)
_CLOUD_HEIGHT_M = 1500.0
_CLOUD_SIZE_M = 9000.0
_CLOUD_CELLS = 1024
_FIELDS = tuple(colour_of(c) for c in ("6d7645", "7f8050", "968d63", "5c6a3c", "7d6850", "8a8a55", "66733f"))
_FIELD_M, _HEDGE_M = (140.0, 90.0), 5.0
_HEDGE = np.array(colour_of("3f4d2e"), np.float32)
_WOODS_DEG = 0.9


def hazed(colour: Array, *, distance_m: Array, sun: Sun) -> Array:
    """Return colours as they are seen through the air.

    Args:
        colour: float32 (n, 3), blue green red.
        distance_m: float32 (n), way through the air.
        sun: The light of the hour.
    """
    clear = np.exp(distance_m * np.float32(-1 / HAZE_LENGTH_M))
    haze = cv2.merge([(1 - clear) * channel for channel in haze_colour(sun)]).reshape(colour.shape)
    # Whole rows of numbers are several times faster than three at a time.
    haze += colour * cv2.merge([clear] * 3).reshape(colour.shape)
    return np.asarray(haze)


def haze_colour(sun: Sun) -> Array:
    """Return what the air far away looks like: float32 (3,), blue green red."""
    return np.asarray(HAZE * _daylight(sun))


def sky_colour(east: Array, south: Array, up: Array, *, sun: Sun, seed: int = 0) -> Array:
    """Return the sky in directions: a gradient, soft clouds, the glow round the sun, woods on the horizon.

    Args:
        east: float32 (n), direction, of any length.
        south: float32 (n).
        up: float32 (n).
        sun: The light of the hour.
        seed: Decides the clouds.

    Returns:
        float32 (n, 3), blue green red.
    """
    length = np.sqrt(east**2 + south**2 + up**2)
    rise = np.maximum(up / length, 0)
    blue = 1 - np.exp(-rise * 3.2)
    colour = haze_colour(sun) * (1 - blue)[:, None] + _ZENITH * _daylight(sun) * blue[:, None]
    # Clouds lie on a level sheet, so towards the horizon they are small and end in haze.
    per_m = np.float32(_CLOUD_HEIGHT_M / _CLOUD_SIZE_M * _CLOUD_CELLS) / np.maximum(up / length, 0.02)
    cover = _clouds(east / length * per_m, south / length * per_m, seed=seed)
    cover *= np.clip(rise * 7 - 0.35, 0, 1)
    colour += (_CLOUD * _daylight(sun) - colour) * cover[:, None]
    near_sun = (east * sun.to_sun[0] + south * sun.to_sun[1] + up * sun.to_sun[2]) / length
    glow = 90 * np.clip(near_sun, 0, 1) ** 90 + 14 * np.clip(near_sun, 0, 1) ** 6
    colour += glow[:, None] * (sun.direct / sun.direct.max())
    woods = _woods(east, south)
    is_wood = np.degrees(np.arcsin(up / length)) < woods
    colour[is_wood] = haze_colour(sun) * 0.72 + _HEDGE * _daylight(sun) * 0.2
    return np.asarray(colour, np.float32)


def field_colour(x_m: Array, y_m: Array, *, sun: Sun) -> Array:
    """Return the lit colour of the open land round the town: float32 (n, 3)."""
    # Fields are not laid out with a ruler.
    bent_x, bent_y = x_m + 18 * np.sin(y_m / 61), y_m + 14 * np.sin(x_m / 83)
    column, row = np.floor(bent_x / _FIELD_M[0]), np.floor(bent_y / _FIELD_M[1])
    # Two large primes spread neighbouring fields over the colours.
    key = (column.astype(np.int64) * 73_856_093 ^ row.astype(np.int64) * 19_349_663) % len(_FIELDS)
    colour = np.array(_FIELDS, np.float32)[key]
    furrows = np.sin((x_m + y_m * (0.3 + 0.2 * key)) * 1.1)
    colour *= (1 + 0.05 * furrows * (key % 2))[:, None]
    edge = np.minimum(np.mod(bent_x, _FIELD_M[0]), np.mod(bent_y, _FIELD_M[1]))
    colour[edge < _HEDGE_M] = _HEDGE
    return np.asarray(colour * (sun.direct + sun.sky))


def _daylight(sun: Sun) -> Array:
    """Return what the hour makes of the colours of noon: float32 (3,)."""
    light = sun.direct + sun.sky
    return np.asarray(light / np.array((0.97, 1.0, 1.01), np.float32))


def _clouds(x: Array, y: Array, *, seed: int) -> Array:
    """Return how much of the sky is hidden at places of the sheet of clouds: float32 (n), 0..1."""
    column, row = (np.floor(position).astype(np.int32) & (_CLOUD_CELLS - 1) for position in (x, y))
    return np.asarray(_cloud_sheet(seed)[row, column])


@lru_cache(maxsize=4)
def _cloud_sheet(seed: int) -> Array:
    rng = np.random.default_rng((seed, 71))
    sheet = np.zeros((_CLOUD_CELLS, _CLOUD_CELLS), np.float32)
    for cells, weight in ((8, 1.0), (16, 0.6), (32, 0.36), (64, 0.2), (128, 0.1)):
        # Blended beyond its edges and cut, the sheet goes on where it ends.
        noise = np.pad(rng.standard_normal((cells, cells)), 2, mode="wrap").astype(np.float32)
        per = _CLOUD_CELLS // cells
        side = per * (cells + 4)
        wave = cv2.resize(noise, (side, side), interpolation=cv2.INTER_CUBIC)
        sheet += weight * wave[2 * per : 2 * per + _CLOUD_CELLS, 2 * per : 2 * per + _CLOUD_CELLS]
    return np.asarray(np.clip(sheet * 0.5 + 0.05, 0, 0.85))


def _woods(east: Array, south: Array) -> Array:
    """Return how high woods stand over the horizon in directions: float32 (n), degrees."""
    angle = np.arctan2(south, east)
    wave = (
        np.sin(angle * 7)
        + 0.6 * np.sin(angle * 19 + 1)
        + 0.25 * np.sin(angle * 83 + 2)
        + 0.2 * np.sin(angle * 211)
    )
    return np.asarray(_WOODS_DEG * (0.45 + 0.22 * wave))
