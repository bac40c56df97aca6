"""The parts of the town beyond its old edge: works and stadium in the east, the shore in the south."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.demo.builder import GRAVEL, PLOUGHED, TERRACE, Builder
from annotator.demo.buildings import FLAT_COLOURS, SHEET_COLOURS, TILE_COLOURS
from annotator.demo.districts import line_pitch
from annotator.demo.furniture import fence
from annotator.demo.streets import parking
from annotator.demo.terrain import Material, Rectangle, Terrain, Window, colour_of, shaded

_CONCRETE = colour_of("a8a59d")
_CRANE = colour_of("d3a32c")
_CONTAINERS = tuple(colour_of(c) for c in ("9a4a3a", "3f6688", "5d7a55", "b08a3c"))
_TANK = colour_of("c9ced0")
_TRACK = colour_of("a5573f")
_TURF = (colour_of("5f8040"), colour_of("6a8a48"))
_SEATS = tuple(colour_of(c) for c in ("35588f", "35588f", "4a6ea5", "d6d6d0", "b04a40", "caa64b"))
_STAND_ROOF = colour_of("d5d8da")
_TENTS = tuple(colour_of(c) for c in ("c9713c", "4f7fa5", "7f9a4b", "c9b24f", "a8493f", "d6d2c6"))
_GLASSHOUSE = colour_of("b9cbd0")
_WHITE = colour_of("dfe0d6")
_STAND_M, _TIER_M, _ROOF_M = 9.5, 0.8, 3.2
"""Depth of the stadium's stands, of one tier, and of the roof."""
Floats = NDArray[Any]
WAREHOUSE_ROOF_M = 8.0
"""Height of the warehouse's eaves."""


def build_works(builder: Builder) -> None:
    """Build the warehouse with its yard, the building site with its crane, and the water tower."""
    builder.district("works", west=338, north=0, east=400, south=108)
    yard = Rectangle(x_m=369, y_m=22, length_m=58, width_m=38)
    builder.cover(yard, colour=colour_of("83827f"), material=Material.ASPHALT)
    hall = Rectangle(x_m=370, y_m=16, length_m=50, width_m=22)
    number = builder.build(hall, use="hall", roof="sheet", eaves_m=WAREHOUSE_ROOF_M, colours=SHEET_COLOURS)
    builder.name("the warehouse", "building", hall, bodies=(number,))
    _building_site(builder, Rectangle(x_m=361, y_m=78, length_m=36, width_m=46))
    _water_tower(builder, (389.0, 72.0))
    builder.scatter(Rectangle(x_m=389, y_m=76, length_m=18, width_m=44), count=30, width_m=(2.5, 6))


def _building_site(builder: Builder, plan: Rectangle) -> None:
    builder.cover(plan, colour=PLOUGHED, material=Material.SOIL)
    for _ in range(24):
        track = plan.part(
            builder.between(-14, 14), builder.between(-20, 20),
            length_m=builder.between(3, 9), width_m=builder.between(0.5, 2),
        )  # fmt: skip
        builder.cover(track, colour=shaded(PLOUGHED, builder.between(0.8, 1.2)), material=Material.SOIL)
    fence(builder, plan.outline(), top_m=1.9)
    frame = plan.part(2, 6, length_m=22, width_m=26)
    number = builder.build(frame, use="frame", roof="flat", eaves_m=6.4, colours=(_CONCRETE,))
    for along in np.arange(-9.5, 10, 4.75).tolist():
        for across in np.arange(-11.5, 12, 4.6).tolist():
            column = frame.part(along, across, length_m=0.5, width_m=0.5)
            builder.block(column, top_m=9.6, colour=shaded(_CONCRETE, 0.9), material=Material.STONE)
    core = frame.part(-6, 6, length_m=5, width_m=5)
    builder.block(core, top_m=11.5, colour=shaded(_CONCRETE, 0.85), material=Material.STONE)
    for k, colour in enumerate(_CONTAINERS):
        box = plan.part(-13 + 6.6 * k, -18.5, length_m=6.0, width_m=2.4)
        builder.block(box, top_m=2.6 if k % 2 else 5.2, colour=colour)
    for at, size in (((-10, -11), 5.0), ((-6, -12.5), 3.6), ((9, -12), 4.4)):
        _heap(builder, plan.at(*at), size_m=size)
    _crane(builder, plan.part(13.5, -9, length_m=1.9, width_m=1.9))
    builder.name("the building site", "works", plan, bodies=(number,))


