"""Roads, pavements and their markings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.terrain import CELLS_PER_M, Material, Rectangle, Terrain, colour_of, shaded

Line = Sequence[tuple[float, float]]
Floats = NDArray[Any]

ASPHALT = colour_of("77787a")
_LANE = colour_of("6b6c6f")
_KERB = colour_of("b9b4a8")
_PAVING = colour_of("a59d8f")
_PAINT = colour_of("cfcec6")
_PATCH = colour_of("5f6064")


@dataclass(frozen=True, kw_only=True)
class _Way:
    """A polyline as arrays: its points, how far along they are, and the direction of each stretch."""

    x_m: Floats
    y_m: Floats
    positions_m: Floats
    middles_m: Floats
    turns: Floats
    length_m: float


@dataclass(frozen=True, kw_only=True)
class Street:
    """A road with pavements on both sides.

    Attributes:
        name: What people call it: ``"the avenue"``.
        axis: Points of its middle line, metres.
        width_m: Width of the carriageway.
        pavement_m: Width of the pavement on each side.
        lanes: Number of lanes; 1 paints no middle line.
    """

    name: str
    axis: tuple[tuple[float, float], ...]
    width_m: float
    pavement_m: float = 2.4
    lanes: int = 2

    def at(self, along_m: float, across_m: float) -> tuple[float, float, float]:
        """Return x, y and direction in degrees at a place of the street.

        Args:
            along_m: Distance from its start along the axis; beyond its ends it goes straight on.
            across_m: Distance to the right of the axis.
        """
        x_m, y_m, turn_deg = self.points_along(np.array([along_m]), across_m=np.array([across_m]))
        return float(x_m[0]), float(y_m[0]), float(turn_deg[0])

    def points_along(self, along_m: Floats, *, across_m: Floats) -> tuple[Floats, Floats, Floats]:
        """Return x, y and direction in degrees at many places; all change smoothly along the street.

        Args:
            along_m: float (n), distances from its start along the axis.
            across_m: float (n) or (1), distances to the right of the axis.
        """
        way = self._way
        beyond = along_m - np.clip(along_m, 0, way.length_m)
        # Between the middles of stretches: at the corners themselves the direction would jump, and cars with
        # it.
        turn = np.interp(along_m, way.middles_m, way.turns)
        cos, sin = np.cos(turn), np.sin(turn)
        x_m = np.interp(along_m, way.positions_m, way.x_m) + beyond * cos - across_m * sin
        y_m = np.interp(along_m, way.positions_m, way.y_m) + beyond * sin + across_m * cos
        return x_m, y_m, np.degrees(turn)

    @property
    def length_m(self) -> float:
        """Length along the axis."""
        return self._way.length_m

    def along(self, x_m: float, y_m: float) -> float:
        """Return how far along the axis the point of it lies that is nearest to a ground point."""
        way = self._way
        # By brute force, to a decimetre: it is asked while the town is planned, never for a frame.
        dense_m = np.arange(0, way.length_m, 0.1)
        x, y, _ = self.points_along(dense_m, across_m=np.zeros(1))
        return float(dense_m[np.argmin((x - x_m) ** 2 + (y - y_m) ** 2)])

    @cached_property
    def _way(self) -> _Way:
        x_m, y_m = np.array(self.axis, np.float64).T
        steps = np.hypot(np.diff(x_m), np.diff(y_m))
        positions_m = np.concatenate([[0.0], np.cumsum(steps)])
        return _Way(
            x_m=x_m,
            y_m=y_m,
            positions_m=positions_m,
            middles_m=(positions_m[1:] + positions_m[:-1]) / 2,
            # Without it a street that turns past due west would spin its cars once around.
            turns=np.unwrap(np.arctan2(np.diff(y_m), np.diff(x_m))),
            length_m=float(positions_m[-1]),
        )

    def beside(
        self, across_m: float, *, from_m: float = 0.0, to_m: float | None = None
    ) -> list[tuple[float, float]]:
        """Return the line at a distance to the right of the axis, between two places."""
        end_m = self.length_m if to_m is None else to_m
        points_along = np.linspace(from_m, end_m, max(2, int((end_m - from_m) / 2)))
        x_m, y_m, _ = self.points_along(points_along, across_m=np.array([across_m]))
        return list(zip(x_m.tolist(), y_m.tolist(), strict=True))


def pave(terrain: Terrain, *, streets: Sequence[Street], rng: np.random.Generator) -> None:
    """Paint all pavements, then all carriageways, so that crossings stay open."""
    for extra_m, pavements, colour, material in (
        (0.0, 2, _PAVING, Material.PAVING),
        (0.5, 0, _KERB, Material.PAVING),
        (0.0, 0, ASPHALT, Material.ASPHALT),
    ):
        area = _area(terrain, streets, extra_m=extra_m, pavements=pavements)
        terrain.colour[area] = colour
        terrain.material[area] = material
    for street in streets:
        _wear(terrain, street, rng=rng)


def mark_lanes(terrain: Terrain, *, street: Street, gaps: Sequence[tuple[float, float]]) -> None:
    """Paint the lines of a street, leaving out crossings.

    Args:
        terrain: Where it lies.
        street: The street.
        gaps: Stretches without lines, metres along the axis.
    """
    if street.lanes == 1:
        return
    half = street.width_m / 2
    for start, end in _between(gaps, length_m=street.length_m):
        for across in (-half + 0.35, half - 0.35):
            _paint(terrain, street.beside(across, from_m=start, to_m=end), width_m=0.14)
        lane_m = street.width_m / street.lanes
        for lane in range(1, street.lanes):
            is_middle = lane * 2 == street.lanes
            _dashes(
                terrain,
                street,
                across_m=lane * lane_m - half,
                start_m=start,
                end_m=end,
                is_double=is_middle and street.lanes > 2,
            )


def zebra(terrain: Terrain, *, street: Street, along_m: float) -> None:
    """Paint a pedestrian crossing over a street."""
    half = street.width_m / 2
    for across in np.arange(-half + 0.8, half - 0.3, 1.0):
        x_m, y_m, turn = street.at(along_m, across)
        _bar(terrain, Rectangle(x_m=x_m, y_m=y_m, length_m=3.0, width_m=0.5, turn_deg=turn))


def stop_line(terrain: Terrain, *, street: Street, along_m: float, is_right: bool) -> None:
    """Paint the line before a crossing, over the half that drives on the right."""
    half = street.width_m / 2
    x_m, y_m, turn = street.at(along_m, (1 if is_right else -1) * half / 2)
    _bar(terrain, Rectangle(x_m=x_m, y_m=y_m, length_m=0.4, width_m=half - 0.9, turn_deg=turn))


def parking(
    terrain: Terrain, *, lot: Rectangle, rows: Sequence[float], pitch_m: float = 2.6
) -> list[Rectangle]:
    """Pave a car park and return its spaces.

    Args:
        terrain: Where it lies.
        lot: Its outline.
        rows: Offsets of the rows of spaces across the lot, metres from its middle.
        pitch_m: Width of one space.
    """
    terrain.fill(lot.corners(), colour=_LANE, material=Material.ASPHALT)
    spaces = []
    for across in rows:
        for along in np.arange(-lot.length_m / 2 + 3, lot.length_m / 2 - 3 - pitch_m, pitch_m):
            space = lot.part(along + pitch_m / 2, across, length_m=pitch_m, width_m=5.0)
            corners = space.corners()
            _paint(terrain, [corners[0], corners[3]], width_m=0.12)
            spaces.append(space)
        _paint(terrain, [spaces[-1].corners()[1], spaces[-1].corners()[2]], width_m=0.12)
    return spaces


def _area(terrain: Terrain, streets: Sequence[Street], *, extra_m: float, pavements: int) -> NDArray[Any]:
    """Return the cells of all streets, with corners rounded where they meet.

    It is found on a quarter of the cells each way: rounding by 5 m over all of them takes a second.
    """
    shape = terrain.material.shape
    small = np.zeros((shape[0] // 4, shape[1] // 4), np.uint8)
    scale = CELLS_PER_M / 4
    for street in streets:
        width = street.width_m + extra_m + pavements * street.pavement_m
        points = np.round(np.array(street.axis) * scale * 16).astype(np.int32)
        cv2.polylines(
            small,
            [points],
            isClosed=False,
            color=255,
            thickness=round(width * scale),
            lineType=cv2.LINE_AA,
            shift=4,
        )
    # Closing fills the inner corners of a crossing, which is what kerbs do there.
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (round(9 * scale), round(9 * scale)))
    rounded = cv2.morphologyEx(small, cv2.MORPH_CLOSE, disc)
    return (
        cv2.resize(cv2.GaussianBlur(rounded, (0, 0), 1.6), shape[::-1], interpolation=cv2.INTER_LINEAR) > 127
    )


def _wear(terrain: Terrain, street: Street, *, rng: np.random.Generator) -> None:
    lane_m = street.width_m / street.lanes
    for lane in range(street.lanes):
        middle = (lane + 0.5) * lane_m - street.width_m / 2
        for track in (-0.8, 0.8):
            line = street.beside(middle + track)
            terrain.stroke(line, width_m=0.45, colour=_LANE, material=Material.ASPHALT)
    for along in rng.uniform(0, street.length_m, int(street.length_m / 18)):
        x, y, turn = street.at(along, rng.uniform(-0.35, 0.35) * street.width_m)
        patch = Rectangle(
            x_m=x, y_m=y, length_m=rng.uniform(1, 6), width_m=rng.uniform(0.5, 1.6), turn_deg=turn
        )
        terrain.fill(patch.corners(), colour=shaded(_PATCH, rng.uniform(0.9, 1.2)), material=Material.ASPHALT)


def _between(gaps: Sequence[tuple[float, float]], *, length_m: float) -> list[tuple[float, float]]:
    ends = [0.0, *(edge for gap in sorted(gaps) for edge in gap), length_m]
    return [(start, end) for start, end in zip(ends[::2], ends[1::2], strict=True) if end - start > 1]


def _dashes(
    terrain: Terrain, street: Street, *, across_m: float, start_m: float, end_m: float, is_double: bool
) -> None:
    if is_double:
        for side in (-0.2, 0.2):
            _paint(terrain, street.beside(across_m + side, from_m=start_m, to_m=end_m), width_m=0.13)
        return
    for location in np.arange(start_m, end_m - 2, 5.0):
        _paint(terrain, street.beside(across_m, from_m=location, to_m=location + 2), width_m=0.15)


def _bar(terrain: Terrain, plan: Rectangle) -> None:
    terrain.fill(plan.corners(), colour=_PAINT, material=Material.ASPHALT)


def _paint(terrain: Terrain, line: Line, *, width_m: float) -> None:
    terrain.stroke(line, width_m=width_m, colour=_PAINT, material=Material.ASPHALT)
