"""The colours of walls, which a view from straight above does not have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.demo.buildings import Building
from annotator.demo.light import SKY_COLOUR, SUN_COLOUR, TO_SUN
from annotator.demo.terrain import colour_of

Array = NDArray[Any]

_GLASS = np.array(colour_of("3b454c"), np.float32) * np.float32(1.15)
_STOREY_M = 2.9
_WINDOW_EVERY_M, _WINDOW_WIDTH_M = 2.7, 1.25
_SILL_M, _LINTEL_M = 0.95, 2.35


def wall_colour(building: Building, *, x_m: Array, y_m: Array, height_m: Array) -> Array:
    """Return the lit colour of points on a building's walls.

    Args:
        building: The building.
        x_m: float32 (n), east coordinates.
        y_m: float32 (n), south coordinates.
        height_m: float32 (n), heights over the ground.

    Returns:
        float32 (n, 3), blue green red.
    """
    plan = building.footprint
    angle = np.float32(np.radians(plan.turn_deg))
    cos, sin = np.cos(angle), np.sin(angle)
    along = (x_m - plan.x_m) * cos + (y_m - plan.y_m) * sin
    across = (y_m - plan.y_m) * cos - (x_m - plan.x_m) * sin
    is_long = np.abs(across) * plan.length_m >= np.abs(along) * plan.width_m
    side = np.where(is_long, np.sign(across), np.sign(along))
    normal = np.where(is_long[:, None], [[-sin, cos]], [[cos, sin]]) * side[:, None]
    is_window = _is_window(np.where(is_long, along, across), height_m, eaves_m=building.eaves_m)
    # Rain and dust darken a wall towards the ground.
    dirt = (0.86 + 0.14 * np.clip(height_m / 3, 0, 1))[:, None]
    base = np.where(is_window[:, None], _GLASS, np.array(building.wall_colour, np.float32) * dirt)
    return (base * _light(normal)).astype(np.float32)


def _light(normal: Array) -> Array:
    facing = np.clip(normal @ TO_SUN[:2] / TO_SUN[2], 0, 1.2)
    return np.asarray(facing[:, None] * SUN_COLOUR + SKY_COLOUR * np.float32(0.95))


def _is_window(place_m: Array, height_m: Array, *, eaves_m: float) -> Array:
    storey = np.mod(height_m, _STOREY_M)
    is_row = (storey > _SILL_M) & (storey < _LINTEL_M) & (height_m < eaves_m - 0.3)
    return np.asarray(is_row & (np.mod(place_m + 100.0, _WINDOW_EVERY_M) < _WINDOW_WIDTH_M))
