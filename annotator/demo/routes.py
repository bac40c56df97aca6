"""How vehicles drive along lanes through time: following, stopping at lights and giving way.

The motion is computed once in small steps, from before the first time that can be asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.demo.plan import Crossing
from annotator.demo.streets import Street

Floats = NDArray[Any]

END_S = 120.0
"""Last world time; the first is 0."""
STEP_S = 0.2
BEYOND_M = 26.0
"""How far lanes run on beyond the ends of their streets; there vehicles leave and come again unseen."""
CYCLE_S = 38.0
_GREEN_WIDE_S, _GREEN_OTHER_S = (0.0, 14.0), (20.0, 31.0)
"""Green of the wider street and of the other, seconds of the cycle; between them all have red."""
# Long enough for queues at lights to look like those of every other time.
_WARM_UP_S = 60.0
_ACCELERATION, _BRAKING, _HARDEST_BRAKING = 1.6, 2.2, 6.0
_HEADWAY_S, _STANDING_GAP_M = 1.3, 2.0
"""Terms of the intelligent driver model in m/s2, s and m.

Source: Treiber, Hennecke, Helbing, Congested traffic states in empirical observations and microscopic
simulations, Phys. Rev. E 62 (2000), equations 2 and 3; town values.
"""
_LOOK_S, _LOOK_M = 5.5, 14.0
"""A driver who gives way waits for vehicles that reach the crossing within this time or are this near to
it.
"""
_LOOK_EVERY = 3
"""Steps between two looks at the lights and at who comes."""
# Farther than any lane is long: there is nothing to stop for.
_FAR_M = 1e4
# Larger than any distance of one step: a larger change means a jump through the unseen part.
_LEAP_M = 50.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Lane:
    """One lane of a street.

    Attributes:
        street: The street.
        across_m: Offset of its middle to the right of the street's axis.
        blocked_m: How far along the lane nobody gets any further; None for a free lane.
    """

    street: Street
    across_m: float
    blocked_m: float | None = None

    @property
    def is_forward(self) -> bool:
        """True where vehicles drive along the street, False for against it."""
        return self.across_m > 0

    @property
    def loop_m(self) -> float:
        """Way from one end to the same end again, the unseen part included."""
        return self.street.length_m + 2 * BEYOND_M

    def driven(self, along_m: float) -> float:
        """Return how far a driver has come at a place of the street."""
        return BEYOND_M + (along_m if self.is_forward else self.street.length_m - along_m)


@dataclass(frozen=True, kw_only=True, eq=False)
class Driver:
    """A vehicle on a lane.

    Attributes:
        lane: Its lane.
        start_m: How far it has come when the motion begins.
        length_m: Its length.
        wish_m_per_s: How fast it drives on a free lane.
        aside_m: Its offset to the right of the lane's middle.
    """

    lane: Lane
    start_m: float
    length_m: float
    wish_m_per_s: float
    aside_m: float = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Drive:
    """The motion of many drivers.

    Attributes:
        x_m: float32 (steps, n), east coordinates of their middles.
        y_m: float32 (steps, n), south coordinates.
        turn_deg: float32 (steps, n), directions of their noses, without jumps by a full turn.
        speed_m_per_s: float32 (steps, n).
    """

    x_m: Floats
    y_m: Floats
    turn_deg: Floats
    speed_m_per_s: Floats

    def of(self, kept: Floats) -> Drive:
        """Return the motion of some of the drivers: bool (n)."""
        return Drive(
            x_m=self.x_m[:, kept],
            y_m=self.y_m[:, kept],
            turn_deg=self.turn_deg[:, kept],
            speed_m_per_s=self.speed_m_per_s[:, kept],
        )

    def at(self, time_s: float) -> tuple[Floats, Floats, Floats, Floats]:
        """Return x, y, direction and speed of all drivers, each float (n), at a time of 0 to ``END_S``."""
        position = min(max(time_s, 0.0), END_S) / STEP_S
        # The last step has none behind it.
        k = min(int(position), len(self.x_m) - 2)
        share = np.float32(position - k)
        values = (self.x_m, self.y_m, self.turn_deg, self.speed_m_per_s)
        # A vehicle that leaves at one end reappears at the other; positions must not be interpolated between
        # them.
        is_near = np.abs(self.x_m[k + 1] - self.x_m[k]) + np.abs(self.y_m[k + 1] - self.y_m[k]) < _LEAP_M
        x_m, y_m, turn_deg, speed = (v[k] + (v[k + 1] - v[k]) * share * is_near for v in values)
        return x_m, y_m, turn_deg, speed


def together(drives: Sequence[Drive]) -> Drive:
    """Return the motion of several groups as that of one."""
    return Drive(
        x_m=np.concatenate([d.x_m for d in drives], axis=1),
        y_m=np.concatenate([d.y_m for d in drives], axis=1),
        turn_deg=np.concatenate([d.turn_deg for d in drives], axis=1),
        speed_m_per_s=np.concatenate([d.speed_m_per_s for d in drives], axis=1),
    )


def standing(*, x_m: Sequence[float], y_m: Sequence[float], turn_deg: Sequence[float]) -> Drive:
    """Return the motion of those who stay where they are."""
    steps = round(END_S / STEP_S) + 1
    x, y, turn = (np.tile(np.array(v, np.float32), (steps, 1)) for v in (x_m, y_m, turn_deg))
    return Drive(x_m=x, y_m=y, turn_deg=turn, speed_m_per_s=np.zeros_like(x))


def is_green(time_s: float, *, crossing: Crossing, street: Street) -> bool:
    """Return whether a street may go at a crossing with lights.

    Args:
        time_s: World time.
        crossing: The crossing.
        street: One of its two streets.
    """
    start, end = _GREEN_WIDE_S if street is crossing.street else _GREEN_OTHER_S
    return start <= (time_s + _offset_s(crossing)) % CYCLE_S < end


def red_since(time_s: float, *, crossing: Crossing, street: Street) -> float:
    """Return for how long a street has had red at a crossing with lights; negative while it has green."""
    start, end = _GREEN_WIDE_S if street is crossing.street else _GREEN_OTHER_S
    phase = (time_s + _offset_s(crossing) - end) % CYCLE_S
    return phase if phase < CYCLE_S - (end - start) else phase - CYCLE_S


def drive(drivers: Sequence[Driver], *, crossings: Sequence[Crossing]) -> Drive:
    """Return the motion of drivers from 0 to ``END_S``.

    Args:
        drivers: Who drives; those of one lane must not overlap at the start.
        crossings: Where their streets meet.
    """
    road = _Road.of(drivers, crossings)
    steps = round(END_S / STEP_S) + 1
    driven = np.zeros((steps, len(drivers)), np.float64)
    speed = np.zeros((steps, len(drivers)), np.float64)
    # Before time 0 nothing is kept; it only lets the queues form.
    for step in range(-round(_WARM_UP_S / STEP_S), steps):
        if step >= 0:
            driven[step], speed[step] = road.driven_m, road.speed
        road.advance(step * STEP_S)
    return _seen(drivers, driven, speed)


def _seen(drivers: Sequence[Driver], driven_m: Floats, speed: Floats) -> Drive:
    x_m, y_m, turn = (np.zeros(driven_m.shape, np.float32) for _ in range(3))
    for lane in dict.fromkeys(d.lane for d in drivers):
        own = [k for k, d in enumerate(drivers) if d.lane is lane]
        along = np.mod(driven_m[:, own], lane.loop_m) - BEYOND_M
        along = along if lane.is_forward else lane.street.length_m - along
        across = np.array([lane.across_m + drivers[k].aside_m for k in own])
        flat = lane.street.points_along(along.ravel(), across_m=np.tile(across, len(along)))
        for target, values in zip((x_m, y_m, turn), flat, strict=True):
            target[:, own] = values.reshape(along.shape)
        # Noses of those who drive against the street point the other way.
        if not lane.is_forward:
            turn[:, own] += 180
    return Drive(x_m=x_m, y_m=y_m, turn_deg=turn, speed_m_per_s=speed.astype(np.float32))


def _offset_s(crossing: Crossing) -> float:
    return crossing.x_m * 0.07 % CYCLE_S


@dataclass(kw_only=True)
class _Road:
    """All drivers at one time of the motion.

    Attributes:
        driven_m: float64 (n), how far the middle of each has come, never taken back to 0.
        speed: float64 (n), m/s.
        wish: float64 (n), m/s.
        half_m: float64 (n), half lengths.
        loop_m: float64 (n), way around of each one's lane.
        ahead: int (n), who drives in front; oneself when alone on a lane.
        lane: int (n), number of each one's lane.
        stops_m: float64 (lanes, stops), where stop lines are; far away where a lane has fewer.
        rules: For each lane and stop, what closes it.
    """

    driven_m: Floats
    speed: Floats
    wish: Floats
    half_m: Floats
    loop_m: Floats
    ahead: Floats
    lane: Floats
    stops_m: Floats
    rules: list[list[_Rule]]

    def __post_init__(self) -> None:
        self._is_closed, self._looks = np.zeros(self.stops_m.shape, bool), 0

    @classmethod
    def of(cls, drivers: Sequence[Driver], crossings: Sequence[Crossing]) -> _Road:
        """Return the drivers at the start."""
        lanes = list(dict.fromkeys(d.lane for d in drivers))
        rules = [_rules(lane, lanes, crossings) for lane in lanes]
        wish = np.array([d.wish_m_per_s for d in drivers])
        return cls(
            driven_m=np.array([d.start_m for d in drivers]),
            speed=0.6 * wish,
            wish=wish,
            half_m=np.array([d.length_m / 2 for d in drivers]),
            loop_m=np.array([d.lane.loop_m for d in drivers]),
            ahead=_ahead(drivers, lanes),
            lane=np.array([lanes.index(d.lane) for d in drivers]),
            stops_m=_stops_m(rules),
            rules=rules,
        )

    def advance(self, time_s: float) -> None:
        """Move everybody on by one step."""
        free_m = np.mod(self.driven_m[self.ahead] - self.driven_m, self.loop_m)
        free_m = np.where(self.ahead == np.arange(len(self.ahead)), _FAR_M, free_m)
        free_m -= self.half_m + self.half_m[self.ahead]
        follow = self._pull(free_m, closing=self.speed - self.speed[self.ahead], gap_m=_STANDING_GAP_M)
        halt = self._pull(self._to_stop_m(time_s), closing=self.speed, gap_m=0.6)
        pull = np.clip(np.minimum(follow, halt), -_HARDEST_BRAKING, _ACCELERATION)
        speed = np.maximum(self.speed + pull * STEP_S, 0)
        self.driven_m = self.driven_m + (self.speed + speed) / 2 * STEP_S
        self.speed = speed

    def _pull(self, free_m: Floats, *, closing: Floats, gap_m: float) -> Floats:
        brake = self.speed * closing / (2 * np.sqrt(_ACCELERATION * _BRAKING))
        wanted = gap_m + np.maximum(0, self.speed * (_HEADWAY_S if gap_m > 1 else 0.4) + brake)
        share = wanted / np.maximum(free_m, 0.1)
        return np.asarray(_ACCELERATION * (1 - (self.speed / self.wish) ** 4 - share**2))

    def _to_stop_m(self, time_s: float) -> Floats:
        """Return the way from each one's nose to the next stop line where it has to wait."""
        # Lights and gaps hardly change in 0.6 s, and this is most of the work.
        self._looks += 1
        if self._looks % _LOOK_EVERY == 1:
            for lane, rules in enumerate(self.rules):
                for stop, rule in enumerate(rules):
                    self._is_closed[lane, stop] = rule.is_closed(time_s, self)
        noses = np.mod(self.driven_m, self.loop_m) + self.half_m
        way_m = self.stops_m[self.lane] - noses[:, None]
        # A vehicle that can no longer stop continues.
        too_late = way_m < (self.speed**2 / (2 * 3.5))[:, None]
        return np.asarray(np.where(self._is_closed[self.lane] & ~too_late, way_m, _FAR_M).min(axis=1))


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """What closes a stop line: red, someone who goes first, or an obstacle."""

    stop_m: float
    crossing: Crossing | None = None
    street: Street | None = None
    first: tuple[tuple[int, float], ...] = ()
    """Numbers of the lanes that go first, with the place of the crossing on each."""

    def is_closed(self, time_s: float, road: _Road) -> bool:
        """Return whether vehicles must wait."""
        if self.crossing is None or self.street is None:
            return True
        if self.crossing.has_lights:
            return not is_green(time_s, crossing=self.crossing, street=self.street)
        return any(_comes(road, lane, position_m) for lane, position_m in self.first)


