"""How much two images differ."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from annotator.domain.medium import Medium
from annotator.media.frame_difference import difference_percent, first_different, small_copy
from annotator.media.image_decoder import encode_png
from annotator.progress import Progress


@pytest.fixture
def frames(tmp_path: Path) -> list[Medium]:
    """Give four images: a scene, the scene with noise, nothing, and the scene with a large new object."""
    chance = np.random.default_rng(5)
    scene = chance.integers(0, 255, (9, 16, 1), np.uint8).repeat(40, 0).repeat(40, 1).repeat(3, 2)
    noise = np.clip(scene + chance.normal(0, 25, scene.shape), 0, 255).astype(np.uint8)
    changed = scene.copy()
    changed[100:300, 200:500] = 255
    media = []
    for name, picture in (("a", scene), ("b", noise), ("gone", None), ("c", changed)):
        if picture is not None:
            (tmp_path / f"{name}.png").write_bytes(encode_png(picture))
        media.append(Medium(id=name, name=f"{name}.png", path=f"{name}.png"))
    return media


def test_difference_when_only_noise_is_added_then_is_small_and_a_new_object_is_large(
    frames: list[Medium], tmp_path: Path
) -> None:
    copies = [small_copy(medium, file=tmp_path / medium.path) for medium in frames]
    scene, noise, gone, changed = copies
    assert scene is not None
    assert noise is not None
    assert changed is not None
    assert gone is None
    assert difference_percent(scene, scene) == 0
    assert difference_percent(scene, noise) < 3
    assert difference_percent(scene, changed) > 8


def test_first_when_frames_are_compared_then_is_the_one_over_the_limit_or_none(
    frames: list[Medium], tmp_path: Path
) -> None:
    others = [(medium.id, medium) for medium in frames[1:]]

    def find(limit: float) -> str | None:
        return first_different(
            frames[0],
            others,
            total=3,
            limit_percent=limit,
            file_of=lambda path: tmp_path / path,
            progress=Progress(),
        )

    assert find(3) == "c"
    assert find(0.01) == "b"
    assert find(90) is None
