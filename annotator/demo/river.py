"""The river: its course, banks, bridges and the promenade beside it."""

from __future__ import annotations

import numpy as np

from annotator.demo.builder import GRAVEL, Builder
from annotator.demo.furniture import benches, light_path
from annotator.demo.grain import field
from annotator.demo.plan import WIDTH_M
from annotator.demo.streets import Street
from annotator.demo.terrain import CELLS_PER_M, Colour, Material, Rectangle, colour_of, shaded

RIVER = Street(
    name="the river",
    # One wave for each quarter, so that the river of a large town goes on without a kink.
    axis=tuple(
        (x, 266 + 5 * float(np.sin(2 * np.pi * x / WIDTH_M))) for x in np.arange(-10.0, 411.0, 5).tolist()
    ),
    width_m=19.0,
)
"""The river as a way from west to east; also the way of the boats."""
FOOTBRIDGE_X_M = 272.0
DECK_M = 1.3
"""Height of the footbridge's deck."""

_WATER = (colour_of("44564f"), colour_of("52665c"))
_STONES = colour_of("8f8775")
_REED = colour_of("6d7039")
_BANK = colour_of("75683f")
_QUAY = colour_of("a39a8a")
_PLANKS = colour_of("8c6f4f")
_RAIL = colour_of("c6c2b6")
_STEEL = colour_of("4f6370")
_RAMP_M = 9.0


def dig_river(builder: Builder) -> None:
    """Paint water and banks; streets that are paved later cross it on bridges."""
    terrain = builder.terrain
    for width_m, colour, material in (
        (32.0, _BANK, Material.GRASS),
        (27.0, _REED, Material.SOIL),
        (22.0, _STONES, Material.SOIL),
    ):
        terrain.stroke(RIVER.axis, width_m=width_m, colour=colour, material=material)
    terrain.stroke(RIVER.axis, width_m=RIVER.width_m, colour=_WATER[0], material=Material.WATER)
    _ripple(builder)
    # The southern bank keeps the sun from the water at its foot.
    for across_m, share in ((9.1, 0.62), (8.3, 0.8)):
        line = RIVER.beside(across_m)
        terrain.stroke(line, width_m=1.2, colour=shaded(_WATER[0], share), material=Material.WATER)
    builder.district("riverside", west=0, north=247, east=WIDTH_M, south=285)
    builder.name("the river", "water", Rectangle(x_m=200, y_m=266, length_m=WIDTH_M, width_m=19))


def _ripple(builder: Builder) -> None:
    terrain = builder.terrain
    first = int(250 * CELLS_PER_M)
    rows = slice(first, int(282 * CELLS_PER_M))
    is_water = terrain.material[rows] == Material.WATER
    spots = field(is_water.shape, period_m=2.2, rng=builder.rng) + field(
        is_water.shape, period_m=9.0, rng=builder.rng
    )
    share = np.clip(0.5 + 0.4 * spots[is_water], 0, 1)[:, None]
    low, high = (np.array(c, np.float32) for c in _WATER)
    terrain.colour[rows][is_water] = (low * (1 - share) + high * share).astype(np.uint8)


def _stone(builder: Builder, *, along_m: float, across_m: float) -> None:
    x_m, y_m, turn = RIVER.at(along_m, across_m)
    size_m = builder.between(0.4, 1.3)
    if not builder.terrain.is_clear(x_m, y_m, radius_m=size_m, materials=(Material.SOIL, Material.WATER)):
        return
    stone = Rectangle(x_m=x_m, y_m=y_m, length_m=size_m, width_m=0.7 * size_m, turn_deg=turn + size_m * 90)
    colour = shaded(_STONES, builder.between(0.8, 1.2))
    builder.block(
        stone, top_m=builder.between(0.2, 0.6), colour=colour, material=Material.STONE, is_round=True
    )


def build_bridges(builder: Builder) -> None:
    """Put parapets on the bridges of the streets, a footbridge beside, and stones on the banks."""
    for street in builder.plan.streets:
        # Streets from north to south cross the river; the others run beside it.
        if abs(street.at(0, 0)[2]) > 45:
            _parapets(builder, street)
    _footbridge(builder)
    for side in (-1, 1):
        for along in builder.rng.uniform(0, RIVER.length_m, 260).tolist():
            _stone(builder, along_m=along, across_m=side * builder.between(9.6, 11.4))


