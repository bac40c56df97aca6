"""The town's plan: its sizes, its streets, and where they meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotator.demo.streets import Street

Size = Literal["small", "standard", "large"]
Points = tuple[tuple[float, float], ...]

WIDTH_M, DEPTH_M = 400.0, 320.0
"""Extent of one quarter with everything in it; a large town has two side by side."""
SMALL_M = (320.0, 240.0)
"""Extent of the small town, which ends north of the river and west of the works."""
_FREE_EAST_M = 320.0


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """Where two streets meet.

    Attributes:
        street: The wider of the two.
        other: The street that crosses it.
        along_m: How far along the first the middle of the crossing lies.
        other_along_m: How far along the other it lies.
        x_m: East coordinate of the middle.
        y_m: South coordinate of the middle.
        has_lights: True with traffic lights and pedestrian crossings; else the other street gives way.
    """

    street: Street
    other: Street
    along_m: float
    other_along_m: float
    x_m: float
    y_m: float
    has_lights: bool

    def place_on(self, street: Street) -> tuple[float, float]:
        """Return how far along one of the two it lies, and half the way across the other."""
        # Kerbs are rounded where streets meet; lights stand before that.
        corner_m = 4.2 if self.has_lights else 2.5
        if street is self.street:
            return self.along_m, self.other.width_m / 2 + corner_m
        return self.other_along_m, self.street.width_m / 2 + corner_m


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The lie of the streets of a town.

    Attributes:
        width_m: Extent from west to east.
        depth_m: Extent from north to south.
        quarters: Number of quarters side by side, each 400 m wide.
        avenue: The widest street, from west to east.
        lanes: Narrow streets with houses, from west to east: the northern and the southern.
        streets: All streets, in the order in which they are paved.
        crossings: Where they meet.
    """

    width_m: float
    depth_m: float
    quarters: int
    avenue: Street
    lanes: tuple[Street, Street]
    streets: tuple[Street, ...]
    crossings: tuple[Crossing, ...]

    @property
    def is_small(self) -> bool:
        """True for the small town, without river and works."""
        return self.width_m < WIDTH_M


def plan_of(size: Size) -> Plan:
    """Return the plan of a town of a size."""
    quarters = 2 if size == "large" else 1
    width_m, depth_m = SMALL_M if size == "small" else (quarters * WIDTH_M, DEPTH_M)
    avenue = Street(
        name="the avenue",
        axis=_westeast(lambda x: 118 + 7 * np.sin(x / 75), quarters),
        width_m=13.6, pavement_m=3.0, lanes=4,
    )  # fmt: skip
    north, south = (
        Street(name=f"the {name} lane", axis=_westeast(course, quarters), width_m=6.2, pavement_m=1.6)
        for name, course in (
            ("northern", lambda x: 46 + 2.5 * np.sin(x / 40)),
            ("southern", lambda x: 190 - 3 * np.sin(x / 60)),
        )
    )
    across = [
        Street(name=_quarter_name(name, quarter), axis=_moved(axis, quarter * WIDTH_M), width_m=8.0)
        for quarter in range(quarters)
        for name, axis in _NORTHSOUTH
    ]
    crossings = [_crossing(avenue, street, has_lights=True) for street in across]
    crossings += [_crossing(street, lane, has_lights=False) for street in across for lane in (north, south)]
    return Plan(
        width_m=width_m,
        depth_m=depth_m,
        quarters=quarters,
        avenue=avenue,
        lanes=(north, south),
        streets=(north, south, *across, avenue),
        crossings=tuple(crossings),
    )


# Streets run a little over the town's edge, so that no end of one is seen.
_NORTHSOUTH: tuple[tuple[str, Points], ...] = (
    ("West Street", ((98.0, -10.0), (99.0, 70.0), (101.0, 120.0), (104.0, 240.0), (105.0, 330.0))),
    ("East Street", ((214.0, -10.0), (216.0, 118.0), (213.0, 250.0), (212.0, 330.0))),
    ("Works Street", ((331.0, -10.0), (332.0, 118.0), (333.0, 240.0), (332.0, 330.0))),
)


def _westeast(course: Callable[[float], float], quarters: int) -> Points:
    """Return the axis of a street through all quarters: its course repeats and joins without a kink."""
    free = np.arange(0.0, _FREE_EAST_M + 1, 5.0)
    # The free part is the one that the small town has too: it must lie alike in all sizes.
    joining = np.arange(_FREE_EAST_M + 5, WIDTH_M, 5.0)
    ends = np.array([course(x) for x in (_FREE_EAST_M, 0.0)])
    slopes = np.array([(course(x + 0.5) - course(x - 0.5)) for x in (_FREE_EAST_M, 0.0)])
    share = (joining - _FREE_EAST_M) / (WIDTH_M - _FREE_EAST_M)
    blend = _hermite(share, ends, slopes * (WIDTH_M - _FREE_EAST_M))
    x_m = np.concatenate([free, joining])
    y_m = np.concatenate([[course(x) for x in free], blend])
    all_x = np.concatenate([x_m + q * WIDTH_M for q in range(quarters)] + [[quarters * WIDTH_M]])
    all_y = np.concatenate([y_m] * quarters + [y_m[:1]])
    run = all_x[-1] + 10.0
    first, last = all_y[0] - slopes[1] * 10, all_y[-1] + slopes[1] * 10
    return (
        (-10.0, float(first)),
        *zip(all_x.tolist(), all_y.tolist(), strict=True),
        (float(run), float(last)),
    )


def _hermite(share: np.ndarray, ends: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Return the cubic from the first end to the second with given slopes."""
    s2, s3 = share**2, share**3
    return np.asarray(
        (2 * s3 - 3 * s2 + 1) * ends[0]
        + (s3 - 2 * s2 + share) * slopes[0]
        + (3 * s2 - 2 * s3) * ends[1]
        + (s3 - s2) * slopes[1]
    )


def _moved(axis: Points, east_m: float) -> Points:
    return tuple((x + east_m, y) for x, y in axis)


def _quarter_name(name: str, quarter: int) -> str:
    return name if quarter == 0 else f"Far {name}"


def _crossing(street: Street, other: Street, *, has_lights: bool) -> Crossing:
    """Return where a street from west to east and one from north to south meet, in either order."""
    level, upright = (street, other) if abs(street.at(0, 0)[2]) < 45 else (other, street)
    (level_x, level_y), (upright_x, upright_y) = (np.array(s.axis).T for s in (level, upright))
    x_m, y_m = float(upright_x[0]), 0.0
    # Both courses are nearly straight, so going from one to the other and back soon stands still.
    for _ in range(8):
        y_m = float(np.interp(x_m, level_x, level_y))
        x_m = float(np.interp(y_m, upright_y, upright_x))
    along_m, other_along_m = street.along(x_m, y_m), other.along(x_m, y_m)
    return Crossing(
        street=street, other=other, along_m=along_m, other_along_m=other_along_m,
        x_m=x_m, y_m=y_m, has_lights=has_lights,
    )  # fmt: skip
