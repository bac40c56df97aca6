"""Actions, key frames and segments of flights; of the demo's flights they are known exactly."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from annotator.demo.entries import flight_trajectory
from annotator.demo.flights import Flight, Leg, all_flights
from annotator.domain.flight_actions import action_runs, knows_sides, reversed_poses, unit_steps
from annotator.domain.flight_segments import (
    VLA_DIFFICULTY,
    VLN_DIFFICULTY,
    KeyFrameLimits,
    difficulty,
    join_segments,
    key_frames,
    split_flight,
)
from annotator.domain.task_set_files import builtin
from annotator.domain.trajectory import Pose, Trajectory, trajectory_text

SHARED = Path(__file__).resolve().parents[4] / "shared/data/indooruav"
KINDS = {
    "forward": {"forward"}, "backward": {"forward"}, "rise": {"up_down"}, "descend": {"up_down"},
    "turn_left": {"turn"}, "turn_right": {"turn"}, "move_left": {"right_left"}, "move_right": {"right_left"},
    "orbit_left": {"right_left", "turn"}, "orbit_right": {"right_left", "turn"},
}  # fmt: skip
WORDS = {
    "forward": "Fly forward", "rise": "Climb", "descend": "Descend", "turn_left": "Turn left",
    "turn_right": "Turn right", "move_right": "Move sideways to the right",
    "orbit_right": "Move sideways to the right", "orbit_left": "Move sideways to the left",
}  # fmt: skip
FLIGHTS = pytest.mark.parametrize("flown", all_flights(), ids=lambda flown: flown.name)


def flight(*poses: tuple[float, float, float, float], **fields: object) -> Trajectory:
    made = tuple(Pose(x_m=x, y_m=y, z_m=z, yaw_deg=yaw) for x, y, z, yaw in poses)
    return Trajectory(id="t", scene="s", poses=made, **({"axes": "east-north-up"} | fields))  # type: ignore[arg-type]


def moving_legs(flown: Flight) -> list[tuple[Leg, float]]:
    """Return the legs that move a drone, each with the time of its end."""
    ends = (end for _, end in flown.spans_s())
    return [(leg, end) for leg, end in zip(flown.legs, ends, strict=True) if leg.do in KINDS]


@FLIGHTS
def test_runs_when_the_demo_flies_then_they_are_its_legs_with_their_amounts(flown: Flight) -> None:
    runs = action_runs(flight_trajectory(flown, scene="s"))
    legs = moving_legs(flown)
    assert [set(run.kinds) for run in runs] == [KINDS[leg.do] for leg, _ in legs]
    for run, (leg, _) in zip(runs, legs, strict=True):
        assert f"{run.text[0].upper()}{run.text[1:]}".startswith(WORDS[leg.do])
        is_angle = leg.do.startswith("turn")
        expected = leg.amount
        if leg.do.startswith("orbit"):
            expected = math.radians(leg.amount) * leg.radius_m
        # The last frame is a little before the end of the last leg.
        assert run.actions[0].amount == pytest.approx(expected, abs=1.5 if is_angle else 0.3)
    assert all(one.last == two.first for one, two in itertools.pairwise(runs))


@FLIGHTS
def test_key_frames_when_the_demo_flies_then_they_are_where_its_large_legs_end(flown: Flight) -> None:
    record = flight_trajectory(flown, scene="s")
    found = key_frames(record)
    assert (found[0], found[-1]) == (0, len(record.poses) - 1)
    # A leg that only tilts the camera ends with the leg before it: the pose does not change.
    ends = {round(end * flown.fps) for _, end in flown.spans_s()}
    assert set(found[1:-1]) <= ends
    large = [leg for leg, _ in moving_legs(flown) if leg.amount > 45 or not leg.do.startswith("turn")]
    assert len(split_flight(record)) >= len(large)


@FLIGHTS
def test_segments_when_the_demo_flies_then_they_cover_the_flight_with_one_to_three_kinds(
    flown: Flight,
) -> None:
    record = flight_trajectory(flown, scene="s")
    segments = split_flight(record)
    assert (segments[0].first, segments[-1].last) == (0, len(record.poses) - 1)
    assert all(one.last == two.first for one, two in itertools.pairwise(segments))
    assert all(1 <= len(segment.kinds) <= 3 for segment in segments)
    assert segments[0].frames == (1, segments[0].last + 1)


@FLIGHTS
def test_reversed_when_the_demo_flies_back_then_actions_come_backwards_with_sides_exchanged(
    flown: Flight,
) -> None:
    record = flight_trajectory(flown, scene="s")
    back = flight(*((p.x_m, p.y_m, p.z_m, p.yaw_deg) for p in reversed_poses(record.poses)))
    forth, there = action_runs(record), action_runs(back)
    assert [run.kinds for run in there] == [run.kinds for run in reversed(forth)]
    for one, two in zip(reversed(forth), there, strict=True):
        amounts = {a.kind: a.amount * (1 if a.is_positive else -1) for a in one.actions}
        for action in two.actions:
            signed = action.amount * (1 if action.is_positive else -1)
            # Flown ahead again, and sideways to the same side; turns and climbs are the opposite.
            same = 1 if action.kind in ("forward", "right_left") else -1
            assert signed == pytest.approx(same * amounts[action.kind], abs=0.3)
    again = reversed_poses(reversed_poses(record.poses))
    for one, two in zip(record.poses, again, strict=True):
        assert (one.x_m, one.y_m, one.z_m) == (two.x_m, two.y_m, two.z_m)
        assert math.cos(math.radians(one.yaw_deg - two.yaw_deg)) == pytest.approx(1)


def test_runs_when_axes_point_down_and_north_then_sides_and_heights_are_turned_round() -> None:
    poses = [(0, 0, 0, 0), (5, 0, 0, 0), (5, 0, 0, 60), (5, 0, -4, 60)]
    ned = action_runs(flight(*poses, axes="north-east-down"))
    assert [run.text for run in ned] == [
        "fly forward 5.0 metres", "turn right by 60 degrees", "climb 4.0 metres",
    ]  # fmt: skip
    enu = action_runs(flight(*poses))
    assert [run.text for run in enu] == [
        "fly forward 5.0 metres", "turn left by 60 degrees", "descend 4.0 metres",
    ]  # fmt: skip


def test_runs_when_the_heading_drifts_on_the_way_then_a_large_sum_is_an_action_all_the_same() -> None:
    drifting = flight(*((float(n), 0, 0, 0.5 * n) for n in range(11)))
    assert [sorted(run.kinds) for run in action_runs(drifting)] == [["forward"]]
    # A wide arc: on each metre the turn is nothing beside the way.
    arc = [math.radians(0.5 * n) for n in range(61)]
    turning = flight(*((115 * math.sin(a), 115 - 115 * math.cos(a), 0, math.degrees(a)) for a in arc))
    (run,) = action_runs(turning)
    assert run.text == "fly forward 60.2 metres while turning left by 30 degrees"


def test_runs_when_a_drone_hovers_or_trembles_then_nothing_is_an_action() -> None:
    still = [(0.001 * (n % 2), 0, 0, 0.01) for n in range(20)]
    assert action_runs(flight(*still)) == []
    assert key_frames(flight(*still)) == (0, 19)
    moved = [*still, *((float(n), 0, 0, 0.01) for n in range(1, 8)), *((7.0, 0, 0, 0.01) for _ in range(9))]
    (run,) = action_runs(flight(*moved))
    # What is between actions belongs to the one before; at the beginning, to the first.
    assert (run.first, run.last) == (0, len(moved) - 1)


def test_runs_when_only_the_source_names_actions_then_its_names_and_the_poses_amounts_are_used() -> None:
    poses = [(0, 0, 0, 0), (0, 2, 0, 0), (0, 2, 0, 350), (1, 2, 0, 350), (1, 2, -3, 350), (1, 2, -3, 350)]
    names = ("fly_forward", "turn_left", "fly_right", "fly_up", "stop")
    named = flight(*poses, axes="source", actions=names)
    assert knows_sides(named)
    assert [run.text for run in action_runs(named)] == [
        "fly forward 2.0 metres", "turn left by 10 degrees", "move sideways to the right 1.0 metres",
        "climb 3.0 metres",
    ]  # fmt: skip
    both = flight((0, 0, 0, 0), (0, 2, 1, 0), axes="source", actions=("fly_forward+fly_down",))
    assert [run.text for run in action_runs(both)] == ["fly forward 2.0 metres while descending 1.0 metres"]


@pytest.mark.parametrize("name", ["turn_counterclockwise", "rotate counter-clockwise", "yaw_anticlockwise"])
def test_turn_when_named_against_the_clock_then_is_to_the_left(name: str) -> None:
    turns = [
        flight((0, 0, 0, 0), (0, 0, 0, 20), axes="source", actions=(one,))
        for one in (name, "rotate_clockwise")
    ]
    assert [run.text for turn in turns for run in action_runs(turn)] == [
        "turn left by 20 degrees", "turn right by 20 degrees",
    ]  # fmt: skip


def test_sides_when_neither_axes_nor_actions_are_known_then_there_are_no_runs_but_key_frames() -> None:
    unknown = flight(*((float(n), 0, 0, 0) for n in range(13)), axes="source")
    assert not knows_sides(unknown)
    assert not knows_sides(flight((0, 0, 0, 0), (1, 0, 0, 0), (2, 0, 0, 0), axes="source", actions=("fly",)))
    with pytest.raises(ValueError, match="axes"):
        action_runs(unknown)
    assert key_frames(unknown) == (0, 6, 12)
    assert key_frames(flight(axes="source")) == ()


def test_segments_when_a_fourth_kind_comes_then_a_new_one_begins() -> None:
    small = [(0, 0, 0, 0), (1, 0, 0, 0), (1, -1, 0, 0), (1, -1, 0.5, 0), (1, -1, 0.5, 20), (2, -1, 0.5, 20)]
    segments = split_flight(flight(*small))
    assert [segment.kinds for segment in segments] == [
        ("forward", "right_left", "up_down"),
        ("turn", "forward", "right_left"),
    ]
    assert join_segments(segments) is None
    assert join_segments(segments[:1]) == segments[0]
    loose = KeyFrameLimits(turn_deg=10, climb_m=0.2, straight_m=0.5)
    assert len(split_flight(flight(*small), limits=loose)) == 5


def test_difficulty_when_counted_then_it_is_that_of_the_paper() -> None:
    indoor = builtin("indooruav")
    assert [difficulty(indoor, VLA_DIFFICULTY, count) for count in (1, 2, 3)] == ["easy", "medium", "hard"]
    steps = [difficulty(indoor, VLN_DIFFICULTY, count) for count in (119, 120, 200, 201)]
    assert steps == ["easy", "medium", "medium", "hard"]


def test_unit_steps_when_axes_point_down_then_they_are_those_of_the_same_flight() -> None:
    enu = [Pose(x_m=0, y_m=0, z_m=0, yaw_deg=90), Pose(x_m=0, y_m=1.8, z_m=0.9, yaw_deg=75)]
    ned = [Pose(x_m=0, y_m=0, z_m=0, yaw_deg=0), Pose(x_m=1.8, y_m=0, z_m=-0.9, yaw_deg=15)]
    assert unit_steps(enu) == unit_steps(ned, axes="north-east-down")
    assert "turn right 15" in unit_steps(enu)


def test_trajectory_text_when_read_back_then_yaw_is_in_radians() -> None:
    (row,) = json.loads(trajectory_text([Pose(x_m=1, y_m=2, z_m=3, yaw_deg=-90)]))
    assert row == pytest.approx([1, 2, 3, -math.pi / 2], abs=1e-6)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published samples are not here")
@pytest.mark.parametrize(
    "file", sorted(SHARED.glob("*traj*.json")) if SHARED.is_dir() else [], ids=lambda f: f.name
)
def test_key_frames_when_a_published_flight_is_read_then_each_is_over_a_limit(file: Path) -> None:
    rows = np.array(json.loads(file.read_text(encoding="utf-8"))["trajectory"])
    rows[:, 3] = np.degrees(rows[:, 3])
    found = key_frames(flight(*map(tuple, rows.tolist()), axes="source"))
    for one, two in itertools.pairwise(found[:-1]):
        part = rows[one : two + 1]
        turns = (np.diff(part[:, 3]) + 180) % 360 - 180
        sums = np.stack([
            np.abs(np.cumsum(turns)) / 45,
            np.abs(part[1:, 2] - part[0, 2]),
            np.cumsum(np.hypot(*np.diff(part[:, :2], axis=0).T)) / 5,
        ])  # fmt: skip
        over = (sums > 1).any(axis=0)
        assert over[-1]
        assert not over[:-1].any()
    assert found[0] == 0
    assert found[-1] == len(rows) - 1
