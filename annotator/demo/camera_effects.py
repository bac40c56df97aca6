"""Effects of lens, sensor and radio link on an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[Any]

_GREY = 124


@dataclass(frozen=True, kw_only=True)
class Look:
    """The image characteristics of one camera.

    Attributes:
        gain: Brightness, 1.0 for neutral.
        warmth: Share by which red is lifted and blue lowered.
        grain: Standard deviation of the sensor's noise, of 255.
    """

    gain: float = 1.0
    warmth: float = 0.0
    grain: float = 2.0


def develop(image: Image, *, look: Look, rng: np.random.Generator) -> Image:
    """Return the image as a drone's camera would give it.

    Args:
        image: uint8 (rows, columns, 3), blue green red, as seen through the air.
        look: The characteristics of the camera.
        rng: Source of the sensor's noise.
    """
    # Haze lifts the shadows; the camera's curve takes most of that back.
    seen = (image.astype(np.float32) - 18) * np.float32(1.24)
    seen *= _vignette(image.shape[:2])[..., None] * np.float32(look.gain)
    seen *= np.array((1 - look.warmth, 1, 1 + look.warmth), np.float32)
    # Drone cameras sharpen too much; an image without that looks drawn.
    soft = cv2.GaussianBlur(seen, (0, 0), 1.1)
    seen += 0.45 * (seen - soft) + rng.standard_normal(image.shape, np.float32) * np.float32(look.grain)
    return _to_bytes(seen)


def add_noise(
    image: Image, *, rng: np.random.Generator, sigma: float = 25.0, salt_and_pepper: float = 0.05
) -> Image:
    """Return the image of a disturbed sensor.

    Source: AirCopBench derives its noise images with Gaussian noise of sigma 25 and 5 % salt and
    pepper; here without its enlargement to 3840x2160.

    Args:
        image: uint8 (rows, columns, 3).
        rng: Source of the noise.
        sigma: Standard deviation of the Gaussian part, of 255.
        salt_and_pepper: Share of pixels made white or black.
    """
    noisy = image + rng.standard_normal(image.shape, np.float32) * np.float32(sigma)
    chance = rng.random(image.shape[:2], np.float32)
    noisy[chance < salt_and_pepper / 2] = 0
    noisy[chance > 1 - salt_and_pepper / 2] = 255
    return _to_bytes(noisy)


def lose_packets(image: Image, *, rng: np.random.Generator, share: float = 0.25, block_px: int = 16) -> Image:
    """Return the image of a broken radio link: runs of blocks are grey or show what lay beside them.

    Args:
        image: uint8 (rows, columns, 3).
        rng: Decides what is lost.
        share: Share of the rows of blocks in which something is lost.
        block_px: Side of a block of the codec.
    """
    lost = image.copy()
    rows, columns = image.shape[0] // block_px, image.shape[1] // block_px
    for row in sorted(rng.choice(rows, int(rows * share), replace=False).tolist()):
        begin = int(rng.integers(columns)) * block_px
        rest = lost[row * block_px : (row + 1) * block_px, begin:]
        # Where a packet is lost, the rest of its row of blocks is.
        rest[:] = _GREY if rng.random() < 0.55 else _displaced(rest, int(rng.integers(2, 12)) * block_px)
    return lost


def _displaced(blocks: Image, shift_px: int) -> Image:
    """Return a row of blocks moved aside and coarse, as a codec shows what it can only guess."""
    size = (blocks.shape[1], blocks.shape[0])
    coarse = cv2.resize(np.roll(blocks, shift_px, axis=1), None, fx=1 / 8, fy=1 / 8)
    guess: Image = cv2.resize(coarse, size, interpolation=cv2.INTER_NEAREST)
    return guess


def _to_bytes(image: Image) -> Image:
    return np.asarray(np.clip(image, 0, 255).astype(np.uint8))


def _vignette(shape: tuple[int, int]) -> NDArray[Any]:
    y, x = (np.linspace(-1, 1, n, dtype=np.float32) for n in shape)
    return 1 - np.float32(0.09) * (0.75 * x[None, :] ** 2 + 0.25 * y[:, None] ** 2)
