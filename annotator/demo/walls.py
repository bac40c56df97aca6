"""Walls: where rays meet them, and what a building's facade shows there."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.buildings import Building
from annotator.demo.facades import Facade
from annotator.demo.terrain import Colour, colour_of

Array = NDArray[Any]

_GLASS_LOW = np.array(colour_of("2b3338"), np.float32)
_GLASS_HIGH = np.array(colour_of("6d7f8c"), np.float32)
_CURTAIN = np.array(colour_of("b9b3a6"), np.float32)
_ROOM = np.array(colour_of("8a7350"), np.float32)
_SIGN = np.array(colour_of("4a4540"), np.float32)
_FRAME_M, _REVEAL_M = 0.09, 0.14
_FLOOR_EDGE_M = 0.12
_RAIL_M, _SLAB_M = 1.05, 0.18
_SHOP_SILL_M, _SHOP_TOP_M, _SIGN_TOP_M = 0.45, 2.7, 3.2
_SNAP_M = 0.45


@dataclass(frozen=True, kw_only=True)
class WallPoints:
    """Points on the walls of one building.

    Attributes:
        is_on: bool (n), False where a ray does not meet a wall near the place given for it.
        along_m: float32 (n), places along the wall from its middle, rising to the right as one looks at it.
        height_m: float32 (n), heights over the ground.
        is_long: bool (n), True on the walls along the building's first axis.
        side: float32 (n), 1 or -1, which of the two walls.
        normal_east: float32 (n), where the wall looks.
        normal_south: float32 (n).
    """

    is_on: Array
    along_m: Array
    height_m: Array
    is_long: Array
    side: Array
    normal_east: Array
    normal_south: Array

    def of(self, here: Array) -> WallPoints:
        """Return some of the points."""
        return WallPoints(**{f.name: getattr(self, f.name)[here] for f in fields(self)})


def wall_run(
    building: Building, *, position_m: tuple[float, float, float], rays: Array, run: Array
) -> tuple[Array, WallPoints]:
    """Return how far rays run to a building's walls, which cells know only to a cell.

    Args:
        building: The building.
        position_m: Where rays begin, east, south, up.
        rays: float32 (n, 3), their directions.
        run: float32 (n), how far they run to the wall's cells, in lengths of the direction.

    Returns:
        float32 (n), how far they run to the wall itself, or as far as given where it is not near; and
        where they meet it.
    """
    plan = building.footprint
    angle = np.radians(plan.turn_deg)
    cos, sin = np.float32(np.cos(angle)), np.float32(np.sin(angle))
    begin, (east, south, up) = plan.offset(*position_m[:2]), rays.T
    ways = east * cos + south * sin, south * cos - east * sin
    enters = []
    for way, start, size in zip(ways, begin, (plan.length_m, plan.width_m), strict=True):
        # A ray along a wall meets it nowhere; divided by nearly 0 it ends so far away that the other axis
        # decides.
        safe = np.where(np.abs(way) < 1e-6, np.float32(1e-6), way)
        enters.append((-np.sign(safe) * np.float32(size / 2) - np.float32(start)) / safe)
    # A ray is inside once it has passed both pairs of walls: the later entry is the wall that it meets.
    is_long = enters[1] >= enters[0]
    enter = np.maximum(*enters)
    is_near = np.abs(enter - run) * np.hypot(east, south) < _SNAP_M
    found = np.where(is_near, enter, run).astype(np.float32)
    side = -np.sign(np.where(is_long, ways[1], ways[0]))
    location = np.where(is_long, begin[0] + found * ways[0], begin[1] + found * ways[1])
    across = np.where(is_long, -sin, cos), np.where(is_long, cos, sin)
    return found, WallPoints(
        is_on=is_near, along_m=(location * np.where(is_long, -side, side)).astype(np.float32),
        height_m=(np.float32(position_m[2]) + found * up).astype(np.float32),
        is_long=is_long, side=side.astype(np.float32),
        normal_east=(across[0] * side).astype(np.float32), normal_south=(across[1] * side).astype(np.float32),
    )  # fmt: skip


def wall_paint(building: Building, points: WallPoints) -> Array:
    """Return the colour in even white light of points on a building's walls: float32 (n, 3)."""
    facade, height = building.facade, points.height_m
    # Rain and dust darken a wall towards the ground, and no wall is quite even.
    dirt = 0.86 + 0.14 * np.clip(height / 3, 0, 1) + 0.025 * _blotches(points)
    paint = np.array(building.wall_colour, np.float32) * dirt[:, None]
    if facade.is_curtain:
        _curtain_wall(paint, facade, points, eaves_m=building.eaves_m)
    elif facade.window_every_m > 0:
        _windows(paint, facade, points, building=building)
    _edges(paint, facade, points, building=building)
    if facade.has_shops:
        _shops(paint, points)
    _doors(paint, facade, points)
    if facade.balcony_every_m > 0:
        _balconies(paint, facade, points, eaves_m=building.eaves_m)
    return paint


