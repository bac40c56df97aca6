"""The ground that images are taken of: colours, heights and materials on one grid of cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

CELLS_PER_M = 10
# cv2 draws at fractions of a cell when points are given as fixed-point numbers.
_SUBCELL_BITS = 4

Colour = tuple[int, int, int]
"""Blue, green, red, each 0..255: the channel order of cv2."""


class Material(IntEnum):
    """What a cell is made of; decides its grain and how its sides are painted."""

    GRASS = 0
    ASPHALT = 1
    PAVING = 2
    TILES = 3
    FLAT_ROOF = 4
    WATER = 5
    SOIL = 6
    LEAVES = 7
    VEHICLE = 8
    COURT = 9
    PERSON = 10
    TRUNK = 11
    """A crown's middle, solid from the ground up; its colour is that of the leaves above."""
    STONE = 12
    """Walls, posts and other solid things without a number; sides have the colour of the top."""
    METAL = 13
    """Posts, cranes, railings, play equipment; sides have the colour of the top."""


def colour_of(text: str) -> Colour:
    """Return the colour written as six hex digits, red first: ``"96543e"``."""
    red, green, blue = bytes.fromhex(text)
    return blue, green, red


def shaded(colour: Colour, factor: float) -> Colour:
    """Return a colour made darker (below 1) or lighter."""
    blue, green, red = (min(255, int(channel * factor)) for channel in colour)
    return blue, green, red


@dataclass(frozen=True, kw_only=True)
class Rectangle:
    """A turned rectangle on the ground.

    Attributes:
        x_m: East coordinate of the centre.
        y_m: South coordinate of the centre.
        length_m: Extent along its own first axis.
        width_m: Extent along its own second axis.
        turn_deg: Angle of the first axis from east towards south.
    """

    x_m: float
    y_m: float
    length_m: float
    width_m: float
    turn_deg: float = 0.0

    def at(self, along_m: float, across_m: float) -> tuple[float, float]:
        """Return the ground point at an offset from the centre in the rectangle's own axes."""
        cos, sin = np.cos(np.radians(self.turn_deg)), np.sin(np.radians(self.turn_deg))
        return self.x_m + along_m * cos - across_m * sin, self.y_m + along_m * sin + across_m * cos

    def offset(self, x_m: float, y_m: float) -> tuple[float, float]:
        """Return a ground point as its offset from the centre in the rectangle's own axes."""
        cos, sin = np.cos(np.radians(self.turn_deg)), np.sin(np.radians(self.turn_deg))
        east, south = x_m - self.x_m, y_m - self.y_m
        return east * cos + south * sin, south * cos - east * sin

    def corners(self) -> list[tuple[float, float]]:
        """Return the four corners in order around it, metres."""
        half_l, half_w = self.length_m / 2, self.width_m / 2
        return [
            self.at(a, b)
            for a, b in ((-half_l, -half_w), (half_l, -half_w), (half_l, half_w), (-half_l, half_w))
        ]

    def outline(self) -> list[tuple[float, float]]:
        """Return the corners, with the first one again at the end."""
        corners = self.corners()
        return [*corners, corners[0]]

    def grown(self, *, length_m: float, width_m: float) -> Rectangle:
        """Return the rectangle with the same centre and axes, longer and wider by so much."""
        return replace(self, length_m=self.length_m + length_m, width_m=self.width_m + width_m)

    def part(self, along_m: float, across_m: float, *, length_m: float, width_m: float) -> Rectangle:
        """Return a smaller rectangle with the same axes, its centre at an offset from this one's."""
        x_m, y_m = self.at(along_m, across_m)
        return Rectangle(x_m=x_m, y_m=y_m, length_m=length_m, width_m=width_m, turn_deg=self.turn_deg)


