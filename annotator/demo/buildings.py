"""Buildings: footprints with walls and roofs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from annotator.demo.facades import Facade, Use
from annotator.demo.terrain import Colour, Material, Rectangle, Terrain, Window, colour_of

Roof = Literal["gable", "hip", "flat", "sheet"]
Floats = NDArray[Any]

TILE_COLOURS = tuple(
    colour_of(c) for c in ("8f5742", "7d4d3d", "9b6449", "6d6660", "5c5f66", "74604e", "86513f")
)
FLAT_COLOURS = tuple(colour_of(c) for c in ("a5a39d", "8a8a8a", "bdbab1", "737577", "989084"))
SHEET_COLOURS = tuple(colour_of(c) for c in ("b4b8ba", "7f93a3", "9aa09b"))
WALL_COLOURS = tuple(colour_of(c) for c in ("cfc6b4", "d8d4ca", "a9866d", "bfae96", "c7bda9", "9d6e5a"))
_PANEL = colour_of("26324a")
_PANEL_FRAME = colour_of("8f979d")
_UNIT = colour_of("c3c5c3")
_CHIMNEY = colour_of("7a5547")
_GLASS = colour_of("4e6473")
_BARE: tuple[Use, ...] = ("shed", "church", "tower", "frame")
"""Uses whose roofs carry neither chimneys nor machines."""
_AWNING_M, _AWNING_LOW_M, _AWNING_HIGH_M = 1.3, 2.4, 3.0


@dataclass(frozen=True, kw_only=True)
class Building:
    """One block under one roof.

    Attributes:
        footprint: Its outline; the first axis runs along the ridge.
        eaves_m: Height of the walls.
        roof: Form of the roof.
        roof_colour: Colour of the covering.
        wall_colour: Colour of the walls.
        pitch: Rise over run of a sloped roof.
        has_panels: True where solar panels lie on one side.
        use: What it is for; decides what people call it.
        facade: What its walls show.
    """

    footprint: Rectangle
    eaves_m: float
    roof: Roof
    roof_colour: Colour
    wall_colour: Colour
    pitch: float = 0.6
    has_panels: bool = False
    use: Use = "house"
    facade: Facade = field(default_factory=Facade)


def raise_building(terrain: Terrain, *, building: Building, number: int, rng: np.random.Generator) -> None:
    """Put a building on the terrain under a number of its own, 1 or more."""
    window = terrain.window(building.footprint)
    here = (window.rows, window.columns)
    top, colour = _ROOFS[building.roof](building, window, rng)
    # Whatever stood there is gone, trees too.
    inside = window.inside
    terrain.height_m[here][inside] = top[inside]
    terrain.colour[here][inside] = np.clip(colour[inside], 0, 255).astype(np.uint8)
    is_sloped = building.roof in {"gable", "hip"}
    terrain.material[here][inside] = Material.TILES if is_sloped else Material.FLAT_ROOF
    terrain.body[here][inside] = number
    if building.facade.awning_colours:
        _awnings(terrain, building, number=number)
    if building.use in _BARE:
        return
    (_furnish_sloped if is_sloped else _furnish_flat)(terrain, building, rng=rng)


def _gable(building: Building, window: Window, rng: np.random.Generator) -> tuple[Floats, Floats]:
    half = building.footprint.width_m / 2
    return _sloped(building, window, half - np.abs(window.across_m), rng=rng)


def _hip(building: Building, window: Window, rng: np.random.Generator) -> tuple[Floats, Floats]:
    half_w, half_l = building.footprint.width_m / 2, building.footprint.length_m / 2
    inset = np.minimum(half_w - np.abs(window.across_m), half_l - np.abs(window.along_m))
    return _sloped(building, window, inset, rng=rng)


def _sloped(
    building: Building, window: Window, inset_m: Floats, *, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    top = building.eaves_m + building.pitch * np.maximum(inset_m, 0)
    # Courses of tiles lie 0.34 m apart; at 10 cells a metre they are just seen.
    courses = 1 + 0.07 * np.sin(inset_m * (2 * np.pi / 0.34))
    columns = 1 + 0.05 * _stripes(window.along_m, period_m=0.4, rng=rng)
    ridge = np.where(inset_m > inset_m.max() - 0.16, 1.12, 1.0) * np.where(inset_m < 0.14, 0.8, 1.0)
    return top.astype(np.float32), _tint(building.roof_colour, courses * columns * ridge)


def _flat(building: Building, window: Window, rng: np.random.Generator) -> tuple[Floats, Floats]:
    plan = building.footprint
    edge = np.minimum(plan.width_m / 2 - np.abs(window.across_m), plan.length_m / 2 - np.abs(window.along_m))
    is_parapet = edge < 0.4
    top = np.where(is_parapet, building.eaves_m + 0.7, building.eaves_m).astype(np.float32)
    sheets = (
        1
        + 0.03 * _stripes(window.along_m, period_m=2.0, rng=rng)
        + 0.02 * _stripes(window.across_m, period_m=9.0, rng=rng)
    )
    seams = np.where(np.mod(window.along_m, 2.0) < 0.09, 0.93, 1.0)
    stain = np.where((edge > 0.4) & (edge < 1.0), 0.9, 1.0)
    return top, _tint(building.roof_colour, sheets * seams * stain * np.where(is_parapet, 1.22, 1.0))


def _sheet(building: Building, window: Window, rng: np.random.Generator) -> tuple[Floats, Floats]:
    half = building.footprint.width_m / 2
    top = building.eaves_m + 0.12 * (half - np.abs(window.across_m))
    ribs = 1 + 0.06 * np.sign(np.sin(window.along_m * (2 * np.pi / 0.5)))
    sheets = 1 + 0.05 * _stripes(window.along_m, period_m=3.0, rng=rng)
    strips = (
        (np.mod(window.along_m, 9.0) < 1.1)
        & (np.abs(window.across_m) < half * 0.8)
        & (np.abs(window.across_m) > 1)
    )
    return top.astype(np.float32), _tint(building.roof_colour, ribs * sheets * np.where(strips, 1.25, 1.0))


_ROOFS: dict[Roof, Callable[[Building, Window, np.random.Generator], tuple[Floats, Floats]]] = {
    "gable": _gable,
    "hip": _hip,
    "flat": _flat,
    "sheet": _sheet,
}


def _awnings(terrain: Terrain, building: Building, *, number: int) -> None:
    """Hang an awning over each shop of the long walls, where there is open ground below."""
    plan, colours = building.footprint, building.facade.awning_colours
    shop_m = plan.length_m / len(colours)
    for side in (-1, 1):
        for k, colour in enumerate(colours):
            awning = plan.part(
                (k + 0.5) * shop_m - plan.length_m / 2, side * (plan.width_m + _AWNING_M) / 2,
                length_m=0.86 * shop_m, width_m=_AWNING_M,
            )  # fmt: skip
            window = terrain.window(awning)
            here = (window.rows, window.columns)
            inside = window.inside & (terrain.height_m[here] == 0)
            slope = (side * window.across_m / _AWNING_M + 0.5) * (_AWNING_HIGH_M - _AWNING_LOW_M)
            stripes = np.where(np.mod(window.along_m, 1.0) < 0.5, 1.0, 1.25)
            terrain.height_m[here][inside] = (_AWNING_HIGH_M - slope)[inside]
            # A base above 0 makes it something that one can look and walk below.
            terrain.base_m[here][inside] = (_AWNING_HIGH_M - slope)[inside] - np.float32(0.7)
            terrain.colour[here][inside] = np.clip(_tint(colour, stripes), 0, 255).astype(np.uint8)[inside]
            terrain.material[here][inside] = Material.TILES
            terrain.body[here][inside] = number


def _furnish_sloped(terrain: Terrain, building: Building, *, rng: np.random.Generator) -> None:
    plan = building.footprint
    # The chimney on one slope, panels or windows on the other.
    side = 1 if rng.random() < 0.5 else -1
    chimney = plan.part(
        rng.uniform(-0.3, 0.3) * plan.length_m, side * 0.18 * plan.width_m, length_m=0.9, width_m=0.8
    )
    _block(terrain, chimney, rise_m=1.4, colour=_CHIMNEY)
    if building.has_panels:
        _panels(terrain, plan, across_m=-side * plan.width_m * 0.26)
        return
    for _ in range(rng.integers(0, 4)):
        light = plan.part(
            rng.uniform(-0.38, 0.38) * plan.length_m, -side * 0.27 * plan.width_m, length_m=0.9, width_m=1.1
        )
        _block(terrain, light, rise_m=0.05, colour=_GLASS)


def _furnish_flat(terrain: Terrain, building: Building, *, rng: np.random.Generator) -> None:
    plan = building.footprint
    if plan.length_m < 8:
        return
    if building.has_panels:
        for row in np.arange(-plan.width_m / 2 + 2.5, plan.width_m / 2 - 2, 2.6):
            _panels(
                terrain,
                plan.part(-plan.length_m * 0.1, 0, length_m=plan.length_m * 0.7, width_m=plan.width_m),
                across_m=row,
            )
    for _ in range(int(plan.length_m * plan.width_m / 70)):
        size = rng.uniform(1.0, 2.6)
        unit = plan.part(
            rng.uniform(-0.42, 0.42) * plan.length_m, rng.uniform(-0.38, 0.38) * plan.width_m,
            length_m=size, width_m=size * rng.uniform(0.5, 1.0),
        )  # fmt: skip
        _block(terrain, unit, rise_m=rng.uniform(0.5, 1.3), colour=_UNIT)
    if building.eaves_m > 9:
        stairs = plan.part(rng.uniform(-0.25, 0.25) * plan.length_m, 0, length_m=4.5, width_m=3.2)
        _block(terrain, stairs, rise_m=2.6, colour=building.roof_colour)


def _panels(terrain: Terrain, plan: Rectangle, *, across_m: float) -> None:
    count = int(plan.length_m * 0.7 / 1.05)
    for k in range(count):
        panel = plan.part((k - (count - 1) / 2) * 1.05, across_m, length_m=1.0, width_m=1.65)
        _block(terrain, panel, rise_m=0.12, colour=_PANEL_FRAME)
        _block(
            terrain,
            plan.part((k - (count - 1) / 2) * 1.05, across_m, length_m=0.86, width_m=1.5),
            rise_m=0.0,
            colour=_PANEL,
        )


def _block(terrain: Terrain, plan: Rectangle, *, rise_m: float, colour: Colour) -> None:
    window = terrain.window(plan)
    here = (window.rows, window.columns)
    terrain.height_m[here][window.inside] += np.float32(rise_m)
    terrain.colour[here][window.inside] = colour


def _stripes(position_m: Floats, *, period_m: float, rng: np.random.Generator) -> Floats:
    """Return one random value in -1..1 for each stripe of a width."""
    index = np.floor(position_m / period_m).astype(np.int32)
    values = rng.uniform(-1, 1, int(index.max() - index.min()) + 1).astype(np.float32)
    return np.asarray(values[index - index.min()])


def _tint(colour: Colour, factor: Floats) -> Floats:
    return factor[..., None] * np.array(colour, np.float32)
