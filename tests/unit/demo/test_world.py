from __future__ import annotations

import hashlib
from collections import Counter

import cv2
import numpy as np
import pytest

from annotator.demo.movers import FIRST_MOVER, Mover, place
from annotator.demo.terrain import Terrain
from annotator.demo.world import Bounds, World

SEED = 7
FRAMES_PER_S = 15
Box = tuple[tuple[float, float], tuple[float, float], float]


@pytest.fixture(scope="module")
def world() -> World:
    return World.build(SEED)


def _box(mover: Mover) -> Box:
    plan = mover.plan
    return (plan.x_m, plan.y_m), (plan.length_m, plan.width_m), plan.turn_deg


def _overlaps(movers: tuple[Mover, ...]) -> list[tuple[int, int]]:
    positions = np.array([(m.x_m, m.y_m) for m in movers])
    apart = np.hypot(*(positions[:, None] - positions[None]).transpose(2, 0, 1))
    found = []
    for one, other in np.argwhere(np.triu(apart < 12, 1)).tolist():
        kind, corners = cv2.rotatedRectangleIntersection(_box(movers[one]), _box(movers[other]))
        if kind != cv2.INTERSECT_NONE and cv2.contourArea(corners) > 0.01:
            found.append((movers[one].number, movers[other].number))
    return found


def _is_near(mover: Mover, world: World) -> bool:
    plan = world.town.plan
    return -5 < mover.x_m < plan.width_m + 5 and -5 < mover.y_m < plan.depth_m + 5


def test_movers_when_asked_at_any_time_then_the_same_number_is_the_same_thing(world: World) -> None:
    before, after = ({m.number: m for m in world.movers(t)} for t in (0.0, 37.31))
    assert before.keys() == after.keys()
    assert min(before) > FIRST_MOVER
    for number, mover in before.items():
        other = after[number]
        assert (mover.kind, mover.colour, mover.pose) == (other.kind, other.colour, other.pose)
        assert mover.can_move or mover == other
    kinds = Counter(m.kind for m in before.values())
    assert set(kinds) >= {
        "car", "van", "pick-up", "lorry", "bus", "motorbike", "bicycle", "boat", "ambulance", "fire engine",
        "police van", "person",
    }  # fmt: skip
    assert kinds["car"] > 150
    assert kinds["person"] > 200


def test_movers_when_time_passes_then_nobody_jumps_and_speeds_are_true(world: World) -> None:
    before = world.moving(10.0)
    moved = 0
    for frame in range(1, 8 * FRAMES_PER_S):
        after = world.moving(10.0 + frame / FRAMES_PER_S)
        for one, two in zip(before, after, strict=True):
            step_m = float(np.hypot(two.x_m - one.x_m, two.y_m - one.y_m))
            if _is_near(one, world) or _is_near(two, world):
                expected = (one.speed_m_per_s + two.speed_m_per_s) / 2 / FRAMES_PER_S
                assert step_m == pytest.approx(expected, abs=0.11)
                moved += step_m > 0.01
        before = after
    assert moved > 10_000


@pytest.mark.parametrize("time_s", [0.0, 7.77, 21.4, 43.21, 59.9, 113.0])
def test_movers_when_placed_then_no_two_stand_in_one_place(world: World, time_s: float) -> None:
    assert _overlaps(world.movers(time_s)) == []


def test_still_ones_when_placed_then_they_stand_on_open_ground(world: World) -> None:
    terrain = world.terrain
    for mover in world.still:
        if mover.ground_m == 0:
            row, column = int(mover.y_m * 10), int(mover.x_m * 10)
            assert terrain.height_m[row, column] < 0.3 or terrain.base_m[row, column] > 0


def test_moving_ones_when_they_go_then_through_no_wall(world: World) -> None:
    terrain = world.terrain
    rows, columns = terrain.body.shape
    seen = 0
    for time_s in (3.0, 33.0, 77.0):
        for mover in world.moving(time_s):
            row, column = int(mover.y_m * 10), int(mover.x_m * 10)
            if 0 <= row < rows and 0 <= column < columns:
                seen += 1
                assert terrain.height_m[row, column] < 0.35 or terrain.base_m[row, column] > 0
    assert seen > 400