def _parapets(builder: Builder, street: Street) -> None:
    x_m = street.at(street.length_m / 2, 0)[0]
    middle_m = street.along(x_m, RIVER.at(x_m + 10, 0)[1])
    edge_m = street.width_m / 2 + street.pavement_m
    bridge = Rectangle(x_m=0, y_m=0, length_m=27, width_m=2 * edge_m)
    for side in (-1, 1):
        for part_m in np.arange(-13.0, 13.1, 2.0).tolist():
            x_m, y_m, turn = street.at(middle_m + part_m, side * (edge_m - 0.2))
            rail = Rectangle(x_m=x_m, y_m=y_m, length_m=2.1, width_m=0.4, turn_deg=turn)
            builder.block(rail, top_m=1.0, colour=_RAIL, material=Material.STONE)
        for part_m in (-13.6, 13.6):
            x_m, y_m, turn = street.at(middle_m + part_m, side * (edge_m + 0.3))
            pier = Rectangle(x_m=x_m, y_m=y_m, length_m=1.2, width_m=1.0, turn_deg=turn)
            builder.block(pier, top_m=1.7, colour=_RAIL, material=Material.STONE)
    x_m, y_m, _ = street.at(middle_m, 0)
    rectangle = Rectangle(x_m=x_m, y_m=y_m, length_m=bridge.length_m, width_m=bridge.width_m)
    builder.name(f"the bridge of {street.name}", "bridge", rectangle)


def _footbridge(builder: Builder) -> None:
    x_m, y_m, turn = RIVER.at(FOOTBRIDGE_X_M + 10, 0)
    deck = Rectangle(x_m=x_m, y_m=y_m, length_m=24, width_m=3.0, turn_deg=turn + 90)
    builder.block(deck, top_m=DECK_M, base_m=0.7, colour=_PLANKS)
    for along in np.arange(-12, 12, 0.5).tolist():
        plank = deck.part(along, 0, length_m=0.12, width_m=2.6)
        builder.cover(plank, colour=shaded(_PLANKS, 0.8), material=Material.METAL)
    for end in (-1, 1):
        for step in np.arange(0, _RAMP_M, 0.5).tolist():
            ramp = deck.part(end * (12.25 + step), 0, length_m=0.55, width_m=3.0)
            top_m = DECK_M * (1 - (step + 0.5) / _RAMP_M)
            builder.block(ramp, top_m=max(0.05, top_m), colour=_QUAY, material=Material.PAVING)
    for side in (-1, 1):
        rail = deck.part(0, side * 1.4, length_m=24, width_m=0.16)
        builder.block(rail, top_m=DECK_M + 1.0, base_m=0.7, colour=_STEEL)
    builder.name("the footbridge", "bridge", deck)


def build_promenade(builder: Builder) -> None:
    """Lay a path with benches, lamps and trees along the northern bank, and one along the southern."""
    for across_m, colour in ((-16.5, _QUAY), (17.5, GRAVEL)):
        for start_m, end_m in _between_streets(builder):
            line = RIVER.beside(across_m, from_m=start_m, to_m=end_m)
            builder.terrain.stroke(line, width_m=2.6, colour=colour, material=Material.PAVING)
            benches(builder, line, every=9)
            light_path(builder, line, every=8)
    for side in (-1, 1):
        for along in np.arange(6, RIVER.length_m, 9.0).tolist():
            x_m, y_m, _ = RIVER.at(along + builder.between(-2, 2), side * builder.between(12.5, 14))
            ground: Colour = builder.pick((_BANK, _REED))
            is_free = builder.terrain.is_clear(
                x_m, y_m, radius_m=1.2, materials=(Material.GRASS, Material.SOIL)
            )
            if is_free and ground == _REED:
                builder.tree((x_m, y_m), width_m=builder.between(3, 6.5), needles=0)


def _between_streets(builder: Builder) -> list[tuple[float, float]]:
    """Return the stretches of the river between the streets that cross it, metres along it."""
    reach_m = 7.0
    crossed = sorted(
        RIVER.along(s.at(s.length_m - 60, 0)[0], 266.0)
        for s in builder.plan.streets
        if abs(s.at(0, 0)[2]) > 45
    )
    edges = [
        0.0,
        *(edge for position in crossed for edge in (position - reach_m, position + reach_m)),
        RIVER.length_m,
    ]
    return list(zip(edges[::2], edges[1::2], strict=True))