def _edges(paint: Array, facade: Facade, points: WallPoints, *, building: Building) -> None:
    """Paint the plinth, the line of each floor and the shade and trim below the eaves."""
    height, eaves_m = points.height_m, building.eaves_m
    paint[height < facade.plinth_m] = facade.plinth_colour
    if facade.storeys(eaves_m) > 2:
        floor = np.mod(height, facade.storey_m)
        paint[(floor < _FLOOR_EDGE_M) & (height > 1) & (height < eaves_m)] *= np.float32(1.12)
    below = eaves_m - height
    paint[(below > -0.1) & (below < 0.22)] = facade.trim_colour
    paint[(below >= 0.22) & (below < 0.6)] *= np.float32(0.78)


def _windows(paint: Array, facade: Facade, points: WallPoints, *, building: Building) -> None:
    floor = np.floor(points.height_m / facade.storey_m)
    level = points.height_m - floor * facade.storey_m
    column = np.floor(points.along_m / facade.window_every_m + 0.5)
    across = points.along_m - column * facade.window_every_m
    half = np.float32(facade.window_width_m / 2)
    room = floor + 1 < (building.eaves_m + 0.6) / facade.storey_m
    is_row = (floor >= 0) & (room | (floor < facade.storeys(building.eaves_m)))
    is_row &= floor * facade.storey_m + facade.lintel_m < building.eaves_m - 0.2
    lintel = np.full(level.shape, facade.lintel_m, np.float32)
    if facade.is_round_arched:
        lintel -= half - np.sqrt(np.maximum(half**2 - across**2, 0))
    # A frame stands out from the wall; behind it the pane lies deep, so the lintel shades its upper edge.
    beside = np.abs(across) - half
    is_frame = is_row & (beside < _FRAME_M) & (level > facade.sill_m - _FRAME_M) & (level < lintel + _FRAME_M)
    paint[is_frame] = facade.trim_colour
    is_pane = is_row & (beside < 0) & (level > facade.sill_m) & (level < lintel)
    here = np.flatnonzero(is_pane)
    share = (level[here] - facade.sill_m) / (facade.lintel_m - facade.sill_m)
    glass = _glass(share, key=_key(points, column, floor)[here])
    glass[(lintel[here] - level[here] < _REVEAL_M) | (half + across[here] < _REVEAL_M)] *= np.float32(0.5)
    bar = (np.abs(across[here]) < 0.035) | (np.abs(share - 0.68) < 0.02)
    glass[bar] = facade.trim_colour
    paint[here] = glass
    paint[is_row & (beside < 0.12) & (np.abs(level - facade.sill_m + 0.13) < 0.05)] *= np.float32(0.72)


def _glass(share: Array, *, key: Array) -> Array:
    """Return what panes show: the sky above, a dark room, here and there a curtain or a lamp."""
    # By the window's own number: it looks the same in every image, whoever looks.
    chance = _chances(key)
    up = np.clip(share, 0, 1)[:, None]
    glass = _GLASS_LOW * (1 - up) + _GLASS_HIGH * up
    glass *= (0.75 + 0.5 * _chances(key + 77))[:, None]
    glass[(chance < 0.28) & (share > 0.25 + chance * 2)] = _CURTAIN * np.float32(0.8)
    glass[chance > 0.93] = 0.4 * glass[chance > 0.93] + 0.6 * _ROOM
    return np.asarray(glass)


def _curtain_wall(paint: Array, facade: Facade, points: WallPoints, *, eaves_m: float) -> None:
    floor = np.floor(points.height_m / facade.storey_m)
    level = points.height_m - floor * facade.storey_m
    column = np.floor(points.along_m / facade.window_every_m + 0.5)
    across = np.abs(points.along_m - column * facade.window_every_m)
    is_pane = (level > 0.25) & (across < facade.window_every_m / 2 - 0.05) & (points.height_m < eaves_m)
    here = np.flatnonzero(is_pane)
    # Glass from edge to edge mirrors more sky the higher it is.
    share = 0.25 + 0.75 * np.clip(points.height_m[here] / max(eaves_m, 1), 0, 1)
    paint[here] = _glass(share, key=_key(points, column, floor)[here])
    paint[here[level[here] < facade.sill_m]] *= np.float32(0.7)


