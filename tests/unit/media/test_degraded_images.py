"""Degraded images: the same pixels everywhere, and of the strength that the recipe says."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from annotator.domain.image_recipe import (
    AIRCOP_NOISE,
    RULES,
    ImageRecipe,
    RecipeStep,
    StepKind,
    read_step,
)
from annotator.errors import Cancelled, UserError
from annotator.media.degraded_images import degrade
from annotator.progress import Progress

HEIGHT, WIDTH = 300, 400
# A slope, so that a blur has something to blur, and whose bytes are the same everywhere.
SLOPE = np.asarray(
    np.add.outer(np.arange(HEIGHT) * 3, np.arange(WIDTH) * 7)[:, :, None] // np.array([4, 5, 6]) % 256,
    np.uint8,
)
GREY = np.full((HEIGHT, WIDTH, 3), 128, np.uint8)


def made(*steps: RecipeStep, picture: np.ndarray = GREY, seed: int = 7, content: str = "a") -> np.ndarray:
    return degrade(picture, ImageRecipe(steps=steps, seed=seed), content=content)


def digest(picture: np.ndarray) -> str:
    return hashlib.sha256(picture.tobytes()).hexdigest()[:16]


# Written down once: other bytes mean that recipes of stored projects no longer give their images.
DIGESTS: dict[StepKind, str] = {
    "block_loss": "448e950bc89e0f85",
    "gaussian_blur": "3d144f190c5921c0",
    "gaussian_noise": "70a83f1e74aeafe9",
    "motion_blur": "b8cfec9ffc5efece",
    "row_loss": "a92800a8db99f0c3",
    "salt_pepper": "d481dd2a09e2bb8f",
}


@pytest.mark.parametrize("kind", sorted(RULES))
def test_step_when_applied_then_gives_the_bytes_that_it_always_gave(kind: StepKind) -> None:
    step = RecipeStep.usual(kind)
    assert digest(made(step, picture=SLOPE)) == DIGESTS[kind]


@pytest.mark.parametrize("kind", ["gaussian_noise", "salt_pepper", "block_loss", "row_loss"])
def test_draws_when_seed_or_source_differ_then_differ_too(kind: StepKind) -> None:
    step = RecipeStep.usual(kind)
    pictures = [made(step), made(step, seed=8), made(step, content="b"), made(step, step)[:0]]
    assert len({digest(picture) for picture in pictures}) == 4
    assert digest(made(step)) == digest(pictures[0])


def test_noise_when_made_then_has_the_sigma_and_share_of_the_recipe() -> None:
    noise = made(RecipeStep(kind="gaussian_noise", amount=25.0)).astype(float) - 128
    assert noise.std() == pytest.approx(25.0, rel=0.01)
    assert abs(noise.mean()) < 0.2
    assert abs(np.corrcoef(noise[:, :-1, 0].ravel(), noise[:, 1:, 0].ravel())[0, 1]) < 0.02
    pepper = made(RecipeStep(kind="salt_pepper", amount=0.05))[:, :, 0]
    assert [(pepper == level).mean() for level in (0, 255)] == pytest.approx([0.025, 0.025], rel=0.1)


def test_loss_when_made_then_covers_the_share_in_whole_blocks_or_bands() -> None:
    blocks = made(RecipeStep(kind="block_loss", amount=0.25, size_px=50))
    lost = blocks[:, :, 0].reshape(6, 50, 8, 50).transpose(0, 2, 1, 3)
    assert sorted({int(block.max()) for row in lost for block in row}) == [0, 128]
    assert sum(not block.any() for row in lost for block in row) == 12
    rows = made(RecipeStep(kind="row_loss", amount=0.5, size_px=30))[:, 0, 0].reshape(10, 30)
    assert [int(band.max()) for band in rows].count(0) == 5
    assert all(len(set(band.tolist())) == 1 for band in rows)


@pytest.mark.parametrize("kind", ["gaussian_blur", "motion_blur"])
def test_blur_when_made_then_keeps_plain_areas_and_smooths_edges(kind: StepKind) -> None:
    step = RecipeStep.usual(kind)
    assert np.array_equal(made(step), GREY)
    edge = GREY.copy()
    edge[:, WIDTH // 2 :] = 255
    blurred = made(step, picture=edge)[HEIGHT // 2, :, 0].astype(int)
    steps = np.diff(blurred)
    assert steps.min() >= 0
    assert steps.max() < 60
    # As far to the left of the edge as to the right.
    changing = np.flatnonzero(steps)
    assert int(changing[0] + changing[-1]) == WIDTH - 2


def test_motion_when_at_an_angle_then_blurs_along_it_only() -> None:
    dot = np.zeros((41, 41, 3), np.uint8)
    dot[20, 20] = 255
    flat = made(RecipeStep(kind="motion_blur", amount=5.0), picture=dot)[:, :, 0]
    assert (np.flatnonzero(flat.any(axis=1)).tolist(), flat[20].nonzero()[0].tolist()) == (
        [20],
        [*range(15, 26)],
    )
    steep = made(RecipeStep(kind="motion_blur", amount=5.0, angle_deg=90), picture=dot)[:, :, 0]
    assert np.array_equal(steep, flat.T)
    rising = made(RecipeStep(kind="motion_blur", amount=5.0, angle_deg=45), picture=dot)[:, :, 0]
    rows, columns = rising.nonzero()
    # Up to the right, as angles are counted.
    assert (rows + columns == 40).all()
    assert len(rows) > 5


def test_chain_when_applied_then_is_its_steps_in_order() -> None:
    noise, blur = RecipeStep.usual("gaussian_noise"), RecipeStep.usual("gaussian_blur")
    assert made(noise, blur).std() < made(blur, noise).std() / 4
    assert ImageRecipe(steps=(noise, blur)).label == "noise-blur"
    assert ImageRecipe(steps=AIRCOP_NOISE).label == "noise"


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("gaussian_noise=12.5", RecipeStep(kind="gaussian_noise", amount=12.5)),
        ("salt_pepper", RecipeStep(kind="salt_pepper", amount=0.05)),
        ("motion_blur=8@45", RecipeStep(kind="motion_blur", amount=8, angle_deg=45)),
        ("block_loss=0.3/32", RecipeStep(kind="block_loss", amount=0.3, size_px=32)),
        ("row_loss", RecipeStep(kind="row_loss", amount=0.2, size_px=16)),
    ],
)
def test_step_when_read_from_text_then_has_its_values(text: str, step: RecipeStep) -> None:
    assert read_step(text) == step


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fog=3", "'fog=3' is not a step"),
        ("", "is not a step"),
        ("gaussian_noise=0", "must be between 0.5 and 128"),
        ("gaussian_noise=nan", "is not a number"),
        ("salt_pepper=2", "The share of salt_pepper must be between"),
        ("motion_blur=8@200", "no angle of 200 degrees"),
        ("gaussian_blur=3/4", "no size of 4 pixels"),
        ("block_loss=0.2/0", "no size of 0 pixels"),
    ],
)
def test_step_when_its_text_is_wrong_then_says_why(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_step(text)


def test_recipe_when_invalid_then_nothing_is_made() -> None:
    with pytest.raises(UserError, match="1 to 8 steps"):
        made()
    with pytest.raises(UserError, match="seed must be"):
        made(RecipeStep.usual("row_loss"), seed=-1)


def test_degrade_when_cancelled_then_stops() -> None:
    progress = Progress()
    progress.cancel()
    recipe = ImageRecipe(steps=AIRCOP_NOISE)
    with pytest.raises(Cancelled):
        degrade(GREY, recipe, content="a", progress=progress)
