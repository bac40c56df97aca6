"""The town: all that stands on the ground for good."""

from __future__ import annotations

from dataclasses import dataclass

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
from annotator.demo.grain import meadow, roughen
from annotator.demo.homes import build_allotments, build_homes
from annotator.demo.plan import CROSSINGS, STREETS, WITH_LIGHTS
from annotator.demo.streets import mark_lanes, pave, stop_line, zebra
from annotator.demo.terrain import Rectangle, Terrain

_ALLOTMENTS = Rectangle(x_m=46, y_m=94, length_m=84, width_m=17, turn_deg=1)


@dataclass(frozen=True, kw_only=True)
class Town:
    """A finished town without its traffic.

    Attributes:
        terrain: The land and what stands on it.
        buildings: The buildings by their number, 1 and up.
        spaces: Free spaces of the large car park.
    """

    terrain: Terrain
    buildings: dict[int, Building]
    spaces: tuple[Rectangle, ...]


def build_town(*, seed: int) -> Town:
    """Return the town; the same seed gives the same cells.

    Args:
        seed: Seed of everything that chance decides.
    """
    builder = Builder(seed=seed)
    meadow(builder.terrain, rng=builder.rng)
    build_fields(builder)
    pave(builder.terrain, streets=STREETS, rng=builder.rng)
    _mark_streets(builder.terrain)
    spaces = build_market(builder)
    for build in (build_park, build_homes, build_flats, build_centre, build_school, plant_avenue):
        build(builder)
    build_allotments(builder, _ALLOTMENTS)
    roughen(builder.terrain, rng=builder.rng)
    return Town(terrain=builder.terrain, buildings=builder.buildings, spaces=tuple(spaces))


def _mark_streets(terrain: Terrain) -> None:
    for street, crossings in CROSSINGS:
        mark_lanes(terrain, street=street, gaps=[(c - half - 5, c + half + 5) for c, half in crossings])
        if street in WITH_LIGHTS:
            for centre, half in crossings:
                # Where a lane crosses, which is narrow, there are neither lights nor lines.
                for side in (-1, 1) if half >= 8 else ():
                    zebra(terrain, street=street, along_m=centre + side * (half + 2))
                    stop_line(terrain, street=street, along_m=centre + side * (half + 4.6), is_right=side < 0)
