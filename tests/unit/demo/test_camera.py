from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.demo.camera import PICTURE_SIZE_PX, Camera

cameras = st.builds(
    Camera.over,
    at=st.tuples(st.floats(-200, 200), st.floats(-200, 200)),
    distance_m=st.floats(20, 200),
    heading_deg=st.floats(-180, 360),
    tilt_deg=st.floats(0, 50),
    roll_deg=st.floats(-20, 20),
)


@given(camera=cameras, x=st.floats(0, 1280), y=st.floats(0, 720), height_m=st.floats(0, 8))
def test_pixel_when_taken_to_a_plane_and_back_then_it_is_the_same(
    camera: Camera, x: float, y: float, height_m: float
) -> None:
    ground = camera.to_plane(height_m) @ (x, y, 1)
    point = np.array([[ground[0] / ground[2], ground[1] / ground[2], height_m]])
    assert camera.project(point)[0] == pytest.approx((x, y), abs=1e-6)


@given(camera=cameras)
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


def test_plane_at_a_finer_scale_when_asked_then_the_same_pixel_has_scaled_coordinates() -> None:
    camera = Camera.over(at=(10, 20), distance_m=60, heading_deg=30, tilt_deg=25)
    coarse, fine = camera.to_plane(1.0) @ (200, 100, 1), camera.to_plane(1.0, scale=2.0) @ (400, 200, 1)
    assert coarse / coarse[2] == pytest.approx(fine / fine[2])


def test_footprint_when_flying_higher_then_it_grows() -> None:
    low, high = (
        Camera.over(at=(0, 0), distance_m=d, heading_deg=0, tilt_deg=0).footprint() for d in (50, 100)
    )
    assert np.ptp(high, axis=0) == pytest.approx(2 * np.ptp(low, axis=0))