def _stops_m(rules: Sequence[Sequence[_Rule]]) -> Floats:
    """Return the stop lines of each lane, float64 (lanes, most lines), metres; far away for none."""
    stops_m = np.full((len(rules), max(1, *(len(own) for own in rules))), _FAR_M)
    for k, own in enumerate(rules):
        stops_m[k, : len(own)] = [rule.stop_m for rule in own]
    return stops_m


def _ahead(drivers: Sequence[Driver], lanes: Sequence[Lane]) -> Floats:
    """Return who drives in front of each driver, by number: int (n)."""
    ahead = np.arange(len(drivers))
    for lane in lanes:
        own = [k for k, d in enumerate(drivers) if d.lane is lane]
        own.sort(key=lambda k: drivers[k].start_m)
        # Lanes are loops: before the one who is farthest drives the one who came last.
        for one, other in zip(own, own[1:] + own[:1], strict=True):
            ahead[one] = other
    return ahead


def _comes(road: _Road, lane: int, position_m: float) -> bool:
    own = road.lane == lane
    way_m = position_m - np.mod(road.driven_m[own], road.loop_m[own])
    near_m = road.speed[own] * _LOOK_S + _LOOK_M
    return bool(((way_m < near_m) & (way_m > -road.half_m[own] - 7)).any())


def _rules(lane: Lane, lanes: Sequence[Lane], crossings: Sequence[Crossing]) -> list[_Rule]:
    found = [] if lane.blocked_m is None else [_Rule(stop_m=lane.driven(lane.blocked_m))]
    for crossing in crossings:
        street = lane.street
        if street not in (crossing.street, crossing.other):
            continue
        if not crossing.has_lights and street is crossing.street:
            continue
        along_m, half_m = crossing.place_on(street)
        # Stop lines are painted 4.6 m before a crossing with lights.
        back_m = half_m + (5.2 if crossing.has_lights else 1.0)
        first = tuple(
            (k, other.driven(crossing.along_m))
            for k, other in enumerate(lanes)
            if other.street is crossing.street
        )
        found.append(
            _Rule(stop_m=lane.driven(along_m) - back_m, crossing=crossing, street=street, first=first)
        )
    return found