def _shops(paint: Array, points: WallPoints) -> None:
    height, is_shop = points.height_m, points.is_long & (points.height_m < _SIGN_TOP_M)
    sign = is_shop & (height >= _SHOP_TOP_M)
    paint[sign] = _SIGN
    pane = is_shop & (height > _SHOP_SILL_M) & (height < _SHOP_TOP_M) & (np.mod(points.along_m, 1.8) > 0.12)
    here = np.flatnonzero(pane)
    share = (height[here] - _SHOP_SILL_M) / (_SHOP_TOP_M - _SHOP_SILL_M)
    shop = np.floor(points.along_m[here] / 1.8).astype(np.int64)
    inside = _chances(shop * 31 + 5)[:, None]
    paint[here] = _glass(share * 0.6, key=shop * 13 + 1) * (1 - 0.35 * inside) + _ROOM * (0.35 * inside)


def _doors(paint: Array, facade: Facade, points: WallPoints) -> None:
    for door in facade.doors_m:
        across = np.abs(points.along_m - np.float32(door))
        half, top = facade.door_width_m / 2, facade.door_height_m
        is_frame = points.is_long & (across < half + 0.1) & (points.height_m < top + 0.1)
        paint[is_frame] = np.array(facade.trim_colour, np.float32) * np.float32(0.8)
        leaf = points.is_long & (across < half) & (points.height_m < top)
        panel = 1 - 0.18 * ((np.abs(across - half / 2) < 0.3 * half) & (np.mod(points.height_m, 1.0) > 0.2))
        paint[leaf] = np.array(facade.door_colour, np.float32) * panel[leaf, None]
        shade = leaf & (points.height_m > top - _REVEAL_M)
        paint[shade] *= np.float32(0.55)


def _balconies(paint: Array, facade: Facade, points: WallPoints, *, eaves_m: float) -> None:
    """Paint balconies from the first storey up: a railing, the edge of the slab, its shade on the wall."""
    floor = np.floor(points.height_m / facade.storey_m)
    level = points.height_m - floor * facade.storey_m
    column = np.floor(points.along_m / facade.balcony_every_m)
    across = np.abs(points.along_m - (column + 0.5) * facade.balcony_every_m)
    is_here = points.is_long & (across < facade.balcony_width_m / 2) & (points.height_m < eaves_m - 1)
    is_above = is_here & (floor >= 1)
    # The slab of the storey above throws its shade on the upper part of this one.
    paint[is_here & (level > facade.storey_m - 0.7)] *= np.float32(0.5)
    rail = is_above & (level < _RAIL_M)
    paint[rail & (level >= _SLAB_M)] *= np.float32(0.62)
    bars = rail & (np.mod(points.along_m, 0.24) < 0.05) | (rail & (level > _RAIL_M - 0.08))
    paint[bars] = facade.trim_colour
    paint[rail & (level < _SLAB_M)] = np.array(_light_edge(facade.trim_colour), np.float32)


def _light_edge(colour: Colour) -> tuple[float, ...]:
    return tuple(0.92 * channel for channel in colour)


def _key(points: WallPoints, column: Array, floor: Array) -> Array:
    """Return a number for each window of a building."""
    wall = 2 * points.is_long + (points.side > 0)
    return np.asarray(column.astype(np.int64) * 73 + floor.astype(np.int64) * 1009 + wall * 40_009)


def _chances(key: Array) -> Array:
    """Return a number in 0..1 for each key, the same at all times."""
    return _chance_table()[np.mod(key, 1021)]


@cache
def _chance_table() -> Array:
    return np.random.default_rng(5).uniform(size=1021).astype(np.float32)


def _blotches(points: WallPoints) -> Array:
    """Return values about -1..1 that change over some decimetres of wall."""
    x = (points.along_m * np.float32(5)).astype(np.int32) & 127
    y = (points.height_m * np.float32(5)).astype(np.int32) & 127
    return _blotch_table().ravel().take(y * 128 + x)


@cache
def _blotch_table() -> Array:
    noise = np.random.default_rng(11).standard_normal((64, 64)).astype(np.float32)
    return cv2.resize(noise, (128, 128), interpolation=cv2.INTER_LINEAR)