@dataclass(frozen=True, kw_only=True)
class Window:
    """The cells around a rectangle, with their place in the rectangle's own axes.

    Attributes:
        rows: Rows of the terrain.
        columns: Columns of the terrain.
        along_m: float32 (rows, columns), metres from the centre along the first axis.
        across_m: float32 (rows, columns), metres from the centre along the second axis.
        inside: bool (rows, columns), True where the cell lies in the rectangle.
    """

    rows: slice
    columns: slice
    along_m: NDArray[Any]
    across_m: NDArray[Any]
    inside: NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Terrain:
    """A piece of land as arrays of cells, rows from north to south.

    Attributes:
        colour: uint8 (rows, columns, 3), blue green red, the colour in even white light.
        height_m: float32 (rows, columns), the top of whatever stands on the cell.
        base_m: float32 (rows, columns), its underside: above 0 where one can look in below a crown.
        material: uint8 (rows, columns), a ``Material``.
        body: uint16 (rows, columns), number of the building or vehicle on the cell, 0 for none.
        west_m: East coordinate of the first column.
        north_m: South coordinate of the first row.
    """

    colour: NDArray[Any]
    height_m: NDArray[Any]
    base_m: NDArray[Any]
    material: NDArray[Any]
    body: NDArray[Any]
    west_m: float = 0.0
    north_m: float = 0.0

    @classmethod
    def empty(cls, *, width_m: float, depth_m: float, colour: Colour) -> Terrain:
        """Return flat grass of one colour."""
        shape = (round(depth_m * CELLS_PER_M), round(width_m * CELLS_PER_M))
        return cls(
            colour=np.full((*shape, 3), colour, np.uint8),
            height_m=np.zeros(shape, np.float32),
            base_m=np.zeros(shape, np.float32),
            material=np.zeros(shape, np.uint8),
            body=np.zeros(shape, np.uint16),
        )

    def tile(self, *, west_m: float, north_m: float, east_m: float, south_m: float) -> Terrain:
        """Return a copy of the cells inside bounds, cut to what there is."""
        x1, x2 = sorted(self._clip(v, self.west_m, self.height_m.shape[1]) for v in (west_m, east_m))
        y1, y2 = sorted(self._clip(v, self.north_m, self.height_m.shape[0]) for v in (north_m, south_m))
        return Terrain(
            colour=self.colour[y1:y2, x1:x2].copy(),
            height_m=self.height_m[y1:y2, x1:x2].copy(),
            base_m=self.base_m[y1:y2, x1:x2].copy(),
            material=self.material[y1:y2, x1:x2].copy(),
            body=self.body[y1:y2, x1:x2].copy(),
            west_m=self.west_m + x1 / CELLS_PER_M,
            north_m=self.north_m + y1 / CELLS_PER_M,
        )

    def fill(self, corners: Sequence[tuple[float, float]], *, colour: Colour, material: Material) -> None:
        """Paint a polygon (metres) flat on the ground."""
        points = [self._fixed(corners)]
        cv2.fillPoly(self.colour, points, colour, cv2.LINE_AA, _SUBCELL_BITS)
        # Materials have no in-between: without anti-aliasing, unlike the colours.
        cv2.fillPoly(self.material, points, int(material), cv2.LINE_8, _SUBCELL_BITS)

    def stroke(
        self, line: Sequence[tuple[float, float]], *, width_m: float, colour: Colour, material: Material
    ) -> None:
        """Paint a line (metres) of a width flat on the ground."""
        points, width = [self._fixed(line)], max(1, round(width_m * CELLS_PER_M))
        cv2.polylines(
            self.colour,
            points,
            isClosed=False,
            color=colour,
            thickness=width,
            lineType=cv2.LINE_AA,
            shift=_SUBCELL_BITS,
        )
        cv2.polylines(
            self.material, points, isClosed=False, color=int(material), thickness=width, shift=_SUBCELL_BITS
        )

    def window(self, rectangle: Rectangle) -> Window:
        """Return the cells around a rectangle; empty where it lies outside the terrain."""
        corners = np.array(rectangle.corners())
        x1, y1 = np.floor((corners.min(0) - (self.west_m, self.north_m)) * CELLS_PER_M).astype(int)
        x2, y2 = np.ceil((corners.max(0) - (self.west_m, self.north_m)) * CELLS_PER_M).astype(int) + 1
        rows, columns = (
            slice(max(0, low), max(0, min(end, high)))
            for low, high, end in zip((y1, x1), (y2, x2), self.body.shape, strict=True)
        )
        dx = _centres_m(columns) + np.float32(self.west_m - rectangle.x_m)
        dy = _centres_m(rows) + np.float32(self.north_m - rectangle.y_m)
        angle = np.radians(rectangle.turn_deg)
        cos, sin = np.float32(np.cos(angle)), np.float32(np.sin(angle))
        along = dx[None, :] * cos + dy[:, None] * sin
        across = dy[:, None] * cos - dx[None, :] * sin
        inside = (np.abs(along) <= rectangle.length_m / 2) & (np.abs(across) <= rectangle.width_m / 2)
        return Window(rows=rows, columns=columns, along_m=along, across_m=across, inside=inside)

    def holds(self, x_m: float, y_m: float) -> bool:
        """Return whether a point lies on the terrain."""
        row, column = (y_m - self.north_m) * CELLS_PER_M, (x_m - self.west_m) * CELLS_PER_M
        rows, columns = self.body.shape
        return bool(0 <= row < rows and 0 <= column < columns)

    def is_clear(self, x_m: float, y_m: float, *, radius_m: float, materials: Iterable[Material]) -> bool:
        """Return whether all cells of a square around a point are of given materials."""
        window = self.window(Rectangle(x_m=x_m, y_m=y_m, length_m=2 * radius_m, width_m=2 * radius_m))
        found = self.material[window.rows, window.columns]
        return bool(found.size) and bool(np.isin(found, [int(m) for m in materials]).all())

    def _clip(self, metres: float, origin_m: float, size: int) -> int:
        return min(max(0, round((metres - origin_m) * CELLS_PER_M)), size)

    def _fixed(self, points: Sequence[tuple[float, float]]) -> NDArray[Any]:
        # Half a cell less: cv2 counts from the centre of the first cell, metres from its edge.
        cells = (np.array(points, np.float64) - (self.west_m, self.north_m)) * CELLS_PER_M - 0.5
        return np.round(cells * (1 << _SUBCELL_BITS)).astype(np.int32)


def _centres_m(cells: slice) -> NDArray[Any]:
    """Return where the centres of cells lie, metres from the terrain's edge."""
    return (np.arange(cells.start, cells.stop, dtype=np.float32) + np.float32(0.5)) / np.float32(CELLS_PER_M)
