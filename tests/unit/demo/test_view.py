from __future__ import annotations

import cv2
import numpy as np
import pytest

from annotator.demo.buildings import Building
from annotator.demo.camera import Camera
from annotator.demo.light import NOON
from annotator.demo.movers import Mover
from annotator.demo.rays import Rays
from annotator.demo.sky import haze_colour
from annotator.demo.stage import Stage
from annotator.demo.terrain import Material, Rectangle, Terrain
from annotator.demo.trace import Tracer
from annotator.demo.view import look

BOX = Rectangle(x_m=40, y_m=40, length_m=10, width_m=6, turn_deg=20)
HEIGHT_M = 7.0
SIZE = (640, 360)
BUILDING = Building(
    footprint=BOX, eaves_m=HEIGHT_M, roof="flat", roof_colour=(200, 200, 200), wall_colour=(180, 180, 180)
)
CAMERAS = [
    Camera.over(at=(40, 42), distance_m=60, heading_deg=0, tilt_deg=0),
    Camera.over(at=(41, 40), distance_m=55, heading_deg=70, tilt_deg=35, roll_deg=4),
    Camera.over(at=(38, 38), distance_m=65, heading_deg=-130, tilt_deg=25),
    Camera(x_m=20, y_m=62, altitude_m=6, heading_deg=40, tilt_deg=80, roll_deg=-7),
    Camera(x_m=40, y_m=58, altitude_m=1.6, heading_deg=5, tilt_deg=95),
]


def _land(*, base_m: float = 0.0) -> Terrain:
    land = Terrain.empty(width_m=80, depth_m=80, colour=(60, 120, 90))
    window = land.window(BOX)
    here = (window.rows, window.columns)
    land.height_m[here][window.inside] = HEIGHT_M
    land.base_m[here][window.inside] = base_m
    land.body[here][window.inside] = 0 if base_m else 1
    land.material[here][window.inside] = Material.LEAVES if base_m else Material.FLAT_ROOF
    land.colour[here][window.inside] = 200
    return land


def _hilly() -> Terrain:
    """Return the box among smooth hills, walls, crowns and posts."""
    land, rng = _land(), np.random.default_rng(4)
    y, x = np.mgrid[0:800, 0:800].astype(np.float32) / 10
    hills = (1.1 + np.sin(x / 4) * np.cos(y / 5)).astype(np.float32)
    land.height_m[:] = np.where(land.body == 0, hills, land.height_m)
    for _ in range(60):
        column, row = rng.integers(20, 780, 2)
        side = int(rng.integers(1, 6))
        land.height_m[row : row + side, column : column + side] += np.float32(rng.uniform(0.5, 5))
    return land


@pytest.fixture(scope="module")
def box() -> Stage:
    return Stage(_land(), buildings={1: BUILDING})


@pytest.fixture(scope="module")
def hills() -> Stage:
    return Stage(_hilly(), buildings={})


def _pixels(size: tuple[int, int]) -> np.ndarray:
    y, x = np.mgrid[0 : size[1], 0 : size[0]]
    return np.column_stack([x.ravel() + 0.5, y.ravel() + 0.5])


@pytest.mark.parametrize("camera", CAMERAS)
@pytest.mark.parametrize("size", [SIZE, (900, 500)])
def test_depth_when_land_is_level_then_it_is_that_of_the_plane(camera: Camera, size: tuple[int, int]) -> None:
    land = Terrain.empty(width_m=80, depth_m=80, colour=(60, 120, 90))
    seen = look(Stage(land, buildings={}), camera=camera, size_px=size)
    rays = np.column_stack([_pixels(size), np.ones(size[0] * size[1])]) @ camera.rays(size).T
    with np.errstate(divide="ignore"):
        expected = np.where(rays[:, 2] < 0, -camera.altitude_m / rays[:, 2], np.inf)
    # Ground that is kilometres away counts as sky.
    near = expected * np.linalg.norm(rays, axis=1) < 5_000
    assert near.any()
    np.testing.assert_allclose(seen.depth_m.ravel()[near], expected[near], rtol=2e-4)
    assert np.isinf(seen.depth_m.ravel()[np.isinf(expected)]).all()
    assert not seen.bodies.any()


@pytest.mark.parametrize("camera", CAMERAS[:4])
def test_box_when_seen_then_its_outline_is_where_geometry_puts_it(box: Stage, camera: Camera) -> None:
    corners = np.array([(x, y, h) for x, y in BOX.corners() for h in (0.0, HEIGHT_M)])
    expected = camera.project(corners, size_px=SIZE)
    rows, columns = np.nonzero(look(box, camera=camera, size_px=SIZE).bodies == 1)
    found = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    # Cells are 0.1 m: the nearest camera is 20 m away, where that is 2.5 pixels.
    assert found == pytest.approx((*expected.min(0), *expected.max(0)), abs=3)


@pytest.mark.parametrize("camera", CAMERAS[3:])
def test_wall_when_seen_then_its_points_lie_on_the_building_s_own_plane(box: Stage, camera: Camera) -> None:
    seen = look(box, camera=camera, size_px=SIZE)
    here = np.flatnonzero(seen.bodies == 1)
    depth = seen.depth_m.ravel()[here].astype(np.float64)
    points = camera.unproject(_pixels(SIZE)[here], depth_m=depth, size_px=SIZE)
    wall = points[(points[:, 2] > 0.5) & (points[:, 2] < HEIGHT_M - 0.5)]
    along, across = np.array([BOX.offset(x, y) for x, y, _ in wall]).T
    off = np.minimum(np.abs(np.abs(along) - 5), np.abs(np.abs(across) - 3))
    assert len(wall) > 5_000
    # At the corners a ray may end at a cell that reaches out of the building's plan.
    assert np.quantile(off, 0.97) < 0.001
    assert off.max() < 0.45


