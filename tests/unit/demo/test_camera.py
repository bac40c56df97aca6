from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.demo.camera import PICTURE_SIZE_PX, STILL_SIZE_PX, Camera

poses = st.builds(
    Camera,
    x_m=st.floats(-200, 200),
    y_m=st.floats(-200, 200),
    altitude_m=st.floats(1, 200),
    heading_deg=st.floats(-180, 360),
    tilt_deg=st.floats(0, 110),
    roll_deg=st.floats(-40, 40),
    focal_px=st.floats(300, 2500),
)
over = st.builds(
    Camera.over,
    at=st.tuples(st.floats(-200, 200), st.floats(-200, 200)),
    distance_m=st.floats(20, 200),
    heading_deg=st.floats(-180, 360),
    tilt_deg=st.floats(0, 50),
    roll_deg=st.floats(-20, 20),
)
sizes = st.sampled_from([PICTURE_SIZE_PX, STILL_SIZE_PX, (640, 480)])


@given(camera=poses, size=sizes, x=st.floats(0, 1), y=st.floats(0, 1), depth=st.floats(0.5, 500))
def test_pixel_when_unprojected_and_projected_then_it_is_the_same(
    camera: Camera, size: tuple[int, int], x: float, y: float, depth: float
) -> None:
    pixel = np.array([[x * size[0], y * size[1]]])
    point = camera.unproject(pixel, depth_m=np.array([depth]), size_px=size)
    assert camera.project(point, size_px=size) == pytest.approx(pixel, abs=1e-5)
    assert camera.depths(point) == pytest.approx([depth], rel=1e-6, abs=1e-6)


@given(camera=poses, point=st.tuples(*[st.floats(-300, 300)] * 3))
def test_written_pose_and_intrinsics_when_used_by_the_book_then_they_give_the_same_pixel(
    camera: Camera, point: tuple[float, float, float]
) -> None:
    world = np.array((point[0], -point[1], point[2]))
    seen = camera.rotation @ world + camera.translation_m
    if seen[2] < 0.5:
        return
    k = camera.intrinsics()
    by_the_book = (k.fx * seen[0] / seen[2] + k.cx, k.fy * seen[1] / seen[2] + k.cy)
    assert camera.project(np.array([point]))[0] == pytest.approx(by_the_book, rel=1e-9, abs=1e-5)


@given(camera=poses)
def test_rotation_when_written_then_it_is_a_right_handed_one_and_the_quaternion_says_the_same(
    camera: Camera,
) -> None:
    rotation, q = camera.rotation, camera.orientation
    assert rotation @ rotation.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1)
    w, x, y, z = q.w, q.x, q.y, q.z
    matrix = np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )
    assert matrix == pytest.approx(rotation.T, abs=1e-9)
    assert w >= 0


@given(camera=over)
def test_camera_over_a_point_when_projecting_it_then_it_is_the_middle(camera: Camera) -> None:
    ahead = camera.altitude_m * np.tan(np.radians(camera.tilt_deg))
    heading = np.radians(camera.heading_deg)
    point = (camera.x_m + ahead * np.sin(heading), camera.y_m - ahead * np.cos(heading), 0.0)
    middle = np.array(PICTURE_SIZE_PX) / 2
    assert camera.project(np.array([point]))[0] == pytest.approx(middle, abs=1e-6)


def test_picture_heading_north_when_looking_down_then_north_is_up_and_east_is_right() -> None:
    camera = Camera.over(at=(0, 0), distance_m=50, heading_deg=0, tilt_deg=0)
    (north, east) = camera.project(np.array([(0.0, -5.0, 0.0), (5.0, 0.0, 0.0)]))
    assert north[1] < 360
    assert north[0] == pytest.approx(640)
    assert east[0] > 640


def test_picture_heading_east_when_looking_down_then_east_is_up() -> None:
    camera = Camera.over(at=(0, 0), distance_m=50, heading_deg=90, tilt_deg=0)
    assert camera.project(np.array([(5.0, 0.0, 0.0)]))[0][1] < 360


def test_camera_rolled_clockwise_when_looking_level_then_what_was_right_moves_up() -> None:
    point = np.array([(5.0, -20.0, 1.6)])
    level, rolled = (
        Camera(x_m=0, y_m=0, altitude_m=1.6, heading_deg=0, tilt_deg=90, roll_deg=r).project(point)[0]
        for r in (0, 10)
    )
    assert level[1] == pytest.approx(360)
    assert rolled[1] < 360


def test_point_when_it_is_behind_the_camera_then_it_has_no_pixel() -> None:
    camera = Camera(x_m=0, y_m=0, altitude_m=2, heading_deg=0, tilt_deg=90)
    assert np.isnan(camera.project(np.array([(0.0, 5.0, 2.0)]))).all()


@given(camera=poses, x=st.floats(0, 1), y=st.floats(0, 1))
def test_ray_when_the_picture_is_larger_then_the_same_place_looks_the_same_way(
    camera: Camera, x: float, y: float
) -> None:
    small, large = (camera.rays(s) @ (x * s[0], y * s[1], 1) for s in ((1280, 720), (2560, 1440)))
    assert small == pytest.approx(large, abs=1e-9)


def test_footprint_when_flying_higher_then_it_grows() -> None:
    low, high = (
        Camera.over(at=(0, 0), distance_m=d, heading_deg=0, tilt_deg=0).footprint() for d in (50, 100)
    )
    assert np.ptp(high, axis=0) == pytest.approx(2 * np.ptp(low, axis=0))


def test_footprint_when_the_camera_looks_level_then_its_far_corners_are_as_far_as_told() -> None:
    camera = Camera(x_m=10, y_m=20, altitude_m=1.6, heading_deg=0, tilt_deg=90)
    corners = camera.footprint(farthest_m=300)
    away = np.hypot(*(corners - (10, 20)).T)
    assert away[:2] == pytest.approx([300, 300])
    assert (away[2:] < 10).all()
