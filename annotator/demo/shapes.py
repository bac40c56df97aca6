"""The forms of vehicles and people, seen from above, each drawn once and turned into place later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from annotator.demo.terrain import Colour, colour_of, shaded

Kind = Literal[
    "car", "van", "pick-up", "lorry", "bus", "motorbike", "bicycle", "boat", "ambulance", "fire engine",
    "police van", "person",
]  # fmt: skip
Pose = Literal["upright", "lying"]
Floats = NDArray[Any]

DOTS_PER_M = 20
"""Grid of the forms: twice as fine as the terrain's, so that they can be turned without holes."""
SIZES_M: dict[Kind, tuple[float, float, float]] = {
    "car": (4.4, 1.85, 1.45),
    "van": (5.4, 2.05, 2.0),
    "pick-up": (5.3, 1.95, 1.75),
    "lorry": (8.6, 2.5, 3.3),
    "bus": (11.5, 2.55, 3.15),
    "motorbike": (2.1, 0.8, 1.6),
    "bicycle": (1.8, 0.7, 1.75),
    "boat": (7.6, 2.5, 1.9),
    "ambulance": (6.2, 2.2, 2.85),
    "fire engine": (8.2, 2.5, 3.3),
    "police van": (5.4, 2.05, 2.2),
    "person": (0.5, 0.55, 1.75),
}
"""Length, width and height; rounded from common models."""
LYING_M = (1.75, 0.6, 0.3)
"""Length, width and height of a person who lies."""

