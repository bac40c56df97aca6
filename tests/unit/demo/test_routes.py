from __future__ import annotations

import numpy as np
import pytest

from annotator.demo.plan import Plan, plan_of
from annotator.demo.routes import (
    CYCLE_S,
    END_S,
    STEP_S,
    Drive,
    Driver,
    Lane,
    drive,
    is_green,
    red_since,
)  # fmt: skip
from annotator.demo.walks import Stretch, cross_street, pace

LENGTH_M = 4.4


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_of("standard")


def _drivers(lane: Lane, positions_m: list[float], *, wish: float = 10.0) -> list[Driver]:
    return [Driver(lane=lane, start_m=p, length_m=LENGTH_M, wish_m_per_s=wish) for p in positions_m]


def _middle(lane: Lane, motion: Drive, k: int) -> np.ndarray:
    """Return how far along its street a driver is at all steps."""
    axis = lane.street.axis
    return np.asarray(motion.x_m[:, k] - axis[0][0])


def test_driver_when_alone_on_a_free_road_then_it_keeps_the_speed_it_wishes(plan: Plan) -> None:
    lane = Lane(street=plan.avenue, across_m=5.1)
    motion = drive(_drivers(lane, [20.0]), crossings=[])
    assert motion.speed_m_per_s[-1, 0] == pytest.approx(10, abs=0.2)
    steps = np.hypot(np.diff(motion.x_m[:, 0]), np.diff(motion.y_m[:, 0])) / STEP_S
    inside = steps < 50
    assert steps[inside] == pytest.approx(10, abs=0.3)
    assert (~inside).sum() >= 2


def test_drivers_when_the_first_is_slow_then_nobody_runs_into_another(plan: Plan) -> None:
    lane = Lane(street=plan.avenue, across_m=5.1)
    slow = Driver(lane=lane, start_m=120.0, length_m=LENGTH_M, wish_m_per_s=3.0)
    motion = drive([slow, *_drivers(lane, [20.0, 60.0, 90.0])], crossings=[])
    for k in range(4):
        for other in range(k):
            apart = np.hypot(motion.x_m[:, k] - motion.x_m[:, other], motion.y_m[:, k] - motion.y_m[:, other])
            assert apart.min() > LENGTH_M + 0.5
    assert motion.speed_m_per_s[-1].max() < 3.5


def test_drivers_when_the_lane_is_blocked_then_they_queue_before_it(plan: Plan) -> None:
    lane = Lane(street=plan.avenue, across_m=5.1, blocked_m=200.0)
    motion = drive(_drivers(lane, [20.0, 60.0, 100.0]), crossings=[])
    x_m = np.sort(motion.x_m[-1])
    noses = plan.avenue.at(200.0, 0)[0] - (x_m + LENGTH_M / 2)
    assert motion.speed_m_per_s[-1] == pytest.approx(0, abs=0.05)
    assert noses[-1] == pytest.approx(0.7, abs=0.7)
    assert np.diff(x_m) == pytest.approx(LENGTH_M + 2.2, abs=0.6)


def test_drivers_when_lights_are_red_then_none_crosses_the_stop_line(plan: Plan) -> None:
    crossing = plan.crossings[0]
    lane = Lane(street=crossing.street, across_m=5.1)
    motion = drive(_drivers(lane, [20.0, 70.0, 130.0, 200.0, 280.0, 350.0]), crossings=[crossing])
    along_m, half_m = crossing.place_on(crossing.street)
    line_m = crossing.street.at(along_m - half_m - 4.6, 0)[0]
    noses = motion.x_m + LENGTH_M / 2
    passed = (noses[:-1] < line_m) & (noses[1:] >= line_m)
    times = np.nonzero(passed)[0] * STEP_S
    assert len(times) >= 6
    late = [red_since(t, crossing=crossing, street=crossing.street) for t in times.tolist()]
    # Who is too near to stop when the light changes drives through.
    assert max(late) < 2.5
    assert (motion.speed_m_per_s < 0.1).any()


