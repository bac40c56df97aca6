"""Traffic: who drives, parks and walks where at a moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import cv2
import numpy as np

from annotator.demo.movers import Kind, Mover
from annotator.demo.paint import CAR_COLOURS, CLOTHES
from annotator.demo.plan import AVENUE, EAST_STREET, NORTH_LANE, SOUTH_LANE, STREETS, WEST_STREET
from annotator.demo.streets import Street
from annotator.demo.terrain import Colour, Material, Rectangle, Terrain
from annotator.demo.town import Town

FIRST_MOVER = 1000
"""Numbers of vehicles and people begin here; buildings lie below."""
_LANES_USE: tuple[Kind, ...] = ("car",) * 9 + ("van",) * 2 + ("car",)
_AVENUE_USE: tuple[Kind, ...] = (*_LANES_USE[:-1], "bus")
_PARKED: tuple[Kind, ...] = ("car",) * 8 + ("van",)
_TAKEN_SPACES, _TAKEN_KERB = 0.72, 0.3
_WALK_M_PER_S, _AVENUE_M_PER_S, _DRIVE_M_PER_S = 1.3, 11.0, 7.0
_MEETING_PLACES = (
    (Rectangle(x_m=148, y_m=156, length_m=44, width_m=10), 16),
    (Rectangle(x_m=160, y_m=88, length_m=60, width_m=24), 14),
    (Rectangle(x_m=285, y_m=157, length_m=48, width_m=30), 18),
    (Rectangle(x_m=265, y_m=88, length_m=70, width_m=36), 16),
)
"""Square, car park, playing field and park, each with a number of people."""
T = TypeVar("T")


class Traffic:
    """Puts movers where they may be, drawing chance from one generator in a fixed order.

    At another time the same movers are at other places, as far as they do not meet.
    """

    def __init__(self, town: Town, *, seed: int, time_s: float) -> None:
        self._town = town
        # Not the town's own generator: traffic must not change when a tree is added.
        self._rng = np.random.default_rng((seed, 1))
        self._time_s = time_s
        self._next = FIRST_MOVER

    def movers(self) -> list[Mover]:
        """Return all vehicles and people of the town at the time."""
        found: list[Mover] = []
        for mover in (
            *self._parked(),
            *self._beside_kerbs(),
            *self._driving(),
            *self._walking(),
            *self._meeting(),
        ):
            if _stands_free(self._town.terrain, mover) and not any(_overlap(mover, other) for other in found):
                found.append(mover)
        return found

    def _parked(self) -> Iterator[Mover]:
        for space in self._town.spaces:
            if self._rng.random() < _TAKEN_SPACES:
                at = space.at(self._rng.normal(0, 0.12), self._rng.normal(0, 0.25))
                turn_deg = space.turn_deg + self._pick((90, 270)) + self._rng.normal(0, 2)
                yield self._mover(self._pick(_PARKED), at, turn_deg)

    def _beside_kerbs(self) -> Iterator[Mover]:
        for street in (NORTH_LANE, SOUTH_LANE):
            for side in (-1, 1):
                for place_m in np.arange(8.0, street.length_m, 6.2).tolist():
                    x_m, y_m, turn_deg = street.at(place_m, side * (street.width_m / 2 + 0.5))
                    if self._rng.random() < _TAKEN_KERB and not _is_near_crossing(x_m):
                        turn_deg += (0 if side > 0 else 180) + self._rng.normal(0, 1)
                        yield self._mover("car", (x_m, y_m), turn_deg)

    def _driving(self) -> Iterator[Mover]:
        for street in STREETS:
            lane_m = street.width_m / street.lanes
            for lane in range(street.lanes):
                yield from self._lane(street, across_m=(lane + 0.5) * lane_m - street.width_m / 2)

    def _lane(self, street: Street, *, across_m: float) -> Iterator[Mover]:
        """Yield the vehicles of a lane; right of the middle they drive along the street."""
        is_avenue, direction = street is AVENUE, 1 if across_m > 0 else -1
        driven_m = direction * self._time_s * (_AVENUE_M_PER_S if is_avenue else _DRIVE_M_PER_S)
        place_m = float(self._rng.uniform(5, 25))
        while place_m < street.length_m:
            kind = self._pick(_AVENUE_USE if is_avenue else _LANES_USE)
            along_m = (place_m + driven_m) % street.length_m
            x_m, y_m, turn_deg = street.at(along_m, across_m + self._rng.uniform(-0.2, 0.2))
            turn_deg += (0 if direction > 0 else 180) + self._rng.normal(0, 1.5)
            yield self._mover(kind, (x_m, y_m), turn_deg)
            place_m += float(self._rng.uniform(13, 34 if is_avenue else 70))

    def _walking(self) -> Iterator[Mover]:
        for street in STREETS:
            for _ in range(int(street.length_m / 11)):
                off_kerb_m = self._rng.uniform(0.7, street.pavement_m - 0.4)
                across_m = self._pick((-1, 1)) * (street.width_m / 2 + off_kerb_m)
                walked_m = self._pick((-1, 1)) * _WALK_M_PER_S * self._time_s
                along_m = (self._rng.uniform(0, street.length_m) + walked_m) % street.length_m
                x_m, y_m, turn_deg = street.at(along_m, across_m)
                yield self._mover("person", (x_m, y_m), turn_deg)

    def _meeting(self) -> Iterator[Mover]:
        for place, people in _MEETING_PLACES:
            for _ in range(people):
                along, across = self._rng.uniform(-0.5, 0.5, 2)
                yield self._mover("person", place.at(along * place.length_m, across * place.width_m), 0.0)

    def _mover(self, kind: Kind, at: tuple[float, float], turn_deg: float) -> Mover:
        self._next += 1
        colour: Colour = self._pick(CLOTHES if kind == "person" else CAR_COLOURS)
        x_m, y_m = (float(v) for v in at)
        return Mover(number=self._next, kind=kind, x_m=x_m, y_m=y_m, turn_deg=float(turn_deg), colour=colour)

    def _pick(self, values: Sequence[T]) -> T:
        return values[int(self._rng.integers(len(values)))]


def _is_near_crossing(x_m: float) -> bool:
    return any(abs(x_m - street.axis[1][0]) < 13 for street in (WEST_STREET, EAST_STREET))


def _stands_free(terrain: Terrain, mover: Mover) -> bool:
    """Tell whether a mover stands on open ground; one under a crown or in a house is left out."""
    window = terrain.window(mover.plan)
    cells, inside = (window.rows, window.columns), window.inside
    if not inside.any():
        return False
    is_open = (terrain.height_m[cells][inside] < 0.1).all()
    return bool(is_open and not (terrain.material[cells][inside] == Material.WATER).any())


def _overlap(one: Mover, other: Mover) -> bool:
    if abs(one.x_m - other.x_m) > 12 or abs(one.y_m - other.y_m) > 12:
        return False
    first, second = (_room(m) for m in (one, other))
    return cv2.rotatedRectangleIntersection(first, second)[0] != cv2.INTERSECT_NONE


def _room(mover: Mover) -> tuple[tuple[float, float], tuple[float, float], float]:
    plan = mover.plan
    return (plan.x_m, plan.y_m), (plan.length_m + 0.5, plan.width_m + 0.2), plan.turn_deg
