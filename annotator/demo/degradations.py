"""What spoils an image: movement, focus, light, fog, noise and loss, each from a trace to the worst.

Names in ``DEGRADATIONS`` say which label of AirCopBench's list ``degradation`` each falls under.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.camera_effects import Image, add_noise, lose_packets

Array = NDArray[Any]
DegradationName = Literal[
    "noise", "loss", "motion_blur", "defocus", "cloud_shadow", "darkness", "overexposure", "sun_flare", "fog"
]

_FOG = np.array((208, 206, 204), np.float32)
_WORST_SIGMA, _WORST_SALT = 50.0, 0.10
_WORST_MOTION_PX, _WORST_DEFOCUS_PX = 40.0, 11.0
"""Lengths in an image 1280 wide; others scale them."""
_FOG_LENGTHS_M = (500.0, 45.0)
_SKY_M = 4000.0


@dataclass(frozen=True, kw_only=True)
class Degradation:
    """One way in which an image is spoilt.

    Attributes:
        name: Its name.
        label: Id in AirCopBench's list of degradations; ``others`` needs words.
        text: What a person would write beside ``others``.
    """

    name: DegradationName
    label: str
    text: str = ""


DEGRADATIONS: dict[DegradationName, Degradation] = {
    d.name: d
    for d in (
        Degradation(name="noise", label="noise"),
        Degradation(name="loss", label="loss"),
        Degradation(name="motion_blur", label="others", text="motion blur"),
        Degradation(name="defocus", label="others", text="image blur"),
        Degradation(name="cloud_shadow", label="shadow"),
        Degradation(name="darkness", label="brightness"),
        Degradation(name="overexposure", label="brightness"),
        Degradation(name="sun_flare", label="brightness"),
        Degradation(name="fog", label="others", text="fog"),
    )
}
"""Source: the labels of AirCopBench's annotation files; motion blur is in its paper only."""


def degrade(
    image: Image,
    name: DegradationName,
    *,
    strength: float,
    rng: np.random.Generator,
    depth_m: Array | None = None,
) -> Image:
    """Return an image spoilt in one way.

    Args:
        image: uint8 (rows, columns, 3), blue green red.
        name: Which way.
        strength: From 0 (as it was) to 1 (the worst).
        rng: Decides places and directions.
        depth_m: float32 (rows, columns); fog needs it.

    Raises:
        ValueError: The strength is out of range, or there is fog without depth.
    """
    if not 0 <= strength <= 1:
        raise ValueError(f"strength {strength} is not within 0 and 1")
    if name == "fog" and depth_m is None:
        raise ValueError("fog needs the depth of the picture")
    # A copy all the same: callers write into what they get.
    if strength == 0:
        return image.copy()
    depth = depth_m if depth_m is not None else np.empty((0, 0), np.float32)
    return _WAYS[name](image, strength, rng, depth)


def _noise(image: Image, strength: float, rng: np.random.Generator, _: Array) -> Image:
    return add_noise(image, rng=rng, sigma=_WORST_SIGMA * strength, salt_and_pepper=_WORST_SALT * strength)


def _loss(image: Image, strength: float, rng: np.random.Generator, _: Array) -> Image:
    return lose_packets(image, rng=rng, share=0.5 * strength)


def _motion_blur(image: Image, strength: float, rng: np.random.Generator, _: Array) -> Image:
    length = max(1.5, _WORST_MOTION_PX * strength * image.shape[1] / 1280)
    side = int(np.ceil(length)) | 1
    kernel, angle, middle = np.zeros((side, side), np.float32), rng.uniform(0, np.pi), side // 2
    for step in np.linspace(-0.5, 0.5, 4 * side):
        x, y = step * (length - 1) * np.cos(angle) + middle, step * (length - 1) * np.sin(angle) + middle
        kernel[min(side - 1, round(y)), min(side - 1, round(x))] += 1
    # A shutter that stays open adds up light, hence squares before and roots after.
    return _from_light(
        cv2.filter2D(_to_light(image), -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE)
    )


def _defocus(image: Image, strength: float, _rng: np.random.Generator, _: Array) -> Image:
    # By the width of the image: the same fault must look alike at 720p and in a still of 9 megapixels.
    radius = max(0.6, _WORST_DEFOCUS_PX * strength * image.shape[1] / 1280)
    reach = int(np.ceil(radius))
    axis = np.arange(-reach, reach + 1, dtype=np.float32)
    # A disc and no bell: out of focus points of light have rims.
    disc = np.clip(radius + 0.5 - np.hypot(axis[None, :], axis[:, None]), 0, 1)
    return _from_light(cv2.filter2D(_to_light(image), -1, disc / disc.sum(), borderType=cv2.BORDER_REPLICATE))


