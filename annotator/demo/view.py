"""What a camera sees of the world, and what is true about every pixel of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.camera import PICTURE_SIZE_PX, Camera, Size
from annotator.demo.rays import Hits, Rays
from annotator.demo.sides import Sides, crown_colour
from annotator.demo.sky import HORIZON_M, field_colour, hazed, sky_colour
from annotator.demo.smoke import Fire, draw_fires
from annotator.demo.stage import Bounds, Stage, stage_of
from annotator.demo.terrain import CELLS_PER_M
from annotator.demo.trace import Tracer
from annotator.demo.world import World

Array = NDArray[Any]

_BLOCK = 1 << 17
"""Pixels that are worked on at once, so that they stay near the processor's cache."""
_MARGIN_M = 15.0
_EDGE_SHARE = 0.02
_BESIDE_PX = ((-0.25, -0.33), (0.33, -0.08), (-0.08, 0.33))
"""Places of the further rays of a pixel at an edge, from its centre: no two in a row or column."""


@dataclass(frozen=True, kw_only=True)
class RenderedImage:
    """An image and what it shows; all of it at the centres of the pixels.

    Attributes:
        image: uint8 (rows, columns, 3), blue green red, with the air between; edges are smoothed.
        bodies: uint16 (rows, columns), number of the building, vehicle or person at each pixel, 0 for none.
        depth_m: float32 (rows, columns), depth along the optical axis, infinite for the sky.
    """

    image: Array
    bodies: Array
    depth_m: Array


def render(
    world: World,
    *,
    camera: Camera,
    time_s: float,
    size_px: Size = PICTURE_SIZE_PX,
    stage: Stage | None = None,
) -> RenderedImage:
    """Take an image of the world at a time, with its fires and their smoke.

    Smoke is in the image only: bodies and depth are those of what is behind it.

    Args:
        world: The world.
        camera: Where from.
        time_s: World time.
        size_px: Width and height.
        stage: The world's stage (see ``stage_of``), for several images of one world; None to make one.
    """
    stage = stage or stage_of(world)
    stage.place(world.moving(time_s), around=_surroundings(camera))
    seen = look(stage, camera=camera, size_px=size_px)
    fires = [
        Fire(x_m=a.x_m, y_m=a.y_m, base_m=a.base_m, strength=a.strength, seed=world.seed + k)
        for k, a in enumerate(world.anomalies)
        if a.strength > 0 and a.is_on(time_s)
    ]
    # After looking: flames and smoke hide nothing that labels speak of.
    draw_fires(seen.image, fires, depth_m=seen.depth_m, camera=camera, time_s=time_s, sun=stage.sun)
    return seen


