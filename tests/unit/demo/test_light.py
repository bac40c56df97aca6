from __future__ import annotations

import numpy as np

from annotator.demo.light import SUN_COLOUR, TO_SUN, light_on, slope_light
from annotator.demo.terrain import CELLS_PER_M


def _land_with_a_post() -> np.ndarray:
    height = np.zeros((300, 300), np.float32)
    height[148:152, 148:152] = 8.0
    return height


def test_light_when_land_is_level_then_it_is_even_and_whole() -> None:
    light = light_on(np.zeros((50, 60), np.float32))
    assert light.shape == (50, 60, 3)
    assert np.ptp(light, axis=(0, 1)).max() < 1e-5
    assert (light[0, 0] > SUN_COLOUR).all()


def test_shadow_when_a_post_stands_then_it_falls_away_from_the_sun() -> None:
    light = light_on(_land_with_a_post()).sum(axis=2)
    east, south = TO_SUN[:2] / np.hypot(*TO_SUN[:2])
    away = (round(150 - 30 * south), round(150 - 30 * east))
    towards = (round(150 + 30 * south), round(150 + 30 * east))
    assert light[away] < 0.6 * light[towards]


def test_shadow_when_a_post_stands_then_it_is_as_long_as_the_sun_is_low() -> None:
    light = light_on(_land_with_a_post()).sum(axis=2)
    run, rise = np.hypot(*TO_SUN[:2]), TO_SUN[2]
    length_cells = 8.0 * run / rise * CELLS_PER_M
    east, south = TO_SUN[:2] / run
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
    assert slope_light(falls_west)[20, 20] > 1.0 > slope_light(falls_east)[20, 20]
