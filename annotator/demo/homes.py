"""Residential areas: houses with gardens along the lanes, and allotments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from annotator.demo.builder import GRAVEL, PLOUGHED, TERRACE, Builder
from annotator.demo.buildings import FLAT_COLOURS, TILE_COLOURS
from annotator.demo.streets import Street
from annotator.demo.terrain import Material, Rectangle, colour_of, shaded

_DEPTH_M = 31.0
_LAWNS = tuple(colour_of(c) for c in ("66743f", "748047", "85864f"))
_BEDS = (PLOUGHED, colour_of("6f6a3c"), colour_of("5d6b35"))
_POOL = colour_of("5aa6b4")
_POOL_EDGE = colour_of("c3bcab")
_ROWS = (
    (0, -1, 12, 100), (0, -1, 122, 216), (0, -1, 240, 330),
    (0, 1, 12, 100), (1, 1, 12, 104), (1, 1, 124, 216),
)  # fmt: skip
"""Lane (0 the northern), its side (1 is right of its direction), and the stretch along it in metres."""


def build_homes(builder: Builder) -> None:
    """Build all rows of houses."""
    builder.district("gardens", west=0, north=0, east=100, south=82)
    builder.district("northern houses", west=108, north=0, east=320, south=42)
    builder.district("southern houses", west=0, north=194, east=212, south=240)
    for number, side, start_m, end_m in _ROWS:
        lane = builder.plan.lanes[number]
        position_m = float(start_m)
        while position_m + 19 < end_m:
            plot_m = builder.between(18, 22)
            _home(builder, _plot(lane, along_m=position_m + plot_m / 2, side=side, plot_m=plot_m), side=side)
            position_m += plot_m


def build_allotments(builder: Builder, area: Rectangle) -> None:
    """Lay out small vegetable plots with sheds on both sides of a path."""
    builder.name("the allotments", "green", area)
    for along in np.arange(-area.length_m / 2 + 4, area.length_m / 2 - 3, 7.5):
        for across in (-4.6, 4.6):
            plot = area.part(float(along), across, length_m=6.6, width_m=8.2)
            for row in np.arange(-2.6, 2.7, 1.3):
                bed = plot.part(float(row), 0, length_m=0.9, width_m=builder.between(4, 7))
                builder.cover(bed, colour=builder.pick(_BEDS), material=Material.SOIL)
            if builder.chance(0.5):
                shed = plot.part(1.5, builder.between(-2, 2), length_m=2.6, width_m=2.2)
                builder.build(shed, use="shed", roof="gable", eaves_m=2.1, colours=TILE_COLOURS)
            builder.scatter(plot, count=2, width_m=(1.2, 3.4), materials=(Material.GRASS,))
    path = area.part(0, 0, length_m=area.length_m, width_m=1.0)
    builder.cover(path, colour=GRAVEL)


def _plot(lane: Street, *, along_m: float, side: int, plot_m: float) -> Rectangle:
    kerb_m = lane.width_m / 2 + lane.pavement_m
    x_m, y_m, turn_deg = lane.at(along_m, side * (kerb_m + _DEPTH_M / 2))
    return Rectangle(x_m=x_m, y_m=y_m, length_m=plot_m, width_m=_DEPTH_M, turn_deg=turn_deg)


def _home(builder: Builder, plot: Rectangle, *, side: int) -> None:
    """Build a house on its plot; across times side points away from the lane."""
    lawn = shaded(builder.pick(_LAWNS), builder.between(0.88, 1.1))
    builder.cover(plot.grown(length_m=-0.4, width_m=0), colour=lawn, material=Material.GRASS)
    drive = plot.part(plot.length_m / 2 - 3, -side * 10.5, length_m=3.2, width_m=11)
    terrace = plot.part(-1.5, side * 3.5, length_m=7, width_m=5.5)
    for paved in (drive, terrace):
        builder.cover(paved, colour=TERRACE)
    # From flat to high: what is laid on the ground must not cover a roof.
    _garden(builder, plot, side=side)
    _house(builder, plot, side=side)
    _greens(builder, plot, side=side)


def _garden(builder: Builder, plot: Rectangle, *, side: int) -> None:
    if builder.chance(0.3):
        pool = plot.part(builder.between(-3, 1), side * builder.between(8, 10), length_m=7, width_m=3.6)
        builder.cover(pool.grown(length_m=1.6, width_m=1.6), colour=_POOL_EDGE)
        builder.cover(pool, colour=_POOL, material=Material.WATER)
    elif builder.chance(0.5):
        bed = plot.part(builder.between(-5, 3), side * 11, length_m=builder.between(3, 6), width_m=3)
        builder.cover(bed, colour=PLOUGHED, material=Material.SOIL)


def _house(builder: Builder, plot: Rectangle, *, side: int) -> None:
    house = plot.part(
        builder.between(-2.2, -0.8), -side * builder.between(3, 5),
        length_m=builder.between(10, 12.5), width_m=builder.between(8, 9.5),
    )  # fmt: skip
    builder.build(
        replace(house, turn_deg=house.turn_deg + (90 if builder.chance(0.3) else 0)),
        use="house",
        roof=builder.pick(("gable", "gable", "hip")),
        eaves_m=builder.between(3.2, 5.6),
        colours=TILE_COLOURS,
        has_panels=builder.chance(0.25),
    )
    if builder.chance(0.5):
        garage = plot.part(plot.length_m / 2 - 4, side * builder.between(0, 3), length_m=3.6, width_m=5.6)
        builder.build(garage, use="shed", roof="flat", eaves_m=2.6, colours=FLAT_COLOURS)


def _greens(builder: Builder, plot: Rectangle, *, side: int) -> None:
    half_m = plot.length_m / 2
    for edge_m in (-half_m, half_m):
        if builder.chance(0.7):
            builder.hedge(plot.at(edge_m, -side * 13), plot.at(edge_m, side * 14))
    builder.hedge(plot.at(-half_m, side * 14.6), plot.at(half_m, side * 14.6))
    builder.scatter(plot.part(0, side * 6, length_m=plot.length_m, width_m=16), count=12, width_m=(2.5, 7.5))
    builder.scatter(plot, count=14, width_m=(0.9, 2.4))
