from __future__ import annotations

import pytest

from annotator.domain.answers.angle_distance import CameraMove
from annotator.domain.trajectory import Pose, Trajectory
from annotator.draft.camera_position import CameraPosition, camera_move, camera_position


def camera_at(heading_deg: float, *, axes: str = "north-east-down", x_m: float = 0.0) -> CameraPosition:
    pose = Pose(x_m=x_m, y_m=0.0, z_m=0.0, yaw_deg=heading_deg)
    found = camera_position([Trajectory(id="t", scene="s", poses=(pose,), axes=axes)])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("first", "second", "angle"),
    [(350.0, 62.4, 72.4), (62.4, 350.0, 287.6), (10.0, 9.97, 0.0), (0.0, 359.9, 359.9), (45.0, 45.0, 0.0)],
)
def test_move_when_headings_are_known_then_its_angle_is_clockwise_with_one_decimal(
    first: float, second: float, angle: float
) -> None:
    move = camera_move(camera_at(first), camera_at(second, x_m=30.04))
    assert move == CameraMove(angle_deg=angle, distance_m=30.0)


def test_move_when_the_axes_differ_then_is_unknown() -> None:
    assert camera_move(camera_at(10.0), camera_at(20.0, axes="east-north-up")) is None
