"""The world of the demo: the town, who moves in it at any time, and the truth about both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotator.demo.anomalies import Anomaly
from annotator.demo.buildings import Building
from annotator.demo.facades import Use
from annotator.demo.landmarks import District, Landmark
from annotator.demo.movers import Mover
from annotator.demo.plan import Size
from annotator.demo.terrain import Terrain
from annotator.demo.town import Town, build_town
from annotator.demo.traffic import Traffic, make_traffic

Bounds = tuple[float, float, float, float]
"""West, north, east, south in metres; y grows to the south."""
_CATEGORIES: dict[Use, str] = {
    "house": "house",
    "shed": "shed",
    "flats": "block of flats",
    "shop": "town house",
    "market": "supermarket",
    "hall": "hall",
    "school": "school building",
    "church": "church",
    "tower": "church tower",
    "office": "office tower",
    "stand": "stadium",
    "frame": "unfinished building",
}


@dataclass(frozen=True, kw_only=True)
class Thing:
    """What is true about one number of the body layer.

    Attributes:
        number: Its number.
        kind: ``building``, ``person``, or a kind of vehicle: ``car``, ``bus`` ...
        category: What people call it: ``"red car"``, ``"person in blue"``, ``"house"``.
        colour: The word for its colour; empty for buildings.
        name: The landmark that it is part of (``"the church"``), or empty.
        is_moving: True for what changes its place at some time.
    """

    number: int
    kind: str
    category: str
    colour: str
    name: str
    is_moving: bool


class World:
    """The town through time; made with ``build``, then never changed.

    Attributes:
        seed: Seed of all chance in it.
        size: How much of it there is.
        town: What stands for good.
        landmarks: Places with names.
        districts: Parts of the town.
        anomalies: Events out of the ordinary.
        things: What is true about every number that a body layer can hold, at any time.
    """

    def __init__(self, town: Town, traffic: Traffic, *, seed: int, size: Size) -> None:
        """Keep a town and its traffic; the town's terrain holds no movers."""
        self.seed, self.size, self.town = seed, size, town
        self._traffic = traffic
        self.landmarks: tuple[Landmark, ...] = town.landmarks
        self.districts: tuple[District, ...] = town.districts
        self.anomalies: tuple[Anomaly, ...] = traffic.anomalies
        self.things: Mapping[int, Thing] = _things(town, traffic)

    @classmethod
    def build(cls, seed: int, size: Size = "standard") -> World:
        """Return the world; the same seed and size give the same cells and the same motion."""
        town = build_town(seed=seed, size=size)
        return cls(town, make_traffic(town, seed=seed), seed=seed, size=size)

    @property
    def terrain(self) -> Terrain:
        """The land with what was built on it, without any mover; not to be written to."""
        return self.town.terrain

    @property
    def buildings(self) -> Mapping[int, Building]:
        """The buildings by their number."""
        return self.town.buildings

    @property
    def still(self) -> tuple[Mover, ...]:
        """The movers that never change their place: parked cars, people who stand about."""
        return self._traffic.still

    def moving(self, time_s: float) -> tuple[Mover, ...]:
        """Return those that do change it, where they are at a world time, in an order of their own.

        Each moves without jumps, but for drivers who leave at the town's edge and come again at the
        opposite one; they leap where the nearest land is more than 8 m away.

        Args:
            time_s: World time, 0 to ``routes.END_S``; before and after them everything stands still.
        """
        return self._traffic.moving_at(time_s)

    def movers(self, time_s: float) -> tuple[Mover, ...]:
        """Return all vehicles and people at a world time, the still ones first.

        The same mover has the same number at all times.

        Args:
            time_s: World time, 0 to ``routes.END_S``; before and after them everything stands still.
        """
        return (*self.still, *self.moving(time_s))

    def tile(self, around: Bounds) -> Terrain:
        """Return a copy of part of the terrain, cut to what there is."""
        west_m, north_m, east_m, south_m = around
        return self.terrain.tile(west_m=west_m, north_m=north_m, east_m=east_m, south_m=south_m)


def _things(town: Town, traffic: Traffic) -> dict[int, Thing]:
    # A landmark of several bodies, a farm, gives its name to each of them.
    names = {number: mark.name for mark in town.landmarks for number in mark.bodies}
    found = {
        number: Thing(
            number=number, kind="building", category=_CATEGORIES[building.use], colour="",
            name=names.get(number, ""), is_moving=False,
        )
        for number, building in town.buildings.items()
    }  # fmt: skip
    for mover in (*traffic.still, *traffic.moving):
        found[mover.number] = Thing(
            number=mover.number, kind=mover.kind, category=mover.category, colour=mover.colour_name,
            name="", is_moving=mover.can_move,
        )  # fmt: skip
    return found
