"""Things beside streets and paths: lamps, benches, bus stops, a fountain, a playground, fences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from annotator.demo.builder import GREEN, Builder
from annotator.demo.plan import Crossing
from annotator.demo.streets import Street
from annotator.demo.terrain import Material, Rectangle, colour_of

Line = Sequence[tuple[float, float]]

_POST = colour_of("5d6367")
_LAMP = colour_of("d4d6d0")
_WOOD = colour_of("8a6a48")
_STONE = colour_of("b9b2a2")
_WATER = colour_of("5f93a0")
_GLASS_ROOF = colour_of("8ea5ae")
_SAND = colour_of("b3a57f")
_RED, _YELLOW, _BLUE = (colour_of(c) for c in ("b2473c", "d0a83c", "3c6ea6"))
_SIGNAL = colour_of("30343a")


def light_street(builder: Builder, street: Street, *, every_m: float) -> None:
    """Stand lamps with arms on both sides of a street, where there is room."""
    reach_m = street.width_m / 2 + 0.35
    for k, along in enumerate(np.arange(8.0, street.length_m - 8, every_m).tolist()):
        side = 1 if k % 2 else -1
        x_m, y_m, turn = street.at(along, side * reach_m)
        if builder.terrain.is_clear(x_m, y_m, radius_m=0.3, materials=(Material.PAVING,)):
            foot = Rectangle(x_m=x_m, y_m=y_m, length_m=0.2, width_m=0.2, turn_deg=turn)
            # Longer towards the carriageway, which lies against the side.
            arm = foot.part(0, -side * 0.4, length_m=0.1, width_m=0.7)
            head = foot.part(0, -side * 0.9, length_m=0.24, width_m=0.5)
            builder.block(foot, top_m=7.0, colour=_POST)
            builder.block(arm, top_m=7.0, base_m=6.6, colour=_POST)
            builder.block(head, top_m=7.1, base_m=6.6, colour=_LAMP)


def light_path(builder: Builder, line: Line, *, every: int) -> None:
    """Stand low lamps along a path, on every so-manieth point of it."""
    for x_m, y_m in line[every // 2 :: every]:
        foot = Rectangle(x_m=x_m + 1.6, y_m=y_m + 1.6, length_m=0.2, width_m=0.2)
        if builder.terrain.is_clear(foot.x_m, foot.y_m, radius_m=0.5, materials=GREEN):
            builder.block(foot, top_m=3.6, colour=_POST)
            builder.block(
                foot.grown(length_m=0.3, width_m=0.3), top_m=3.9, base_m=3.3, colour=_LAMP, is_round=True
            )


def benches(builder: Builder, line: Line, *, every: int) -> None:
    """Put benches beside a path, on every so-manieth point of it."""
    for (x1, y1), (x2, y2) in list(pairwise(line))[::every]:
        turn = float(np.degrees(np.arctan2(y2 - y1, x2 - x1)))
        bench = Rectangle(x_m=x1, y_m=y1, length_m=0, width_m=0, turn_deg=turn).part(
            0, -1.7, length_m=1.8, width_m=0.5
        )
        if builder.terrain.is_clear(bench.x_m, bench.y_m, radius_m=1.0, materials=(*GREEN, Material.PAVING)):
            builder.block(bench, top_m=0.5, colour=_WOOD)
            builder.block(bench.part(0, -0.2, length_m=1.8, width_m=0.12), top_m=0.95, colour=_WOOD)


def bus_stop(builder: Builder, street: Street, *, along_m: float, side: int) -> None:
    """Put up a shelter with a glass roof and a post, on the pavement of a street."""
    x_m, y_m, turn = street.at(along_m, side * (street.width_m / 2 + 2.2))
    shelter = Rectangle(x_m=x_m, y_m=y_m, length_m=4.2, width_m=1.5, turn_deg=turn)
    builder.block(shelter, top_m=2.6, base_m=2.0, colour=_GLASS_ROOF)
    builder.block(shelter.part(0, side * 0.65, length_m=4.2, width_m=0.14), top_m=2.6, colour=_GLASS_ROOF)
    builder.block(shelter.part(3.4, -side * 1.9, length_m=0.3, width_m=0.3), top_m=2.8, colour=_YELLOW)


def signals(builder: Builder, crossing: Crossing) -> None:
    """Stand traffic lights at the four approaches of a crossing."""
    for street in (crossing.street, crossing.other):
        along_m, half_m = crossing.place_on(street)
        for side in (-1, 1):
            x_m, y_m, turn = street.at(along_m + side * (half_m + 4.4), -side * (street.width_m / 2 + 0.35))
            post = Rectangle(x_m=x_m, y_m=y_m, length_m=0.26, width_m=0.26, turn_deg=turn)
            builder.block(post, top_m=3.4, colour=_SIGNAL)


def fountain(builder: Builder, at: tuple[float, float]) -> None:
    """Build a round basin with a column and a bowl."""
    ground = Rectangle(x_m=at[0], y_m=at[1], length_m=6.4, width_m=6.4)
    builder.block(ground, top_m=0.6, colour=_STONE, material=Material.STONE, is_round=True)
    basin = ground.grown(length_m=-0.9, width_m=-0.9)
    builder.terrain.fill(
        [basin.at(2.75 * np.cos(a), 2.75 * np.sin(a)) for a in np.linspace(0, 6.2, 40)],
        colour=_WATER, material=Material.WATER,
    )  # fmt: skip
    for size_m, top_m, colour in ((1.9, 1.3, _STONE), (1.5, 1.35, _WATER), (0.5, 2.2, _STONE)):
        part = Rectangle(x_m=at[0], y_m=at[1], length_m=size_m, width_m=size_m)
        builder.block(part, top_m=top_m, colour=colour, material=Material.STONE, is_round=True)


def playground(builder: Builder, plan: Rectangle) -> None:
    """Lay out sand with a slide, swings, a roundabout and a climbing frame."""
    builder.cover(plan, colour=_SAND, material=Material.COURT)
    for step in range(6):
        slide = plan.part(-4.2 + 0.55 * step, -2.6, length_m=0.56, width_m=0.8)
        builder.block(slide, top_m=2.0 - 0.33 * step, colour=_RED)
    builder.block(plan.part(-4.9, -2.6, length_m=1.0, width_m=1.0), top_m=2.6, colour=_BLUE)
    beam = plan.part(3.4, 0, length_m=0.2, width_m=4.4)
    builder.block(beam, top_m=2.4, base_m=1.8, colour=_YELLOW)
    for across in (-2.2, 2.2):
        builder.block(beam.part(0, across, length_m=1.6, width_m=0.2), top_m=2.4, colour=_YELLOW)
    for across in (-0.9, 0.9):
        builder.block(beam.part(0, across, length_m=0.4, width_m=0.6), top_m=0.5, colour=_RED)
    builder.block(plan.part(-1.0, 2.6, length_m=2.4, width_m=2.4), top_m=0.5, colour=_BLUE, is_round=True)
    frame = plan.part(-4.6, 2.4, length_m=2.4, width_m=2.4)
    for along in (-1.0, 0.0, 1.0):
        for across in (-1.0, 0.0, 1.0):
            builder.block(frame.part(along, across, length_m=0.2, width_m=0.2), top_m=2.2, colour=_RED)
    builder.name("the playground", "green", plan)


def fence(builder: Builder, line: Line, *, top_m: float = 1.1, every_m: float = 2.0) -> None:
    """Put up a fence along a line: a thin rail on posts."""
    for (x1, y1), (x2, y2) in pairwise(line):
        length_m = float(np.hypot(x2 - x1, y2 - y1))
        turn = float(np.degrees(np.arctan2(y2 - y1, x2 - x1)))
        middle = Rectangle(
            x_m=(x1 + x2) / 2, y_m=(y1 + y2) / 2, length_m=length_m, width_m=0.12, turn_deg=turn
        )
        builder.block(middle, top_m=top_m, colour=_POST)
        for along in np.arange(-length_m / 2, length_m / 2, every_m).tolist():
            builder.block(middle.part(along, 0, length_m=0.2, width_m=0.2), top_m=top_m + 0.15, colour=_POST)
