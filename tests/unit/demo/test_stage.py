from __future__ import annotations

import numpy as np
import pytest

from annotator.demo.light import NOON
from annotator.demo.movers import Mover
from annotator.demo.stage import Stage, Texture
from annotator.demo.terrain import CELLS_PER_M, Material, Terrain


def _car(number: int, x_m: float, y_m: float) -> Mover:
    return Mover(number=number, kind="car", x_m=x_m, y_m=y_m, turn_deg=30, colour=(40, 40, 200))


def _land() -> Terrain:
    land = Terrain.empty(width_m=40, depth_m=30, colour=(60, 120, 90))
    land.colour[:] = np.random.default_rng(1).integers(40, 160, land.colour.shape)
    land.height_m[100:140, 300:330] = 6
    land.base_m[100:140, 300:330] = 3
    land.material[100:140, 300:330] = Material.LEAVES
    return land


@pytest.fixture
def stage() -> Stage:
    return Stage(_land(), buildings={})


def _state(stage: Stage) -> list[np.ndarray]:
    ground = stage.ground
    layers = (ground.height_m, ground.colour, ground.body, ground.material, stage.rim_m)
    return [layer.copy() for layer in (*layers, stage.ground_texture.atlas)]


def test_movers_when_taken_away_then_the_land_is_as_it_was(stage: Stage) -> None:
    before = _state(stage)
    stage.place([_car(900, 10, 10), _car(901, 13, 11)])
    assert (stage.ground.body == 900).any()
    stage.place([])
    assert all((one == two).all() for one, two in zip(before, _state(stage), strict=True))


def test_movers_when_they_move_then_the_land_is_as_if_placed_there_first(stage: Stage) -> None:
    other = Stage(_land(), buildings={})
    stage.place([_car(900, 10, 10), _car(901, 13, 11)])
    stage.place([_car(900, 20, 12), _car(901, 22, 13.5)])
    other.place([_car(900, 20, 12), _car(901, 22, 13.5)])
    assert all((one == two).all() for one, two in zip(_state(stage), _state(other), strict=True))


def test_mover_when_placed_then_its_shadow_falls_away_from_the_sun_as_far_as_it_is_high(stage: Stage) -> None:
    bare = stage.ground_texture.atlas.copy()
    stage.place([_car(900, 10, 10)])
    rows, columns = stage.ground.body.shape
    darker = stage.ground_texture.atlas[:rows, :columns].astype(int).sum(2) < 0.8 * bare[:rows, :columns].sum(
        2
    )
    darker &= stage.ground.body == 0
    y, x = np.nonzero(darker)
    away = -NOON.to_sun[:2]
    assert len(y) > 50
    assert (x.mean() / CELLS_PER_M - 10) * away[0] > 0
    assert (y.mean() / CELLS_PER_M - 10) * away[1] > 0
    reach = 1.45 * np.hypot(*away) / NOON.to_sun[2] + 2.7
    assert np.hypot(x / CELLS_PER_M - 10, y / CELLS_PER_M - 10).max() < reach


def test_movers_when_outside_of_what_is_asked_for_then_they_are_left_out(stage: Stage) -> None:
    stage.place([_car(900, 10, 10), _car(901, 25, 25)], around=(0, 0, 15, 15))
    assert set(np.unique(stage.ground.body)) == {0, 900}


def test_mover_when_parked_then_it_stays_and_is_placed_no_more(stage: Stage) -> None:
    stage.park([_car(900, 10, 10)])
    stage.place([_car(900, 20, 20), _car(901, 30, 25)])
    rows, columns = np.nonzero(stage.ground.body == 900)
    assert (columns.mean() / CELLS_PER_M, rows.mean() / CELLS_PER_M) == pytest.approx((10, 10), abs=0.2)
    stage.place([])
    assert set(np.unique(stage.ground.body)) == {0, 900}


def test_ground_when_under_a_crown_then_it_is_bare_and_in_the_shade(stage: Stage) -> None:
    under, open_ground = (slice(110, 130), slice(305, 325)), (slice(200, 220), slice(50, 70))
    assert (stage.ground.height_m[under] == 0).all()
    assert (stage.ground.material[under] == Material.GRASS).all()
    atlas = stage.ground_texture.atlas
    assert atlas[under].mean() < 0.7 * atlas[open_ground].mean()


def test_texture_when_a_pixel_covers_many_cells_then_the_colour_is_their_mean() -> None:
    picture = np.random.default_rng(2).integers(0, 255, (160, 240, 3), dtype=np.uint8)
    texture = Texture.of(picture)
    column, row = np.array([100.0], np.float32), np.array([60.0], np.float32)
    near = texture.sampled(column, row, span=np.array([1.0], np.float32))[0]
    far = texture.sampled(column, row, span=np.array([20.0], np.float32))[0]
    assert near.tolist() == picture[60, 100].tolist()
    assert far.astype(float) == pytest.approx(picture[44:76, 84:116].mean((0, 1)), abs=12)


def test_texture_when_a_part_is_coarsened_again_then_it_equals_a_new_one() -> None:
    picture = np.random.default_rng(3).integers(0, 255, (90, 130, 3), dtype=np.uint8)
    texture = Texture.of(picture)
    cells = (slice(33, 71), slice(17, 126))
    texture.atlas[cells] = 7
    texture.coarsen(cells)
    picture[cells] = 7
    assert (texture.atlas == Texture.of(picture).atlas).all()
