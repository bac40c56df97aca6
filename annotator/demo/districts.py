"""The parts of the town that are no homes: market, park, blocks of flats, centre, school, fields."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotator.demo.builder import GRASS, GRAVEL, GREEN, PLOUGHED, TERRACE, Builder
from annotator.demo.buildings import FLAT_COLOURS, SHEET_COLOURS, TILE_COLOURS
from annotator.demo.plan import AVENUE
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
    for x_m, colour in ((250, PLOUGHED), (292, _STUBBLE)):
        field = Rectangle(x_m=x_m, y_m=222, length_m=38, width_m=44, turn_deg=2)
        builder.cover(field, colour=colour, material=Material.SOIL)
        for across in np.arange(-21, 21, 0.9):
            furrow = field.part(0, float(across), length_m=36, width_m=0.35)
            builder.cover(furrow, colour=shaded(colour, builder.between(0.86, 0.95)), material=Material.SOIL)


def build_market(builder: Builder) -> list[Rectangle]:
    """Build the supermarket with its car park; returns the spaces that are free of trees."""
    lot = Rectangle(x_m=158, y_m=91, length_m=78, width_m=34, turn_deg=1)
    builder.cover(lot.grown(length_m=3, width_m=3), colour=TERRACE)
    spaces = parking(builder.terrain, lot=lot, rows=(-14, -3.0, 2.2, 13.4))
    for along in (-26, -8, 10, 28):
        island = lot.part(along, -0.4, length_m=1.4, width_m=9.6)
        builder.cover(island, colour=GRASS, material=Material.GRASS)
        for across in (-3, 3):
            builder.tree(island.at(0, across), width_m=3.6, needles=0)
    hall = Rectangle(x_m=152, y_m=62, length_m=56, width_m=17, turn_deg=1)
    builder.build(hall, roof="flat", eaves_m=6.5, colours=FLAT_COLOURS[:1], has_panels=True)
    store = Rectangle(x_m=192, y_m=62.5, length_m=20, width_m=15, turn_deg=1)
    builder.build(store, roof="sheet", eaves_m=5.5, colours=SHEET_COLOURS)
    is_clear = builder.terrain.is_clear
    return [s for s in spaces if is_clear(s.x_m, s.y_m, radius_m=0.9, materials=(Material.ASPHALT,))]


def build_park(builder: Builder) -> None:
    """Lay out the park with paths, a pond and a pavilion."""
    area = Rectangle(x_m=270, y_m=82, length_m=92, width_m=56)
    for path in _PARK_PATHS:
        builder.terrain.stroke(_smooth(path), width_m=2.2, colour=GRAVEL, material=Material.PAVING)
    builder.terrain.fill(_pond(1.0), colour=_POND_EDGE, material=Material.SOIL)
    builder.terrain.fill(_pond(0.93), colour=_POND, material=Material.WATER)
    pavilion = Rectangle(x_m=243, y_m=62, length_m=11, width_m=8, turn_deg=-12)
    builder.build(pavilion, roof="hip", eaves_m=3.4, colours=TILE_COLOURS[:2])
    builder.scatter(area, count=120, width_m=(4.0, 9.5))
    builder.scatter(area, count=90, width_m=(1.5, 3.0))


def build_flats(builder: Builder) -> None:
    """Build blocks of flats around a court for ball games."""
    for x_m, y_m, length_m, turn_deg in ((26, 146, 34, 2), (26, 172, 34, 2), (74, 152, 30, 92)):
        block = Rectangle(x_m=x_m, y_m=y_m, length_m=length_m, width_m=11.5, turn_deg=turn_deg)
        builder.cover(block.grown(length_m=5, width_m=5), colour=TERRACE)
        builder.build(block, roof="flat", eaves_m=12.2, colours=FLAT_COLOURS)
    court = Rectangle(x_m=51, y_m=159, length_m=12, width_m=22, turn_deg=2)
    _court(builder, court, colour=colour_of("4f7a6a"), apron=colour_of("7c5648"))
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
        builder.build(wing, roof="gable", eaves_m=8.5, colours=TILE_COLOURS)
    square = yard.part(-2, 0, length_m=56, width_m=16)
    nave, tower = square.part(12, 0, length_m=20, width_m=9), square.part(0, 0, length_m=5.5, width_m=5.5)
    builder.build(nave, roof="gable", eaves_m=8.5, colours=_SLATE)
    builder.build(tower, roof="hip", eaves_m=15, colours=_SLATE)
    for row in np.arange(-25, -4, 5.2).tolist():
        for across in (-5, 5):
            builder.tree(square.at(row, across), width_m=4.6, needles=0)


def build_school(builder: Builder) -> None:
    """Build the school, its court and its playing field."""
    pitch = Rectangle(x_m=285, y_m=157, length_m=58, width_m=38, turn_deg=3)
    for stripe in range(10):
        mown = pitch.part(5.8 * (stripe + 0.5) - 29, 0, length_m=5.8, width_m=38)
        builder.cover(mown, colour=_TURF[stripe % 2], material=Material.COURT)
    _pitch_lines(builder.terrain, pitch)
    hall = Rectangle(x_m=236, y_m=146, length_m=27, width_m=13, turn_deg=3)
    builder.build(hall, roof="flat", eaves_m=7, colours=FLAT_COLOURS, has_panels=True)
    wing = Rectangle(x_m=228, y_m=166, length_m=26, width_m=12, turn_deg=93)
    builder.build(wing, roof="flat", eaves_m=7, colours=FLAT_COLOURS)
    court = Rectangle(x_m=244, y_m=166, length_m=11, width_m=18, turn_deg=3)
    _court(builder, court, colour=colour_of("44708a"), apron=colour_of("77506a"))
    green = Rectangle(x_m=270, y_m=158, length_m=100, width_m=56)
    builder.scatter(green, count=90, width_m=(3.0, 8.0))


def plant_avenue(builder: Builder) -> None:
    """Plant the rows of trees along the avenue."""
    for across in (-9.2, 9.2):
        for along in np.arange(4, AVENUE.length_m - 4, 9.5):
            x_m, y_m, _ = AVENUE.at(float(along), across)
            if builder.terrain.is_clear(x_m, y_m, radius_m=0.7, materials=(Material.PAVING, *GREEN)):
                builder.tree((x_m, y_m), width_m=builder.between(4.5, 6.2), needles=0)


def _terraced_row(builder: Builder, yard: Rectangle, *, across_m: float) -> None:
    place_m = -44.0
    while place_m < 38:
        length_m = builder.between(9, 15)
        back_m = builder.between(-0.6, 0.6)
        house = yard.part(place_m + length_m / 2, across_m + back_m, length_m=length_m, width_m=12)
        builder.build(house, roof="gable", eaves_m=builder.between(7.5, 10), colours=TILE_COLOURS)
        # A gap now and then lets one look into the yard.
        place_m += length_m + (7 if builder.chance(0.15) else 0.02)


def _court(builder: Builder, court: Rectangle, *, colour: Colour, apron: Colour) -> None:
    builder.cover(court.grown(length_m=4, width_m=5), colour=apron, material=Material.COURT)
    builder.cover(court, colour=colour, material=Material.COURT)
    middle = [court.at(-court.length_m / 2, 0), court.at(court.length_m / 2, 0)]
    for line in (court.outline(), middle, _circle(court, radius_m=1.8)):
        builder.terrain.stroke(line, width_m=0.1, colour=_WHITE, material=Material.COURT)


def _pitch_lines(terrain: Terrain, pitch: Rectangle) -> None:
    inner = pitch.grown(length_m=-4, width_m=-4)
    half_m = inner.length_m / 2
    boxes = [inner.part(side * (half_m - 4), 0, length_m=8, width_m=18) for side in (-1, 1)]
    middle = [inner.at(0, -inner.width_m / 2), inner.at(0, inner.width_m / 2)]
    for line in (*(plan.outline() for plan in (inner, *boxes)), middle, _circle(inner, radius_m=5)):
        terrain.stroke(line, width_m=0.14, colour=_WHITE, material=Material.COURT)


def _circle(place: Rectangle, *, radius_m: float) -> Line:
    angles = np.linspace(0, 2 * np.pi, 40).tolist()
    return [place.at(radius_m * float(np.cos(a)), radius_m * float(np.sin(a))) for a in angles]


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
