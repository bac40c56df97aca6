"""Where the rays of a camera end: each pixel's ray is followed down to the first thing it meets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.camera import PICTURE_SIZE_PX, Camera
from annotator.demo.terrain import CELLS_PER_M, Terrain

Array = NDArray[Any]

RAYS_PER_PIXEL = 1.25
"""Rays along one side of a pixel; averaged away at the end, so that edges are smooth."""
LEVEL_M = 0.3
"""Height between the levels at which rays are looked at; less than the lowest thing, a bonnet."""
_ALL_LEVELS_BELOW = 7
_BLOCK_PX = 240
_COARSE_CELLS = 32
_HALVINGS = 4


@dataclass(frozen=True, kw_only=True)
class Hits:
    """Where rays end, one entry a ray, rows by columns of the finer picture.

    Attributes:
        column: float32, column of the terrain's cells.
        row: float32, row of the terrain's cells.
        height_m: float32, height over the ground.
    """

    column: Array
    row: Array
    height_m: Array

    def sampled(self, values: Array) -> Array:
        """Return values of cells, blended from the four around each hit."""
        found: Array = cv2.remap(
            values, self.column, self.row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
        )
        return found

    def nearest(self, values: Array) -> Array:
        """Return values of the cells nearest to the hits."""
        found: Array = cv2.remap(
            values, self.column, self.row, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REFLECT
        )
        return found


def trace(terrain: Terrain, *, camera: Camera) -> Hits:
    """Find the highest level at which each ray is inside something, then the place between levels.

    The camera is above everything, so the highest level met is the first. The picture is cut into
    blocks, since most of them show nothing high.
    """
    width, height = ray_grid()
    found = np.zeros((height, width), np.uint8)
    layers = _Layers.of(terrain, camera)
    for y in range(0, height, _BLOCK_PX):
        for x in range(0, width, _BLOCK_PX):
            _trace_block(found[y : y + _BLOCK_PX, x : x + _BLOCK_PX], layers, corner=(x, y))
    return _refine(terrain, camera, found.astype(np.float32) * np.float32(LEVEL_M))


def ray_grid() -> tuple[int, int]:
    """Return the number of rays across and down."""
    return round(PICTURE_SIZE_PX[0] * RAYS_PER_PIXEL), round(PICTURE_SIZE_PX[1] * RAYS_PER_PIXEL)


@dataclass(frozen=True, kw_only=True)
class _Layers:
    """A terrain in levels, which fit a byte up to 76 m, and the way from rays to its cells.

    Attributes:
        top: uint8 (rows, columns), level of the tops.
        base: uint8 (rows, columns), level of the undersides.
        coarse_top: uint8, the highest of 32 x 32 cells.
        coarse_base: uint8, the same of the undersides.
        ground: Homography from rays to cells on the ground.
        lift: What one level adds to it.
    """

    top: Array
    base: Array
    coarse_top: Array
    coarse_base: Array
    ground: Array
    lift: Array

    @classmethod
    def of(cls, terrain: Terrain, camera: Camera) -> _Layers:
        """Return the layers as one camera needs them."""
        top, base = (
            np.clip(h / LEVEL_M, 0, 254).astype(np.uint8) for h in (terrain.height_m, terrain.base_m)
        )
        ground = _to_cells(terrain) @ camera.to_plane(0.0, scale=RAYS_PER_PIXEL)
        lift = _to_cells(terrain) @ camera.to_plane(LEVEL_M, scale=RAYS_PER_PIXEL) - ground
        return cls(
            top=top, base=base, coarse_top=_coarse(top), coarse_base=_coarse(base), ground=ground, lift=lift
        )

    def at(self, level: int) -> Array:
        """Return the homography from rays to cells on a level."""
        return np.asarray(self.ground + level * self.lift)

    def highest(self, ray: Array, size: tuple[int, int]) -> tuple[int, int]:
        """Return the highest level and the highest underside that a block of rays can meet."""
        corners = np.array(((0, 0, 1), (size[0], 0, 1), (*size, 1), (0, size[1], 1)), np.float64)
        # A block's rays stay between where they meet the ground and where they meet the highest level.
        cells = [corners @ (self.at(level) @ ray).T for level in (0, int(self.coarse_top.max()))]
        places = np.concatenate(cells)
        places = places[:, :2] / places[:, 2:] / _COARSE_CELLS
        x1, y1 = np.maximum(places.min(0), 0).astype(int).tolist()
        x2, y2 = (np.maximum(places.max(0), 0).astype(int) + 1).tolist()
        top, base = (c[y1:y2, x1:x2].max(initial=0) for c in (self.coarse_top, self.coarse_base))
        return int(top), int(base)


def _trace_block(found: Array, layers: _Layers, *, corner: tuple[int, int]) -> None:
    size = (found.shape[1], found.shape[0])
    ray = np.array(((1, 0, corner[0] + 0.5), (0, 1, corner[1] + 0.5), (0, 0, 1)))
    highest, highest_base = layers.highest(ray, size)
    for level in _levels(highest):
        matrix = layers.at(level) @ ray
        is_inside = _on_plane(layers.top, matrix, size) >= level
        if level <= highest_base:
            is_inside &= _on_plane(layers.base, matrix, size) <= level
        np.copyto(found, np.uint8(level), where=is_inside)


def _levels(highest: int) -> list[int]:
    """Return the levels to look at: cars are low and need all of them, houses every other one."""
    return [*range(1, min(highest, _ALL_LEVELS_BELOW) + 1), *range(_ALL_LEVELS_BELOW + 2, highest + 1, 2)]


def _coarse(values: Array) -> Array:
    rows, columns = (-(-n // _COARSE_CELLS) for n in values.shape)
    padded = np.zeros((rows * _COARSE_CELLS, columns * _COARSE_CELLS), np.uint8)
    padded[: values.shape[0], : values.shape[1]] = values
    blocks: Array = padded.reshape(rows, _COARSE_CELLS, columns, _COARSE_CELLS)
    return np.asarray(blocks.max(axis=(1, 3)))


def _on_plane(values: Array, matrix: Array, size: tuple[int, int]) -> Array:
    flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
    found: Array = cv2.warpPerspective(values, matrix, size, flags=flags)
    return found


def _refine(terrain: Terrain, camera: Camera, low_m: Array) -> Hits:
    """Move hits up to where the ray enters, between the level found and the next one above."""
    # Above the lowest levels every other one was left out, so the next one above is twice as far.
    is_sparse = low_m > _ALL_LEVELS_BELOW * LEVEL_M - 0.01
    low, high = low_m, low_m + np.where(is_sparse, 2 * LEVEL_M, LEVEL_M).astype(np.float32)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_inside = _at_height(terrain, camera, middle).nearest(terrain.height_m) >= middle
        low, high = np.where(is_inside, middle, low), np.where(is_inside, high, middle)
    return _at_height(terrain, camera, low)


def _at_height(terrain: Terrain, camera: Camera, height_m: Array) -> Hits:
    """Return where each ray is at a height of its own."""
    width, height = ray_grid()
    rays = camera.rays(scale=RAYS_PER_PIXEL).astype(np.float32)
    x = np.arange(width, dtype=np.float32)[None, :] + np.float32(0.5)
    y = np.arange(height, dtype=np.float32)[:, None] + np.float32(0.5)
    east, south, up = (rays[k, 0] * x + rays[k, 1] * y + rays[k, 2] for k in range(3))
    run = (height_m - np.float32(camera.altitude_m)) / up
    column = (run * east + np.float32(camera.x_m - terrain.west_m)) * CELLS_PER_M - np.float32(0.5)
    row = (run * south + np.float32(camera.y_m - terrain.north_m)) * CELLS_PER_M - np.float32(0.5)
    return Hits(column=column, row=row, height_m=height_m)


def _to_cells(terrain: Terrain) -> Array:
    """Return the matrix from metres to cells, whose centres have whole numbers."""
    west, north = (-origin_m * CELLS_PER_M - 0.5 for origin_m in (terrain.west_m, terrain.north_m))
    return np.array(((CELLS_PER_M, 0, west), (0, CELLS_PER_M, north), (0, 0, 1)))