def _cloud_shadow(image: Image, strength: float, rng: np.random.Generator, _: Array) -> Image:
    """Dim part of the image as the shadow of a cloud with a soft rim does."""
    cover = _patches(image.shape[:2], rng=rng, cells=3)
    # At the worst nearly all is dark; the threshold falls as the strength grows.
    level = float(np.quantile(cover, 1 - 0.25 - 0.6 * strength))
    shade = np.clip((cover - level) * 5 + 0.5, 0, 1)[..., None] * np.float32(0.4 + 0.36 * strength)
    cold = np.array((0.86, 0.96, 1.0), np.float32)
    return _to_bytes(image * (1 - shade * cold))


def _darkness(image: Image, strength: float, rng: np.random.Generator, _: Array) -> Image:
    dark = image.astype(np.float32) * np.float32(1 - 0.78 * strength)
    # The sensor turns up its gain in the dark, and with it its noise.
    return _to_bytes(dark + rng.standard_normal(image.shape, np.float32) * np.float32(9 * strength))


def _overexposure(image: Image, strength: float, rng: np.random.Generator, _: Array) -> Image:
    bright = image.astype(np.float32) * np.float32(1 + 0.95 * strength) + np.float32(18 * strength)
    patches = _patches(image.shape[:2], rng=rng, cells=4)[..., None]
    bright *= 1 + np.float32(0.35 * strength) * patches
    # Light spills from where the sensor is full.
    spill = cv2.GaussianBlur(np.maximum(bright - 235, 0), (0, 0), image.shape[1] / 90)
    return _to_bytes(bright + spill * np.float32(0.8 * strength))


def _sun_flare(image: Image, strength: float, rng: np.random.Generator, _: Array) -> Image:
    """Add the veil, the star and the ghosts of a sun that stands at the image's rim."""
    rows, columns = image.shape[:2]
    # The sun is above: it stands at the upper rim or a side.
    angle = rng.uniform(1.05 * np.pi, 1.95 * np.pi)
    middle = np.array((columns / 2, rows / 2))
    sun = middle * (1 + 0.92 * np.cos(angle), 1 + 0.88 * np.sin(angle))
    x, y = np.arange(columns, dtype=np.float32)[None, :], np.arange(rows, dtype=np.float32)[:, None]
    away = np.hypot(x - np.float32(sun[0]), y - np.float32(sun[1])) / np.float32(columns)
    turn = np.arctan2(y - np.float32(sun[1]), x - np.float32(sun[0]))
    star = np.exp(-away * 9) * (0.6 + 0.4 * np.abs(np.cos(turn * 4 + np.float32(angle))) ** 12)
    light = 300 * np.exp(-((away / 0.06) ** 2)) + 190 * star + 70 * np.exp(-away * 2.2)
    flare = cv2.merge([light * 0.9, light * 0.97, light])
    for share in (0.55, 1.25, 1.6):
        at = sun + (middle - sun) * share
        ghost = np.hypot(x - np.float32(at[0]), y - np.float32(at[1])) / np.float32(columns * 0.045 * share)
        flare += np.clip(1.2 - ghost, 0, 0.2)[..., None] * np.array((90, 130, 70), np.float32)
    return _to_bytes(image + flare * np.float32(strength))


def _fog(image: Image, strength: float, _rng: np.random.Generator, depth_m: Array) -> Image:
    thin, thick = _FOG_LENGTHS_M
    # Between the two by ratio: equal steps of strength take equal shares of the visibility away.
    length = thin * (thick / thin) ** strength
    # Koschmieder's law: contrast falls with the exponential of the way through the fog.
    clear = np.exp(-np.minimum(depth_m, _SKY_M) / np.float32(length))[..., None]
    return _to_bytes(_FOG + (image - _FOG) * clear)


_WAYS: dict[DegradationName, Callable[[Image, float, np.random.Generator, Array], Image]] = {
    "noise": _noise,
    "loss": _loss,
    "motion_blur": _motion_blur,
    "defocus": _defocus,
    "cloud_shadow": _cloud_shadow,
    "darkness": _darkness,
    "overexposure": _overexposure,
    "sun_flare": _sun_flare,
    "fog": _fog,
}


def _patches(shape: tuple[int, ...], *, rng: np.random.Generator, cells: int) -> Array:
    """Return soft patches, 0..1: float32 (rows, columns)."""
    noise = rng.uniform(size=(cells, cells + 1)).astype(np.float32)
    return cv2.resize(noise, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC).clip(0, 1)


def _to_light(image: Image) -> Array:
    return (image.astype(np.float32) / 255) ** 2


def _from_light(light: Array) -> Image:
    return _to_bytes(np.sqrt(np.maximum(light, 0)) * 255)


def _to_bytes(image: Array) -> Image:
    return np.asarray(np.clip(image, 0, 255).astype(np.uint8))