def look(stage: Stage, *, camera: Camera, size_px: Size = PICTURE_SIZE_PX) -> RenderedImage:
    """Take an image of a stage as it is.

    Args:
        stage: The land with its movers.
        camera: Where from.
        size_px: Width and height.
    """
    width, height = size_px
    eye = _Eye(stage, camera=camera, size_px=size_px)
    x, y = (np.arange(n, dtype=np.float32) + np.float32(0.5) for n in size_px)
    colour = np.empty((height * width, 3), np.float32)
    depth, bodies = np.empty((height, width), np.float32), np.empty((height, width), np.uint16)
    for first in range(0, height, max(1, _BLOCK // width)):
        rows = slice(first, min(height, first + max(1, _BLOCK // width)))
        part, hits, numbers = eye.see(x[None, :], y[rows, None])
        colour[first * width : rows.stop * width] = part
        depth[rows], bodies[rows] = hits.depth_m.reshape(-1, width), numbers.reshape(-1, width)
    _smooth(colour, eye, edges=np.flatnonzero(_edges(depth, bodies)), width=width)
    image = np.clip(colour, 0, 255).astype(np.uint8).reshape(height, width, 3)
    return RenderedImage(image=image, bodies=bodies, depth_m=depth)


def _surroundings(camera: Camera) -> Bounds:
    """Return what of the ground a camera may see, with a margin for shadows: west, north, east, south."""
    corners = np.concatenate([camera.footprint(), [(camera.x_m, camera.y_m)]])
    (west, north), (east, south) = corners.min(0) - _MARGIN_M, corners.max(0) + _MARGIN_M
    return float(west), float(north), float(east), float(south)


class _Eye:
    """Finds and paints what rays of one camera meet."""

    def __init__(self, stage: Stage, *, camera: Camera, size_px: Size) -> None:
        self._stage, self._camera, self._size_px = stage, camera, size_px
        self._tracer = Tracer(stage.layers, camera=camera, size_px=size_px)
        self._pixel_rad = np.float32(1 / camera.focal_at(size_px))

    def see(self, x: Array, y: Array) -> tuple[Array, Hits, Array]:
        """Return colours through the air, float32 (n, 3), hits, and numbers of bodies, uint16 (n)."""
        rays = Rays.through(self._camera, x=x, y=y, size_px=self._size_px)
        hits = self._tracer.trace(rays)
        colour = self._ground(hits, rays)
        bodies = self._stage.ground.body.ravel().take(self._stage.layers.nearest(hits.column, hits.row))
        self._paint_outside(colour, bodies, hits)
        self._paint_sides(colour, bodies, hits, rays)
        self._paint_crowns(colour, bodies, hits, rays)
        return self._through_air(colour, bodies, hits, rays), hits, bodies

    def _ground(self, hits: Hits, rays: Rays) -> Array:
        """Return the lit colours from above."""
        # On level ground a pixel covers the more cells the flatter one looks; halfway between both ways.
        fall = np.maximum(np.abs(rays.up), np.float32(0.05))
        span = hits.depth_m * (self._pixel_rad * np.float32(CELLS_PER_M)) / np.sqrt(fall)
        return self._stage.ground_texture.sampled(hits.column, hits.row, span=span).astype(np.float32)

    def _paint_outside(self, colour: Array, bodies: Array, hits: Hits) -> None:
        layers = self._stage.layers
        here = np.flatnonzero(layers.is_outside(hits.column, hits.row))
        if len(here):
            x_m = hits.column[here] / CELLS_PER_M + np.float32(layers.west_m)
            y_m = hits.row[here] / CELLS_PER_M + np.float32(layers.north_m)
            colour[here], bodies[here] = field_colour(x_m, y_m, sun=self._stage.sun), 0

    def _paint_sides(self, colour: Array, bodies: Array, hits: Hits, rays: Rays) -> None:
        here = np.flatnonzero(hits.is_side & ~hits.is_crown)
        if len(here):
            c, directions = self._camera, rays.of(here).directions(self._camera)
            sides = Sides(
                self._stage, hits, here=here, position_m=(c.x_m, c.y_m, c.altitude_m), rays=directions
            )
            colour[here], bodies[here] = sides.painted(), sides.body

    def _paint_crowns(self, colour: Array, bodies: Array, hits: Hits, rays: Rays) -> None:
        here = np.flatnonzero(hits.is_crown)
        if len(here):
            directions = rays.of(here).directions(self._camera)
            colour[here] = crown_colour(self._stage, hits, here=here, rays=directions)
            layers = self._stage.layers
            cells = layers.over.ravel().take(layers.nearest(hits.column[here], hits.row[here]))
            bodies[here] = self._stage.terrain.body.ravel().take(cells)

    def _through_air(self, colour: Array, bodies: Array, hits: Hits, rays: Rays) -> Array:
        sun = self._stage.sun
        distance = hits.depth_m * rays.lengths()
        # What is farther than the horizon lies in the haze, where nothing can be named.
        is_sky = ~(distance < HORIZON_M)
        hits.depth_m[is_sky], bodies[is_sky] = np.inf, 0
        colour = hazed(colour, distance_m=distance, sun=sun)
        here = np.flatnonzero(is_sky)
        if len(here):
            colour[here] = sky_colour(*rays.of(here).directions(self._camera).T, sun=sun)
        return colour


def _smooth(colour: Array, eye: _Eye, *, edges: Array, width: int) -> None:
    """Let pixels at edges show both sides: the mean of further rays beside the one in the middle."""
    if not len(edges):
        return
    row, column = (position.astype(np.float32) for position in np.divmod(edges, np.int64(width)))
    beside = np.array(_BESIDE_PX, np.float32)[:, :, None] + np.float32(0.5)
    more, _, _ = eye.see((column + beside[:, 0]).ravel(), (row + beside[:, 1]).ravel())
    total = colour[edges] + more.reshape(len(beside), -1, 3).sum(axis=0)
    colour[edges] = total / np.float32(1 + len(beside))


def _edges(depth_m: Array, bodies: Array) -> Array:
    """Return which pixels lie beside another thing or another depth: bool (rows, columns)."""
    near = 1 / depth_m
    across, down = cv2.Sobel(near, cv2.CV_32F, 2, 0, ksize=3), cv2.Sobel(near, cv2.CV_32F, 0, 2, ksize=3)
    # The inverse depth of a plane is a plane: what bends is an edge.
    # Sobel of the second order sums to four times the bend.
    bend = np.maximum(np.abs(across), np.abs(down)) > 4 * _EDGE_SHARE * near
    others = cv2.morphologyEx(bodies, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    return np.asarray(bend | others)