_GLASS = colour_of("1d2429")
_TYRE = colour_of("26272a")
_LAMP = colour_of("e8e4d0")
_TAIL = colour_of("a03028")
_BLUE_LIGHT = colour_of("2f7dff")
_MACHINE = colour_of("b7bbbd")
_SKIN, _HAIR = colour_of("b98a6d"), colour_of("3d2f27")
_TROUSERS = colour_of("353b4a")
_WOOD = colour_of("8a6a48")


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A body as a fine grid, columns along it with the nose at the end, rows across it.

    Attributes:
        height_m: float32 (rows, columns), top over what it stands on, 0 outside of it.
        colour: uint8 (rows, columns, 3), blue green red.
        length_m: Its length.
        width_m: Its width.
    """

    height_m: Floats
    colour: Floats
    length_m: float
    width_m: float


# A town of hundreds of movers has few forms and paints, and every frame needs them all.
@lru_cache(maxsize=512)
def shape_of(kind: Kind, *, colour: Colour, pose: Pose = "upright") -> Shape:
    """Return the form of a kind of mover in a colour."""
    if pose == "lying":
        form = _Form(*LYING_M[:2])
        _draw_lying(form, colour)
    else:
        form = _Form(*SIZES_M[kind][:2])
        _DRAWN[kind](form, colour)
    return Shape(height_m=form.height_m, colour=form.colour, length_m=form.length_m, width_m=form.width_m)


class _Form:
    """A form in the making; places are metres from its middle, along and across."""

    def __init__(self, length_m: float, width_m: float) -> None:
        self.length_m, self.width_m = length_m, width_m
        columns, rows = (round(v * DOTS_PER_M) for v in (length_m, width_m))
        self.height_m = np.zeros((rows, columns), np.float32)
        self.colour = np.zeros((rows, columns, 3), np.uint8)
        self._along = ((np.arange(columns, dtype=np.float32) + 0.5) / columns - 0.5) * length_m
        self._across = (((np.arange(rows, dtype=np.float32) + 0.5) / rows - 0.5) * width_m)[:, None]

    def slab(
        self,
        at: tuple[float, float],
        *,
        size: tuple[float, float],
        top_m: float,
        colour: Colour,
        corner_m: float = 0.1,
    ) -> None:
        """Add a body with rounded corners, bent down a little towards its sides to catch the light."""
        along, across = np.abs(self._along - at[0]), np.abs(self._across - at[1])
        corner_m = min(corner_m, size[0] / 2, size[1] / 2)
        # How far a dot lies beyond the inner rectangle: of the dots in its corners only those within the
        # radius belong to the body.
        beyond = np.hypot(
            np.maximum(along - size[0] / 2 + corner_m, 0), np.maximum(across - size[1] / 2 + corner_m, 0)
        )
        inside = beyond <= corner_m + 0.01
        # The light comes from the slope of heights, so a flat roof would be one even patch. The fourth power
        # bends the rim alone.
        dome = 0.1 * np.clip((across * 2 / size[1]) ** 4, 0, 1) + np.zeros_like(along)
        self.height_m[inside] = (top_m * (1 - dome))[inside]
        self.colour[inside] = colour

    def mark(self, at: tuple[float, float], *, size: tuple[float, float], colour: Colour) -> None:
        """Paint a rectangle of what is there, leaving its height."""
        here = (np.abs(self._along - at[0]) <= size[0] / 2) & (np.abs(self._across - at[1]) <= size[1] / 2)
        self.colour[here & (self.height_m > 0)] = colour

    def lamps(self) -> None:
        """Paint head and tail lights at the four corners."""
        nose, side = self.length_m / 2 - 0.15, self.width_m / 2 - 0.3
        for across in (-side, side):
            self.mark((nose, across), size=(0.3, 0.32), colour=_LAMP)
            self.mark((-nose, across), size=(0.26, 0.3), colour=_TAIL)


def _draw_car(form: _Form, colour: Colour) -> None:
    length, width = form.length_m, form.width_m
    form.slab((0, 0), size=(length, width), top_m=0.85, colour=colour, corner_m=0.45)
    form.lamps()
    form.slab((-0.07 * length, 0), size=(0.56 * length, 0.84 * width), top_m=1.2, colour=_GLASS, corner_m=0.2)
    form.slab(
        (-0.09 * length, 0), size=(0.33 * length, 0.74 * width), top_m=1.45, colour=colour, corner_m=0.2
    )


def _draw_van(form: _Form, colour: Colour) -> None:
    length, width = form.length_m, form.width_m
    form.slab((0, 0), size=(length, width), top_m=0.95, colour=colour, corner_m=0.4)
    form.lamps()
    form.slab((-0.1 * length, 0), size=(0.74 * length, 0.88 * width), top_m=1.75, colour=_GLASS, corner_m=0.2)
    form.slab((-0.15 * length, 0), size=(0.62 * length, 0.8 * width), top_m=2.0, colour=colour, corner_m=0.2)


def _draw_pickup(form: _Form, colour: Colour) -> None:
    length, width = form.length_m, form.width_m
    form.slab((0, 0), size=(length, width), top_m=1.0, colour=colour, corner_m=0.4)
    form.lamps()
    form.slab((-0.28 * length, 0), size=(0.38 * length, 0.78 * width), top_m=0.6, colour=_TYRE)
    form.slab((0.1 * length, 0), size=(0.36 * length, 0.84 * width), top_m=1.5, colour=_GLASS, corner_m=0.2)
    form.slab((0.07 * length, 0), size=(0.24 * length, 0.76 * width), top_m=1.75, colour=colour, corner_m=0.2)


def _draw_lorry(form: _Form, colour: Colour) -> None:
    length, width = form.length_m, form.width_m
    form.slab((0, 0), size=(length, 0.8 * width), top_m=0.9, colour=_TYRE)
    form.slab((0.38 * length, 0), size=(0.23 * length, 0.96 * width), top_m=2.6, colour=colour, corner_m=0.2)
    form.mark((0.47 * length, 0), size=(0.05 * length, 0.84 * width), colour=_GLASS)
    form.lamps()
    cargo = (0.72 * length, width)
    form.slab((-0.13 * length, 0), size=cargo, top_m=3.3, colour=shaded(colour, 1.12), corner_m=0.06)
    for along in np.arange(-0.44, 0.2, 0.1).tolist():
        form.mark((along * length, 0), size=(0.06, width), colour=shaded(colour, 0.95))


def _draw_bus(form: _Form, colour: Colour) -> None:
    length, width = form.length_m, form.width_m
    form.slab((0, 0), size=(length, width), top_m=2.0, colour=_GLASS, corner_m=0.3)
    form.slab((0, 0), size=(length - 0.24, width - 0.2), top_m=2.95, colour=colour, corner_m=0.3)
    for along in (-0.22, 0.2):
        form.slab((along * length, 0), size=(1.9, 1.5), top_m=3.15, colour=_MACHINE)
    for along in (-0.4, -0.02, 0.36):
        form.mark((along * length, 0), size=(0.7, 0.7), colour=shaded(colour, 0.82))
    form.mark((length / 2 - 0.22, 0), size=(0.4, 0.86 * width), colour=_GLASS)


def _draw_rider(form: _Form, colour: Colour) -> None:
    # Whoever sits on the narrower of the two, the bicycle, sits higher.
    length, top_m = form.length_m, 1.75 if form.width_m < 0.75 else 1.6
    form.slab((0, 0), size=(length, 0.16), top_m=0.85, colour=_TYRE, corner_m=0.08)
    form.slab((0.28 * length, 0), size=(0.12, form.width_m), top_m=1.0, colour=_TYRE, corner_m=0.05)
    form.slab((-0.08, 0), size=(0.7, 0.5), top_m=1.35, colour=colour, corner_m=0.2)
    form.slab((0.02, 0), size=(0.28, 0.26), top_m=top_m, colour=_HAIR, corner_m=0.13)


def _draw_motorbike(form: _Form, colour: Colour) -> None:
    form.slab((0.1, 0), size=(form.length_m - 0.3, 0.4), top_m=0.95, colour=colour, corner_m=0.18)
    _draw_rider(form, shaded(colour, 0.6))


def _draw_boat(form: _Form, colour: Colour) -> None:
    length, width = form.length_m, form.width_m
    form.slab((-0.08 * length, 0), size=(0.84 * length, width), top_m=0.8, colour=colour, corner_m=0.5)
    form.slab((0.2 * length, 0), size=(0.6 * length, 0.62 * width), top_m=0.8, colour=colour, corner_m=0.7)
    form.slab((-0.1 * length, 0), size=(0.7 * length, 0.74 * width), top_m=0.55, colour=_WOOD, corner_m=0.4)
    form.slab((0.02 * length, 0), size=(0.3 * length, 0.64 * width), top_m=1.6, colour=_GLASS, corner_m=0.2)
    form.slab((0, 0), size=(0.24 * length, 0.54 * width), top_m=1.9, colour=shaded(colour, 1.1))


def _draw_ambulance(form: _Form, colour: Colour) -> None:
    _draw_box_van(form, colour, box_m=2.7)
    for across in (-0.42, 0.42):
        form.mark((0, across * form.width_m), size=(form.length_m, 0.2), colour=colour_of("c2412f"))
    for size in ((1.2, 0.4), (0.4, 1.2)):
        form.mark((-0.15 * form.length_m, 0), size=size, colour=colour_of("c2412f"))
    _blue_lights(form, along_m=0.2 * form.length_m, top_m=2.85)


def _draw_police_van(form: _Form, colour: Colour) -> None:
    _draw_van(form, colour)
    form.mark((-0.3 * form.length_m, 0), size=(0.5, form.width_m), colour=colour_of("2a55a5"))
    form.mark((0.38 * form.length_m, 0), size=(0.7, 0.7 * form.width_m), colour=colour_of("2a55a5"))
    _blue_lights(form, along_m=0.08 * form.length_m, top_m=2.2)


def _draw_fire_engine(form: _Form, colour: Colour) -> None:
    _draw_box_van(form, colour, box_m=3.0)
    form.slab((-0.14 * form.length_m, 0), size=(0.6 * form.length_m, 0.5), top_m=3.3, colour=_MACHINE)
    for along in np.arange(-0.4, 0.12, 0.05).tolist():
        form.mark((along * form.length_m, 0), size=(0.08, 0.4), colour=_TYRE)
    for across in (-0.44, 0.44):
        form.mark((0, across * form.width_m), size=(form.length_m, 0.16), colour=colour_of("d8d8d2"))
    _blue_lights(form, along_m=0.36 * form.length_m, top_m=3.1)


def _draw_box_van(form: _Form, colour: Colour, *, box_m: float) -> None:
    length, width = form.length_m, form.width_m
    form.slab((0, 0), size=(length, width), top_m=1.1, colour=colour, corner_m=0.35)
    form.lamps()
    form.slab((0.27 * length, 0), size=(0.34 * length, 0.9 * width), top_m=2.0, colour=_GLASS, corner_m=0.2)
    form.slab((0.25 * length, 0), size=(0.22 * length, 0.86 * width), top_m=2.3, colour=colour)
    form.slab((-0.14 * length, 0), size=(0.7 * length, width), top_m=box_m, colour=colour)


def _blue_lights(form: _Form, *, along_m: float, top_m: float) -> None:
    form.slab((along_m, 0), size=(0.3, 0.8 * form.width_m), top_m=top_m - 0.08, colour=_TYRE)
    for across in (-0.26, 0.26):
        form.slab((along_m, across * form.width_m), size=(0.3, 0.5), top_m=top_m, colour=_BLUE_LIGHT)


def _draw_person(form: _Form, colour: Colour) -> None:
    form.slab((0, 0), size=(0.36, 0.34), top_m=0.9, colour=_TROUSERS, corner_m=0.15)
    form.slab((0, 0), size=(0.4, form.width_m), top_m=1.5, colour=colour, corner_m=0.19)
    form.slab((0.02, 0), size=(0.24, 0.22), top_m=1.75, colour=_HAIR, corner_m=0.11)


def _draw_lying(form: _Form, colour: Colour) -> None:
    form.slab((-0.45, 0), size=(0.85, 0.36), top_m=0.18, colour=_TROUSERS, corner_m=0.1)
    form.slab((0.25, 0), size=(0.65, 0.46), top_m=0.26, colour=colour, corner_m=0.12)
    form.slab((0.2, 0), size=(0.16, 0.6), top_m=0.2, colour=_SKIN, corner_m=0.05)
    form.slab((0.72, 0), size=(0.28, 0.26), top_m=0.3, colour=_HAIR, corner_m=0.12)


_DRAWN: dict[Kind, Callable[[_Form, Colour], None]] = {
    "car": _draw_car,
    "van": _draw_van,
    "pick-up": _draw_pickup,
    "lorry": _draw_lorry,
    "bus": _draw_bus,
    "motorbike": _draw_motorbike,
    "bicycle": _draw_rider,
    "boat": _draw_boat,
    "ambulance": _draw_ambulance,
    "fire engine": _draw_fire_engine,
    "police van": _draw_police_van,
    "person": _draw_person,
}
