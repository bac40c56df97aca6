from __future__ import annotations

import numpy as np
import pytest

from annotator.demo.camera import Camera
from annotator.demo.stage import Stage, stage_of
from annotator.demo.view import look, render
from annotator.demo.world import World

SIZE = (640, 360)


@pytest.fixture(scope="module")
def world() -> World:
    return World.build(7, "small")


@pytest.fixture(scope="module")
def stage(world: World) -> Stage:
    return stage_of(world)


def _over(x_m: float, y_m: float) -> Camera:
    return Camera.over(at=(x_m, y_m), distance_m=45, heading_deg=20, tilt_deg=25)


def test_world_when_seen_then_its_movers_are_where_they_are_at_the_time(world: World, stage: Stage) -> None:
    driving = next(m for m in world.movers(10.0) if m.speed_m_per_s > 3 and stage.terrain.holds(m.x_m, m.y_m))
    locations = []
    for time_s in (10.0, 11.0):
        now = next(m for m in world.movers(time_s) if m.number == driving.number)
        camera = _over(now.x_m, now.y_m)
        seen = render(world, camera=camera, time_s=time_s, size_px=SIZE, stage=stage)
        rows, columns = np.nonzero(seen.bodies == driving.number)
        expected = camera.project(np.array([(now.x_m, now.y_m, now.height_m / 2)]), size_px=SIZE)[0]
        assert (columns.mean(), rows.mean()) == pytest.approx(expected.tolist(), abs=6)
        locations.append((now.x_m, now.y_m))
    assert locations[0] != locations[1]


def test_fire_when_it_burns_then_it_is_in_the_picture_and_not_in_the_truth(
    world: World, stage: Stage
) -> None:
    fire = next(a for a in world.anomalies if a.strength > 0)
    camera = _over(fire.x_m, fire.y_m)
    time_s = (fire.start_s + fire.end_s) / 2
    burning = render(world, camera=camera, time_s=time_s, size_px=SIZE, stage=stage)
    clear = look(stage, camera=camera, size_px=SIZE)
    assert (burning.depth_m == clear.depth_m).all()
    assert (burning.bodies == clear.bodies).all()
    changed = np.abs(burning.image.astype(int) - clear.image).max(axis=2) > 40
    assert changed.sum() > 100


def test_picture_when_the_stage_was_used_before_then_it_is_the_same_as_on_a_new_one(
    world: World, stage: Stage
) -> None:
    camera = _over(104, 119)
    render(world, camera=_over(60, 60), time_s=3.0, size_px=SIZE, stage=stage)
    used = render(world, camera=camera, time_s=20.0, size_px=SIZE, stage=stage)
    fresh = render(world, camera=camera, time_s=20.0, size_px=SIZE)
    assert (used.image == fresh.image).all()
    assert (used.bodies == fresh.bodies).all()
