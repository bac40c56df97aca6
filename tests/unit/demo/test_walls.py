from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from annotator.demo.buildings import Building
from annotator.demo.facades import Facade
from annotator.demo.terrain import Rectangle
from annotator.demo.walls import WallPoints, wall_paint, wall_run

PLAN = Rectangle(x_m=30, y_m=20, length_m=20, width_m=10, turn_deg=25)
BUILDING = Building(
    footprint=PLAN, eaves_m=9, roof="flat", roof_colour=(0, 0, 0), wall_colour=(180, 180, 180),
    facade=Facade(doors_m=(-6.0,), plinth_m=0.4),
)  # fmt: skip


def _points(along: np.ndarray, height: np.ndarray, *, is_long: bool = True) -> WallPoints:
    ones = np.ones(along.shape, np.float32)
    return WallPoints(
        is_on=ones > 0, along_m=along.astype(np.float32), height_m=height.astype(np.float32),
        is_long=np.full(along.shape, is_long), side=ones, normal_east=ones, normal_south=0 * ones,
    )  # fmt: skip


def test_ray_when_it_nears_a_wall_then_it_ends_on_the_wall_itself() -> None:
    target = np.array(PLAN.at(3.0, 5.0))
    begin = np.array(PLAN.at(1.0, 25.0))
    way = np.array([[*(target - begin), -0.5]], np.float32)
    run, points = wall_run(
        BUILDING, position_m=(*begin.tolist(), 4.0), rays=way, run=np.array([1.01], np.float32)
    )
    assert run == pytest.approx([1.0], abs=1e-5)
    assert points.is_on.all()
    assert points.is_long.all()
    assert points.height_m == pytest.approx([3.5], abs=1e-5)
    assert abs(points.along_m[0]) == pytest.approx(3.0, abs=1e-4)
    across = np.array(PLAN.at(0, 1)) - (PLAN.x_m, PLAN.y_m)
    assert (points.normal_east[0], points.normal_south[0]) == pytest.approx(across.tolist(), abs=1e-5)


def test_ray_when_it_ends_far_from_any_wall_then_it_stays_as_it_is() -> None:
    begin = PLAN.at(0.0, 25.0)
    way = np.array([[PLAN.x_m - begin[0], PLAN.y_m - begin[1], 0.0]], np.float32)
    run, points = wall_run(BUILDING, position_m=(*begin, 4.0), rays=way, run=np.array([0.95], np.float32))
    assert run == pytest.approx([0.95])
    assert not points.is_on.any()


def test_wall_when_it_has_storeys_then_windows_repeat_along_it_and_up() -> None:
    along = np.linspace(-9, 9, 900)
    row = wall_paint(BUILDING, _points(along, np.full(900, 4.6))).sum(axis=1)
    assert np.count_nonzero(np.diff((row < 400).astype(int)) == 1) >= 6
    heights = np.linspace(0.1, 8.9, 900)
    column = wall_paint(BUILDING, _points(np.full(900, 0.3), heights)).sum(axis=1)
    assert np.count_nonzero(np.diff((column < 400).astype(int)) == 1) >= 3


def test_wall_when_windows_are_left_out_then_it_has_none() -> None:
    blind = replace(BUILDING, facade=Facade(window_every_m=0.0))
    along = np.linspace(-9, 9, 900)
    assert wall_paint(blind, _points(along, np.full(900, 4.6))).sum(axis=1).min() > 400


def test_door_when_the_facade_has_one_then_it_stands_on_the_ground_of_the_long_wall_alone() -> None:
    along, height = np.array([-6.2]), np.array([1.2])
    door = np.array(BUILDING.facade.door_colour, np.float32)
    long, short = (wall_paint(BUILDING, _points(along, height, is_long=flag))[0] for flag in (True, False))
    assert long == pytest.approx(door, rel=0.25)
    assert np.abs(short - door).max() > 20


def test_window_when_seen_near_its_lintel_then_it_is_darker_than_in_its_middle() -> None:
    window = np.full(2, 0.3)
    low, high = wall_paint(BUILDING, _points(window, np.array([2.1, 2.31])))
    assert high.sum() < 0.75 * low.sum()
