from __future__ import annotations

import numpy as np
import pytest

from annotator.demo.camera import Camera
from annotator.demo.light import NOON
from annotator.demo.smoke import Fire, draw_fires

SIZE = (320, 180)
CAMERA = Camera(x_m=0, y_m=50, altitude_m=10, heading_deg=0, tilt_deg=90)
FIRE = Fire(x_m=0, y_m=0, base_m=4, strength=1.0, seed=3)


def _drawn(fire: Fire = FIRE, *, behind_m: float = 1000.0, time_s: float = 30.0) -> np.ndarray:
    image = np.full((SIZE[1], SIZE[0], 3), 150, np.uint8)
    depth = np.full((SIZE[1], SIZE[0]), behind_m, np.float32)
    draw_fires(image, [fire], depth_m=depth, camera=CAMERA, time_s=time_s, sun=NOON)
    return image


def test_fire_when_seen_then_flames_are_at_its_foot_and_smoke_rises_over_it() -> None:
    image = _drawn().astype(int)
    is_flame = image[..., 2] - image[..., 0] > 60
    is_smoke = image.sum(axis=2) < 360
    foot = CAMERA.project(np.array([(0.0, 0.0, 5.0)]), size_px=SIZE)[0]
    rows, columns = np.nonzero(is_flame)
    assert (columns.mean(), rows.mean()) == pytest.approx(foot, abs=10)
    assert np.nonzero(is_smoke)[0].mean() < rows.mean() - 10


def test_fire_when_something_stands_before_it_then_it_is_hidden() -> None:
    assert (_drawn(behind_m=20.0) == 150).all()


def test_fire_when_it_is_behind_the_camera_then_nothing_is_drawn() -> None:
    assert (_drawn(Fire(x_m=0, y_m=120, base_m=4, strength=1.0)) == 150).all()


def test_fire_when_it_is_weaker_then_it_changes_less_of_the_picture() -> None:
    weak, strong = (
        (_drawn(Fire(x_m=0, y_m=0, base_m=4, strength=s, seed=3)) != 150).sum() for s in (0.2, 1.0)
    )
    assert 0 < weak < strong
    assert (_drawn(Fire(x_m=0, y_m=0, base_m=4, strength=0.0)) == 150).all()


def test_smoke_when_time_goes_on_then_it_moves_a_little_and_the_same_time_is_the_same() -> None:
    now, again, soon, later = (_drawn(time_s=t).astype(int) for t in (30.0, 30.0, 30.04, 33.0))
    assert (now == again).all()
    changes = [np.abs(now - other).mean() for other in (soon, later)]
    assert 0 < changes[0] < changes[1]


def test_smoke_when_it_touches_a_wall_then_it_has_no_hard_edge_there() -> None:
    image = np.full((SIZE[1], SIZE[0], 3), 150, np.uint8)
    # A wall that comes nearer from left to right goes through the smoke.
    depth = np.tile(np.linspace(90, 30, SIZE[0], dtype=np.float32), (SIZE[1], 1))
    draw_fires(image, [FIRE], depth_m=depth, camera=CAMERA, time_s=30.0, sun=NOON)
    # Over the flames, which flicker by themselves.
    smoke = image[:60].astype(int)
    assert smoke.min() < 110
    assert np.abs(np.diff(smoke, axis=1)).max() < 25