def _agreement(
    stage: Stage, one: Camera, two: Camera, *, size: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Follow what one camera sees to the other and back.

    Returns:
        Per pixel of the first that the second could see: how much nearer than expected the second meets
        something, as a share of its depth; and the distance in pixels from there and back.
    """
    pixels, depth = _pixels(size), look(stage, camera=one, size_px=size).depth_m.ravel().astype(np.float64)
    known = np.isfinite(depth)
    points = one.unproject(pixels[known], depth_m=depth[known], size_px=size)
    there, expected = two.project(points, size_px=size), two.depths(points)
    inside = (expected > 1) & ((there >= 0) & (there < size)).all(axis=1)
    x, y = there[inside].astype(np.float32).T
    hits = Tracer(stage.layers, camera=two, size_px=size).trace(Rays.through(two, x=x, y=y, size_px=size))
    met = np.minimum(hits.depth_m, 1e5).astype(np.float64)
    back = one.project(two.unproject(there[inside], depth_m=met, size_px=size), size_px=size)
    return 1 - met / expected[inside], np.hypot(*(back - pixels[known][inside]).T)


PAIRS = [
    (CAMERAS[1], CAMERAS[2]),
    (CAMERAS[0], CAMERAS[1]),
    (CAMERAS[3], CAMERAS[1]),
    (Camera(x_m=40, y_m=58, altitude_m=4, heading_deg=5, tilt_deg=85), CAMERAS[3]),
]


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_views_of_one_land_when_followed_there_and_back_then_they_agree_to_a_pixel(
    hills: Stage, one: Camera, two: Camera
) -> None:
    nearer, error_px = _agreement(hills, one, two, size=SIZE)
    agree = np.abs(nearer) < 0.004
    # What one camera sees is seen by the other, or something stands before it; never does the other see
    # something beyond, but for the rims of things, which a ray knows to half a pixel.
    assert agree.mean() > 0.85
    assert (nearer <= -0.004).mean() < 0.03
    assert (error_px[agree] <= 1).mean() > 0.985
    assert np.median(error_px[agree]) < 0.15


def test_crown_when_seen_from_the_side_then_one_looks_through_below_it() -> None:
    camera = Camera(x_m=40, y_m=62, altitude_m=1.6, heading_deg=0, tilt_deg=90)
    solid, floating = (
        look(Stage(_land(base_m=base), buildings={}), camera=camera, size_px=SIZE).depth_m
        for base in (0.0, 5.0)
    )
    # Level rays go below the crown to the horizon, and end at the solid box.
    level = SIZE[1] // 2 - 1
    assert solid[level, SIZE[0] // 2] == pytest.approx(18, abs=2)
    assert floating[level, SIZE[0] // 2] > 1_000
    top = camera.project(np.array([(40.0, 43.2, 6.0)]), size_px=SIZE)[0]
    assert floating[int(top[1]), int(top[0])] == pytest.approx(solid[int(top[1]), int(top[0])], abs=0.3)


def test_crown_when_stood_under_then_it_is_overhead_at_its_underside() -> None:
    camera = Camera(x_m=40, y_m=40, altitude_m=1.6, heading_deg=0, tilt_deg=150)
    seen = look(Stage(_land(base_m=5.0), buildings={}), camera=camera, size_px=SIZE)
    ray = camera.rays(SIZE) @ (SIZE[0] / 2, SIZE[1] / 2, 1)
    assert seen.depth_m[SIZE[1] // 2, SIZE[0] // 2] == pytest.approx((5.0 - 1.6) / ray[2], rel=0.02)


def test_mover_when_under_a_crown_then_it_is_seen_from_the_side_and_hidden_from_above() -> None:
    stage = Stage(_land(base_m=5.0), buildings={})
    stage.place([Mover(number=900, kind="car", x_m=40, y_m=40, turn_deg=0, colour=(40, 40, 200))])
    above, beside = (look(stage, camera=c, size_px=SIZE).bodies for c in (CAMERAS[0], CAMERAS[4]))
    assert not (above == 900).any()
    assert (beside == 900).sum() > 500


def test_picture_when_taken_twice_then_it_is_the_same(hills: Stage) -> None:
    one, two = (look(hills, camera=CAMERAS[3], size_px=SIZE) for _ in range(2))
    assert (one.image == two.image).all()
    assert (one.depth_m == two.depth_m).all()


def test_image_when_compared_with_the_ids_then_both_have_their_edges_at_the_same_pixels(box: Stage) -> None:
    seen = look(box, camera=CAMERAS[0], size_px=SIZE)
    roof = (seen.bodies == 1).astype(np.uint8)
    # Grey roof on green land: what the picture shows as roof is what the ids say, but for mixed pixels.
    blue, green = (seen.image[..., k].astype(int) for k in (0, 1))
    inner, outer = (morph(roof, np.ones((3, 3), np.uint8)) for morph in (cv2.erode, cv2.dilate))
    assert (green - blue)[inner == 1].max() < 7
    assert (green - blue)[outer == 0].min() > 7


def test_land_s_edge_when_looked_over_then_fields_go_on_and_fade_into_the_haze(box: Stage) -> None:
    camera = Camera(x_m=40, y_m=79, altitude_m=12, heading_deg=180, tilt_deg=80)
    seen = look(box, camera=camera, size_px=SIZE)
    far, near = seen.depth_m > 1_500, seen.depth_m < 60
    far &= np.isfinite(seen.depth_m)
    from_haze = np.abs(seen.image - haze_colour(NOON)).max(axis=2)
    assert far.sum() > 500
    assert from_haze[far].max() < 25
    assert from_haze[near].min() > 60
