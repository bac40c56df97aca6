"""Builds a town piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from annotator.demo.buildings import WALL_COLOURS, Building, Roof, raise_building
from annotator.demo.facades import Use, facade_of
from annotator.demo.greenery import (
    LEAF_COLOURS,
    NEEDLE_COLOURS,
    hedge,
    leafy_crown,
    needle_crown,
    plant,
)  # fmt: skip
from annotator.demo.landmarks import District, Landmark, LandmarkKind
from annotator.demo.plan import Plan
from annotator.demo.terrain import Colour, Material, Rectangle, Terrain, colour_of

T = TypeVar("T")
Range = tuple[float, float]

GREEN = (Material.GRASS, Material.SOIL)
GRASS = colour_of("6d7645")
TERRACE = colour_of("b0a798")
GRAVEL = colour_of("9c9179")
PLOUGHED = colour_of("7d6850")


class Builder:
    """Builds a town, drawing chance from one generator in a fixed order."""

    def __init__(self, *, seed: int, plan: Plan) -> None:
        # One stream for all: a draw more or less anywhere changes everything that is built after it, so new
        # parts are built last.
        self.rng = np.random.default_rng(seed)
        self.plan = plan
        self.terrain = Terrain.empty(width_m=plan.width_m, depth_m=plan.depth_m, colour=GRASS)
        self.buildings: dict[int, Building] = {}
        self.spaces: list[Rectangle] = []
        self.landmarks: list[Landmark] = []
        self.districts: list[District] = []
        self._leafy = [leafy_crown(self.rng) for _ in range(9)]
        self._needles = [needle_crown(self.rng) for _ in range(3)]

    def chance(self, share: float) -> bool:
        """Return True in so many of all cases."""
        return bool(self.rng.random() < share)

    def between(self, low: float, high: float) -> float:
        """Return a number between two."""
        return float(self.rng.uniform(low, high))

    def pick(self, values: Sequence[T]) -> T:
        """Return one of several values."""
        return values[int(self.rng.integers(len(values)))]

    def cover(self, plan: Rectangle, *, colour: Colour, material: Material = Material.PAVING) -> None:
        """Cover a rectangle of ground."""
        self.terrain.fill(plan.corners(), colour=colour, material=material)

    def build(
        self,
        plan: Rectangle,
        *,
        use: Use,
        roof: Roof,
        eaves_m: float,
        colours: Sequence[Colour],
        has_panels: bool = False,
        pitch: Range = (0.5, 0.75),
    ) -> int:
        """Put up one building with a roof of one of the colours; returns its number."""
        building = Building(
            footprint=plan,
            eaves_m=eaves_m,
            roof=roof,
            roof_colour=self.pick(colours),
            wall_colour=self.pick(WALL_COLOURS),
            pitch=self.between(*pitch),
            has_panels=has_panels,
            use=use,
            facade=facade_of(use, length_m=plan.length_m, rng=self.rng),
        )
        number = len(self.buildings) + 1
        self.buildings[number] = building
        raise_building(self.terrain, building=building, number=number, rng=self.rng)
        return number

    def adopt(self, number: int, plan: Rectangle, *, use: Use, eaves_m: float, colour: Colour) -> None:
        """Enter a building that was drawn by hand, so that its walls can be painted."""
        self.buildings[number] = Building(
            footprint=plan, eaves_m=eaves_m, roof="flat", roof_colour=colour, wall_colour=colour, use=use,
            facade=facade_of(use, length_m=plan.length_m, rng=self.rng),
        )  # fmt: skip

    def block(
        self,
        plan: Rectangle,
        *,
        top_m: float,
        colour: Colour,
        base_m: float = 0.0,
        material: Material = Material.METAL,
        is_round: bool = False,
    ) -> None:
        """Put up a plain body without a number, a box or a drum; what is higher there stays."""
        window = self.terrain.window(plan)
        here = (window.rows, window.columns)
        # Never lower: a bench must not cut a hole into the crown above it.
        inside = window.inside & (self.terrain.height_m[here] < top_m)
        if is_round:
            inside &= np.hypot(window.along_m / plan.length_m, window.across_m / plan.width_m) <= 0.5
        self.terrain.height_m[here][inside] = top_m
        self.terrain.base_m[here][inside] = base_m
        self.terrain.colour[here][inside] = colour
        self.terrain.material[here][inside] = material
        # A building that something was put upon has lost its number there: a ray that ends here shows another
        # thing.
        self.terrain.body[here][inside] = 0

    def name(self, name: str, kind: LandmarkKind, plan: Rectangle, *, bodies: Sequence[int] = ()) -> None:
        """Give a place a name."""
        self.landmarks.append(
            Landmark(
                name=name,
                kind=kind,
                x_m=float(plan.x_m),
                y_m=float(plan.y_m),
                radius_m=float(np.hypot(plan.length_m, plan.width_m) / 2),
                bodies=tuple(bodies),
            )
        )

    def district(self, name: str, *, west: float, north: float, east: float, south: float) -> None:
        """Name a part of the town."""
        area = Rectangle(
            x_m=(west + east) / 2, y_m=(north + south) / 2, length_m=east - west, width_m=south - north
        )
        self.districts.append(District(name=name, area=area))

    def tree(self, at: tuple[float, float], *, width_m: float, needles: float = 0.12) -> None:
        """Plant a tree, a conifer in so many of all cases."""
        is_needle = self.chance(needles)
        crown = self.pick(self._needles if is_needle else self._leafy)
        colour = self.pick(NEEDLE_COLOURS if is_needle else LEAF_COLOURS)
        height_m = width_m * (1.5 if is_needle else self.between(0.9, 1.25))
        width_m *= 0.7 if is_needle else 1.0
        plant(self.terrain, crown=crown, at=at, width_m=width_m, height_m=height_m, colour=colour)

    def scatter(
        self, area: Rectangle, *, count: int, width_m: Range, materials: Sequence[Material] = GREEN
    ) -> None:
        """Plant at most so many trees at random places of an area, where there is room."""
        for _ in range(count):
            along, across = self.rng.uniform(-0.5, 0.5, 2)
            at = area.at(along * area.length_m, across * area.width_m)
            size_m = self.between(*width_m)
            if self.terrain.is_clear(*at, radius_m=0.3 * size_m, materials=materials):
                self.tree(at, width_m=size_m)

    def hedge(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Grow a hedge between two points."""
        hedge(self.terrain, line=(start, end), rng=self.rng)