def _heap(builder: Builder, at: tuple[float, float], *, size_m: float) -> None:
    for share in np.linspace(1, 0.15, 9).tolist():
        ring = Rectangle(x_m=at[0], y_m=at[1], length_m=size_m * share, width_m=size_m * share)
        builder.block(
            ring, top_m=0.2 + 0.34 * size_m * (1 - share), colour=shaded(_WHITE, 0.72),
            material=Material.SOIL, is_round=True,
        )  # fmt: skip


def _crane(builder: Builder, mast: Rectangle) -> None:
    """Put up a tower crane; its jib is a lattice of rails and struts with nothing below."""
    builder.block(mast.grown(length_m=2.6, width_m=2.6), top_m=0.6, colour=_CONCRETE, material=Material.STONE)
    builder.block(mast, top_m=30.0, colour=_CRANE)
    jib = mast.part(-11, 10, length_m=0, width_m=0)
    angle = Rectangle(x_m=jib.x_m, y_m=jib.y_m, length_m=44, width_m=1.5, turn_deg=mast.turn_deg + 132)
    for across in (-0.65, 0.65):
        builder.block(
            angle.part(0, across, length_m=44, width_m=0.22), top_m=30.6, base_m=29.4, colour=_CRANE
        )
    for along in np.arange(-21.5, 22, 1.8).tolist():
        strut = angle.part(along, 0, length_m=0.2, width_m=1.4)
        builder.block(strut, top_m=30.6, base_m=29.4, colour=_CRANE)
    weight = angle.part(-20.5, 0, length_m=3.0, width_m=1.9)
    builder.block(weight, top_m=31.0, base_m=28.0, colour=_CONCRETE)
    builder.block(mast.part(0, 1.4, length_m=1.5, width_m=1.3), top_m=30.0, base_m=27.6, colour=_TANK)
    builder.name("the crane", "tower", mast)


def _water_tower(builder: Builder, at: tuple[float, float]) -> None:
    plan = Rectangle(x_m=at[0], y_m=at[1], length_m=11, width_m=11)
    builder.cover(plan.grown(length_m=2, width_m=2), colour=GRAVEL)
    builder.block(plan, top_m=22.0, base_m=17.0, colour=_TANK, is_round=True)
    for share in np.linspace(1, 0.1, 10).tolist():
        ring = plan.part(0, 0, length_m=11 * share, width_m=11 * share)
        top_m = 22.0 + 2.6 * float(np.sqrt(1 - share**2))
        colour = shaded(_TANK, 0.94 + 0.1 * (1 - share))
        builder.block(ring, top_m=top_m, base_m=17.0, colour=colour, is_round=True)
    builder.block(plan.part(0, 0, length_m=4, width_m=4), top_m=24.9, colour=_TANK, is_round=True)
    builder.name("the water tower", "tower", plan)


def build_stadium(builder: Builder) -> None:
    """Build the stadium: a pitch with a running track inside rising tiers of seats."""
    plan = Rectangle(x_m=368, y_m=157, length_m=58, width_m=48)
    builder.district("stadium", west=338, north=126, east=400, south=184)
    builder.cover(plan.grown(length_m=3, width_m=2), colour=TERRACE)
    _stands(builder, plan)
    for stripe in range(8):
        mown = plan.part(3.6 * (stripe + 0.5) - 14.4, 0, length_m=3.6, width_m=20)
        builder.cover(mown, colour=_TURF[stripe % 2], material=Material.COURT)
    line_pitch(builder.terrain, plan.part(0, 0, length_m=30, width_m=22))


