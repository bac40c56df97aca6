from __future__ import annotations

import tomllib
from typing import get_args

import cv2
import numpy as np
import pytest

import resources
from annotator.demo.degradations import DEGRADATIONS, DegradationName, degrade

NAMES: tuple[DegradationName, ...] = get_args(DegradationName)
DEPTH = np.tile(np.linspace(5, 300, 180, dtype=np.float32)[::-1, None], (1, 320))


@pytest.fixture(scope="module")
def image() -> np.ndarray:
    rng = np.random.default_rng(1)
    coarse = rng.integers(30, 220, (18, 32, 3), dtype=np.uint8)
    return cv2.resize(coarse, (320, 180), interpolation=cv2.INTER_NEAREST)


def _degraded(image: np.ndarray, name: DegradationName, strength: float, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return degrade(image, name, strength=strength, rng=rng, depth_m=DEPTH)


def test_labels_when_compared_with_the_task_set_then_each_is_one_of_its_degradations() -> None:
    text = resources.path("tasksets/aircop.toml").read_text(encoding="utf-8")
    known = {entry["id"] for entry in tomllib.loads(text)["value_lists"]["degradation"]}
    assert {d.label for d in DEGRADATIONS.values()} <= known
    assert all(d.text for d in DEGRADATIONS.values() if d.label == "others")
    assert set(DEGRADATIONS) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_picture_when_the_strength_is_nought_then_it_is_as_it_was(
    image: np.ndarray, name: DegradationName
) -> None:
    assert (_degraded(image, name, 0.0) == image).all()


@pytest.mark.parametrize("name", NAMES)
def test_picture_when_the_strength_grows_then_it_is_spoilt_more(
    image: np.ndarray, name: DegradationName
) -> None:
    changes = [np.abs(_degraded(image, name, s).astype(int) - image).mean() for s in (0.3, 0.6, 1.0)]
    assert 0.3 < changes[0] < changes[1] < changes[2]


@pytest.mark.parametrize("name", NAMES)
def test_picture_when_the_seed_is_the_same_then_so_is_the_result(
    image: np.ndarray, name: DegradationName
) -> None:
    one, again, other = (_degraded(image, name, 0.7, seed) for seed in (4, 4, 5))
    assert (one == again).all()
    # Focus and fog leave nothing to chance.
    assert (one == other).all() == (name in {"defocus", "fog"})


@pytest.mark.parametrize("name", ["motion_blur", "defocus"])
def test_blur_when_applied_then_edges_are_softer_and_the_light_stays(
    image: np.ndarray, name: DegradationName
) -> None:
    blurred = _degraded(image, name, 0.6)
    assert cv2.Laplacian(blurred, cv2.CV_32F).var() < 0.5 * cv2.Laplacian(image, cv2.CV_32F).var()
    before, after = ((i.astype(float) ** 2).mean() for i in (image, blurred))
    assert after == pytest.approx(before, rel=0.05)


def test_blur_by_motion_when_applied_then_it_goes_one_way() -> None:
    dot = np.zeros((181, 321, 3), np.uint8)
    dot[90, 160] = 255
    y, x = np.nonzero(degrade(dot, "motion_blur", strength=1.0, rng=np.random.default_rng(2)).max(axis=2))
    spread = np.linalg.eigvalsh(np.cov(np.stack([x, y])))
    assert spread[1] > 10 * max(spread[0], 0.05)


def test_fog_when_things_are_far_then_they_go_and_what_is_near_stays(image: np.ndarray) -> None:
    foggy = _degraded(image, "fog", 0.8).astype(int)
    assert foggy[:20].std() < 0.2 * image[:20].std()
    assert np.abs(foggy[-5:] - image[-5:]).mean() < 35


def test_light_when_spoilt_then_the_mean_goes_the_right_way(image: np.ndarray) -> None:
    mean = {name: _degraded(image, name, 0.8).mean() for name in NAMES}
    assert max(mean["darkness"], mean["cloud_shadow"]) < image.mean() - 25
    assert min(mean["overexposure"], mean["sun_flare"]) > image.mean() + 10


def test_degrading_when_the_strength_is_out_of_range_or_fog_lacks_depth_then_it_is_refused(
    image: np.ndarray,
) -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="strength"):
        degrade(image, "noise", strength=1.5, rng=rng)
    with pytest.raises(ValueError, match="depth"):
        degrade(image, "fog", strength=0.5, rng=rng)
