from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest

from annotator.demo.actions import kinds_of, pose_at
from annotator.demo.camera import Camera
from annotator.demo.flights import Flight, Leg, Start, all_flights, moved
from annotator.demo.journeys import poses_of
from annotator.domain.flight_actions import small_steps, unit_steps
from annotator.domain.flight_segments import VLA_DIFFICULTY, difficulty
from annotator.domain.task_set_files import builtin

START = Camera(x_m=100, y_m=80, altitude_m=40, heading_deg=30, tilt_deg=55)


def _flight(*legs: Leg, fps: float = 10) -> Flight:
    start = Start(x_m=100, y_m=80, altitude_m=40, heading_deg=30, tilt_deg=55)
    return Flight(scene="s", view="UAV1", fps=fps, start_s=0, start=start, legs=legs)


def test_flights_when_read_then_they_are_what_the_demo_promises() -> None:
    flights = all_flights()
    assert len(flights) == 6
    assert all(10 <= flight.seconds <= 20 for flight in flights)
    assert {flight.fps for flight in flights} == {8, 10}
    together = defaultdict(list)
    for flight in flights:
        together[flight.scene].append(flight)
    pair = next(flights for flights in together.values() if len(flights) == 2)
    assert pair[0].start_s == pair[1].start_s
    assert pair[0].seconds == pair[1].seconds
    assert pair[0].fps != pair[1].fps
    done = {leg.do for flight in flights for leg in flight.legs}
    assert {"turn_left", "turn_right", "rise", "descend", "forward", "tilt_up", "tilt_down"} <= done
    assert any(do.startswith("orbit") for do in done)


def test_forward_when_flown_then_the_camera_moves_along_its_heading() -> None:
    end = moved(START, Leg(do="forward", amount=10, seconds=1), share=1)
    ahead = START.axes[:, 2] * (1, 1, 0)
    assert end.position_m - START.position_m == pytest.approx(ahead / np.linalg.norm(ahead) * 10)


@pytest.mark.parametrize(("do", "sign"), [("orbit_left", -1), ("orbit_right", 1)])
def test_orbit_when_flown_then_its_middle_stays_ahead_and_the_drone_goes_to_its_side(
    do: str, sign: int
) -> None:
    leg = Leg(do=do, amount=50, radius_m=30, seconds=4)  # type: ignore[arg-type]
    ahead = START.axes[:, 2] * (1, 1, 0)
    middle = START.position_m + ahead / np.linalg.norm(ahead) * 30
    for share in (0.0, 0.3, 1.0):
        camera = moved(START, leg, share=share)
        to_middle = middle - camera.position_m
        assert np.linalg.norm(to_middle[:2]) == pytest.approx(30)
        assert camera.project(middle[None] - (0, 0, 60))[0][0] == pytest.approx(640, abs=1e-6)
    step = moved(START, leg, share=0.1).position_m - START.position_m
    assert np.sign(step @ START.axes[:, 0]) == sign


@pytest.mark.parametrize("flight", all_flights(), ids=lambda flight: flight.name)
def test_poses_when_followed_then_they_are_those_of_the_cameras(flight: Flight) -> None:
    for time_s in (0.0, 3.3, flight.seconds):
        camera, pose = flight.camera_at(time_s), pose_at(flight, time_s)
        # The centre of a camera in world axes is -R^T t.
        centre = -camera.rotation.T @ camera.translation_m
        assert (pose.x_m, pose.y_m, pose.z_m) == pytest.approx(tuple(centre), abs=1e-3)
        forward = camera.rotation.T @ (0, 0, 1)
        assert np.cos(np.radians(pose.yaw_deg)) == pytest.approx(
            forward[0] / np.hypot(*forward[:2]), abs=1e-5
        )


@pytest.mark.parametrize("flight", all_flights(), ids=lambda flight: flight.name)
def test_frames_when_flown_then_nothing_jumps(flight: Flight) -> None:
    cameras = [flight.camera_at(time_s) for time_s in flight.times_s()]
    assert len(cameras) == round(flight.seconds * flight.fps)
    for one, two in itertools.pairwise(cameras):
        assert np.linalg.norm(two.position_m - one.position_m) < 20 / flight.fps
        assert abs(two.heading_deg - one.heading_deg) < 60 / flight.fps


def test_steps_when_added_up_then_they_are_the_legs() -> None:
    flight = _flight(
        Leg(do="forward", amount=18, seconds=3), Leg(do="turn_right", amount=60, seconds=3),
        Leg(do="descend", amount=9, seconds=2), Leg(do="move_left", amount=6, seconds=2),
    )  # fmt: skip
    total: dict[str, float] = defaultdict(float)
    poses = [pose_at(flight, t) for t in (*flight.times_s(), flight.seconds)]
    for kind, amount in small_steps(poses):
        total[kind] += amount
    assert total["forward"] == pytest.approx(18, abs=0.15)
    assert total["turn"] == pytest.approx(60, abs=3)
    assert total["up_down"] == pytest.approx(-9, abs=0.15)
    assert total["right_left"] == pytest.approx(-6, abs=0.15)
    words = unit_steps(poses)
    assert words.count("forward 0.9") == 20
    assert words.count("turn right 15") == 4
    assert words.count("down 0.9") == 10
    assert sum(float(w.split()[-1]) for w in words if w.startswith("left")) == pytest.approx(6, abs=0.15)


def test_kinds_when_a_flight_tilts_its_camera_only_then_there_are_none() -> None:
    assert kinds_of(_flight(Leg(do="tilt_up", amount=5, seconds=1))) == []
    assert kinds_of(_flight(Leg(do="orbit_left", amount=5, radius_m=9, seconds=1))) == ["right_left", "turn"]


@pytest.mark.parametrize(("count", "level"), [(1, "easy"), (2, "medium"), (3, "hard")])
def test_difficulty_when_counted_then_it_is_that_of_the_task_set(count: int, level: str) -> None:
    assert difficulty(builtin("indooruav"), VLA_DIFFICULTY, count) == level


def test_trajectory_when_made_then_it_has_a_pose_a_frame() -> None:
    flight = all_flights()[0]
    assert len(poses_of(flight)) == flight.frames == round(flight.seconds * flight.fps)
