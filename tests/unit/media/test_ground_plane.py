from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.demo.camera import Camera
from annotator.domain.trajectory import Pose
from annotator.errors import UserError
from annotator.media.camera_homography import camera_homography
from annotator.media.ground_plane import (
    IDENTITY,
    Homography,
    PlaneTransform,
    Points,
    estimate,
    homography_of,
    plane_transform,
)

SIZE = (1280, 720)
SEED = 11
RANDOM = np.random.default_rng(SEED)


@pytest.fixture(autouse=True)
def same_numbers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin with the same numbers in each test, whichever ran before it."""
    monkeypatch.setattr(f"{__name__}.RANDOM", np.random.default_rng(SEED))


def a_camera(heading_deg: float = 30.0, *, tilt_deg: float = 40.0, distance_m: float = 60.0) -> Camera:
    return Camera.over(
        at=(150.0, 90.0), distance_m=distance_m, heading_deg=heading_deg, tilt_deg=tilt_deg, roll_deg=1.0
    )


def ground_of(camera: Camera, *, height_m: float = 0.0) -> Homography:
    pose = Pose(x_m=camera.x_m, y_m=-camera.y_m, z_m=camera.altitude_m, yaw_deg=0.0)
    found = camera_homography(
        pose, orientation=camera.orientation, intrinsics=camera.intrinsics(SIZE), height_m=height_m
    )
    assert found is not None
    return found


def on_the_ground(count: int, *, height_m: float = 0.0) -> Points:
    """Return points east, south and up around the place that the cameras look at, metres."""
    flat = RANDOM.uniform((135.0, 80.0), (165.0, 100.0), (count, 2))
    return np.column_stack([flat, np.full(count, height_m)])


def test_camera_when_points_lie_on_the_ground_then_its_pixels_lead_to_their_metres() -> None:
    camera, positions = a_camera(), on_the_ground(20)
    led = ground_of(camera).points(camera.project(positions, size_px=SIZE))
    assert led == pytest.approx(positions[:, :2] * (1, -1), abs=1e-8)


def test_camera_when_the_plane_lies_higher_then_it_is_that_plane() -> None:
    camera, positions = a_camera(), on_the_ground(5, height_m=1.5)
    led = ground_of(camera, height_m=1.5).points(camera.project(positions, size_px=SIZE))
    assert led == pytest.approx(positions[:, :2] * (1, -1), abs=1e-8)


def test_camera_when_it_is_not_above_the_plane_then_has_no_way_to_it() -> None:
    camera = a_camera()
    pose = Pose(x_m=0.0, y_m=0.0, z_m=2.0, yaw_deg=0.0)
    orientation, lens = camera.orientation, camera.intrinsics(SIZE)
    assert camera_homography(pose, orientation=orientation, intrinsics=lens, height_m=2.0) is None


def test_point_when_it_is_above_the_horizon_then_leads_nowhere() -> None:
    level = ground_of(Camera(x_m=0, y_m=0, altitude_m=1.7, heading_deg=0, tilt_deg=90.0))
    assert level.point(640.0, 300.0) is None
    assert level.point(640.0, 360.0) is None
    assert level.scale_at(640.0, 300.0) == level.scale_at(640.0, 360.0) == 0.0
    assert np.isnan(level.points(np.array([[640.0, 300.0]]))).all()
    position = level.point(640.0, 460.0)
    assert position == pytest.approx((0.0, 1.7 * 980 / 100), abs=1e-9)


def test_way_when_two_cameras_see_one_ground_then_leads_from_pixel_to_pixel_and_back() -> None:
    first, second = a_camera(30.0), a_camera(200.0, tilt_deg=55.0, distance_m=90.0)
    way = plane_transform(ground_of(first).numbers, ground_of(second).numbers)
    assert way is not None
    positions = on_the_ground(50)
    here, there = (camera.project(positions, size_px=SIZE) for camera in (first, second))
    assert way.points(here) == pytest.approx(there, abs=1e-6)
    assert PlaneTransform(here=way.there, there=way.here).points(there) == pytest.approx(here, abs=1e-6)


def test_way_when_the_place_lies_behind_the_other_camera_then_leads_nowhere() -> None:
    here = ground_of(a_camera(0.0, tilt_deg=0.0))
    there = ground_of(Camera(x_m=150.0, y_m=400.0, altitude_m=20.0, heading_deg=180.0, tilt_deg=60.0))
    way = PlaneTransform(here=here, there=there)
    assert way.point(640.0, 360.0) is None
    assert way.scale_at(640.0, 360.0) == 0.0


@given(x=st.floats(50, 1230), y=st.floats(50, 670))
def test_scale_when_compared_with_a_small_square_then_is_the_root_of_its_growth(x: float, y: float) -> None:
    way = PlaneTransform(here=ground_of(a_camera(30.0)), there=ground_of(a_camera(110.0, tilt_deg=30.0)))
    side = 1e-3
    corners = np.array([(x, y), (x + side, y), (x + side, y + side), (x, y + side)])
    a, b, c, d = way.points(corners)
    area = abs((c - a)[0] * (d - b)[1] - (c - a)[1] * (d - b)[0]) / 2
    assert way.scale_at(x, y) == pytest.approx(math.sqrt(area) / side, rel=1e-3)


@pytest.mark.parametrize(
    "numbers",
    [(), (1.0,) * 8, (1.0,) * 9, (0.0,) * 9, (math.nan, *IDENTITY[1:]), (*IDENTITY[:8], math.inf)],
)
def test_numbers_when_they_make_no_homography_then_there_is_none(numbers: tuple[float, ...]) -> None:
    assert homography_of(numbers) is None
    assert plane_transform(IDENTITY, numbers) is None


def test_numbers_when_written_then_make_the_same_homography() -> None:
    ground = ground_of(a_camera())
    again = homography_of(ground.numbers)
    assert again is not None
    assert again.point(300.0, 500.0) == pytest.approx(ground.point(300.0, 500.0))
    assert again.scale_at(300.0, 500.0) == pytest.approx(ground.scale_at(300.0, 500.0))
    identity = homography_of(IDENTITY)
    assert identity is not None
    assert identity.numbers == IDENTITY


@pytest.mark.parametrize("count", [4, 5, 40])
def test_estimate_when_points_are_exact_then_finds_the_camera_s_ground(count: int) -> None:
    camera, positions = a_camera(), on_the_ground(count)
    match = estimate(
        camera.project(positions, size_px=SIZE), positions[:, :2] * (1, -1), reach_px=3.0, is_metric=True
    )
    assert (match.points, match.fitting) == (count, count)
    assert match.error_px < 0.01
    others = on_the_ground(20)
    led = match.to_ground.points(camera.project(others, size_px=SIZE))
    assert led == pytest.approx(others[:, :2] * (1, -1), abs=0.01)


def test_estimate_when_points_are_inexact_and_a_third_is_wrong_then_finds_it_all_the_same() -> None:
    camera, positions = a_camera(), on_the_ground(60)
    seen = camera.project(positions, size_px=SIZE) + RANDOM.normal(0, 1.0, (60, 2))
    seen[:20] = RANDOM.uniform((0, 0), SIZE, (20, 2))
    match = estimate(seen, positions[:, :2] * (1, -1), reach_px=6.0, is_metric=True)
    assert 38 <= match.fitting <= 44
    assert 0.5 < match.error_px < 2.5
    others = on_the_ground(50)
    led = match.to_ground.points(camera.project(others, size_px=SIZE))
    assert np.abs(led - others[:, :2] * (1, -1)).max() < 0.5


def test_estimate_when_done_twice_then_finds_the_same() -> None:
    positions = on_the_ground(30)
    seen = a_camera().project(positions, size_px=SIZE) + RANDOM.normal(0, 2.0, (30, 2))
    first, second = (
        estimate(seen, positions[:, :2] * (1, -1), reach_px=5.0, is_metric=True) for _ in range(2)
    )
    assert first.to_ground.numbers == second.to_ground.numbers


@pytest.mark.parametrize("count", [0, 1, 3])
def test_estimate_when_there_are_fewer_than_four_points_then_says_so(count: int) -> None:
    points = on_the_ground(count)[:, :2] if count else np.empty((0, 2))
    with pytest.raises(UserError, match="4 are required"):
        estimate(points, points, reach_px=3.0)


@pytest.mark.parametrize("off_px", [0.0, 200.0])
def test_estimate_when_all_points_but_one_lie_on_one_line_then_is_refused(off_px: float) -> None:
    line = np.column_stack([np.linspace(0, 900, 8), np.linspace(100, 400, 8)])
    line[3, 1] += off_px
    with pytest.raises(UserError, match="nearly on one line"):
        estimate(line, on_the_ground(8)[:, :2], reach_px=3.0)
    with pytest.raises(UserError, match="nearly on one line"):
        estimate(on_the_ground(8)[:, :2] * 5, line, reach_px=3.0)


def test_estimate_when_all_points_are_one_then_is_refused() -> None:
    with pytest.raises(UserError, match="nearly on one line"):
        estimate(np.full((6, 2), 40.0), on_the_ground(6)[:, :2], reach_px=3.0)


def test_estimate_when_no_plane_fits_half_of_the_points_then_is_refused() -> None:
    draws = np.random.default_rng(3)
    with pytest.raises(UserError, match="of the 30 points known in both views lie on one plane"):
        estimate(draws.uniform((0, 0), SIZE, (30, 2)), draws.uniform(0, 50, (30, 2)), reach_px=3.0)


def test_estimate_when_the_points_are_mirrored_then_is_refused() -> None:
    square = np.array([(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)])
    with pytest.raises(UserError, match="mirrored"):
        estimate(square * (-30, 30) + (400, 100), square, reach_px=3.0)
    with pytest.raises(UserError, match="mirrored"):
        estimate(square * 30 + (400, 100), square, reach_px=3.0, is_metric=True)
    assert estimate(square * 30 + (400, 100), square, reach_px=3.0).fitting == 4
