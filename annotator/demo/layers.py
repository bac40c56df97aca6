"""The land as rays meet it: what stands on the ground, and what hangs over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.terrain import CELLS_PER_M, Material, Terrain

Array = NDArray[Any]

_ROW = 1024
"""Flat lists are folded into rows of this length, since cv2 takes no side over 32,767."""
_THINNEST_M = 0.03


@dataclass(frozen=True, kw_only=True)
class Layers:
    """Heights over a grid of cells.

    Attributes:
        solid_m: float32 (rows, columns), top of what reaches down to the ground.
        base_m: float32 (rows, columns), underside of what hangs over the ground; beside it, its rim.
        top_m: float32 (rows, columns), top of what hangs over the ground; beside it, its rim.
        thick_m: float32 (rows, columns), what is between both, 0 where nothing hangs.
        over: int32 (rows, columns), number of the nearest cell over which something hangs, row by row.
        west_m: East coordinate of the first column's edge.
        north_m: South coordinate of the first row's edge.
        lowest_m: Least height of all.
        highest_m: Greatest height of all.
    """

    solid_m: Array
    base_m: Array
    top_m: Array
    thick_m: Array
    over: Array
    west_m: float
    north_m: float
    lowest_m: float
    highest_m: float

    @classmethod
    def of(cls, terrain: Terrain, *, solid_m: Array) -> Layers:
        """Return the layers of a terrain.

        Args:
            terrain: The land.
            solid_m: Its heights without what hangs over the ground.
        """
        base_m, top_m, over = _rimmed(terrain)
        return cls(
            solid_m=solid_m,
            base_m=base_m,
            top_m=top_m,
            thick_m=top_m - base_m,
            over=over,
            west_m=terrain.west_m,
            north_m=terrain.north_m,
            lowest_m=float(solid_m.min()),
            # Movers come and go; the tallest is a lorry of four metres.
            highest_m=max(4.5, float(terrain.height_m.max())),
        )

    def cell_at(self, x_m: float, y_m: float) -> tuple[float, float]:
        """Return the column and row of a point; the centres of cells have whole numbers."""
        return (x_m - self.west_m) * CELLS_PER_M - 0.5, (y_m - self.north_m) * CELLS_PER_M - 0.5

    def reach_m(self, x_m: float, y_m: float) -> float:
        """Return the distance from a point to the farthest corner of the land."""
        rows, columns = self.solid_m.shape
        east = max(abs(x_m - self.west_m), abs(x_m - self.west_m - columns / CELLS_PER_M))
        south = max(abs(y_m - self.north_m), abs(y_m - self.north_m - rows / CELLS_PER_M))
        return float(np.hypot(east, south))

    def solid_at(self, column: Array, row: Array) -> Array:
        """Return heights of what stands on the ground, blended from four cells; 0 outside of the land."""
        return sampled(self.solid_m, column, row)

    def highest_around(self, column: Array, row: Array) -> Array:
        """Return the greatest solid height of the four cells around places: float32 (n)."""
        return np.asarray(self.solid_m.ravel().take(self.owner(column, row)))

    def owner(self, column: Array, row: Array) -> Array:
        """Return, of the four cells around places, the numbers of the highest ones: int32 (n)."""
        west, north = np.floor(column), np.floor(row)
        best = self.nearest(west, north)
        height = self.solid_m.ravel()
        for dx, dy in ((1, 0), (0, 1), (1, 1)):
            cells = self.nearest(west + dx, north + dy)
            best = np.where(height.take(cells) > height.take(best), cells, best)
        return best

    def has_crown(self, column: Array, row: Array) -> Array:
        """Tell for a block of places where something hangs over the nearest cell: bool (lines, n)."""
        return np.asarray(cv2.remap(self.thick_m, column, row, cv2.INTER_NEAREST) > _THINNEST_M)

    def crown_at(self, column: Array, row: Array) -> tuple[Array, Array]:
        """Return undersides and tops of what hangs over places; equal where nothing does."""
        return sampled(self.base_m, column, row), sampled(self.top_m, column, row)

    def nearest(self, column: Array, row: Array) -> Array:
        """Return the nearest cells' numbers, counted row by row: int32 (n)."""
        rows, columns = self.solid_m.shape
        x = np.rint(column).clip(0, columns - 1).astype(np.int32)
        y = np.rint(row).clip(0, rows - 1).astype(np.int32)
        y *= np.int32(columns)
        return np.asarray(x + y)

    def is_outside(self, column: Array, row: Array) -> Array:
        """Tell which places are not on the land."""
        rows, columns = self.solid_m.shape
        return np.asarray((column < -0.5) | (row < -0.5) | (column > columns - 0.5) | (row > rows - 0.5))


def sampled(values: Array, column: Array, row: Array) -> Array:
    """Return values blended from the four cells around places, 0 outside.

    Args:
        values: (rows, columns) or (rows, columns, 3), any type that cv2 remaps.
        column: float32, columns.
        row: float32, rows; of the same shape.

    Returns:
        Of the shape of column, and the type and channels of values.
    """
    if column.ndim == 2:
        return _remapped(values, column, row)
    if not column.size:
        return np.empty((0, *values.shape[2:]), values.dtype)
    rest = -column.size % _ROW
    if rest:
        column, row = (np.concatenate([position, position[-1:].repeat(rest)]) for position in (column, row))
    found = _remapped(values, column.reshape(-1, _ROW), row.reshape(-1, _ROW))
    return np.asarray(found.reshape(-1, *values.shape[2:])[: len(column) - rest])


def _remapped(values: Array, column: Array, row: Array) -> Array:
    found: Array = cv2.remap(values, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return found


def _rimmed(terrain: Terrain) -> tuple[Array, Array, Array]:
    """Return undersides, tops and nearest cells of what hangs over the ground, closed by a thin rim."""
    base, top = terrain.base_m, terrain.height_m
    is_over = base > 0
    is_leaf = is_over & (terrain.material == Material.LEAVES)
    # Where a crown was blended with the ground beside it, its rim hangs down in threads.
    raised = cv2.dilate(base, np.ones((5, 5), np.uint8))
    is_over &= ~is_leaf | (top > raised)
    if not is_over.any():
        return np.zeros_like(base), np.zeros_like(base), np.zeros(base.shape, np.int32)
    base = np.where(is_leaf, np.minimum(raised, top), base)
    _, label = cv2.distanceTransformWithLabels(
        (~is_over).astype(np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
    )
    # Labels count the cells of crowns row by row, from 1.
    over = np.flatnonzero(is_over)[label - 1].astype(np.int32)
    middle = ((base + top) / 2).ravel()[over]
    return np.where(is_over, base, middle), np.where(is_over, top, middle), over
