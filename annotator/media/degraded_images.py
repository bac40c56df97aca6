"""Degrades images by a recipe: the same recipe, source and seed give the same pixels on every machine.

Random bits come from NumPy's Philox generator (Philox4x64-10, Salmon et al., SC 2011), as raw 64-bit words:
NumPy guarantees these, while the methods of ``Generator`` can change between versions. Its 128-bit key is the
beginning of the SHA-256 digest of seed, place of the step and content of the source, so every image and every
step has draws of its own. All arithmetic on pixels is in whole numbers, which leaves nothing to the rounding
of a processor or a library; blurs are sums in float64 below 2**53, which are exact.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from annotator.domain.image_recipe import ImageRecipe, RecipeStep, StepKind
from annotator.progress import Progress

Rgb = NDArray[np.uint8]
Words = NDArray[np.uint16]
BAND_ROWS = 256
"""Rows that are drawn at once; part of the definition of the noise."""
# One level for each 16-bit word that is drawn.
LEVELS = 2**16
# Units of fixed-point numbers; powers of two, so that a shift divides by their product.
_Z_UNIT, _SIGMA_UNIT = 4096, 256
_WEIGHTS = 2**16
"""Sum of the weights of a blur in one direction."""
_REACH = 3
"""Half the width of a Gaussian kernel, in standard deviations."""


class RandomWords:
    """Random 16-bit words of one step on one image.

    Args:
        seed: Seed of the recipe.
        step: Place of the step in the recipe.
        content: Digest of the source's content, or another text that identifies it.
    """

    def __init__(self, *, seed: int, step: int, content: str) -> None:
        digest = hashlib.sha256(f"{seed}\0{step}\0{content}".encode()).digest()
        self._bits = np.random.Philox(key=int.from_bytes(digest[:16], "little"))

    def take(self, count: int) -> Words:
        """Return the next words, uint16 (count,); the rest of the last 64-bit word is dropped."""
        raw = self._bits.random_raw(-(-count // 4))
        return np.asarray(raw, "<u8").view("<u2")[:count]

    def order(self, count: int) -> NDArray[np.intp]:
        """Return the numbers below a count in random order, int (count,)."""
        return np.argsort(np.asarray(self._bits.random_raw(count), np.uint64), kind="stable")


def degrade(picture: Rgb, recipe: ImageRecipe, *, content: str, progress: Progress | None = None) -> Rgb:
    """Return a degraded copy of an image.

    Args:
        picture: uint8 (height, width, 3), red, green, blue.
        recipe: The steps and the seed.
        content: Digest of the source's content; equal digests give equal draws.
        progress: Checked for cancel between steps.

    Raises:
        UserError: The recipe is invalid.
        Cancelled: The user cancelled.
    """
    recipe.require_valid()
    made = picture
    for index, step in enumerate(recipe.steps):
        if progress is not None:
            progress.step(0)
        words = RandomWords(seed=recipe.seed, step=index, content=content)
        made = _STEPS[step.kind](made, step, words)
    return made


def _add_gaussian_noise(picture: Rgb, step: RecipeStep, words: RandomWords) -> Rgb:
    made, table = np.empty_like(picture), _normal_table()
    sigma = round(step.amount * _SIGMA_UNIT)
    shift = (_Z_UNIT * _SIGMA_UNIT).bit_length() - 1
    for top in range(0, len(picture), BAND_ROWS):
        band = picture[top : top + BAND_ROWS]
        # With half a unit added, the shift rounds instead of cutting off.
        noise = (table[words.take(band.size)] * sigma + (1 << (shift - 1))) >> shift
        made[top : top + BAND_ROWS] = np.clip(band + noise.reshape(band.shape), 0, 255)
    return made


def _add_salt_pepper(picture: Rgb, step: RecipeStep, words: RandomWords) -> Rgb:
    made = picture.copy()
    # Half of the share is black, half of it white.
    black = round(step.amount * LEVELS / 2)
    for top in range(0, len(made), BAND_ROWS):
        band = made[top : top + BAND_ROWS]
        drawn = words.take(band.shape[0] * band.shape[1]).reshape(band.shape[:2])
        band[drawn < black] = 0
        band[(drawn >= black) & (drawn < 2 * black)] = 255
    return made


def _lose_blocks(picture: Rgb, step: RecipeStep, words: RandomWords) -> Rgb:
    made, size = picture.copy(), step.size_px
    rows, columns = (-(-side // size) for side in picture.shape[:2])
    for block in words.order(rows * columns)[: round(step.amount * rows * columns)].tolist():
        top, left = (location * size for location in divmod(block, columns))
        made[top : top + size, left : left + size] = 0
    return made


def _lose_rows(picture: Rgb, step: RecipeStep, words: RandomWords) -> Rgb:
    made, size = picture.copy(), step.size_px
    bands = -(-len(picture) // size)
    for band in words.order(bands)[: round(step.amount * bands)].tolist():
        made[band * size : (band + 1) * size] = 0
    return made


def _blur_gaussian(picture: Rgb, step: RecipeStep, _words: RandomWords) -> Rgb:
    import cv2

    kernel = _gaussian_weights(step.amount)
    made = np.empty_like(picture)
    for channel in range(picture.shape[2]):
        plane = np.ascontiguousarray(picture[:, :, channel])
        summed = cv2.sepFilter2D(plane, cv2.CV_64F, kernel, kernel, borderType=cv2.BORDER_REPLICATE)
        # Halves are rounded up, in exact arithmetic: the divisor is a power of two.
        made[:, :, channel] = np.floor(summed / _WEIGHTS**2 + 0.5)
    return made


def _blur_motion(picture: Rgb, step: RecipeStep, _words: RandomWords) -> Rgb:
    height, width = picture.shape[:2]
    reach = math.ceil(step.amount)
    offsets = _line(step.amount, angle_deg=step.angle_deg)
    padded = np.pad(picture, ((reach, reach), (reach, reach), (0, 0)), mode="edge")
    total = np.zeros(picture.shape, np.uint32)
    for x, y in offsets:
        total += padded[reach + y : reach + y + height, reach + x : reach + x + width]
    return np.asarray((total + len(offsets) // 2) // len(offsets), np.uint8)


_STEPS: Mapping[StepKind, Callable[[Rgb, RecipeStep, RandomWords], Rgb]] = {
    "gaussian_noise": _add_gaussian_noise,
    "salt_pepper": _add_salt_pepper,
    "block_loss": _lose_blocks,
    "row_loss": _lose_rows,
    "gaussian_blur": _blur_gaussian,
    "motion_blur": _blur_motion,
}


@lru_cache(maxsize=1)
def _normal_table() -> NDArray[np.int32]:
    """Return quantiles of the normal distribution in units of 1/4096, int32 (65536,)."""
    normal = NormalDist()
    quantiles = (normal.inv_cdf((level + 0.5) / LEVELS) for level in range(LEVELS))
    return np.array([round(value * _Z_UNIT) for value in quantiles], np.int32)


def _gaussian_weights(radius: float) -> NDArray[np.float64]:
    """Return whole weights with a fixed sum, float64 (2 reach + 1,)."""
    reach = math.ceil(_REACH * radius)
    bells = [math.exp(-((index / radius) ** 2) / 2) for index in range(-reach, reach + 1)]
    weights = [round(bell * _WEIGHTS / sum(bells)) for bell in bells]
    # What rounding takes or adds goes to the middle, so that a plain area keeps its colour.
    weights[reach] += _WEIGHTS - sum(weights)
    return np.array(weights, np.float64)


def _line(radius: float, *, angle_deg: float) -> list[tuple[int, int]]:
    """Return the pixels of a line through the origin, x to the right and y down."""
    # Rounded, so that a last digit of the sine, which differs between systems, decides nothing.
    x, y = (
        round(value, 9) for value in (math.cos(math.radians(angle_deg)), -math.sin(math.radians(angle_deg)))
    )
    reach = math.floor(radius)
    positions = ((math.floor(n * x + 0.5), math.floor(n * y + 0.5)) for n in range(-reach, reach + 1))
    return list(dict.fromkeys(positions))
