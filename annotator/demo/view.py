"""What a camera sees of a terrain in clear air."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.buildings import Building
from annotator.demo.camera import PICTURE_SIZE_PX, Camera
from annotator.demo.terrain import CELLS_PER_M, Material, Terrain, colour_of
from annotator.demo.trace import LEVEL_M, Hits, trace
from annotator.demo.walls import wall_colour

Array = NDArray[Any]

_UNDER_CROWN = np.array(colour_of("363e28"), np.float32)
_CLUMP_CELLS, _CLUMP_M = 2.5, 0.22


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A picture and what it shows.

    Attributes:
        image: uint8 (720, 1280, 3), blue green red.
        bodies: uint16 (720, 1280), number of the building, vehicle or person at each pixel, 0 for none.
        distance_m: float32 (720, 1280), distance from the camera.
    """

    image: Array
    bodies: Array
    distance_m: Array


def look(terrain: Terrain, *, lit: Array, camera: Camera, buildings: Mapping[int, Building]) -> Seen:
    """Take a picture in clear air.

    Args:
        terrain: The land with everything on it.
        lit: float32 (rows, columns, 3), blue green red, its colours in the light of the hour.
        camera: Where from.
        buildings: The buildings by their number, for their walls.
    """
    hits = trace(terrain, camera=camera)
    colour = hits.sampled(lit)
    _shade_sides(colour, terrain, hits, buildings=buildings)
    # INTER_AREA averages the extra rays of each pixel.
    image = np.clip(colour, 0, 255).astype(np.uint8)
    return Seen(
        image=cv2.resize(image, PICTURE_SIZE_PX, interpolation=cv2.INTER_AREA),
        bodies=cv2.resize(hits.nearest(terrain.body), PICTURE_SIZE_PX, interpolation=cv2.INTER_NEAREST),
        distance_m=cv2.resize(
            _distance(hits, camera, terrain), PICTURE_SIZE_PX, interpolation=cv2.INTER_AREA
        ),
    )


def _shade_sides(colour: Array, terrain: Terrain, hits: Hits, *, buildings: Mapping[int, Building]) -> None:
    """Paint walls, flanks of cars and the undersides of crowns, which the view from above does not have."""
    # A ray that ends at a wall may have stopped up to two cells in front of it.
    wide = np.ones((5, 5), np.uint8)
    below = hits.nearest(cv2.dilate(terrain.height_m, wide)) - hits.height_m
    is_side = below > 0.5
    material = hits.nearest(cv2.dilate(terrain.material, wide))
    leaves = is_side & (material == Material.LEAVES)
    colour[leaves] *= (_leaf_noise(hits, leaves) * np.clip(1 - 0.10 * below[leaves], 0.5, 1))[:, None]
    # What lies under a crown is in its shade; the cell itself knows only the leaves on top.
    colour[hits.height_m < hits.nearest(terrain.base_m) - 2 * LEVEL_M] = _UNDER_CROWN
    colour[is_side & (material == Material.VEHICLE)] *= np.float32(0.6)
    number = hits.nearest(cv2.dilate(terrain.body, wide))
    is_wall = is_side & np.isin(material, (Material.TILES, Material.FLAT_ROOF))
    _paint_walls(colour, terrain, hits, number=np.where(is_wall, number, 0), buildings=buildings)


def _leaf_noise(hits: Hits, where: Array) -> Array:
    """Return a brightness for every clump of leaves, the same from all sides."""
    table = np.random.default_rng(0).uniform(0.62, 1.3, 4096).astype(np.float32)
    column, row, level = (
        np.floor(place[where] / size).astype(np.int64)
        for place, size in ((hits.column, _CLUMP_CELLS), (hits.row, _CLUMP_CELLS), (hits.height_m, _CLUMP_M))
    )
    # Three large primes spread neighbouring clumps over the table.
    return np.asarray(table[(column * 73_856_093 ^ row * 19_349_663 ^ level * 83_492_791) & 4095])


def _paint_walls(
    colour: Array, terrain: Terrain, hits: Hits, *, number: Array, buildings: Mapping[int, Building]
) -> None:
    """Paint the hits whose number is a building's."""
    for found in np.unique(number).tolist():
        if found in buildings:
            here = number == found
            x_m = hits.column[here] / CELLS_PER_M + terrain.west_m
            y_m = hits.row[here] / CELLS_PER_M + terrain.north_m
            colour[here] = wall_colour(buildings[found], x_m=x_m, y_m=y_m, height_m=hits.height_m[here])


def _distance(hits: Hits, camera: Camera, terrain: Terrain) -> Array:
    east = hits.column / CELLS_PER_M + np.float32(terrain.west_m - camera.x_m)
    south = hits.row / CELLS_PER_M + np.float32(terrain.north_m - camera.y_m)
    up = hits.height_m - np.float32(camera.altitude_m)
    return np.asarray(np.sqrt(east**2 + south**2 + up**2))
