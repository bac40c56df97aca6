from __future__ import annotations

import cv2
import numpy as np
import pytest

from annotator.demo.moments import MOMENTS
from annotator.demo.plan import DEPTH_M, WIDTH_M
from annotator.demo.terrain import Material
from annotator.demo.town import Town, build_town
from annotator.demo.traffic import FIRST_MOVER, Traffic

SEED = 7


@pytest.fixture(scope="module")
def town() -> Town:
    return build_town(seed=SEED)


def test_town_when_built_then_it_has_what_a_town_needs(town: Town) -> None:
    assert set(np.unique(town.terrain.material)) >= {
        Material.GRASS, Material.ASPHALT, Material.PAVING, Material.TILES, Material.FLAT_ROOF, Material.WATER,
        Material.SOIL, Material.LEAVES, Material.COURT,
    }  # fmt: skip
    assert len(town.buildings) > 50
    assert len(town.spaces) > 60


def test_buildings_when_numbered_then_they_stay_below_the_movers(town: Town) -> None:
    assert max(town.buildings) < FIRST_MOVER
    assert set(np.unique(town.terrain.body)) - {0} <= set(town.buildings)


def test_roads_when_houses_are_built_then_none_stands_on_them(town: Town) -> None:
    road = town.terrain.material == Material.ASPHALT
    assert (town.terrain.height_m[road] == 0).all()


def test_cameras_when_they_look_then_no_picture_leaves_the_town() -> None:
    for moment in MOMENTS:
        for shot in moment.shots:
            (west, north), (east, south) = (f(shot.camera.footprint(), axis=0) for f in (np.min, np.max))
            assert west >= 0
            assert north >= 0
            assert east <= WIDTH_M
            assert south <= DEPTH_M


def test_traffic_when_placed_then_no_two_stand_in_one_place(town: Town) -> None:
    movers = Traffic(town, seed=SEED, time_s=0).movers()
    plans = [m.plan for m in movers]
    boxes = [((p.x_m, p.y_m), (p.length_m, p.width_m), p.turn_deg) for p in plans]
    near = [
        (one, two)
        for n, one in enumerate(boxes)
        for two in boxes[:n]
        if abs(one[0][0] - two[0][0]) < 12 and abs(one[0][1] - two[0][1]) < 12
    ]
    assert len(near) > 100
    assert all(cv2.rotatedRectangleIntersection(*pair)[0] == cv2.INTERSECT_NONE for pair in near)


def test_traffic_when_time_passes_then_drivers_move_and_parked_cars_stay(town: Town) -> None:
    before, after = ({m.number: m for m in Traffic(town, seed=SEED, time_s=t).movers()} for t in (0, 4))
    both = before.keys() & after.keys()
    moved = [n for n in both if (before[n].x_m, before[n].y_m) != (after[n].x_m, after[n].y_m)]
    assert all(before[n].colour == after[n].colour for n in both)
    assert len(moved) > 50
    assert len(both) - len(moved) > 50
    assert {before[n].kind for n in both} == {"car", "van", "bus", "person"}


@pytest.mark.slow
def test_town_when_built_twice_then_cells_are_equal(town: Town) -> None:
    again = build_town(seed=SEED)
    for layer in ("colour", "height_m", "base_m", "material", "body"):
        assert (getattr(town.terrain, layer) == getattr(again.terrain, layer)).all()
    assert again.buildings == town.buildings
