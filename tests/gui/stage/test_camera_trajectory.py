"""The way of cameras, against the demo town's own cameras."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from annotator.demo.camera import PICTURE_SIZE_PX, Camera
from annotator.demo.entries import camera_pose
from annotator.domain.medium import Medium
from annotator.domain.trajectory import Pose, Trajectory
from widgets.stage.camera_trajectory import (
    NEAREST_M,
    CameraTrajectory,
    arrows_along,
    camera_trajectory,
    projected_trajectory,
    top_view_plan,
)

VIDEO = Medium(id="m", name="video.mp4", media_type="video", frames=11, duration_s=11.0)
WIDTH, HEIGHT = PICTURE_SIZE_PX
LOOKING_AHEAD = Camera(x_m=10.0, y_m=20.0, altitude_m=40.0, heading_deg=30.0, tilt_deg=60.0)
LOOKING_DOWN = Camera(x_m=0.0, y_m=0.0, altitude_m=50.0, heading_deg=70.0, tilt_deg=4.0, roll_deg=3.0)


def flown(
    cameras: list[Camera], *, view: str, times_s: tuple[float, ...] = (), offset_s: float = 0.0
) -> CameraTrajectory:
    """Return the flight of cameras one after the other, a second apart."""
    trajectory = Trajectory(
        id=view,
        scene="s",
        view=view,
        axes="east-north-up",
        poses=tuple(camera_pose(camera) for camera in cameras),
        orientations=tuple(camera.orientation for camera in cameras),
        times_s=times_s or tuple(float(at) for at in range(len(cameras))),
        intrinsics=cameras[0].intrinsics(),
    )
    return camera_trajectory(trajectory, medium=VIDEO, view=view, offset_s=offset_s)


def moved(camera: Camera, *, east_m: float, steps: int = 11) -> list[Camera]:
    return [replace(camera, x_m=camera.x_m + east_m * step) for step in range(steps)]


def test_marker_when_another_drone_is_visible_then_lies_where_its_camera_is_seen() -> None:
    ahead = Camera(x_m=35.0, y_m=-25.0, altitude_m=25.0, heading_deg=0.0, tilt_deg=0.0)
    trail = projected_trajectory(
        flown([LOOKING_AHEAD], view="UAV1"),
        others=[flown([ahead], view="UAV2")],
        time_s=None,
        size=PICTURE_SIZE_PX,
    )
    (marker,) = trail.markers
    assert (marker.view, marker.is_below) == ("UAV2", False)
    assert (marker.x, marker.y) == pytest.approx(LOOKING_AHEAD.project(ahead.position_m[None])[0])
    assert trail.lines == ()


def test_marker_when_a_drone_is_behind_the_camera_then_there_is_none() -> None:
    behind = replace(LOOKING_AHEAD, x_m=-30.0, y_m=90.0)
    trail = projected_trajectory(
        flown([LOOKING_AHEAD], view="UAV1"),
        others=[flown([behind], view="UAV2")],
        time_s=None,
        size=PICTURE_SIZE_PX,
    )
    assert trail.markers == ()


def test_trail_when_the_camera_looks_down_then_its_own_way_lies_on_the_ground_below_it() -> None:
    cameras = moved(LOOKING_DOWN, east_m=1.0)
    trail = projected_trajectory(flown(cameras, view="UAV1"), others=[], time_s=4.0, size=PICTURE_SIZE_PX)
    (below,) = trail.markers
    now = cameras[4]
    ground = np.array([(camera.x_m, camera.y_m, 0.0) for camera in cameras])
    assert below.is_below
    assert (below.x, below.y) == pytest.approx(now.project(ground[4][None])[0])
    done, ahead = trail.lines
    assert (done.is_ahead, ahead.is_ahead) == (False, True)
    ends = [done.points[0], done.points[-1], ahead.points[0], ahead.points[-1]]
    assert np.array(ends) == pytest.approx(now.project(ground[[0, 4, 4, 10]]))


def test_trail_when_another_video_begins_later_then_its_drone_is_where_it_was_at_that_moment() -> None:
    own = [LOOKING_AHEAD] * 11
    others = moved(replace(LOOKING_AHEAD, x_m=25.0, y_m=-20.0, altitude_m=25.0), east_m=2.0)
    trail = projected_trajectory(
        flown(own, view="UAV1"),
        others=[flown(others, view="UAV2", offset_s=3.0)],
        time_s=5.0,
        size=PICTURE_SIZE_PX,
    )
    (marker,) = trail.markers
    assert (marker.x, marker.y) == pytest.approx(LOOKING_AHEAD.project(others[2].position_m[None])[0])


def test_trail_when_a_moment_lies_between_two_poses_then_so_do_place_and_turn() -> None:
    turned = [replace(LOOKING_DOWN, heading_deg=70.0 + 2 * step, x_m=float(step)) for step in range(3)]
    flight = flown(turned, view="UAV1")
    position = flight.index_at(0.5)
    assert position == 0.5
    assert flight.point_at(position) == pytest.approx((0.5, 0.0, 50.0))
    between = replace(LOOKING_DOWN, heading_deg=71.0)
    assert flight.axes_at(position) == pytest.approx(between.rotation.T, abs=1e-5)


def test_trail_when_a_way_passes_the_lens_then_is_cut_before_it() -> None:
    level = Camera(x_m=0.0, y_m=0.0, altitude_m=30.0, heading_deg=0.0, tilt_deg=90.0)
    # From far ahead, a little to the right, to far behind.
    other = [replace(level, x_m=2.0, y_m=-50.0), replace(level, x_m=2.0, y_m=50.0)]
    flights = flown([level] * 2, view="UAV1"), flown(other, view="UAV2", times_s=(0.0, 1.0))
    trail = projected_trajectory(flights[0], others=[flights[1]], time_s=1.0, size=PICTURE_SIZE_PX)
    (line,) = [line for line in trail.lines if line.view == "UAV2"]
    nearest = level.project(np.array([[2.0, -NEAREST_M, 30.0]]))[0]
    assert line.points[-1] == pytest.approx(nearest)
    assert line.points[0] == pytest.approx(level.project(other[0].position_m[None])[0])


def test_trail_when_a_picture_is_larger_than_the_intrinsics_say_then_is_scaled() -> None:
    flights = [flown([camera], view=name) for camera, name in ((LOOKING_DOWN, "UAV1"),)]
    small, large = (
        projected_trajectory(
            flights[0], others=[], time_s=None, size=(WIDTH * scale, HEIGHT * scale)
        ).markers[0]
        for scale in (1, 3)
    )
    assert (large.x, large.y) == pytest.approx((3 * small.x, 3 * small.y))


def test_flight_when_its_times_are_unknown_then_cannot_project_but_at_one_pose() -> None:
    several = replace(flown([LOOKING_DOWN] * 3, view="UAV1"), times_s=np.zeros(0))
    assert not several.can_project(1.0)
    assert not flown([LOOKING_DOWN] * 3, view="UAV1").can_project(None)
    assert flown([LOOKING_DOWN], view="UAV1").can_project(None)
    assert not replace(flown([LOOKING_DOWN], view="UAV1"), intrinsics=None).can_project(None)


def walk(axes: str) -> CameraTrajectory:
    """Return a way 8 m along the first axis, then 4 m along the second, looking along it."""
    poses = [Pose(x_m=float(at), y_m=0.0, z_m=1.0, yaw_deg=0.0) for at in range(9)]
    poses += [Pose(x_m=8.0, y_m=float(at), z_m=1.0, yaw_deg=90.0) for at in range(1, 5)]
    trajectory = Trajectory(id="t", scene="s", poses=tuple(poses), key_frames=(8, 99), axes=axes)
    medium = Medium(id="m", name="walk", media_type="frames", frames=13, duration_s=13.0)
    return camera_trajectory(trajectory, medium=medium, view="")


def test_plan_when_axes_are_east_and_north_then_east_is_right_and_north_is_up() -> None:
    plan = top_view_plan(walk("east-north-up"), time_s=10.0)
    assert plan.done[0] == pytest.approx((0.0, 0.75))
    assert plan.done[-1] == pytest.approx((1.0, 0.5))
    assert plan.ahead[0] == pytest.approx(plan.done[-1])
    assert plan.ahead[-1] == pytest.approx((1.0, 0.25))
    assert plan.key_frames.tolist() == [pytest.approx((1.0, 0.75))]
    assert plan.heading == pytest.approx((0.0, -1.0))


def test_plan_when_axes_are_north_and_east_then_the_first_is_up() -> None:
    plan = top_view_plan(walk("north-east-down"), time_s=2.0)
    assert plan.done[0] == pytest.approx((0.25, 1.0))
    assert plan.ahead[-1] == pytest.approx((0.75, 0.0))
    assert plan.heading == pytest.approx((0.0, -1.0))


def test_arrows_when_along_a_line_then_are_equally_far_apart_and_the_last_is_at_its_end() -> None:
    line = np.array(((0.0, 0.0), (100.0, 0.0), (100.0, 50.0)))
    found = [
        (position.tolist(), direction.tolist()) for position, direction in arrows_along(line, every_px=60.0)
    ]
    assert found == [([100.0, 50.0], [0.0, 1.0]), ([90.0, 0.0], [1.0, 0.0])]
    assert list(arrows_along(np.zeros((2, 2)), every_px=10.0)) == []
