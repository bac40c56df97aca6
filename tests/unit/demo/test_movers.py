from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from annotator.demo.movers import Mover, place
from annotator.demo.paint import CAR_COLOURS, CLOTHES, LARGE_COLOURS, colour_name
from annotator.demo.shapes import LYING_M, SIZES_M, Kind, shape_of
from annotator.demo.terrain import CELLS_PER_M, Material, Terrain, colour_of

KINDS: tuple[Kind, ...] = get_args(Kind)


def _land() -> Terrain:
    return Terrain.empty(width_m=30, depth_m=30, colour=colour_of("336699"))


def _mover(kind: Kind, *, turn_deg: float = 0.0, x_m: float = 15.0, ground_m: float = 0.0) -> Mover:
    return Mover(
        number=1001, kind=kind, x_m=x_m, y_m=15, turn_deg=turn_deg, colour=CAR_COLOURS[0], ground_m=ground_m
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("turn_deg", [0.0, 37.0, 210.0])
def test_mover_when_placed_then_it_covers_its_plan_up_to_its_height(kind: Kind, turn_deg: float) -> None:
    land, mover = _land(), _mover(kind, turn_deg=turn_deg)
    place(land, mover=mover)
    rows, columns = np.nonzero(land.body == 1001)
    x_m, y_m = (columns + 0.5) / CELLS_PER_M, (rows + 0.5) / CELLS_PER_M
    offsets = [mover.plan.offset(x, y) for x, y in zip(x_m.tolist(), y_m.tolist(), strict=True)]
    along, across = np.abs(np.array(offsets)).T
    length, width, height = SIZES_M[kind]
    assert along.max() == pytest.approx(length / 2, abs=0.13)
    assert across.max() == pytest.approx(width / 2, abs=0.13)
    assert land.height_m.max() == pytest.approx(height, abs=0.06)
    material = Material.PERSON if kind == "person" else Material.VEHICLE
    assert set(land.material[land.body == 1001].tolist()) == {material}


def test_mover_when_something_higher_stands_there_then_it_stays_hidden() -> None:
    land = _land()
    land.height_m[:, 150:] = 6.0
    land.base_m[:, 150:] = 4.0
    place(land, mover=_mover("car"))
    columns = np.nonzero(land.body == 1001)[1]
    assert len(columns) > 100
    assert columns.max() < 150


def test_mover_when_on_a_deck_then_it_stands_on_top_of_it() -> None:
    land = _land()
    land.height_m[:] = 1.3
    place(land, mover=_mover("person", ground_m=1.3))
    assert land.height_m.max() == pytest.approx(1.3 + 1.75, abs=0.05)


@pytest.mark.parametrize("x_m", [-50.0, 90.0])
def test_mover_when_outside_then_nothing_changes(x_m: float) -> None:
    land = _land()
    place(land, mover=_mover("bus", x_m=x_m))
    assert not land.body.any()


def test_mover_when_at_the_edge_then_what_is_inside_is_drawn() -> None:
    land = _land()
    place(land, mover=_mover("bus", x_m=0.0))
    columns = np.nonzero(land.body == 1001)[1]
    assert (columns.min(), columns.max()) == (0, pytest.approx(57, abs=1))


def test_person_when_lying_then_it_is_long_and_low() -> None:
    land = _land()
    lying = Mover(number=7, kind="person", x_m=15, y_m=15, turn_deg=0, colour=CLOTHES[0], pose="lying")
    place(land, mover=lying)
    columns = np.nonzero(land.body == 7)[1]
    assert np.ptp(columns) / CELLS_PER_M == pytest.approx(LYING_M[0], abs=0.2)
    assert land.height_m.max() < 0.4


def test_vehicles_when_painted_then_the_paint_shows_and_kinds_differ() -> None:
    blue = colour_of("3f6ea8")
    for kind in ("car", "van", "pick-up", "lorry", "bus"):
        shape = shape_of(kind, colour=blue)
        assert (shape.colour == blue).all(axis=2).mean() > 0.15
    heights = {kind: shape_of(kind, colour=blue).height_m.tobytes() for kind in KINDS}
    assert len(set(heights.values())) == len(KINDS)


@pytest.mark.parametrize("kind", ["ambulance", "fire engine", "police van"])
def test_rescue_when_drawn_then_blue_lights_are_on_top(kind: Kind) -> None:
    shape = shape_of(kind, colour=colour_of("d9dbdb"))
    lights = (shape.colour == colour_of("2f7dff")).all(axis=2)
    assert lights.sum() > 20
    assert shape.height_m[lights].max() >= shape.height_m.max() - 0.3


@pytest.mark.parametrize(
    ("kind", "colour", "category"),
    [
        ("car", "a8443a", "red car"),
        ("bus", "c2a55a", "yellow bus"),
        ("person", "d0712f", "person in orange"),
        ("ambulance", "d9dbdb", "ambulance"),
        ("fire engine", "a8443a", "fire engine"),
    ],
)
def test_category_when_asked_then_it_is_what_people_say(kind: Kind, colour: str, category: str) -> None:
    mover = Mover(number=1, kind=kind, x_m=0, y_m=0, turn_deg=0, colour=colour_of(colour))
    assert mover.category == category


def test_colours_when_used_then_each_has_a_word() -> None:
    words = {colour_name(c) for c in (*CAR_COLOURS, *LARGE_COLOURS, *CLOTHES)}
    assert {"white", "grey", "black", "blue", "red", "green", "yellow", "orange", "brown", "beige"} <= words
