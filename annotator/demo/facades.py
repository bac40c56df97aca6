"""What the walls of a building show: storeys, windows, doors, balconies, shop fronts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from annotator.demo.terrain import Colour, colour_of

Use = Literal[
    "house", "shed", "flats", "shop", "market", "hall", "school", "church", "tower", "office", "stand",
    "frame",
]  # fmt: skip
_AWNINGS = tuple(colour_of(c) for c in ("7d4038", "4a6157", "a58d5c", "4e5f7a", "aaa495", "8d8676", "6d5560"))
_DOORS = tuple(colour_of(c) for c in ("5b4032", "34473f", "6e2f2b", "3d4655", "8a8578"))
_STONE, _TRIM = colour_of("8d8478"), colour_of("d6d1c6")


@dataclass(frozen=True, kw_only=True)
class Facade:
    """How the long walls of a building are divided; its short walls follow the same rhythm.

    Heights are over the ground, places are metres along a wall from its middle.

    Attributes:
        storey_m: Height of a storey; the ground floor begins at 0.
        window_every_m: Distance from one window's middle to the next; 0 for walls without windows.
        window_width_m: Width of a window.
        sill_m: Height of a window's lower edge over its floor.
        lintel_m: Height of a window's upper edge over its floor.
        doors_m: Places of the doors on both long walls.
        door_width_m: Width of a door.
        door_height_m: Height of a door.
        door_colour: Colour of the doors.
        trim_colour: Colour of window frames and of the edge below the eaves.
        plinth_m: Height of the stone base.
        plinth_colour: Colour of the stone base.
        balcony_every_m: Distance from one column of balconies to the next on both long walls, from the
            first storey up; 0 for none.
        balcony_width_m: Width of a balcony.
        has_shops: True where the ground floor of the long walls is shop windows.
        awning_colours: Colours of the awnings over the shops from one end to the other; each covers an
            equal part of the wall. Empty for no awnings.
        is_round_arched: True where windows end in a round arch.
        is_curtain: True where walls above the plinth are all glass between thin frames.
    """

    storey_m: float = 2.9
    window_every_m: float = 2.7
    window_width_m: float = 1.25
    sill_m: float = 0.95
    lintel_m: float = 2.35
    doors_m: tuple[float, ...] = ()
    door_width_m: float = 1.1
    door_height_m: float = 2.1
    door_colour: Colour = _DOORS[0]
    trim_colour: Colour = _TRIM
    plinth_m: float = 0.4
    plinth_colour: Colour = _STONE
    balcony_every_m: float = 0.0
    balcony_width_m: float = 2.4
    has_shops: bool = False
    awning_colours: tuple[Colour, ...] = ()
    is_round_arched: bool = False
    is_curtain: bool = False

    def storeys(self, eaves_m: float) -> int:
        """Return the number of whole storeys below the eaves."""
        return max(1, int((eaves_m + 0.3) / self.storey_m))


_STYLES: dict[Use, Facade] = {
    "house": Facade(window_every_m=3.0, doors_m=(-1.5,)),
    "shed": Facade(window_every_m=0.0, doors_m=(0.0,), door_width_m=0.9, plinth_m=0.0),
    "flats": Facade(
        storey_m=3.0, window_every_m=2.6, doors_m=(-9.0, 9.0), door_width_m=1.6, balcony_every_m=7.8
    ),
    "shop": Facade(storey_m=3.1, window_every_m=2.3, window_width_m=1.1, has_shops=True),
    "market": Facade(
        storey_m=6.5, window_every_m=4.0, window_width_m=3.4, sill_m=0.5, lintel_m=3.2, doors_m=(-16.0, 0.0),
        door_width_m=4.0, door_height_m=2.8, plinth_m=0.5,
    ),
    "hall": Facade(
        storey_m=6.0, window_every_m=5.0, window_width_m=3.6, sill_m=3.8, lintel_m=5.0, doors_m=(-6.0, 6.0),
        door_width_m=4.2, door_height_m=4.0, trim_colour=colour_of("6f7d88"),
    ),
    "school": Facade(storey_m=3.4, window_every_m=2.9, window_width_m=2.4, sill_m=0.8, lintel_m=2.7,
                     doors_m=(0.0,), door_width_m=2.4, door_height_m=2.6),
    "church": Facade(storey_m=8.5, window_every_m=3.8, window_width_m=1.3, sill_m=2.0, lintel_m=6.0,
                     is_round_arched=True, plinth_m=0.8),
    "tower": Facade(storey_m=5.5, window_every_m=2.4, window_width_m=0.9, sill_m=2.2, lintel_m=4.4,
                    doors_m=(0.0,), is_round_arched=True, plinth_m=0.8),
    "office": Facade(storey_m=3.5, window_every_m=1.6, window_width_m=1.5, sill_m=0.6, lintel_m=3.2,
                     doors_m=(0.0,), door_width_m=3.0, door_height_m=2.8, is_curtain=True),
    "stand": Facade(storey_m=4.5, window_every_m=6.0, window_width_m=4.4, sill_m=0.2, lintel_m=3.4),
    "frame": Facade(storey_m=3.2, window_every_m=5.0, window_width_m=4.5, sill_m=0.1, lintel_m=2.9,
                    plinth_m=0.0),
}  # fmt: skip
"""Division of the walls by use; measures as they are common in towns, rounded."""


def facade_of(use: Use, *, length_m: float, rng: np.random.Generator) -> Facade:
    """Return the facade of a building.

    Args:
        use: What the building is for.
        length_m: Length of its long walls.
        rng: Decides colours and, within limits, places.
    """
    style = replace(_STYLES[use], door_colour=_DOORS[int(rng.integers(len(_DOORS)))])
    # A door at the very corner would be cut by it.
    half_m = length_m / 2 - style.door_width_m
    doors = tuple(position for position in style.doors_m if abs(position) <= half_m)
    if not style.has_shops:
        return replace(style, doors_m=doors)
    shops = max(1, round(length_m / 5.5))
    chosen = rng.integers(len(_AWNINGS), size=shops).tolist()
    edges = (np.arange(shops) + 0.5) * length_m / shops - length_m / 2
    return replace(style, doors_m=tuple(edges.tolist()), awning_colours=tuple(_AWNINGS[k] for k in chosen))
