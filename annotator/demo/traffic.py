"""Traffic: who drives, parks, walks, stands and sails where, at all times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.anomalies import Anomaly, Standing
from annotator.demo.collisions import first_come, runs_free
from annotator.demo.movers import FIRST_MOVER, Mover
from annotator.demo.paint import CAR_COLOURS, CLOTHES, LARGE_COLOURS, WHITE
from annotator.demo.plan import WIDTH_M, Plan
from annotator.demo.river import DECK_M, FOOTBRIDGE_X_M, RIVER
from annotator.demo.routes import Drive, Driver, Lane, drive, standing, together
from annotator.demo.shapes import SIZES_M, Kind
from annotator.demo.streets import Street
from annotator.demo.terrain import Colour, Material, Rectangle, Terrain
from annotator.demo.town import Town
from annotator.demo.walks import Stretch, cross_street, pace

T = TypeVar("T")
Flags = NDArray[Any]

# As often as they stand here: chance picks places of the list.
_LANES_USE: tuple[Kind, ...] = ("car",) * 12 + ("van",) * 2 + ("pick-up", "bicycle", "motorbike", "lorry")
_AVENUE_USE: tuple[Kind, ...] = ("car",) * 10 + ("van",) * 2 + ("bus", "bus", "lorry", "pick-up", "motorbike")
_PARKED: tuple[Kind, ...] = ("car",) * 9 + ("van", "pick-up")
_SPEEDS: dict[Kind, float] = {"bicycle": 4.5, "bus": 8.5, "lorry": 8.5, "motorbike": 10.0}
"""Wished speeds in m/s, of kinds that have one of their own."""
_TAKEN_SPACES, _TAKEN_KERB = 0.72, 0.3
_AVENUE_M_PER_S, _STREET_M_PER_S, _LANE_M_PER_S = 11.0, 9.0, 7.5
_MEETING_AREAS = (
    (Rectangle(x_m=146, y_m=156, length_m=40, width_m=10), 9),
    (Rectangle(x_m=160, y_m=88, length_m=60, width_m=24), 6),
    (Rectangle(x_m=285, y_m=157, length_m=48, width_m=30), 16),
    (Rectangle(x_m=265, y_m=88, length_m=70, width_m=36), 9),
    (Rectangle(x_m=84, y_m=176, length_m=12, width_m=7), 6),
    (Rectangle(x_m=158, y_m=303, length_m=84, width_m=20), 12),
    (Rectangle(x_m=368, y_m=157, length_m=26, width_m=17), 8),
    (Rectangle(x_m=361, y_m=66, length_m=28, width_m=10), 7),
)
"""Square, car park, playing field, park, playground, campsite, stadium, building site: groups of people."""
_BOAT_TRIPS = ((128.0, 205.0, 2.2), (128.0, 205.0, 2.2), (300.0, 330.0, 1.2))
"""Stretch of the river, between bridges, and speed in m/s."""
# More than any lane holds: no limit.
_MANY = 1000
_LORRY_YARD = Rectangle(x_m=350, y_m=33.5, length_m=20, width_m=4)
_MOORINGS_M = ((182.0, -6.6), (64.0, -6.4), (310.0, 6.2))


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """All vehicles and people.

    Attributes:
        still: Those who never change their place.
        moving: Those who do, as they are at time 0.
        motion: Where the moving ones are at all times, in their order.
        anomalies: What went wrong, with the numbers of those who are part of it.
    """

    still: tuple[Mover, ...]
    moving: tuple[Mover, ...]
    motion: Drive
    anomalies: tuple[Anomaly, ...]

    def moving_at(self, time_s: float) -> tuple[Mover, ...]:
        """Return the moving ones at a time of 0 to ``END_S``."""
        values = (v.tolist() for v in self.motion.at(time_s))
        return tuple(
            replace(mover, x_m=x_m, y_m=y_m, turn_deg=turn_deg, speed_m_per_s=speed)
            for mover, x_m, y_m, turn_deg, speed in zip(self.moving, *values, strict=True)
        )


def make_traffic(town: Town, *, seed: int) -> Traffic:
    """Return the traffic of a town; the same seed gives the same motion."""
    # Not the town's own generator: traffic must not change when a tree is added.
    maker = _Maker(town, rng=np.random.default_rng((seed, 1)))
    anomalies = maker.incidents()
    maker.stand()
    # Drivers before walkers: the numbers of the first stay when somebody is added to the second.
    vehicles, motion = maker.drivers()
    walkers, walks = maker.walkers()
    moving, motion = [*vehicles, *walkers], together((motion, walks))
    # Who would pass under a crown or into a house is left out, and only then who would meet another.
    keeps = runs_free(moving, motion, terrain=town.terrain)
    keeps[keeps] = _meets_nobody(
        [m for m, keep in zip(moving, keeps, strict=True) if keep], motion.of(keeps), maker.still
    )
    return Traffic(
        still=tuple(maker.still),
        moving=tuple(m for m, keep in zip(moving, keeps.tolist(), strict=True) if keep),
        motion=motion.of(keeps),
        anomalies=tuple(anomalies),
    )


def _meets_nobody(moving: Sequence[Mover], motion: Drive, still: Sequence[Mover]) -> Flags:
    """Tell which of the moving ones to keep, so that nobody ever runs into another one."""
    stays = standing(
        x_m=[m.x_m for m in still], y_m=[m.y_m for m in still], turn_deg=[m.turn_deg for m in still]
    )
    # Those who stand were there first: one of them may be part of an anomaly, and must not go.
    kept = first_come([*still, *moving], together((stays, motion)))
    return kept[len(still) :]


class _Maker:
    """Puts movers where they may be, drawing chance from one generator in a fixed order."""

    def __init__(self, town: Town, *, rng: np.random.Generator) -> None:
        self._town, self._rng = town, rng
        self._plan: Plan = town.plan
        self._density = 0.6 if self._plan.is_small else 1.0
        self._next = FIRST_MOVER
        self.still: list[Mover] = []

    def incidents(self) -> list[Anomaly]:
        """Place those who are part of what went wrong, and return the anomalies with their numbers."""
        found = []
        for incident in self._town.incidents:
            movers = [self._mover(s.kind, standing=s) for s in incident.standing]
            self.still += movers
            bodies = (*incident.anomaly.bodies, *(m.number for m in movers))
            found.append(replace(incident.anomaly, bodies=bodies))
        return found

    def stand(self) -> None:
        """Place the parked ones and those who stand about, as far as there is room."""
        for location in (
            *self._parked(),
            *self._beside_kerbs(),
            *self._yard(),
            *self._meeting(),
            *self._quay(),
        ):
            mover = self._mover(location.kind, standing=location)
            # A boat or somebody on a bridge stands on no ground that the land could speak of.
            is_free = location.ground_m > 0 or _stands_free(self._town.terrain, mover)
            if is_free and not any(_overlap(mover, other) for other in self.still):
                self.still.append(mover)

    def drivers(self) -> tuple[list[Mover], Drive]:
        """Return all vehicles on the lanes with their motion."""
        found = [pair for lane, most in self._lanes() for pair in self._lane(lane, most=most)]
        movers, drivers = [m for m, _ in found], [d for _, d in found]
        return movers, drive(drivers, crossings=self._plan.crossings)

    def walkers(self) -> tuple[list[Mover], Drive]:
        """Return those who walk, and the boats, with their motion."""
        movers, motions = [], []
        for kind, motion in (*self._pavements(), *self._over_crossings(), *self._afloat()):
            movers.append(self._mover(kind))
            motions.append(motion)
        return movers, together(motions)

    def _parked(self) -> Iterator[Standing]:
        for space in self._town.spaces:
            if self._rng.random() < _TAKEN_SPACES * (0.5 if self._plan.is_small else 1):
                at = space.at(self._rng.normal(0, 0.12), self._rng.normal(0, 0.25))
                turn_deg = space.turn_deg + self._pick((90, 270)) + self._rng.normal(0, 2)
                yield self._standing(self._pick(_PARKED), at, turn_deg)

    def _beside_kerbs(self) -> Iterator[Standing]:
        crossings = [(c.x_m, c.y_m) for c in self._plan.crossings]
        for street in self._plan.lanes:
            for side in (-1, 1):
                for position_m in np.arange(8.0, street.length_m, 6.2).tolist():
                    x_m, y_m, turn_deg = street.at(position_m, side * (street.width_m / 2 + 0.75))
                    # Who turns into a lane swings out; nobody may park there.
                    is_near = any(np.hypot(x_m - x, y_m - y) < 16 for x, y in crossings)
                    if self._rng.random() < _TAKEN_KERB and not is_near:
                        turn_deg += (0 if side > 0 else 180) + self._rng.normal(0, 1)
                        yield self._standing("car", (x_m, y_m), turn_deg)

    def _yard(self) -> Iterator[Standing]:
        for quarter in range(0 if self._plan.is_small else self._plan.quarters):
            for along in (-7.0, 3.0):
                x_m, y_m = _LORRY_YARD.at(along + WIDTH_M * quarter, 0)
                yield self._standing("lorry", (x_m, y_m), 0.0)

    def _meeting(self) -> Iterator[Standing]:
        for quarter in range(self._plan.quarters):
            for rectangle, groups in _MEETING_AREAS:
                for _ in range(round(groups * self._density)):
                    along, across = self._rng.uniform(-0.5, 0.5, 2)
                    x_m, y_m = rectangle.at(along * rectangle.length_m, across * rectangle.width_m)
                    yield from self._group((x_m + WIDTH_M * quarter, y_m))

    def _group(self, at: tuple[float, float]) -> Iterator[Standing]:
        """Yield one to four people who face each other."""
        people = self._pick((1, 1, 2, 2, 3, 4))
        radius_m, first = 0.35 + 0.2 * people, self._rng.uniform(0, 360)
        for k in range(people):
            # Evenly around the middle, each a little off, since people are.
            turn = first + 360 * k / people + self._rng.normal(0, 12)
            offset = np.radians(turn)
            location = (at[0] + radius_m * np.cos(offset), at[1] + radius_m * np.sin(offset))
            is_resting = self._rng.random() < 0.04
            standing = self._standing("person", location, turn + 180)
            yield replace(standing, pose="lying") if is_resting else standing

    def _quay(self) -> Iterator[Standing]:
        for quarter in range(0 if self._plan.is_small else self._plan.quarters):
            for along_m, across_m in _MOORINGS_M:
                x_m, y_m, turn = RIVER.at(along_m + 10, across_m)
                # Just above 0: what stands on something is not asked whether its ground is free, and water
                # never is.
                yield replace(self._standing("boat", (x_m + WIDTH_M * quarter, y_m), turn), ground_m=0.01)
            for along_m in (-7.0, 1.0, 2.0):
                x_m, y_m, turn = RIVER.at(FOOTBRIDGE_X_M + 10, along_m)
                standing = self._standing("person", (x_m + WIDTH_M * quarter + 0.6, y_m), turn)
                yield replace(standing, ground_m=DECK_M)

    def _lanes(self) -> Iterator[tuple[Lane, int]]:
        """Yield all lanes, each with the most drivers that it may have."""
        closures = [c for incident in self._town.incidents for c in incident.closures]
        for street in self._plan.streets:
            lane_m = street.width_m / street.lanes
            for number in range(street.lanes):
                across_m = (number + 0.5) * lane_m - street.width_m / 2
                closed = [c for c in closures if c.street == street.name and c.is_forward == (across_m > 0)]
                blocked_m = closed[0].along_m if closed else None
                lane = Lane(street=street, across_m=across_m, blocked_m=blocked_m)
                yield lane, closed[0].queue if closed else _MANY

    def _lane(self, lane: Lane, *, most: int) -> Iterator[tuple[Mover, Driver]]:
        is_avenue, is_narrow = lane.street.lanes > 2, lane.street.width_m < 7
        usual = _AVENUE_M_PER_S if is_avenue else _LANE_M_PER_S if is_narrow else _STREET_M_PER_S
        longest_m = (42 if is_avenue else 80) / self._density
        position_m = float(self._rng.uniform(5, 25))
        while position_m < lane.loop_m - 20 and most > 0:
            kind = self._pick(_AVENUE_USE if is_avenue else _LANES_USE)
            wish = min(usual, _SPEEDS.get(kind, usual)) * self._rng.uniform(0.88, 1.1)
            driver = Driver(
                lane=lane, start_m=position_m, length_m=SIZES_M[kind][0], wish_m_per_s=float(wish),
                aside_m=float(self._rng.uniform(-0.15, 0.15)),
            )  # fmt: skip
            yield replace(self._mover(kind), can_move=True), driver
            position_m += float(self._rng.uniform(18, longest_m))
            # A closed lane takes no more than its queue: behind it the others would stand through the
            # crossing.
            most -= 1

    def _pavements(self) -> Iterator[tuple[Kind, Drive]]:
        paths = [*self._plan.streets] if self._plan.is_small else [*self._plan.streets, RIVER]
        for street in paths:
            near_m, far_m = _walking_lines(street)
            for from_m, to_m in _blocks(street, self._plan):
                for side in (-1, 1):
                    stretch = Stretch(
                        street=street, from_m=from_m, to_m=to_m, near_m=side * near_m, far_m=side * far_m
                    )
                    # All of one stretch go equally fast and the same way round, so they never meet.
                    speed = float(self._rng.uniform(1.1, 1.5)) * self._pick((-1, 1))
                    people = round((to_m - from_m) / 24 * self._density)
                    for k in range(people):
                        start = (k + self._rng.uniform(0.1, 0.9)) / people
                        yield "person", pace(stretch, speed_m_per_s=speed, start=float(start))

    def _over_crossings(self) -> Iterator[tuple[Kind, Drive]]:
        for crossing in self._plan.crossings:
            for street in (crossing.street, crossing.other) if crossing.has_lights else ():
                for side in (-1, 1):
                    for k in range(self._pick((1, 2, 3))):
                        yield "person", cross_street(
                            crossing, street=street, side=side, aside_m=0.9 * k - 1.0,
                            speed_m_per_s=float(self._rng.uniform(1.25, 1.6)),
                            wait_s=float(self._rng.uniform(1.5, 3.5)),
                        )  # fmt: skip

    def _afloat(self) -> Iterator[tuple[Kind, Drive]]:
        for from_m, to_m, speed in () if self._plan.is_small else _BOAT_TRIPS:
            stretch = Stretch(street=RIVER, from_m=from_m, to_m=to_m, near_m=-2.8, far_m=3.4)
            yield "boat", pace(stretch, speed_m_per_s=speed, start=float(self._rng.random()))

    def _standing(self, kind: Kind, at: tuple[float, float], turn_deg: float) -> Standing:
        x_m, y_m = (float(v) for v in at)
        return Standing(kind=kind, x_m=x_m, y_m=y_m, turn_deg=float(turn_deg), colour=self._colour(kind))

    def _mover(self, kind: Kind, *, standing: Standing | None = None) -> Mover:
        # Also for those that are left out afterwards: numbers have gaps, and nobody's changes when another
        # one finds no room.
        self._next += 1
        if standing is None:
            return Mover(
                number=self._next,
                kind=kind,
                x_m=0,
                y_m=0,
                turn_deg=0,
                colour=self._colour(kind),
                can_move=True,
            )
        return Mover(
            number=self._next, kind=kind, x_m=standing.x_m, y_m=standing.y_m, turn_deg=standing.turn_deg,
            colour=standing.colour, pose=standing.pose, ground_m=standing.ground_m,
        )  # fmt: skip

    def _colour(self, kind: Kind) -> Colour:
        if kind in {"person", "bicycle"}:
            return self._pick(CLOTHES)
        if kind == "ambulance":
            return WHITE
        return self._pick(LARGE_COLOURS if kind in {"lorry", "bus", "boat"} else CAR_COLOURS)

    def _pick(self, values: Sequence[T]) -> T:
        return values[int(self._rng.integers(len(values)))]


def _walking_lines(street: Street) -> tuple[float, float]:
    """Return the offsets of the two lines that people walk on beside a street."""
    kerb_m = street.width_m / 2
    if street is RIVER:
        return kerb_m + 7.0, kerb_m + 7.9
    # Cars park half on the pavements of narrow streets.
    return (kerb_m + 2.3, kerb_m + 3.2) if street.width_m < 7 else (kerb_m + 0.8, kerb_m + 1.65)


def _blocks(street: Street, plan: Plan) -> list[tuple[float, float]]:
    """Return the stretches of a pavement between the streets that cross it."""
    positions = sorted(c.place_on(street) for c in plan.crossings if street in (c.street, c.other))
    if street is RIVER:
        # The ramps of the footbridge part its paths too.
        bridges = [FOOTBRIDGE_X_M + 10.0]
        positions = sorted(
            [*((c.x_m + 10, 9.0) for c in plan.crossings if c.has_lights), *((b, 2.0) for b in bridges)]
        )
    edges = [
        -20.0,
        *(edge for position, half in positions for edge in (position - half - 4.5, position + half + 4.5)),
        street.length_m + 20,
    ]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _stands_free(terrain: Terrain, mover: Mover) -> bool:
    """Return whether a mover stands on open ground; one under a crown or in a house is left out."""
    if not terrain.holds(mover.x_m, mover.y_m):
        return False
    window = terrain.window(mover.plan)
    cells, inside = (window.rows, window.columns), window.inside
    is_open = (terrain.height_m[cells][inside] < 0.1).all()
    # Water has no height either.
    return bool(is_open and not (terrain.material[cells][inside] == Material.WATER).any())


def _overlap(one: Mover, other: Mover) -> bool:
    if abs(one.x_m - other.x_m) > 12 or abs(one.y_m - other.y_m) > 12:
        return False
    first, second = (_room(m) for m in (one, other))
    return cv2.rotatedRectangleIntersection(first, second)[0] != cv2.INTERSECT_NONE


def _room(mover: Mover) -> tuple[tuple[float, float], tuple[float, float], float]:
    # A little room, in which doors open.
    plan = mover.plan
    return (plan.x_m, plan.y_m), (plan.length_m + 0.5, plan.width_m + 0.2), plan.turn_deg