def peopled(world: World, time_s: float, *, around: Bounds) -> Terrain:
    """Return part of the land with everybody on it who stands well inside."""
    tile = world.tile(around)
    for mover in world.movers(time_s):
        if tile.holds(mover.x_m, mover.y_m):
            place(tile, mover=mover)
    return tile


def test_movers_when_placed_then_their_numbers_lie_where_they_are(world: World) -> None:
    west, north = 70.0, 90.0
    tile = peopled(world, 12.0, around=(west, north, 150.0, 160.0))
    shown = 0
    for mover in world.movers(12.0):
        if tile.holds(mover.x_m, mover.y_m):
            cell = tile.body[int((mover.y_m - north) * 10), int((mover.x_m - west) * 10)]
            shown += int(cell == mover.number)
            assert (
                cell == mover.number
                or tile.base_m[int((mover.y_m - north) * 10), int((mover.x_m - west) * 10)] > 0
            )
    assert shown > 30
    assert (world.terrain.body < FIRST_MOVER).all()


def test_things_when_listed_then_every_number_is_told(world: World) -> None:
    tile = peopled(world, 5.0, around=(0, 0, 400, 320))
    assert set(np.unique(tile.body).tolist()) - {0} <= set(world.things)
    moving = {m.number for m in world.moving(0.0)}
    for number, thing in world.things.items():
        assert thing.number == number
        assert thing.is_moving == (number in moving)
    church = next(mark for mark in world.landmarks if mark.name == "the church")
    assert {world.things[n].name for n in church.bodies} == {"the church"}
    assert {world.things[n].category for n in church.bodies} == {"church", "church tower"}
    cars = [m for m in world.still if m.kind == "car"]
    assert all(world.things[m.number].category == f"{m.colour_name} car" for m in cars)
    person = next(m for m in world.still if m.kind == "person")
    assert world.things[person.number].category == f"person in {person.colour_name}"


def test_anomalies_when_told_then_those_involved_are_there(world: World) -> None:
    still = {m.number: m for m in world.still}
    kinds = Counter(a.kind for a in world.anomalies)
    assert kinds == {"accident": 1, "fire": 2, "blocked road": 1}
    for anomaly in world.anomalies:
        assert 0 <= anomaly.start_s < anomaly.end_s
        assert anomaly.is_on(anomaly.start_s)
        assert not anomaly.is_on(anomaly.end_s + 1)
        assert set(anomaly.bodies) <= set(world.things)
        assert (anomaly.strength > 0) == (anomaly.base_m > 0) == (anomaly.kind == "fire")
    accident = next(a for a in world.anomalies if a.kind == "accident")
    involved = [still[n] for n in accident.bodies]
    assert Counter(m.kind for m in involved if m.kind != "person") == {
        "car": 2,
        "police van": 1,
        "ambulance": 1,
    }
    assert any(m.pose == "lying" for m in involved)
    cars = [_box(m) for m in involved if m.kind == "car"]
    grown = [(at, (length + 0.6, width + 0.6), turn) for at, (length, width), turn in cars]
    assert cv2.rotatedRectangleIntersection(grown[0], grown[1])[0] != cv2.INTERSECT_NONE


def test_roads_when_blocked_then_a_queue_waits_before_the_place(world: World) -> None:
    for kind, least in (("accident", 2), ("blocked road", 4)):
        anomaly = next(a for a in world.anomalies if a.kind == kind)
        waiting = [
            m
            for m in world.moving(60.0)
            if m.speed_m_per_s < 0.1
            and m.kind != "person"
            and np.hypot(m.x_m - anomaly.x_m, m.y_m - anomaly.y_m) < 45
        ]
        assert len(waiting) >= least


def test_world_when_small_then_it_has_fewer_movers(world: World) -> None:
    small = World.build(SEED, "small")
    assert len(small.movers(0.0)) < 0.7 * len(world.movers(0.0))
    assert _overlaps(small.movers(30.0)) == []


@pytest.mark.slow
def test_world_when_built_twice_then_cells_and_motion_are_equal(world: World) -> None:
    again = World.build(SEED)
    digests = [hashlib.sha256(w.terrain.colour.tobytes()).digest() for w in (world, again)]
    assert digests[0] == digests[1]
    assert again.movers(33.3) == world.movers(33.3)
    assert again.anomalies == world.anomalies
    assert World.build(SEED + 1, "small").movers(0.0) != World.build(SEED, "small").movers(0.0)
