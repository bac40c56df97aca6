from __future__ import annotations

import numpy as np
import pytest

from annotator.demo.buildings import Building
from annotator.demo.camera import Camera
from annotator.demo.terrain import Material, Rectangle, Terrain
from annotator.demo.view import Seen, look
from annotator.demo.walls import wall_colour

BOX = Rectangle(x_m=40, y_m=40, length_m=10, width_m=6, turn_deg=20)
HEIGHT_M = 7.0
CAMERAS = [
    Camera.over(at=(40, 42), distance_m=60, heading_deg=0, tilt_deg=0),
    Camera.over(at=(41, 40), distance_m=55, heading_deg=70, tilt_deg=35, roll_deg=4),
    Camera.over(at=(38, 38), distance_m=65, heading_deg=-130, tilt_deg=25),
]


def _land(*, base_m: float = 0.0) -> Terrain:
    land = Terrain.empty(width_m=80, depth_m=80, colour=(60, 120, 90))
    window = land.window(BOX)
    here = (window.rows, window.columns)
    land.height_m[here][window.inside] = HEIGHT_M
    land.base_m[here][window.inside] = base_m
    land.body[here][window.inside] = 1
    land.material[here][window.inside] = Material.FLAT_ROOF
    land.colour[here][window.inside] = 200
    return land


def _seen(land: Terrain, camera: Camera) -> Seen:
    return look(land, lit=land.colour.astype(np.float32), camera=camera, buildings={})


@pytest.mark.parametrize("camera", CAMERAS)
def test_box_when_seen_then_its_outline_is_where_geometry_puts_it(camera: Camera) -> None:
    corners = np.array([(x, y, h) for x, y in BOX.corners() for h in (0.0, HEIGHT_M)])
    expected = camera.project(corners)
    rows, columns = np.nonzero(_seen(_land(), camera).bodies == 1)
    found = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    assert found == pytest.approx((*expected.min(0), *expected.max(0)), abs=5)


def test_views_of_one_place_when_compared_then_they_agree_on_where_the_roof_is() -> None:
    colours = []
    for camera in CAMERAS:
        x, y = camera.project(np.array([(BOX.x_m, BOX.y_m, HEIGHT_M)]))[0]
        colours.append(_seen(_land(), camera).image[round(y), round(x)].tolist())
    assert colours == [[200, 200, 200]] * 3


def test_crown_when_seen_from_the_side_then_one_looks_into_its_shade_below() -> None:
    camera = Camera.over(at=(40, 40), distance_m=50, heading_deg=20, tilt_deg=45)
    solid, floating = (_seen(_land(base_m=base), camera).image.sum(axis=2) for base in (0.0, 5.0))
    land, roof = 60 + 120 + 90, 600
    assert set(np.unique(solid[solid < land])) == set()
    shade = floating < 0.8 * land
    assert shade.sum() > 2000
    # The shade begins where the lower edge of the roof's side is, below the roof in the picture.
    rows = np.flatnonzero(shade.any(axis=1)).mean()
    assert rows > np.flatnonzero((floating == roof).any(axis=1)).mean()


def test_distance_when_looking_straight_down_then_it_is_the_altitude_less_the_height() -> None:
    camera = CAMERAS[0]
    distance = _seen(_land(), camera).distance_m
    x, y = camera.project(np.array([(BOX.x_m, BOX.y_m, HEIGHT_M)]))[0]
    assert distance[round(y), round(x)] == pytest.approx(60 - HEIGHT_M, abs=0.6)
    assert distance[360, 100] > 60


def test_wall_when_it_faces_the_sun_then_it_is_brighter_than_the_one_behind() -> None:
    plan = Rectangle(x_m=0, y_m=0, length_m=10, width_m=10)
    building = Building(
        footprint=plan, eaves_m=3, roof="flat", roof_colour=(0, 0, 0), wall_colour=(180, 180, 180)
    )
    # South and north wall, below the windows' sills; the sun stands in the south-west.
    south, north = wall_colour(
        building, x_m=np.array([0.0, 0.0]), y_m=np.array([5.0, -5.0]), height_m=np.array([0.5, 0.5])
    )
    assert south.sum() > 1.3 * north.sum()


def test_wall_when_it_has_a_storey_then_windows_repeat_along_it() -> None:
    plan = Rectangle(x_m=0, y_m=0, length_m=20, width_m=10)
    building = Building(
        footprint=plan, eaves_m=6, roof="flat", roof_colour=(0, 0, 0), wall_colour=(180, 180, 180)
    )
    along = np.linspace(-9, 9, 500)
    row = wall_colour(building, x_m=along, y_m=np.full(500, 5.0), height_m=np.full(500, 1.6)).sum(axis=1)
    assert np.count_nonzero(np.diff(row < row.mean())) >= 10
