"""How people walk and boats go: to and fro on a stretch, or over a crossing when it is their turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.demo.plan import Crossing
from annotator.demo.routes import END_S, STEP_S, Drive, red_since
from annotator.demo.streets import Street

Floats = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """A stretch beside or on a street that is gone along on one line and back on another.

    Attributes:
        street: The street.
        from_m: Where it begins, along the street.
        to_m: Where it ends.
        near_m: Offset of the way there, to the right of the axis.
        far_m: Offset of the way back.
    """

    street: Street
    from_m: float
    to_m: float
    near_m: float
    far_m: float

    def loop(self) -> tuple[Floats, Floats]:
        """Return x and y of the closed way around, each float64 (n), less than 1 m from point to point."""
        middle, radius = (self.near_m + self.far_m) / 2, abs(self.far_m - self.near_m) / 2
        ends = self.from_m + radius, self.to_m - radius
        straight = np.linspace(*ends, max(2, round((ends[1] - ends[0]) / 0.8)))
        # Without its ends, which the straight parts have already.
        bend = np.linspace(-np.pi / 2, np.pi / 2, 13)[1:-1]
        sign = np.sign(self.far_m - self.near_m)
        along = [
            straight,
            self.to_m - radius + radius * np.cos(bend),
            straight[::-1],
            self.from_m + radius - radius * np.cos(bend),
        ]
        across = [
            np.full(len(straight), self.near_m),
            middle + sign * radius * np.sin(bend),
            np.full(len(straight), self.far_m),
            middle - sign * radius * np.sin(bend),
        ]
        x_m, y_m, _ = self.street.points_along(np.concatenate(along), across_m=np.concatenate(across))
        return x_m, y_m


def pace(stretch: Stretch, *, speed_m_per_s: float, start: float) -> Drive:
    """Return the motion of one who goes round a stretch.

    Args:
        stretch: The stretch.
        speed_m_per_s: Its speed; below 0 the other way round.
        start: Place on the loop at time 0, as a share of it.
    """
    x_m, y_m = (np.append(v, v[0]) for v in stretch.loop())
    steps = np.hypot(np.diff(x_m), np.diff(y_m))
    positions = np.concatenate([[0.0], np.cumsum(steps)])
    turns = np.unwrap(np.arctan2(np.diff(y_m), np.diff(x_m)))
    done = start * positions[-1] + speed_m_per_s * _times()
    at = np.mod(done, positions[-1])
    full_turn = np.sign(turns[-1] - turns[0]) * 360.0
    turn = np.degrees(np.interp(at, (positions[1:] + positions[:-1]) / 2, turns))
    # Goes on turning with each round: interpolated between two frames, a jump by a full turn would spin the
    # walker.
    turn += np.floor(done / positions[-1]) * full_turn + (180 if speed_m_per_s < 0 else 0)
    return _one(
        np.interp(at, positions, x_m),
        np.interp(at, positions, y_m),
        turn,
        np.full(len(at), abs(speed_m_per_s)),
    )


def cross_street(
    crossing: Crossing, *, street: Street, side: int, aside_m: float, speed_m_per_s: float, wait_s: float
) -> Drive:
    """Return the motion of one who crosses a street while it has red, and waits on the other side.

    Args:
        crossing: The crossing with lights.
        street: The street that is crossed.
        side: On which side of the crossing, 1 farther along the street.
        aside_m: Offset along the street from the middle of the painted bars.
        speed_m_per_s: Walking speed.
        wait_s: Time between red and the first step.
    """
    times = _times()
    along_m, half_m = crossing.place_on(street)
    position_m = along_m + side * (half_m + 2) + aside_m
    reach_m = street.width_m / 2 + 0.9
    red = np.array([red_since(t, crossing=crossing, street=street) for t in times.tolist()])
    walked = np.clip((red - wait_s) * speed_m_per_s, 0, 2 * reach_m)
    # Who is caught by green is over already: nobody stands in the traffic.
    walked[red < 0] = 2 * reach_m
    # Each red period leads to the other side.
    begins = np.concatenate([[0], np.cumsum((red[1:] >= 0) & (red[:-1] < 0))])
    is_back = begins % 2 == 1
    across = np.where(is_back, reach_m - walked, walked - reach_m)
    x_m, y_m, turn = street.points_along(np.full(len(times), position_m), across_m=across)
    turn = turn + np.where(is_back, -90, 90)
    speed = np.where((walked > 0) & (walked < 2 * reach_m), speed_m_per_s, 0.0)
    return _one(x_m, y_m, turn, speed)


def _times() -> Floats:
    return np.arange(round(END_S / STEP_S) + 1) * STEP_S


def _one(x_m: Floats, y_m: Floats, turn_deg: Floats, speed: Floats) -> Drive:
    x_m, y_m, turn_deg, speed = (v.astype(np.float32)[:, None] for v in (x_m, y_m, turn_deg, speed))
    return Drive(x_m=x_m, y_m=y_m, turn_deg=turn_deg, speed_m_per_s=speed)
