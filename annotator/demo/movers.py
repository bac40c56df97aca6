"""Vehicles and people at a moment, with their identification numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.paint import colour_name
from annotator.demo.shapes import DOTS_PER_M, LYING_M, SIZES_M, Kind, Pose, Shape, shape_of
from annotator.demo.terrain import CELLS_PER_M, Colour, Material, Rectangle, Terrain

FIRST_MOVER = 1000
"""Numbers of vehicles and people are above it; buildings lie below."""
_UNPAINTED: tuple[Kind, ...] = ("ambulance", "fire engine", "police van")
"""Kinds with fixed colours, whose names therefore contain no colour."""


@dataclass(frozen=True, kw_only=True)
class Mover:
    """A vehicle or a person at a moment.

    Attributes:
        number: Its number in the terrain's body layer; the same at all times.
        kind: What it is.
        x_m: East coordinate of its centre.
        y_m: South coordinate of its centre.
        turn_deg: Direction of its nose from east towards south.
        colour: Paint or clothes.
        speed_m_per_s: How fast it moves at the moment, 0 or more.
        can_move: True for what changes its place at some time; one that waits at lights has speed 0.
        pose: How a person is there.
        ground_m: Height of what it stands on.
    """

    number: int
    kind: Kind
    x_m: float
    y_m: float
    turn_deg: float
    colour: Colour
    speed_m_per_s: float = 0.0
    can_move: bool = False
    pose: Pose = "upright"
    ground_m: float = 0.0

    @property
    def plan(self) -> Rectangle:
        """Its outline on the ground."""
        length, width, _ = self._size_m
        return Rectangle(x_m=self.x_m, y_m=self.y_m, length_m=length, width_m=width, turn_deg=self.turn_deg)

    @property
    def height_m(self) -> float:
        """Height of its top over what it stands on."""
        return self._size_m[2]

    @property
    def colour_name(self) -> str:
        """The word for its paint or clothes."""
        return colour_name(self.colour)

    @property
    def category(self) -> str:
        """Name in questions: ``"red car"``, ``"ambulance"``, ``"person in blue"``."""
        if self.kind == "person":
            return f"person in {self.colour_name}"
        return self.kind if self.kind in _UNPAINTED else f"{self.colour_name} {self.kind}"

    @property
    def _size_m(self) -> tuple[float, float, float]:
        return LYING_M if self.pose == "lying" else SIZES_M[self.kind]


def place(terrain: Terrain, *, mover: Mover) -> None:
    """Put a mover on the terrain; where something higher stands, a crown say, it stays hidden.

    Writes ``height_m``, ``colour``, ``material`` and ``body``.
    """
    shape = shape_of(mover.kind, colour=mover.colour, pose=mover.pose)
    here = rows, columns = _cells(terrain, mover, shape)
    size = (columns.stop - columns.start, rows.stop - rows.start)
    if min(size) <= 0:
        return
    matrix = _to_shape(terrain, mover, shape, corner=(columns.start, rows.start))
    # Heights are taken from the nearest dot: mixed with the 0 around it a rim would be half as high.
    top = cv2.warpAffine(shape.height_m, matrix, size, flags=cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP)
    colour = cv2.warpAffine(
        shape.colour, matrix, size,
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    # Grass and bumps of the ground are less than this high.
    is_body = (top > 0) & (top + np.float32(mover.ground_m) >= terrain.height_m[here] - np.float32(0.05))
    np.copyto(terrain.height_m[here], top + np.float32(mover.ground_m), where=is_body)
    np.copyto(terrain.colour[here], colour, where=is_body[..., None])
    material = Material.PERSON if mover.kind == "person" else Material.VEHICLE
    np.copyto(terrain.material[here], np.uint8(material), where=is_body)
    np.copyto(terrain.body[here], np.uint16(mover.number), where=is_body)


def _cells(terrain: Terrain, mover: Mover, shape: Shape) -> tuple[slice, slice]:
    """Return the rows and columns that a mover may cover, cut to the terrain."""
    angle = np.radians(mover.turn_deg)
    cos, sin = abs(np.cos(angle)), abs(np.sin(angle))
    reach_x = (shape.length_m * cos + shape.width_m * sin) / 2
    reach_y = (shape.length_m * sin + shape.width_m * cos) / 2
    x_m, y_m = mover.x_m - terrain.west_m, mover.y_m - terrain.north_m
    rows, columns = terrain.body.shape
    x1, x2 = _span(x_m - reach_x, x_m + reach_x, columns)
    y1, y2 = _span(y_m - reach_y, y_m + reach_y, rows)
    return slice(y1, y2), slice(x1, x2)


def _span(low_m: float, high_m: float, cells: int) -> tuple[int, int]:
    low, high = int(np.floor(low_m * CELLS_PER_M)), int(np.ceil(high_m * CELLS_PER_M)) + 1
    return min(cells, max(0, low)), min(cells, max(0, high))


def _to_shape(terrain: Terrain, mover: Mover, shape: Shape, *, corner: tuple[int, int]) -> NDArray[Any]:
    """Return the affine map from cells, counted from a corner's column and row, to the dots of a shape."""
    angle = np.radians(mover.turn_deg)
    cos, sin = float(np.cos(angle)), float(np.sin(angle))
    east = (corner[0] + 0.5) / CELLS_PER_M + terrain.west_m - mover.x_m
    south = (corner[1] + 0.5) / CELLS_PER_M + terrain.north_m - mover.y_m
    # From the grid to the form and not back: each cell gets a value, so that turned forms have no holes.
    step = DOTS_PER_M / CELLS_PER_M
    along = (east * cos + south * sin + shape.length_m / 2) * DOTS_PER_M - 0.5
    across = (south * cos - east * sin + shape.width_m / 2) * DOTS_PER_M - 0.5
    return np.array(((step * cos, step * sin, along), (-step * sin, step * cos, across)))
