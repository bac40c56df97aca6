"""Cars, vans and people, and the number by which each of them is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotator.demo.terrain import Colour, Material, Rectangle, Terrain, colour_of

Kind = Literal["car", "van", "bus", "person"]

_GLASS = colour_of("1d2429")
_HEIGHTS_M: dict[Kind, float] = {"car": 1.45, "van": 2.0, "bus": 3.0, "person": 1.75}
_SIZES: dict[Kind, tuple[float, float]] = {
    "car": (4.4, 1.85),
    "van": (5.4, 2.05),
    "bus": (11.5, 2.55),
    "person": (0.5, 0.5),
}


@dataclass(frozen=True, kw_only=True)
class Mover:
    """Something that moves between two moments: a vehicle or a person.

    Attributes:
        number: Its number in the terrain's body layer.
        kind: What it is.
        x_m: East coordinate of its centre.
        y_m: South coordinate of its centre.
        turn_deg: Direction of its nose from east towards south.
        colour: Paint or clothes.
    """

    number: int
    kind: Kind
    x_m: float
    y_m: float
    turn_deg: float
    colour: Colour

    @property
    def plan(self) -> Rectangle:
        """Its outline on the ground."""
        length, width = _SIZES[self.kind]
        return Rectangle(x_m=self.x_m, y_m=self.y_m, length_m=length, width_m=width, turn_deg=self.turn_deg)

    @property
    def height_m(self) -> float:
        """Height of its top."""
        return _HEIGHTS_M[self.kind]


def place(terrain: Terrain, *, mover: Mover) -> None:
    """Put a vehicle or a person on the terrain."""
    if mover.kind == "person":
        _person(terrain, mover)
    elif mover.kind == "bus":
        _box(terrain, mover, height_m=2.9)
    else:
        _car(terrain, mover)


def _car(terrain: Terrain, mover: Mover) -> None:
    is_van = mover.kind == "van"
    plan, roof_m = mover.plan, 2.0 if is_van else 1.45
    _slab(terrain, plan, height_m=0.85, colour=mover.colour, number=mover.number, corner_m=0.45)
    # Offsets and lengths of the glass house and the roof, as shares of the length; a van's reach the tail.
    glass, roof = ((-0.13, 0.66), (-0.17, 0.56)) if is_van else ((-0.07, 0.56), (-0.09, 0.33))
    for (offset, share), width, top, colour in (
        (glass, 0.84, roof_m - 0.25, _GLASS),
        (roof, 0.74, roof_m, mover.colour),
    ):
        part = plan.part(
            offset * plan.length_m, 0, length_m=share * plan.length_m, width_m=width * plan.width_m
        )
        _slab(terrain, part, height_m=top, colour=colour, number=mover.number, corner_m=0.2)


def _box(terrain: Terrain, mover: Mover, *, height_m: float) -> None:
    plan = mover.plan
    _slab(terrain, plan, height_m=height_m, colour=mover.colour, number=mover.number, corner_m=0.3)
    for offset in (-0.22, 0.2):
        unit = plan.part(offset * plan.length_m, 0, length_m=1.9, width_m=1.5)
        _slab(
            terrain,
            unit,
            height_m=height_m + 0.25,
            colour=colour_of("b7bbbd"),
            number=mover.number,
            corner_m=0.1,
        )
    front = plan.part(plan.length_m / 2 - 0.3, 0, length_m=0.5, width_m=plan.width_m * 0.9)
    _slab(terrain, front, height_m=height_m - 0.6, colour=_GLASS, number=mover.number, corner_m=0.1)


def _person(terrain: Terrain, mover: Mover) -> None:
    _slab(terrain, mover.plan, height_m=1.5, colour=mover.colour, number=mover.number, corner_m=0.25)
    head = mover.plan.part(0, 0, length_m=0.26, width_m=0.26)
    _slab(terrain, head, height_m=1.75, colour=colour_of("3d2f27"), number=mover.number, corner_m=0.12)
    window = terrain.window(mover.plan)
    terrain.material[window.rows, window.columns][window.inside] = Material.PERSON


def _slab(
    terrain: Terrain, plan: Rectangle, *, height_m: float, colour: Colour, number: int, corner_m: float
) -> None:
    """Put a flat-topped body with rounded corners on the terrain."""
    window = terrain.window(plan)
    here = (window.rows, window.columns)
    beyond = np.hypot(
        np.maximum(np.abs(window.along_m) - plan.length_m / 2 + corner_m, 0),
        np.maximum(np.abs(window.across_m) - plan.width_m / 2 + corner_m, 0),
    )
    inside = beyond <= corner_m
    # Bodies bend down towards their edge, which catches the light.
    dome = 0.12 * np.clip((np.abs(window.across_m) * 2 / plan.width_m) ** 4, 0, 1)
    terrain.height_m[here][inside] = (height_m * (1 - dome))[inside].astype(np.float32)
    terrain.colour[here][inside] = colour
    terrain.material[here][inside] = Material.VEHICLE
    terrain.body[here][inside] = number
