"""Unevenness: smooth random fields, and the grain that they give to flat colours."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.terrain import CELLS_PER_M, Colour, Material, Terrain, colour_of

Field = NDArray[Any]

_GRAIN = {
    Material.GRASS: (0.13, 0.16),
    Material.ASPHALT: (0.045, 0.07),
    Material.PAVING: (0.05, 0.06),
    Material.TILES: (0.05, 0.07),
    Material.FLAT_ROOF: (0.03, 0.07),
    Material.WATER: (0.02, 0.10),
    Material.SOIL: (0.12, 0.14),
    Material.LEAVES: (0.16, 0.10),
    Material.VEHICLE: (0.0, 0.0),
    Material.COURT: (0.03, 0.05),
    Material.PERSON: (0.0, 0.0),
    Material.TRUNK: (0.16, 0.10),
    Material.STONE: (0.05, 0.06),
    Material.METAL: (0.02, 0.03),
}
"""Share by which a material's brightness varies: from cell to cell, and over a few metres."""
_BAND = 64
_MEADOW = tuple(colour_of(c) for c in ("59683a", "6d7645", "7f8050", "968d63"))


def field(shape: tuple[int, int], *, period_m: float, rng: np.random.Generator) -> Field:
    """Return a smooth random field.

    Args:
        shape: Rows and columns of cells.
        period_m: Typical size of a spot.
        rng: Source of randomness.

    Returns:
        float32 (rows, columns), mean about 0, nearly all values within -1..1.
    """
    coarse = tuple(max(4, round(n / CELLS_PER_M / period_m) + 3) for n in shape)
    spots = rng.standard_normal(coarse, np.float32) * 0.5
    return cv2.resize(spots, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC)


def meadow(terrain: Terrain, *, rng: np.random.Generator) -> None:
    """Colour bare land as grass between lush and dry."""
    shape = terrain.material.shape
    small = (shape[0] // 4, shape[1] // 4)
    dryness = 1.3 + 0.9 * _octaves(small, periods_m=(15.0, 5.0, 1.6), rng=rng)
    colours = _blend(_MEADOW, dryness)
    terrain.colour[:] = cv2.resize(colours, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)


def roughen(terrain: Terrain, *, rng: np.random.Generator) -> None:
    """Give every cell the grain of its material."""
    shape = terrain.material.shape
    table = np.zeros((256, 2), np.float32)
    for material, amounts in _GRAIN.items():
        table[material] = amounts
    spots = field(shape, period_m=0.7, rng=rng) + field(shape, period_m=3.0, rng=rng)
    # A band of rows at a time stays in the processor's cache, which is three times as fast.
    for first in range(0, shape[0], _BAND):
        band = slice(first, first + _BAND)
        cells = rng.standard_normal(spots[band].shape, np.float32)
        # Two sizes of grain: single cells alone look like sensor noise, blurred ones like mould.
        cells = 0.6 * cells + 1.6 * cv2.GaussianBlur(cells, (0, 0), 1.2)
        colour, kinds = terrain.colour[band], terrain.material[band]
        factor = 1 + cv2.LUT(kinds, table[:, 0]) * cells + cv2.LUT(kinds, table[:, 1]) * spots[band]
        cv2.multiply(colour, cv2.merge([factor] * 3), dst=colour, dtype=cv2.CV_8U)


def _octaves(shape: tuple[int, int], *, periods_m: tuple[float, ...], rng: np.random.Generator) -> Field:
    # The field is made on a quarter of the cells each way, hence the shorter periods.
    total = np.zeros(shape, np.float32)
    for k, period_m in enumerate(periods_m):
        total += field(shape, period_m=period_m / 4, rng=rng) * np.float32(0.75**k)
    return total


def _blend(colours: tuple[Colour, ...], position: Field) -> NDArray[Any]:
    table = np.array(colours, np.float32)
    point = np.clip(position, 0, len(colours) - 1.001)
    lower = point.astype(np.int32)
    share = (point - lower)[..., None]
    return (table[lower] * (1 - share) + table[lower + 1] * share).astype(np.uint8)
