from __future__ import annotations

import numpy as np
import pytest

from annotator.demo.light import NOON, Sun, light_on, shadow_rim, slope_light, surroundings
from annotator.demo.terrain import CELLS_PER_M


def _light(height_m: np.ndarray, sun: Sun = NOON) -> np.ndarray:
    return light_on(height_m, rim_m=shadow_rim(height_m, sun=sun), around_m=surroundings(height_m), sun=sun)


def _land_with_a_post() -> np.ndarray:
    height = np.zeros((300, 300), np.float32)
    height[148:152, 148:152] = 8.0
    return height


def test_light_when_land_is_level_then_it_is_even_and_whole() -> None:
    light = _light(np.zeros((50, 60), np.float32))
    assert light.shape == (50, 60, 3)
    assert np.ptp(light, axis=(0, 1)).max() < 1e-5
    assert (light[0, 0] > NOON.direct).all()


def test_shadow_when_a_post_stands_then_it_falls_away_from_the_sun() -> None:
    light = _light(_land_with_a_post()).sum(axis=2)
    east, south = NOON.to_sun[:2] / np.hypot(*NOON.to_sun[:2])
    away = (round(150 - 30 * south), round(150 - 30 * east))
    towards = (round(150 + 30 * south), round(150 + 30 * east))
    assert light[away] < 0.6 * light[towards]


def test_shadow_when_a_post_stands_then_it_is_as_long_as_the_sun_is_low() -> None:
    light = _light(_land_with_a_post()).sum(axis=2)
    run, rise = np.hypot(*NOON.to_sun[:2]), NOON.to_sun[2]
    length_cells = 8.0 * run / rise * CELLS_PER_M
    east, south = NOON.to_sun[:2] / run
    lit = light[10, 10]
    inside, beyond = (
        light[round(150 - d * south), round(150 - d * east)]
        for d in (0.85 * length_cells, 1.2 * length_cells)
    )
    assert inside < 0.6 * lit
    assert beyond > 0.95 * lit


def test_slope_when_it_faces_the_sun_then_it_is_brighter() -> None:
    step = np.arange(40, dtype=np.float32) / CELLS_PER_M * 0.5
    falls_west = np.tile(step, (40, 1))
    falls_east = falls_west[:, ::-1].copy()
    # The sun stands in the south-west.
    assert slope_light(falls_west, sun=NOON)[20, 20] > 1.0 > slope_light(falls_east, sun=NOON)[20, 20]


def test_sun_when_the_day_goes_on_then_it_rises_in_the_east_and_sets_in_the_west() -> None:
    morning, noon, evening = (Sun.at(hour) for hour in (7.0, 12.0, 17.0))
    assert morning.to_sun[0] > 0.5
    assert evening.to_sun[0] < -0.5
    assert noon.to_sun[2] > max(morning.to_sun[2], evening.to_sun[2])
    # At noon it stands in the south, at 90 degrees less the latitude plus the declination.
    assert np.degrees(np.arcsin(noon.to_sun[2])) == pytest.approx(90 - 46 + 16)
    assert noon.to_sun[1] > 0


def test_sun_when_it_is_low_then_its_light_is_weaker_and_redder() -> None:
    low, high = Sun.at(18.4), Sun.at(12.0)
    assert low.direct.sum() < 0.7 * high.direct.sum()
    assert low.direct[2] / low.direct[0] > 1.5 * high.direct[2] / high.direct[0]


def test_shadow_when_the_hour_changes_then_it_falls_the_other_way() -> None:
    morning, evening = (_light(_land_with_a_post(), sun=Sun.at(h)).sum(axis=2) for h in (8.0, 16.5))
    west, east = (slice(145, 155), slice(110, 140)), (slice(145, 155), slice(160, 190))
    assert morning[west].mean() < morning[east].mean()
    assert evening[east].mean() < evening[west].mean()