def _stands(builder: Builder, plan: Rectangle) -> None:
    terrain, window = builder.terrain, builder.terrain.window(plan)
    here = (window.rows, window.columns)
    inset = _inset(window, plan, corner_m=17.0)
    # Entered by hand below: a bowl of tiers is no block under one roof.
    number = len(builder.buildings) + 1
    is_stand = (inset >= 0) & (inset < _STAND_M)
    # Whole steps, so that the sun throws the shadow of each tier on the next.
    height = 0.8 + 0.55 * np.floor((_STAND_M - inset) / _TIER_M)
    seats = _seats(builder, inset.shape)
    edges = np.mod(_STAND_M - inset, _TIER_M) < 0.2
    colour = np.where(edges[..., None], np.array(_CONCRETE, np.uint8), seats)
    # Above the upper tiers of the long sides lies a roof.
    is_roof = (inset < _ROOF_M) & (np.abs(window.across_m) > 12)
    ribs = np.where(np.mod(window.along_m, 3.0) < 0.25, 0.85, 1.0)[..., None]
    height = np.where(is_roof, 9.4 - 0.2 * inset, height)
    colour = np.where(is_roof[..., None], ribs * np.array(_STAND_ROOF, np.float32), colour)
    terrain.height_m[here][is_stand] = height[is_stand]
    terrain.colour[here][is_stand] = colour.astype(np.uint8)[is_stand]
    terrain.material[here][is_stand] = Material.FLAT_ROOF
    terrain.body[here][is_stand] = number
    _running_track(terrain, here, inset)
    builder.adopt(number, plan, use="stand", eaves_m=7.2, colour=_CONCRETE)
    builder.name("the stadium", "building", plan, bodies=(number,))


def _inset(window: Window, plan: Rectangle, *, corner_m: float) -> Floats:
    """Return how far inside of a plan with rounded corners each cell lies, metres."""
    along = np.abs(window.along_m) - plan.length_m / 2 + corner_m
    across = np.abs(window.across_m) - plan.width_m / 2 + corner_m
    beyond = np.hypot(np.maximum(along, 0), np.maximum(across, 0)) + np.minimum(np.maximum(along, across), 0)
    return np.asarray(corner_m - beyond)


