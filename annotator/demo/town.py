"""The town: all that stands on the ground for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from annotator.demo.anomalies import Incident, stage_incidents
from annotator.demo.builder import Builder
from annotator.demo.buildings import Building
from annotator.demo.districts import (
    build_centre,
    build_fields,
    build_flats,
    build_market,
    build_park,
    build_school,
    plant_avenue,
)  # fmt: skip
from annotator.demo.furniture import bus_stop, light_street, signals
from annotator.demo.grain import meadow, roughen
from annotator.demo.homes import build_allotments, build_homes
from annotator.demo.landmarks import District, Landmark
from annotator.demo.plan import WIDTH_M, Plan, Size, plan_of
from annotator.demo.river import build_bridges, build_promenade, dig_river
from annotator.demo.streets import mark_lanes, pave, stop_line, zebra
from annotator.demo.terrain import Rectangle, Terrain
from annotator.demo.works import build_hospital, build_shore, build_stadium, build_works

_ALLOTMENTS = Rectangle(x_m=46, y_m=94, length_m=84, width_m=17, turn_deg=1)
_QUARTER_SEEDS = 1009
"""Distance between the seeds of two quarters of a large town."""


@dataclass(frozen=True, kw_only=True)
class Town:
    """A finished town without its traffic.

    Attributes:
        plan: Its streets.
        terrain: The land and what stands on it.
        buildings: The buildings by their number, 1 and up.
        spaces: Free spaces of the car parks.
        landmarks: Places with names.
        districts: Its parts.
        incidents: What went wrong, with those who stand there for it.
    """

    plan: Plan
    terrain: Terrain
    buildings: dict[int, Building]
    spaces: tuple[Rectangle, ...]
    landmarks: tuple[Landmark, ...]
    districts: tuple[District, ...]
    incidents: tuple[Incident, ...]


def build_town(*, seed: int, size: Size = "standard") -> Town:
    """Return the town; the same seed and size give the same cells.

    Args:
        seed: Seed of everything that chance decides.
        size: How much of it there is.
    """
    plan = plan_of(size)
    quarter_plan = plan if plan.quarters == 1 else plan_of("standard")
    quarters = [
        _build_quarter(seed=seed + _QUARTER_SEEDS * k, plan=quarter_plan, has_incidents=k == 0)
        for k in range(plan.quarters)
    ]
    return quarters[0] if len(quarters) == 1 else _joined(quarters, plan)


def _build_quarter(*, seed: int, plan: Plan, has_incidents: bool) -> Town:
    builder = Builder(seed=seed, plan=plan)
    meadow(builder.terrain, rng=builder.rng)
    build_fields(builder)
    if not plan.is_small:
        dig_river(builder)
    pave(builder.terrain, streets=plan.streets, rng=builder.rng)
    _mark_streets(builder.terrain, plan)
    # In this order for ever: each draws from the one stream of chance.
    for build in (build_market, build_park, build_homes, build_flats, build_centre, build_school):
        build(builder)
    if not plan.is_small:
        for build in (
            build_works,
            build_stadium,
            build_hospital,
            build_bridges,
            build_promenade,
            build_shore,
        ):
            build(builder)
    # Lamps and trees come last: what is painted on the ground must not lie on top of them.
    incidents = stage_incidents(builder) if has_incidents else []
    _furnish(builder)
    plant_avenue(builder)
    roughen(builder.terrain, rng=builder.rng)
    return Town(
        plan=plan,
        terrain=builder.terrain,
        buildings=builder.buildings,
        spaces=tuple(builder.spaces),
        landmarks=tuple(builder.landmarks),
        districts=tuple(builder.districts),
        incidents=tuple(incidents),
    )


def _furnish(builder: Builder) -> None:
    plan = builder.plan
    build_allotments(builder, _ALLOTMENTS)
    for crossing in plan.crossings:
        if crossing.has_lights:
            signals(builder, crossing)
    for along_m, side in ((62.0, 1), (75.0, -1), (180.0, 1), (258.0, -1), (272.0, 1)):
        bus_stop(builder, plan.avenue, along_m=along_m, side=side)
    for street in plan.streets:
        light_street(builder, street, every_m=21.0)


def _mark_streets(terrain: Terrain, plan: Plan) -> None:
    for street in plan.streets:
        crossings = [c for c in plan.crossings if street in (c.street, c.other)]
        gaps = [
            (position - half - 5, position + half + 5)
            for position, half in (c.place_on(street) for c in crossings)
        ]
        mark_lanes(terrain, street=street, gaps=gaps)
        for crossing in crossings:
            if crossing.has_lights:
                centre, half = crossing.place_on(street)
                for side in (-1, 1):
                    zebra(terrain, street=street, along_m=centre + side * (half + 2))
                    stop_line(terrain, street=street, along_m=centre + side * (half + 4.6), is_right=side < 0)


def _joined(quarters: Sequence[Town], plan: Plan) -> Town:
    """Return one town of quarters from west to east."""
    numbers = np.cumsum([0, *(len(q.buildings) for q in quarters)]).tolist()
    placed = [_placed(q, quarter=k, first=numbers[k]) for k, q in enumerate(quarters)]
    return Town(
        plan=plan,
        terrain=_joined_land([q.terrain for q in quarters], numbers),
        buildings={number: building for q in placed for number, building in q.buildings.items()},
        spaces=tuple(chain.from_iterable(q.spaces for q in placed)),
        landmarks=tuple(chain.from_iterable(q.landmarks for q in placed)),
        districts=tuple(chain.from_iterable(q.districts for q in placed)),
        # Once only: twins of an accident would have the same name.
        incidents=quarters[0].incidents,
    )


def _placed(town: Town, *, quarter: int, first: int) -> Town:
    """Return a quarter at its place in the whole town, with its buildings numbered from the first one on."""
    return replace(
        town,
        buildings={
            first + number: replace(building, footprint=_moved(building.footprint, quarter))
            for number, building in town.buildings.items()
        },
        spaces=tuple(_moved(space, quarter) for space in town.spaces),
        landmarks=tuple(_far(mark, quarter=quarter, first=first) for mark in town.landmarks),
        districts=tuple(
            replace(d, name=d.name if quarter == 0 else f"far {d.name}", area=_moved(d.area, quarter))
            for d in town.districts
        ),
    )


def _joined_land(lands: Sequence[Terrain], numbers: Sequence[int]) -> Terrain:
    """Return one land of several from west to east, each with its own numbers from a first one on."""
    bodies = [
        np.where(land.body > 0, land.body + np.uint16(first), np.uint16(0))
        for land, first in zip(lands, numbers, strict=False)
    ]
    return Terrain(
        colour=np.concatenate([land.colour for land in lands], axis=1),
        height_m=np.concatenate([land.height_m for land in lands], axis=1),
        base_m=np.concatenate([land.base_m for land in lands], axis=1),
        material=np.concatenate([land.material for land in lands], axis=1),
        body=np.concatenate(bodies, axis=1),
    )


def _moved(plan: Rectangle, quarter: int) -> Rectangle:
    return replace(plan, x_m=plan.x_m + quarter * WIDTH_M)


def _far(mark: Landmark, *, quarter: int, first: int) -> Landmark:
    """Return a landmark as it is known in the whole town: those of a second quarter are the far ones."""
    name = mark.name if quarter == 0 else f"the far {mark.name.removeprefix('the ')}"
    bodies = tuple(n + first for n in mark.bodies)
    return replace(mark, name=name, x_m=mark.x_m + quarter * WIDTH_M, bodies=bodies)