def test_lights_when_one_street_has_green_then_the_other_has_not(plan: Plan) -> None:
    crossing = plan.crossings[0]
    for t in np.arange(0, CYCLE_S, 0.5).tolist():
        greens = [is_green(t, crossing=crossing, street=s) for s in (crossing.street, crossing.other)]
        assert sum(greens) <= 1
        assert [red_since(t, crossing=crossing, street=crossing.street) < 0] == greens[:1]


def test_drivers_when_a_wider_street_is_taken_then_those_of_the_lane_give_way(plan: Plan) -> None:
    crossing = next(c for c in plan.crossings if not c.has_lights)
    first = Lane(street=crossing.street, across_m=2.0)
    second = Lane(street=crossing.other, across_m=1.55)
    drivers = [
        *_drivers(first, list(np.arange(10.0, 300, 60))),
        *_drivers(second, list(np.arange(10.0, 400, 50))),
    ]
    motion = drive(drivers, crossings=[crossing])
    one, other = 5, len(drivers)
    apart = np.hypot(
        motion.x_m[:, :one, None] - motion.x_m[:, None, one:other],
        motion.y_m[:, :one, None] - motion.y_m[:, None, one:other],
    )
    assert apart.min() > 3.3
    assert (motion.speed_m_per_s[:, one:] < 0.5).any()
    assert motion.speed_m_per_s[:, :one].min() > 8


def test_motion_when_asked_between_steps_then_it_lies_between_them(plan: Plan) -> None:
    lane = Lane(street=plan.avenue, across_m=5.1)
    motion = drive(_drivers(lane, [100.0]), crossings=[])
    k = int(np.argmin(np.abs(motion.x_m[:, 0] - 150)))
    x_m, *_ = motion.at((k + 0.5) * STEP_S)
    assert x_m[0] == pytest.approx((motion.x_m[k, 0] + motion.x_m[k + 1, 0]) / 2, abs=1e-3)
    assert motion.at(END_S + 9)[0][0] == pytest.approx(motion.x_m[-1, 0])
    assert motion.at(-3)[0][0] == motion.x_m[0, 0]


@pytest.mark.parametrize("speed", [1.3, -1.1])
def test_walker_when_going_round_then_steps_are_even_and_it_faces_its_way(plan: Plan, speed: float) -> None:
    stretch = Stretch(street=plan.lanes[0], from_m=20, to_m=60, near_m=5.0, far_m=5.9)
    motion = pace(stretch, speed_m_per_s=speed, start=0.3)
    east, south = np.diff(motion.x_m[:, 0]), np.diff(motion.y_m[:, 0])
    assert np.hypot(east, south) / STEP_S == pytest.approx(abs(speed), abs=0.15)
    facing = (motion.turn_deg[1:, 0] - np.degrees(np.arctan2(south, east)) + 180) % 360 - 180
    assert np.median(np.abs(facing)) < 2
    assert np.abs(np.diff(motion.turn_deg[:, 0])).max() < 60


def test_walker_when_crossing_then_it_is_on_the_street_only_while_that_has_red(plan: Plan) -> None:
    crossing = plan.crossings[0]
    street = crossing.street
    motion = cross_street(crossing, street=street, side=1, aside_m=0.0, speed_m_per_s=1.4, wait_s=2.0)
    along_m, half_m = crossing.place_on(street)
    x_m, y_m, turn = street.at(along_m + half_m + 2, 0)
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    across = (motion.y_m[:, 0] - y_m) * cos - (motion.x_m[:, 0] - x_m) * sin
    on_street = np.abs(across) < street.width_m / 2
    assert on_street.sum() * STEP_S > 2 * street.width_m / 1.4 - 1
    for k in np.flatnonzero(on_street).tolist():
        assert not is_green(k * STEP_S, crossing=crossing, street=street)
    assert np.abs(np.diff(across)).max() <= 1.4 * STEP_S + 1e-3
    assert across.min() < -street.width_m / 2 < street.width_m / 2 < across.max()
