"""The colours of upright sides and undersides, which a view from straight above does not have."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.demo.layers import sampled
from annotator.demo.light import mixed
from annotator.demo.rays import Hits
from annotator.demo.stage import Stage
from annotator.demo.terrain import CELLS_PER_M, Material, colour_of
from annotator.demo.walls import wall_paint, wall_run

Array = NDArray[Any]

_BARK = np.array(colour_of("5a4c3f"), np.float32)
_TYRE = np.array(colour_of("1f2022"), np.float32)
_SKIN = np.array(colour_of("b08a72"), np.float32)
_TROUSERS = np.array(colour_of("34363d"), np.float32)
_CLUMP_CELLS, _CLUMP_M = 2.5, 0.22
_LEAF_CELLS, _LEAVES_SEEN_M = 0.7, 40.0
_SILL_M, _HIPS_M, _NECK_M = 0.2, 0.85, 1.5
_OUT_CELLS = 3.0


class Sides:
    """Hits at the sides of what stands on the ground, with what is needed to paint them."""

    def __init__(
        self, stage: Stage, hits: Hits, *, here: Array, position_m: tuple[float, float, float], rays: Array
    ) -> None:
        """Prepare some hits.

        Args:
            stage: The land.
            hits: All hits of an image; the exact place on a building's wall is written back to them.
            here: int (n), those at sides.
            position_m: Where the camera is, east, south, up.
            rays: float32 (n, 3), directions of the rays, east south up, 1 long along the optical axis.
        """
        self._stage, self._hits, self._here = stage, hits, here
        self._position_m, self._rays = position_m, rays
        column, row = hits.column[here], hits.row[here]
        self._owner = stage.layers.owner(column, row)
        self._height = hits.height_m[here]
        self.body = stage.ground.body.ravel().take(self._owner)
        self._east, self._south = _normals(stage, column, row)

    def painted(self) -> Array:
        """Return the lit colours: float32 (n, 3), blue green red."""
        ground = self._stage.ground
        material = ground.material.ravel().take(self._owner)
        paint = ground.colour.reshape(-1, 3)[self._owner].astype(np.float32)
        self._paint_things(paint, material)
        for number in np.unique(self.body).tolist():
            if number in self._stage.buildings:
                self._paint_building(paint, number)
        return paint * self._light()

    def _paint_things(self, paint: Array, material: Array) -> None:
        height = self._height
        paint[material == Material.TRUNK] = _BARK
        is_leaf = np.flatnonzero(material == Material.LEAVES)
        at = self._here[is_leaf]
        paint[is_leaf] *= clump_noise(
            self._hits.column[at], self._hits.row[at], height[is_leaf], depth_m=self._hits.depth_m[at]
        )[:, None]
        is_car = material == Material.VEHICLE
        paint[is_car] *= np.float32(0.92)
        paint[is_car & (height < _SILL_M)] = _TYRE
        is_person = material == Material.PERSON
        paint[is_person & (height < _HIPS_M)] = _TROUSERS
        paint[is_person & (height > _NECK_M)] = _SKIN

    def _paint_building(self, paint: Array, number: int) -> None:
        building, these = self._stage.buildings[number], np.flatnonzero(self.body == number)
        at, rays = self._here[these], self._rays[these]
        run, points = wall_run(building, position_m=self._position_m, rays=rays, run=self._hits.depth_m[at])
        on = np.flatnonzero(points.is_on)
        points, walls = points.of(on), these[on]
        self._hits.move(at[on], run[on], rays[on])
        self._height[walls] = points.height_m
        self._east[walls], self._south[walls] = points.normal_east, points.normal_south
        paint[walls] = wall_paint(building, points)

    def _light(self) -> Array:
        """Return the light on the sides: direct where they face the sun and nothing stands before it."""
        stage, hits, here = self._stage, self._hits, self._here
        column = hits.column[here] + self._east * np.float32(_OUT_CELLS)
        row = hits.row[here] + self._south * np.float32(_OUT_CELLS)
        rim = sampled(stage.rim_m, column, row)
        direct = np.clip(1 - (rim - self._height) * 3, 0, 1) * stage.sun.faced(self._east, self._south)
        # An upright side sees half the sky, and light from the ground before it.
        light = mixed(direct.astype(np.float32), np.full(direct.shape, 0.95, np.float32), sun=stage.sun)
        return np.asarray(light.reshape(-1, 3))


def crown_colour(stage: Stage, hits: Hits, *, here: Array, rays: Array) -> Array:
    """Return the lit colours of hits in what hangs over the ground: float32 (n, 3), blue green red.

    Args:
        stage: The land.
        hits: All hits of an image.
        here: int (n), those in crowns, awnings, bridges.
        rays: float32 (n, 3), directions of the rays, east south up.
    """
    column, row, height = hits.column[here], hits.row[here], hits.height_m[here]
    cells = stage.layers.over.ravel().take(stage.layers.nearest(column, row))
    base, top = stage.layers.crown_at(column, row)
    paint = stage.terrain.colour.reshape(-1, 3)[cells].astype(np.float32)
    above = np.clip((height - base) / np.maximum(top - base, 0.1), 0, 1)
    is_leaf = stage.terrain.material.ravel().take(cells) == Material.LEAVES
    noise = clump_noise(column, row, height, depth_m=hits.depth_m[here])
    # RenderedImage from the sun's side leaves are lit, from the other side one looks at their shade.
    level = np.hypot(rays[:, 0], rays[:, 1])
    away = -(rays[:, 0] * stage.sun.to_sun[0] + rays[:, 1] * stage.sun.to_sun[1]) / np.maximum(level, 1e-6)
    lit = np.clip(0.45 + 0.55 * away, 0.1, 1) * (0.35 + 0.65 * above)
    lit = np.where(top - height < 0.35, np.maximum(lit, 0.8), lit)
    lit *= np.clip(1 - (sampled(stage.rim_m, column, row) - top) * 1.5, 0.15, 1)
    sky = np.where(is_leaf, 0.55 + 0.4 * above, 0.8)
    light = mixed(lit.astype(np.float32), sky.astype(np.float32), sun=stage.sun).reshape(-1, 3)
    return np.asarray(paint * light * np.where(is_leaf, noise, 1)[:, None])


def clump_noise(column: Array, row: Array, height_m: Array, *, depth_m: Array) -> Array:
    """Return a brightness for every clump of leaves, the same from all sides; from near also for leaves.

    Args:
        column: float32 (n), places.
        row: float32 (n).
        height_m: float32 (n).
        depth_m: float32 (n), how far away they are.
    """
    clumps = _noise(column / _CLUMP_CELLS, row / _CLUMP_CELLS, height_m / _CLUMP_M)
    near = np.float32(0.7) * np.clip(1.3 - depth_m / _LEAVES_SEEN_M, 0, 1)
    leaves = _noise(column / _LEAF_CELLS, row / _LEAF_CELLS, height_m * (CELLS_PER_M / _LEAF_CELLS))
    return np.asarray(clumps * (1 - near) + (1.7 * leaves - 0.6) * near)


def _noise(x: Array, y: Array, z: Array) -> Array:
    """Return one value of 0.62 to 1.3 for each cube of space."""
    # A cube is turned against the cells, or its sides would line up with theirs.
    turned = x * 0.8 + y * 0.53 + z * 0.28, y * 0.82 - x * 0.49 + z * 0.3, z * 0.93 - x * 0.33 - y * 0.2
    a, b, c = (np.floor(position).astype(np.int64) for position in turned)
    # Three large primes spread neighbouring cubes over the table.
    return np.asarray(_noise_table()[(a * 73_856_093 ^ b * 19_349_663 ^ c * 83_492_791) & 4095])


@cache
def _noise_table() -> Array:
    return np.random.default_rng(0).uniform(0.62, 1.3, 4096).astype(np.float32)


def _normals(stage: Stage, column: Array, row: Array) -> tuple[Array, Array]:
    """Return where sides look, east and south, from how the land falls: float32 (n) each."""
    solid, far = stage.layers.solid_at, np.float32(_OUT_CELLS / 2)
    east = solid(column - far, row) - solid(column + far, row)
    south = solid(column, row - far) - solid(column, row + far)
    length = np.maximum(np.hypot(east, south), 1e-3)
    return east / length, south / length
