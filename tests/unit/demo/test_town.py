from __future__ import annotations

import hashlib
from itertools import pairwise

import numpy as np
import pytest

from annotator.demo.movers import FIRST_MOVER
from annotator.demo.plan import DEPTH_M, SMALL_M, WIDTH_M, plan_of
from annotator.demo.terrain import Material
from annotator.demo.town import Town, build_town

SEED = 7


@pytest.fixture(scope="module")
def town() -> Town:
    return build_town(seed=SEED)


def _digest(town: Town) -> str:
    terrain = town.terrain
    digest = hashlib.sha256()
    for layer in (terrain.colour, terrain.height_m, terrain.base_m, terrain.material, terrain.body):
        digest.update(layer.tobytes())
    return digest.hexdigest()


def test_town_when_built_then_it_has_what_a_town_needs(town: Town) -> None:
    assert set(np.unique(town.terrain.material)) >= {
        Material.GRASS, Material.ASPHALT, Material.PAVING, Material.TILES, Material.FLAT_ROOF, Material.WATER,
        Material.SOIL, Material.LEAVES, Material.COURT, Material.TRUNK, Material.STONE, Material.METAL,
    }  # fmt: skip
    assert len(town.buildings) > 60
    assert len(town.spaces) > 80


def test_buildings_when_numbered_then_they_stay_below_the_movers(town: Town) -> None:
    assert max(town.buildings) < FIRST_MOVER
    assert set(np.unique(town.terrain.body)) - {0} == set(town.buildings)


def test_roads_when_houses_are_built_then_none_stands_on_them(town: Town) -> None:
    road = town.terrain.material == Material.ASPHALT
    assert (town.terrain.height_m[road] == 0).all()


def test_crowns_when_trees_are_planted_then_trunks_carry_them(town: Town) -> None:
    terrain = town.terrain
    trunk = terrain.material == Material.TRUNK
    assert trunk.sum() > 2000
    assert (terrain.base_m[trunk] == 0).all()
    # From above a trunk shows the leaves over it.
    assert np.median(terrain.height_m[trunk]) > 2
    assert (terrain.base_m[terrain.material == Material.LEAVES] > 0).mean() > 0.7


def test_landmarks_when_named_then_each_has_a_name_and_a_place_of_its_own(town: Town) -> None:
    names = [mark.name for mark in town.landmarks]
    assert len(set(names)) == len(names) > 20
    assert {"the church", "the school", "the car park", "the stadium", "the water tower", "the river"} <= set(
        names
    )
    for mark in town.landmarks:
        assert 0 <= mark.x_m <= WIDTH_M
        assert 0 <= mark.y_m <= DEPTH_M
        for body in mark.bodies:
            rows, columns = np.nonzero(town.terrain.body == body)
            x_m, y_m = columns.mean() / 10, rows.mean() / 10
            assert np.hypot(x_m - mark.x_m, y_m - mark.y_m) <= mark.radius_m


def test_districts_when_asked_for_a_place_then_the_right_one_holds_it(town: Town) -> None:
    marks = {mark.name: mark for mark in town.landmarks}
    for location, expected in (
        ("the church", "old centre"),
        ("the school", "school"),
        ("the crane", "works"),
    ):
        found = [d.name for d in town.districts if d.holds(marks[location].x_m, marks[location].y_m)]
        assert found == [expected]


def test_facades_when_buildings_have_uses_then_walls_are_divided_by_them(town: Town) -> None:
    by_use = {b.use: b for b in town.buildings.values()}
    assert {"house", "flats", "shop", "market", "hall", "school", "church", "tower", "office"} <= set(by_use)
    assert by_use["flats"].facade.storeys(by_use["flats"].eaves_m) == 4
    assert by_use["flats"].facade.balcony_every_m > 0
    shop = by_use["shop"]
    assert shop.facade.has_shops
    assert len(shop.facade.awning_colours) == len(shop.facade.doors_m) == round(shop.footprint.length_m / 5.5)
    for building in town.buildings.values():
        assert all(abs(door) < building.footprint.length_m / 2 for door in building.facade.doors_m)


