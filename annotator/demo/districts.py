"""The parts of the town that are no homes: market, park, blocks of flats, centre, school, fields."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotator.demo.builder import GRASS, GRAVEL, GREEN, PLOUGHED, TERRACE, Builder
from annotator.demo.buildings import FLAT_COLOURS, SHEET_COLOURS, TILE_COLOURS
from annotator.demo.furniture import fountain, playground
from annotator.demo.streets import parking
from annotator.demo.terrain import Colour, Material, Rectangle, Terrain, colour_of, shaded

Line = list[tuple[float, float]]

_STUBBLE = colour_of("8c8a4d")
_POND = colour_of("4d5f58")
_POND_EDGE = colour_of("8a8358")
_TURF = (colour_of("5f8040"), colour_of("6a8a48"))
_WHITE = colour_of("dfe0d6")
_SLATE = TILE_COLOURS[4:5]
_PARK_PATHS: tuple[Line, ...] = (
    [(221, 72), (240, 76), (262, 68), (292, 70), (320, 62)],
    [(240, 76), (246, 96), (262, 106), (290, 104), (320, 108)],
    [(262, 68), (255, 86), (262, 106)],
)


def build_fields(builder: Builder) -> None:
    """Lay out two fields in rows."""
    builder.district("fields", west=222, north=196, east=320, south=246)
    for x_m, colour in ((250, PLOUGHED), (292, _STUBBLE)):
        field = Rectangle(x_m=x_m, y_m=222, length_m=38, width_m=44, turn_deg=2)
        builder.cover(field, colour=colour, material=Material.SOIL)
        for across in np.arange(-21, 21, 0.9):
            furrow = field.part(0, float(across), length_m=36, width_m=0.35)
            builder.cover(furrow, colour=shaded(colour, builder.between(0.86, 0.95)), material=Material.SOIL)


def build_market(builder: Builder) -> None:
    """Build the supermarket with its car park, whose spaces are those free of trees."""
    builder.district("market", west=108, north=52, east=210, south=112)
    lot = Rectangle(x_m=158, y_m=91, length_m=78, width_m=34, turn_deg=1)
    builder.cover(lot.grown(length_m=3, width_m=3), colour=TERRACE)
    spaces = parking(builder.terrain, lot=lot, rows=(-14, -3.0, 2.2, 13.4))
    # Trees take spaces away; which, is asked of the ground below.
    for along in (-26, -8, 10, 28):
        island = lot.part(along, -0.4, length_m=1.4, width_m=9.6)
        builder.cover(island, colour=GRASS, material=Material.GRASS)
        for across in (-3, 3):
            builder.tree(island.at(0, across), width_m=3.6, needles=0)
    hall = Rectangle(x_m=152, y_m=62, length_m=56, width_m=17, turn_deg=1)
    number = builder.build(
        hall, use="market", roof="flat", eaves_m=6.5, colours=FLAT_COLOURS[:1], has_panels=True
    )
    builder.name("the supermarket", "building", hall, bodies=(number,))
    store = Rectangle(x_m=192, y_m=62.5, length_m=20, width_m=15, turn_deg=1)
    builder.build(store, use="hall", roof="sheet", eaves_m=5.5, colours=SHEET_COLOURS)
    builder.name("the car park", "parking", lot)
    is_clear = builder.terrain.is_clear
    builder.spaces += [
        s for s in spaces if is_clear(s.x_m, s.y_m, radius_m=0.9, materials=(Material.ASPHALT,))
    ]


def build_park(builder: Builder) -> None:
    """Lay out the park with paths, a pond and a pavilion."""
    area = Rectangle(x_m=270, y_m=82, length_m=92, width_m=56)
    for path in _PARK_PATHS:
        builder.terrain.stroke(_smooth(path), width_m=2.2, colour=GRAVEL, material=Material.PAVING)
    builder.terrain.fill(_pond(1.0), colour=_POND_EDGE, material=Material.SOIL)
    builder.terrain.fill(_pond(0.93), colour=_POND, material=Material.WATER)
    pavilion = Rectangle(x_m=243, y_m=62, length_m=11, width_m=8, turn_deg=-12)
    number = builder.build(pavilion, use="shed", roof="hip", eaves_m=3.4, colours=TILE_COLOURS[:2])
    builder.district("park", west=222, north=54, east=318, south=112)
    builder.name("the park pavilion", "building", pavilion, bodies=(number,))
    builder.name("the pond", "water", Rectangle(x_m=279, y_m=87, length_m=28, width_m=18))
    # Tall trees first; bushes get what room is left.
    builder.scatter(area, count=120, width_m=(4.0, 9.5))
    builder.scatter(area, count=90, width_m=(1.5, 3.0))


def build_flats(builder: Builder) -> None:
    """Build blocks of flats around a court for ball games."""
    for x_m, y_m, length_m, turn_deg in ((26, 146, 34, 2), (26, 172, 34, 2), (74, 152, 30, 92)):
        block = Rectangle(x_m=x_m, y_m=y_m, length_m=length_m, width_m=11.5, turn_deg=turn_deg)
        builder.cover(block.grown(length_m=5, width_m=5), colour=TERRACE)
        builder.build(block, use="flats", roof="flat", eaves_m=12.2, colours=FLAT_COLOURS)
    builder.district("flats", west=0, north=130, east=96, south=184)
    court = Rectangle(x_m=51, y_m=159, length_m=12, width_m=22, turn_deg=2)
    _court(builder, court, colour=colour_of("4f7a6a"), apron=colour_of("7c5648"))
    builder.name("the ball court", "pitch", court)
    playground(builder, Rectangle(x_m=84, y_m=176, length_m=15, width_m=9, turn_deg=3))
    green = Rectangle(x_m=46, y_m=158, length_m=90, width_m=52)
    builder.scatter(green, count=70, width_m=(3.0, 7.5))


def build_centre(builder: Builder) -> None:
    """Build rows of old houses around a square with a church."""
    yard = Rectangle(x_m=158, y_m=156, length_m=92, width_m=48)
    builder.cover(yard, colour=TERRACE)
    for across in (-16.5, 17):
        _terraced_row(builder, yard, across_m=across)
    for along in (-38, 36):
        x_m, y_m = yard.at(along, 0)
        wing = Rectangle(x_m=x_m, y_m=y_m, length_m=19, width_m=12, turn_deg=90)
        builder.build(wing, use="shop", roof="gable", eaves_m=8.5, colours=TILE_COLOURS)
    square = yard.part(-2, 0, length_m=56, width_m=16)
    nave, tower = square.part(12, 0, length_m=20, width_m=9), square.part(0, 0, length_m=5.5, width_m=5.5)
    church = (
        builder.build(nave, use="church", roof="gable", eaves_m=8.5, colours=_SLATE, pitch=(1.0, 1.1)),
        builder.build(tower, use="tower", roof="hip", eaves_m=17, colours=_SLATE, pitch=(2.6, 2.8)),
    )
    builder.district("old centre", west=110, north=130, east=208, south=184)
    builder.name("the church", "building", square.part(8, 0, length_m=24, width_m=9), bodies=church)
    builder.name("the square", "square", square.part(-14, 0, length_m=26, width_m=16))
    fountain(builder, square.at(-8, 0))
    for row in np.arange(-25, -4, 5.2).tolist():
        for across in (-5, 5):
            builder.tree(square.at(row, across), width_m=4.6, needles=0)


def build_school(builder: Builder) -> None:
    """Build the school, its court and its playing field."""
    pitch = Rectangle(x_m=285, y_m=157, length_m=58, width_m=38, turn_deg=3)
    for stripe in range(10):
        mown = pitch.part(5.8 * (stripe + 0.5) - 29, 0, length_m=5.8, width_m=38)
        builder.cover(mown, colour=_TURF[stripe % 2], material=Material.COURT)
    line_pitch(builder.terrain, pitch)
    builder.district("school", west=222, north=126, east=318, south=184)
    builder.name("the playing field", "pitch", pitch)
    hall = Rectangle(x_m=236, y_m=146, length_m=27, width_m=13, turn_deg=3)
    first = builder.build(hall, use="school", roof="flat", eaves_m=7, colours=FLAT_COLOURS, has_panels=True)
    wing = Rectangle(x_m=228, y_m=166, length_m=26, width_m=12, turn_deg=93)
    second = builder.build(wing, use="school", roof="flat", eaves_m=7, colours=FLAT_COLOURS)
    builder.name(
        "the school", "building", Rectangle(x_m=233, y_m=155, length_m=28, width_m=32), bodies=(first, second)
    )
    court = Rectangle(x_m=244, y_m=166, length_m=11, width_m=18, turn_deg=3)
    _court(builder, court, colour=colour_of("44708a"), apron=colour_of("77506a"))
    green = Rectangle(x_m=270, y_m=158, length_m=100, width_m=56)
    builder.scatter(green, count=90, width_m=(3.0, 8.0))


def plant_avenue(builder: Builder) -> None:
    """Plant the rows of trees along the avenue."""
    avenue = builder.plan.avenue
    for across in (-9.2, 9.2):
        for along in np.arange(4, avenue.length_m - 4, 9.5):
            x_m, y_m, _ = avenue.at(float(along), across)
            if builder.terrain.is_clear(x_m, y_m, radius_m=0.7, materials=(Material.PAVING, *GREEN)):
                builder.tree((x_m, y_m), width_m=builder.between(4.5, 6.2), needles=0)


def _terraced_row(builder: Builder, yard: Rectangle, *, across_m: float) -> None:
    position_m = -44.0
    while position_m < 38:
        length_m = builder.between(9, 15)
        back_m = builder.between(-0.6, 0.6)
        house = yard.part(position_m + length_m / 2, across_m + back_m, length_m=length_m, width_m=12)
        builder.build(house, use="shop", roof="gable", eaves_m=builder.between(7.5, 10), colours=TILE_COLOURS)
        # A gap now and then lets one look into the yard.
        position_m += length_m + (7 if builder.chance(0.15) else 0.02)


def _court(builder: Builder, court: Rectangle, *, colour: Colour, apron: Colour) -> None:
    builder.cover(court.grown(length_m=4, width_m=5), colour=apron, material=Material.COURT)
    builder.cover(court, colour=colour, material=Material.COURT)
    middle = [court.at(-court.length_m / 2, 0), court.at(court.length_m / 2, 0)]
    for line in (court.outline(), middle, _circle(court, radius_m=1.8)):
        builder.terrain.stroke(line, width_m=0.1, colour=_WHITE, material=Material.COURT)


def line_pitch(terrain: Terrain, pitch: Rectangle) -> None:
    """Paint the lines of a football pitch."""
    inner = pitch.grown(length_m=-4, width_m=-4)
    half_m = inner.length_m / 2
    boxes = [inner.part(side * (half_m - 4), 0, length_m=8, width_m=18) for side in (-1, 1)]
    middle = [inner.at(0, -inner.width_m / 2), inner.at(0, inner.width_m / 2)]
    for line in (*(plan.outline() for plan in (inner, *boxes)), middle, _circle(inner, radius_m=5)):
        terrain.stroke(line, width_m=0.14, colour=_WHITE, material=Material.COURT)


def _circle(rectangle: Rectangle, *, radius_m: float) -> Line:
    angles = np.linspace(0, 2 * np.pi, 40).tolist()
    return [rectangle.at(radius_m * float(np.cos(a)), radius_m * float(np.sin(a))) for a in angles]


def _pond(share: float) -> Line:
    angles = np.linspace(0, 6.2, 60)
    east = 279 + share * (13 + 2.5 * np.sin(3 * angles)) * np.cos(angles)
    south = 87 + share * (8.5 + 1.5 * np.cos(2 * angles)) * np.sin(angles)
    return list(zip(east.tolist(), south.tolist(), strict=True))


def _smooth(line: Sequence[tuple[float, float]]) -> Line:
    """Return a rounder line through the same ends, by cutting corners three times."""
    points = np.array(line, np.float64)
    for _ in range(3):
        near, far = points[:-1] * 0.75 + points[1:] * 0.25, points[:-1] * 0.25 + points[1:] * 0.75
        points = np.concatenate([points[:1], np.stack([near, far], 1).reshape(-1, 2), points[-1:]])
    return [(x, y) for x, y in points.tolist()]
