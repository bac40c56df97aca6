from __future__ import annotations

import math

import pytest

from annotator.domain.trajectory import Pose
from annotator.importers.poses import read_actions, read_key_frames, read_poses, read_segment
from annotator.importers.record_fields import RecordError


def test_poses_when_read_then_exact_to_the_last_digit() -> None:
    rows = [[-5.510810559242141, 0, 4.183343184260439, 268.23333300000004], [1, 2, 3, -90]]
    poses = read_poses(rows, field="posture")
    assert poses[0] == Pose(
        x_m=-5.510810559242141, y_m=0.0, z_m=4.183343184260439, yaw_deg=268.23333300000004
    )
    assert poses[1] == Pose(x_m=1.0, y_m=2.0, z_m=3.0, yaw_deg=-90.0)


def test_poses_when_yaw_is_in_radians_then_in_degrees() -> None:
    (pose,) = read_poses([[1, 2, 3, math.pi]], field="trajectory", is_radians=True)
    assert pose.yaw_deg == 180.0


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({}, "posture"), (None, "posture"), ([1], "posture[0]"), ([[1, 2, 3, 4], [1, 2, 3]], "posture[1]"),
        ([[1, 2, 3, "4"]], "posture[0]"), ([[1, 2, 3, True]], "posture[0]"),
        ([[1, 2, 3, None]], "posture[0]"),
    ],
)  # fmt: skip
def test_poses_when_a_row_is_none_then_told_which(value: object, field: str) -> None:
    with pytest.raises(RecordError) as caught:
        read_poses(value, field="posture")
    assert caught.value.field == field


def test_yaw_when_too_large_to_be_turned_into_degrees_then_refused() -> None:
    with pytest.raises(RecordError, match="too large"):
        read_poses([[0, 0, 0, 1e308]], field="trajectory", is_radians=True)


def test_segment_when_inside_the_flight_then_both_ends_count() -> None:
    assert read_segment([1, 15], field="source", poses=15) == (1, 15)
    assert read_segment([4, 4], field="source", poses=None) == (4, 4)


@pytest.mark.parametrize(
    "value", [None, [1], [1, 2, 3], [0, 5], [5, 4], [1, 16], [1.0, 2.0], ["1", "2"], [True, 2], {}]
)
def test_segment_when_no_part_of_the_flight_then_refused(value: object) -> None:
    with pytest.raises(RecordError) as caught:
        read_segment(value, field="source", poses=15)
    assert caught.value.field == "source"


def test_key_frames_when_read_then_counted_from_nought() -> None:
    assert read_key_frames([1, 3, 9], poses=9) == (0, 2, 8)
    assert read_key_frames([], poses=9) == ()


@pytest.mark.parametrize("value", [None, {}, [0], [10], [3, 3], [3, 1], [1.5], [True], ["1"]])
def test_key_frames_when_none_of_the_flight_then_refused(value: object) -> None:
    with pytest.raises(RecordError):
        read_key_frames(value, poses=9)


def test_actions_when_a_row_for_each_pose_then_those_between_poses() -> None:
    rows = [
        {"frame": 1, "actions": {"fly_forward": 0.9, "turn_left": 0, "fly_up": 0.15}},
        {"frame": 2, "actions": {"turn_left": 15}},
        {"frame": 3, "actions": {"stop": 1}},
    ]
    assert read_actions({"frame": rows}, poses=3) == ("fly_forward+fly_up", "turn_left")
    assert read_actions({"frame": rows[:2]}, poses=3) == ("fly_forward+fly_up", "turn_left")


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, "frame"), ([], "frame"), ({"frame": {}}, "frame"), ({"frame": []}, "frame"),
        ({"frame": [{}, {}, {}]}, "frame[0].actions"), ({"frame": [3, 3, 3]}, "frame[0].actions"),
    ],
)  # fmt: skip
def test_actions_when_they_do_not_fit_then_told_where(value: object, field: str) -> None:
    with pytest.raises(RecordError) as caught:
        read_actions(value, poses=3)
    assert caught.value.field == field