def test_river_when_streets_cross_it_then_each_has_a_bridge(town: Town) -> None:
    terrain = town.terrain
    river = slice(2500, 2820)
    for street in town.plan.streets:
        if street.at(0, 0)[2] > 45:
            column = round(street.at(street.length_m - 60, 0)[0] * 10)
            assert (terrain.material[river, column] == Material.ASPHALT).all()
            assert (terrain.material[river, column + 200] == Material.WATER).sum() > 150
    bridges = [mark for mark in town.landmarks if mark.kind == "bridge"]
    assert len(bridges) == 4


def test_small_town_when_built_then_it_ends_before_the_river() -> None:
    town = build_town(seed=SEED, size="small")
    assert town.terrain.body.shape == (SMALL_M[1] * 10, SMALL_M[0] * 10)
    assert "the river" not in {mark.name for mark in town.landmarks}
    assert {incident.anomaly.kind for incident in town.incidents} == {"accident", "blocked road", "fire"}


@pytest.mark.slow
def test_town_when_built_twice_then_cells_are_equal(town: Town) -> None:
    again = build_town(seed=SEED)
    assert _digest(again) == _digest(town)
    assert again.buildings == town.buildings
    assert again.landmarks == town.landmarks
    assert _digest(build_town(seed=SEED + 1)) != _digest(town)


@pytest.mark.slow
def test_large_town_when_built_then_its_quarters_join_without_a_step(town: Town) -> None:
    large = build_town(seed=SEED, size="large")
    terrain, seam = large.terrain, round(WIDTH_M * 10)
    assert terrain.body.shape[1] == 2 * seam
    numbers = set(np.unique(terrain.body).tolist()) - {0}
    assert numbers == set(large.buildings)
    assert len({mark.name for mark in large.landmarks}) == len(large.landmarks) == 2 * len(town.landmarks)
    for material in (Material.ASPHALT, Material.WATER):
        left, right = (terrain.material[:, seam + side] == material for side in (-1, 0))
        # Rounded to cells, and patches of newer asphalt end anywhere, 2 m of all edges may differ.
        assert (left != right).sum() / 10 < 2.0
        assert (left & right).sum() / 10 > 15
    far = next(mark for mark in large.landmarks if mark.name == "the far church")
    rows, columns = np.nonzero(np.isin(terrain.body, far.bodies))
    assert np.hypot(columns.mean() / 10 - far.x_m, rows.mean() / 10 - far.y_m) < far.radius_m


@pytest.mark.parametrize("size", ["small", "standard", "large"])
def test_plan_when_streets_cross_then_both_pass_through_the_crossing(size: str) -> None:
    plan = plan_of(size)  # type: ignore[arg-type]
    assert len(plan.crossings) == 9 * plan.quarters
    for crossing in plan.crossings:
        for street in (crossing.street, crossing.other):
            x_m, y_m, _ = street.at(crossing.place_on(street)[0], 0)
            assert (x_m, y_m) == pytest.approx((crossing.x_m, crossing.y_m), abs=0.15)


def test_street_when_followed_then_direction_turns_without_jumps() -> None:
    avenue = plan_of("large").avenue
    along = np.arange(0, avenue.length_m, 0.5)
    x_m, y_m, turn = avenue.points_along(along, across_m=np.zeros(1))
    assert np.abs(np.diff(turn)).max() < 0.3
    assert np.hypot(np.diff(x_m), np.diff(y_m)) == pytest.approx(0.5, abs=0.01)
    heading = np.degrees(np.arctan2(np.diff(y_m), np.diff(x_m)))
    assert np.abs(heading - turn[1:]).max() < 1
    assert all(b > a for a, b in pairwise(x_m.tolist()))
