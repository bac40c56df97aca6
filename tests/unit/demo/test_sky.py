from __future__ import annotations

import numpy as np
import pytest

from annotator.demo.light import NOON, Sun
from annotator.demo.sky import field_colour, haze_colour, hazed, sky_colour


def _colour(east: float, south: float, up: float, *, sun: Sun = NOON) -> np.ndarray:
    return sky_colour(*(np.array([v], np.float32) for v in (east, south, up)), sun=sun)[0]


def test_haze_when_things_are_farther_then_they_are_nearer_to_the_haze() -> None:
    black = np.zeros((3, 3), np.float32)
    seen = hazed(black, distance_m=np.array([0, 200, 1e5], np.float32), sun=NOON)
    assert seen[0] == pytest.approx(0)
    assert (seen[1] > 0).all()
    assert seen[2] == pytest.approx(haze_colour(NOON), rel=1e-4)


def test_sky_when_one_looks_up_then_it_is_bluer_than_at_the_horizon() -> None:
    rng = np.random.default_rng(1)
    turn = rng.uniform(0, 2 * np.pi, 4000).astype(np.float32)
    high, low = (
        sky_colour(np.cos(turn), np.sin(turn), np.full(4000, up, np.float32), sun=NOON).mean(0)
        for up in (2.0, 0.05)
    )
    assert high[0] - high[2] > 40 + low[0] - low[2]


def test_sky_when_it_meets_the_ground_then_woods_hide_the_line_and_it_has_the_colour_of_the_haze() -> None:
    turn = np.linspace(0, 2 * np.pi, 2000, dtype=np.float32)
    level, above = (
        sky_colour(np.cos(turn), np.sin(turn), np.full(2000, up, np.float32), sun=NOON)
        for up in (0.0002, 0.035)
    )
    assert level.mean() < above.mean() - 20
    assert above.mean(0) == pytest.approx(haze_colour(NOON), abs=30)


def test_sky_when_one_looks_into_the_sun_then_it_glows() -> None:
    east, south, up = NOON.to_sun.tolist()
    assert _colour(east, south, up).sum() > _colour(-east, -south, up).sum() + 100


def test_sky_when_the_sun_is_low_then_it_is_darker() -> None:
    assert _colour(0.2, -0.6, 0.8, sun=Sun.at(18.4)).sum() < 0.8 * _colour(0.2, -0.6, 0.8).sum()


def test_clouds_when_the_seed_is_another_then_they_stand_elsewhere_and_else_the_same() -> None:
    turn = np.linspace(0, 2 * np.pi, 500, dtype=np.float32)
    ways = np.cos(turn), np.sin(turn), np.full(500, 0.8, np.float32)
    one, again, other = (sky_colour(*ways, sun=NOON, seed=s) for s in (1, 1, 2))
    assert (one == again).all()
    assert np.abs(one - other).max() > 20


def test_clouds_when_followed_all_round_then_they_have_no_seam() -> None:
    turn = np.linspace(0, 2 * np.pi, 40_000, dtype=np.float32)
    sky = sky_colour(np.cos(turn), np.sin(turn), np.full(40_000, 0.7, np.float32), sun=NOON)
    assert np.abs(np.diff(sky, axis=0)).max() < 12


def test_fields_when_looked_at_then_they_are_of_several_colours_with_hedges_between() -> None:
    x, y = (v.ravel() for v in np.meshgrid(np.arange(-900.0, 900, 7), np.arange(-900.0, 900, 7)))
    colours = field_colour(x, y, sun=NOON)
    assert np.ptp(colours, axis=0).min() > 40
    dark = colours.sum(axis=1) < 0.75 * np.median(colours.sum(axis=1))
    assert 0.02 < dark.mean() < 0.3