def _seats(builder: Builder, shape: tuple[int, ...]) -> Floats:
    rows, columns = (n // 5 + 1 for n in shape)
    colours = np.array(_SEATS, np.uint8)[builder.rng.choice(len(_SEATS), size=(rows, columns))]
    return np.asarray(colours.repeat(5, 0).repeat(5, 1)[: shape[0], : shape[1]])


def _running_track(terrain: Terrain, here: tuple[slice, slice], inset: Floats) -> None:
    is_track = (inset >= _STAND_M) & (inset < 13.2)
    terrain.colour[here][is_track] = _TRACK
    terrain.material[here][is_track] = Material.COURT
    terrain.colour[here][is_track & (np.mod(inset - _STAND_M, 1.2) < 0.12)] = _WHITE


def build_hospital(builder: Builder) -> None:
    """Build the hospital with its car park and the office tower beside it."""
    builder.district("hospital", west=338, north=196, east=400, south=246)
    ground = Rectangle(x_m=369, y_m=220, length_m=56, width_m=44)
    builder.cover(ground, colour=TERRACE)
    house = Rectangle(x_m=358, y_m=209, length_m=32, width_m=15)
    number = builder.build(house, use="school", roof="flat", eaves_m=13.6, colours=FLAT_COLOURS[:1])
    _landing_position(builder, house.part(-8.5, 0, length_m=11, width_m=11), top_m=14.4)
    builder.name("the hospital", "building", house, bodies=(number,))
    tower = Rectangle(x_m=388, y_m=210, length_m=13, width_m=13, turn_deg=8)
    number = builder.build(tower, use="office", roof="flat", eaves_m=28.0, colours=FLAT_COLOURS)
    builder.name("the office tower", "tower", tower, bodies=(number,))
    lot = Rectangle(x_m=366, y_m=233, length_m=46, width_m=17)
    builder.spaces += parking(builder.terrain, lot=lot, rows=(-5.6, 5.6))


def _landing_position(builder: Builder, plan: Rectangle, *, top_m: float) -> None:
    builder.block(plan, top_m=top_m, colour=shaded(_CONCRETE, 0.7), material=Material.STONE)
    ring = [plan.at(4.6 * np.cos(a), 4.6 * np.sin(a)) for a in np.linspace(0, 2 * np.pi, 40)]
    bars = (
        [plan.at(-1.8, -1.4), plan.at(1.8, -1.4)],
        [plan.at(-1.8, 1.4), plan.at(1.8, 1.4)],
        [plan.at(0, -1.4), plan.at(0, 1.4)],
    )
    for line in (ring, *bars):
        builder.terrain.stroke(line, width_m=0.5, colour=_WHITE, material=Material.STONE)


def build_shore(builder: Builder) -> None:
    """Build what lies south of the river: a farm, a campsite, a wood and glasshouses."""
    builder.district("southern shore", west=0, north=284, east=400, south=320)
    barn = Rectangle(x_m=34, y_m=304, length_m=24, width_m=12, turn_deg=6)
    house = Rectangle(x_m=62, y_m=298, length_m=13, width_m=9, turn_deg=96)
    builder.cover(barn.part(14, -3, length_m=44, width_m=20), colour=GRAVEL)
    numbers = (
        builder.build(barn, use="hall", roof="gable", eaves_m=5.5, colours=TILE_COLOURS[:2]),
        builder.build(house, use="house", roof="gable", eaves_m=4.6, colours=TILE_COLOURS),
    )
    for x_m in (50.0, 54.5):
        silo = Rectangle(x_m=x_m, y_m=310, length_m=4, width_m=4)
        builder.block(silo, top_m=9.0, colour=_TANK, is_round=True)
    builder.name("the farm", "building", Rectangle(x_m=46, y_m=302, length_m=46, width_m=22), bodies=numbers)
    _campsite(builder, Rectangle(x_m=158, y_m=303, length_m=90, width_m=28))
    wood = Rectangle(x_m=272, y_m=304, length_m=104, width_m=28)
    builder.scatter(wood, count=230, width_m=(4, 9))
    builder.name("the wood", "green", wood)
    for k in range(3):
        glasshouse = Rectangle(x_m=369, y_m=291 + 9.5 * k, length_m=46, width_m=7.5)
        builder.build(glasshouse, use="shed", roof="gable", eaves_m=2.6, colours=(_GLASSHOUSE,))
    builder.name("the glasshouses", "building", Rectangle(x_m=369, y_m=300.5, length_m=46, width_m=28))
    builder.scatter(Rectangle(x_m=200, y_m=303, length_m=392, width_m=32), count=160, width_m=(2, 6.5))


def _campsite(builder: Builder, plan: Rectangle) -> None:
    road = plan.part(0, 0, length_m=plan.length_m, width_m=3)
    builder.cover(road, colour=GRAVEL)
    for along in np.arange(-41, 42, 7.5).tolist():
        for side in (-1, 1):
            at = plan.at(along + builder.between(-1, 1), side * builder.between(5, 10))
            tent = Rectangle(
                x_m=at[0], y_m=at[1], length_m=builder.between(3, 4.4), width_m=2.6,
                turn_deg=builder.between(0, 180),
            )  # fmt: skip
            _tent(builder, tent)
    builder.name("the campsite", "green", plan)


def _tent(builder: Builder, plan: Rectangle) -> None:
    window = builder.terrain.window(plan)
    here = (window.rows, window.columns)
    colour = builder.pick(_TENTS)
    rise = 1.9 * (1 - np.abs(window.across_m) * 2 / plan.width_m)
    builder.terrain.height_m[here][window.inside] = np.maximum(rise, 0.1)[window.inside]
    builder.terrain.colour[here][window.inside] = colour
    builder.terrain.material[here][window.inside] = Material.METAL
