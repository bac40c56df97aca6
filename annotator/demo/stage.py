"""A piece of land made ready for many images: what is under the trees, its light, what moves on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.buildings import Building
from annotator.demo.layers import Layers, sampled
from annotator.demo.light import NOON, Sun, light_on, shadow_rim, surroundings
from annotator.demo.movers import Mover, place
from annotator.demo.terrain import Terrain
from annotator.demo.world import World

Array = NDArray[Any]
Cells = tuple[slice, slice]
Bounds = tuple[float, float, float, float]
"""West, north, east, south in metres."""

_COARSEST = 4
_FULL_SPAN = 1.5
_BARE_GROUND_M = 0.3
_LONGEST_SHADOW_M = 12.0
_MARGIN_CELLS = 3


@dataclass(frozen=True, kw_only=True)
class Texture:
    """An image of the land beside ever coarser copies of it, for looks from near and far.

    Attributes:
        atlas: uint8 (rows, columns and half of it, 3): the image, and right of it from the top down
            the copies at a half, a quarter ... of its size.
        shape: Rows and columns of the image, each a multiple of 16.
    """

    atlas: Array
    shape: tuple[int, int]

    @classmethod
    def of(cls, picture: Array) -> Texture:
        """Return the texture of an image of the land: uint8 (rows, columns, 3)."""
        rows, columns = (-(-n // (1 << _COARSEST)) * (1 << _COARSEST) for n in picture.shape[:2])
        # Whole cells of the coarsest copy: a part that is made again must fall on the same cells.
        more = ((0, rows - picture.shape[0]), (0, columns - picture.shape[1]), (0, 0))
        atlas = np.zeros((rows, columns + columns // 2, 3), np.uint8)
        atlas[:, :columns] = np.pad(picture, more, mode="edge")
        texture = cls(atlas=atlas, shape=(rows, columns))
        texture.coarsen((slice(0, rows), slice(0, columns)))
        return texture

    def coarsen(self, cells: Cells) -> None:
        """Make the coarser copies of some cells again, after the image has changed there."""
        side = 1 << _COARSEST
        starts = [s.start // side * side for s in cells]
        stops = [-(-s.stop // side) * side for s in cells]
        finer = self.atlas[starts[0] : stops[0], starts[1] : stops[1]]
        for level in range(1, _COARSEST + 1):
            top, left = self._corner(level)
            size = (finer.shape[1] // 2, finer.shape[0] // 2)
            finer = cv2.resize(finer, size, interpolation=cv2.INTER_AREA)
            y, x = top + (starts[0] >> level), left + (starts[1] >> level)
            self.atlas[y : y + size[1], x : x + size[0]] = finer

    def sampled(self, column: Array, row: Array, *, span: Array) -> Array:
        """Return the colours at places.

        Args:
            column: float32 (n), columns of the image.
            row: float32 (n), rows of the image.
            span: float32 (n), cells that a pixel covers there.

        Returns:
            uint8 (n, 3), blue green red.
        """
        column, row = column.clip(0, self.shape[1] - 1), row.clip(0, self.shape[0] - 1)
        if span.max(initial=0) <= _FULL_SPAN:
            return sampled(self.atlas, column, row)
        level = np.zeros(span.shape, np.uint8)
        for k in range(_COARSEST):
            # A copy for each doubling, from the one whose cells are as large as the pixel.
            level += span > _FULL_SPAN * (1 << k)
        corners = np.array([self._corner(k) for k in range(_COARSEST + 1)], np.float32)
        shrink = (0.5 ** np.arange(_COARSEST + 1)).astype(np.float32)
        # A copy's cell covers several; half a cell lies between their centres.
        scale, moved = shrink.take(level), ((shrink - 1) / 2).take(level)
        x = column * scale + (moved + corners[:, 1].take(level))
        y = row * scale + (moved + corners[:, 0].take(level))
        return sampled(self.atlas, x, y)

    def _corner(self, level: int) -> tuple[int, int]:
        """Return the row and column of the atlas at which a copy begins."""
        if level == 0:
            return 0, 0
        rows = self.shape[0]
        return sum(rows >> k for k in range(1, level)), self.shape[1]


class Stage:
    """A terrain, its buildings and its light, on which movers are placed for each image.

    Making one takes about as long as ten images; keep it for all images of a place and an hour.
    It may be used by one thread while movers are placed, by several between that.

    Attributes:
        terrain: The land as it was given.
        buildings: The buildings by their number.
        sun: The light of the hour.
        ground: The land without what hangs over it, with movers.
        layers: What rays meet.
        rim_m: float32 (rows, columns), height up to which there is shadow.
        ground_texture: What stands on the ground, lit.
        parked: Numbers of the movers that stand on it for good.
    """

    def __init__(self, terrain: Terrain, *, buildings: Mapping[int, Building], sun: Sun = NOON) -> None:
        self.terrain, self.buildings, self.sun = terrain, buildings, sun
        self.ground = _without_crowns(terrain)
        self.layers = Layers.of(terrain, solid_m=self.ground.height_m)
        self.rim_m = shadow_rim(terrain.height_m, sun=sun)
        self._around_m = surroundings(terrain.height_m)
        everything = (slice(0, terrain.body.shape[0]), slice(0, terrain.body.shape[1]))
        self.ground_texture = Texture.of(self._lit(self.ground, everything))
        self._bare = self._copied(everything)
        self.parked: frozenset[int] = frozenset()
        self._placed: list[Mover] = []
        self._changed: list[Cells] = []

    def park(self, movers: Iterable[Mover]) -> None:
        """Put movers that never move on the land for good; ``place`` leaves them out from now on."""
        parked = list(movers)
        self.place(parked)
        self.parked |= {mover.number for mover in parked}
        self._changed, self._placed = [], []
        self._bare = self._copied((slice(0, self.rim_m.shape[0]), slice(0, self.rim_m.shape[1])))

    def place(self, movers: Iterable[Mover], *, around: Bounds | None = None) -> None:
        """Put movers on the land, and take away those that were put there before.

        Args:
            movers: Vehicles and people.
            around: Those outside of it are left out; None for all.
        """
        shown = [m for m in movers if m.number not in self.parked and self._is_shown(m, around)]
        # Views of one moment follow each other and see the same movers.
        if shown == self._placed:
            return
        for cells in self._changed:
            self._restore(cells)
        for mover in shown:
            place(self.ground, mover=mover)
        self._placed, self._changed = shown, [self._reach(mover) for mover in shown]
        for cells in self._changed:
            self._relight(cells)

    def _is_shown(self, mover: Mover, around: Bounds | None) -> bool:
        x, y = mover.x_m, mover.y_m
        if around and not (around[0] <= x <= around[2] and around[1] <= y <= around[3]):
            return False
        return self.terrain.holds(x, y)

    def _reach(self, mover: Mover) -> Cells:
        """Return the cells on which a mover stands or throws its shadow."""
        to_sun = self.sun.to_sun
        away = -to_sun[:2] / to_sun[2] * mover.height_m
        # Under a low sun a shadow would reach across the town, and all that it crosses be lit anew for each
        # image.
        away *= min(1.0, _LONGEST_SHADOW_M / max(1e-9, float(np.hypot(*away))))
        corners = np.array(mover.plan.corners())
        positions = np.concatenate([corners, corners + away])
        cells = [np.array(self.layers.cell_at(*p)) for p in (positions.min(0), positions.max(0))]
        first, last = np.floor(cells[0]) - _MARGIN_CELLS, np.ceil(cells[1]) + _MARGIN_CELLS + 1
        rows, columns = (
            slice(int(np.clip(first[k], 0, n)), int(np.clip(last[k], 0, n)))
            for k, n in ((1, self.layers.solid_m.shape[0]), (0, self.layers.solid_m.shape[1]))
        )
        return rows, columns

    def _relight(self, cells: Cells) -> None:
        """Let what moved here throw its shadow."""
        # Only what was put there: the land's own shadow is in the rim already.
        moved = np.where(self.ground.height_m[cells] != self._bare[0][cells], self.ground.height_m[cells], 0)
        # The higher rim wins where two shadows fall.
        np.maximum(self.rim_m[cells], shadow_rim(moved, sun=self.sun), out=self.rim_m[cells])
        self.ground_texture.atlas[cells] = self._lit(self.ground, cells)
        self.ground_texture.coarsen(cells)

    def _lit(self, terrain: Terrain, cells: Cells) -> Array:
        light = light_on(
            terrain.height_m[cells], rim_m=self.rim_m[cells], around_m=self._around_m[cells], sun=self.sun
        )
        return np.clip(cv2.multiply(terrain.colour[cells], light, dtype=cv2.CV_32F), 0, 255).astype(np.uint8)

    def _layers_in(self, cells: Cells) -> tuple[Array, ...]:
        g, texture = self.ground, self.ground_texture
        layers = (g.height_m, g.colour, g.material, g.body, self.rim_m, texture.atlas)
        return tuple(layer[cells] for layer in layers)

    def _copied(self, cells: Cells) -> tuple[Array, ...]:
        return tuple(layer.copy() for layer in self._layers_in(cells))

    def _restore(self, cells: Cells) -> None:
        for layer, bare in zip(self._layers_in(cells), self._bare, strict=True):
            layer[...] = bare[cells]
        self.ground_texture.coarsen(cells)


def stage_of(world: World, *, sun: Sun = NOON) -> Stage:
    """Return the stage of a world, with those parked that never move."""
    stage = Stage(world.terrain, buildings=world.town.buildings, sun=sun)
    things = world.things
    # Most of what stands in a town never moves: it is drawn once and not for each of hundreds of frames.
    stage.park(m for m in world.movers(0.0) if not things[m.number].is_moving)
    return stage


def _without_crowns(terrain: Terrain) -> Terrain:
    """Return the land as it is under what hangs over it: as the nearest bare ground."""
    is_over = terrain.base_m > 0
    is_bare = ~is_over & (terrain.height_m < _BARE_GROUND_M) & (terrain.body == 0)
    if not is_over.any() or not is_bare.any():
        return replace(
            terrain, height_m=terrain.height_m.copy(), colour=terrain.colour.copy(),
            material=terrain.material.copy(), body=terrain.body.copy(), base_m=np.zeros_like(terrain.base_m),
        )  # fmt: skip
    _, label = cv2.distanceTransformWithLabels(
        (~is_bare).astype(np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
    )
    # Labels count the bare cells row by row, from 1.
    nearest = np.flatnonzero(is_bare)[label[is_over] - 1]
    layers = {}
    for name in ("height_m", "colour", "material", "body"):
        values = getattr(terrain, name)
        layers[name] = values.copy()
        layers[name][is_over] = values.reshape(-1, *values.shape[2:])[nearest]
    return replace(terrain, **layers, base_m=np.zeros_like(terrain.base_m))
