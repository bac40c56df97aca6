from __future__ import annotations

import numpy as np
import pytest

from annotator.demo.camera_effects import Look, add_noise, develop, lose_packets

GREY = np.full((160, 320, 3), 100, np.uint8)


def _developed(look: Look | None = None) -> np.ndarray:
    return develop(GREY, look=look or Look(grain=0.0), rng=np.random.default_rng(1))


def test_look_when_it_is_warm_then_red_is_over_blue() -> None:
    blue, _, red = _developed(Look(warmth=0.1, grain=0.0)).reshape(-1, 3).mean(0)
    plain_blue, _, plain_red = _developed().reshape(-1, 3).mean(0)
    assert red - blue > plain_red - plain_blue + 10


def test_noise_when_added_then_salt_and_pepper_have_their_share() -> None:
    noisy = add_noise(GREY, rng=np.random.default_rng(2))
    share = np.isin(noisy, (0, 255)).all(axis=2).mean()
    assert share == pytest.approx(0.05, abs=0.01)
    plain = noisy[~np.isin(noisy, (0, 255)).all(axis=2)]
    assert plain.astype(float).std() == pytest.approx(25, abs=2)


def test_loss_when_packets_are_lost_then_whole_rows_of_blocks_change_and_the_rest_stays() -> None:
    image = np.random.default_rng(3).integers(0, 255, GREY.shape, dtype=np.uint8)
    lost = lose_packets(image, rng=np.random.default_rng(4))
    changed = (lost != image).any(axis=(1, 2)).reshape(-1, 16)
    assert lost.shape == image.shape
    assert set(changed.all(axis=1)) == {False, True}
    assert (changed.any(axis=1) == changed.all(axis=1)).all()
    assert changed.any(axis=1).mean() <= 0.25


def test_faults_when_the_seed_is_the_same_then_so_are_the_pictures() -> None:
    for fault in (add_noise, lose_packets):
        one, two = (fault(GREY, rng=np.random.default_rng(9)) for _ in range(2))
        assert (one == two).all()
        assert (one != fault(GREY, rng=np.random.default_rng(10))).any()
