"""Fire and smoke: soft puffs that hang in the air before and behind other things."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.camera import Camera
from annotator.demo.light import Sun
from annotator.demo.sky import hazed
from annotator.demo.terrain import colour_of

Array = NDArray[Any]

_PUFFS, _FLAMES = 46, 14
_LIFE_S, _RISE_M_PER_S, _WIND_M_PER_S = 15.0, 2.6, (1.1, -0.55)
_SMOKE_DARK = np.array(colour_of("2c2a29"), np.float32)
_SMOKE_PALE = np.array(colour_of("8d8a87"), np.float32)
_FLAME_LOW = np.array(colour_of("ffd97a"), np.float32)
_FLAME_HIGH = np.array(colour_of("f0641e"), np.float32)
_SOFT_M = 1.5
"""Depth over which a puff fades into what it touches."""
_SPRITE_PX = 128
_LARGEST_PX = 1500
_NEAREST_M = 1.0


@dataclass(frozen=True, kw_only=True)
class Fire:
    """Something that burns.

    Attributes:
        x_m: East coordinate.
        y_m: South coordinate.
        base_m: Height over the ground at which it burns.
        strength: How much flame and smoke it gives, 0 (none) to 1 (a house on fire).
        seed: Decides its puffs.
    """

    x_m: float
    y_m: float
    base_m: float
    strength: float
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class _Puff:
    """A ball of smoke or flame at one time: place, size, colour, how much it hides, which sprite."""

    position_m: tuple[float, float, float]
    radius_m: float
    colour: Array
    cover: float
    sprite: int
    glows: bool


def draw_fires(
    image: Array,
    fires: list[Fire],
    *,
    depth_m: Array,
    camera: Camera,
    time_s: float,
    sun: Sun,
) -> None:
    """Draw fires with their smoke into an image, far ones first; things before them hide them.

    Args:
        image: uint8 (rows, columns, 3), blue green red, changed in place.
        fires: What burns.
        depth_m: float32 (rows, columns), depth along the optical axis.
        camera: Whose image it is.
        time_s: World time; the same time gives the same smoke.
        sun: The light of the hour.
    """
    size_px = (image.shape[1], image.shape[0])
    puffs = [puff for fire in fires if fire.strength > 0 for puff in _puffs(fire, time_s=time_s)]
    if not puffs:
        return
    positions = np.array([puff.position_m for puff in puffs])
    depths, pixels = camera.depths(positions), camera.project(positions, size_px=size_px)
    # Stable: puffs as far as each other keep their order, or smoke would flicker.
    for k in np.argsort(-depths, kind="stable").tolist():
        if depths[k] > _NEAREST_M:
            _draw(
                image, puffs[k], depth_m=depth_m, at=pixels[k], away_m=float(depths[k]),
                focal_px=camera.focal_at(size_px), sun=sun,
            )  # fmt: skip


def _puffs(fire: Fire, *, time_s: float) -> list[_Puff]:
    """Return the puffs of a fire; each rises through its life and then begins again below."""
    # Anew for each image: a puff has the same birth at any time, so that frames may be drawn in any order.
    rng = np.random.default_rng((fire.seed, 911))
    size = 0.35 + 0.65 * fire.strength
    puffs = []
    for k in range(_PUFFS):
        birth, swing, sprite = rng.uniform(), rng.uniform(-1, 1, 2), int(rng.integers(8))
        turn, age = divmod(time_s / _LIFE_S + birth, 1.0)
        # Each turn of a puff drifts its own way, or the smoke would repeat itself.
        swing = swing * np.cos(turn * 2.4 + k)
        up, out = age * _LIFE_S * _RISE_M_PER_S * size, 0.6 + 2.6 * age
        x, y = (
            age * _LIFE_S * w * age**0.4 + s * out * size for w, s in zip(_WIND_M_PER_S, swing, strict=True)
        )
        colour = _SMOKE_DARK + (_SMOKE_PALE - _SMOKE_DARK) * np.float32(age**0.7)
        cover = 0.75 * min(1.0, age * 9) * (1 - age) ** 0.9
        location = fire.x_m + x, fire.y_m + y, fire.base_m + 1.0 + up
        puffs.append(
            _Puff(
                position_m=location,
                radius_m=(1.5 + 6.0 * age) * size,
                colour=colour,
                cover=cover,
                sprite=sprite,
                glows=False,
            )
        )
    return puffs + _flames(fire, time_s=time_s, rng=rng, size=size)


def _flames(fire: Fire, *, time_s: float, rng: np.random.Generator, size: float) -> list[_Puff]:
    flames = []
    for _ in range(_FLAMES):
        birth, sway, sprite = rng.uniform(), rng.uniform(-1.6, 1.6, 2) * size, int(rng.integers(8))
        age = (time_s * 1.3 + birth) % 1.0
        location = (
            fire.x_m + sway[0] * (1 - 0.5 * age),
            fire.y_m + sway[1] * (1 - 0.5 * age),
            fire.base_m + 0.4 + 2.8 * age * size,
        )
        colour = _FLAME_LOW + (_FLAME_HIGH - _FLAME_LOW) * np.float32(age)
        flames.append(
            _Puff(
                position_m=location,
                radius_m=(1.25 - 0.7 * age) * size,
                colour=colour,
                cover=0.85 * (1 - age**2),
                sprite=sprite,
                glows=True,
            )
        )
    return flames


def _draw(
    image: Array, puff: _Puff, *, depth_m: Array, at: Array, away_m: float, focal_px: float, sun: Sun
) -> None:
    # Right before the lens a puff would be larger than the image many times over.
    radius_px = min(puff.radius_m * focal_px / away_m, _LARGEST_PX)
    first = np.floor(at - radius_px).astype(int)
    last = np.ceil(at + radius_px).astype(int) + 1
    x1, y1 = np.maximum(first, 0).tolist()
    x2, y2 = np.minimum(last, (image.shape[1], image.shape[0])).tolist()
    if x1 >= x2 or y1 >= y2:
        return
    here = (slice(y1, y2), slice(x1, x2))
    scale = _SPRITE_PX / (2 * radius_px)
    moved = np.array(
        (
            (scale, 0, (x1 + 0.5 - at[0] + radius_px) * scale),
            (0, scale, (y1 + 0.5 - at[1] + radius_px) * scale),
        )
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    cover = cv2.warpAffine(_sprites()[puff.sprite], moved, (x2 - x1, y2 - y1), flags=flags)
    soft_m = np.float32(min(_SOFT_M, puff.radius_m))
    cover *= np.float32(puff.cover) * np.clip((depth_m[here] - np.float32(away_m)) / soft_m + 0.5, 0, 1)
    light = np.float32(1.0) if puff.glows else sun.direct * np.float32(0.6) + sun.sky
    colour = hazed((puff.colour * light)[None], distance_m=np.array([away_m], np.float32), sun=sun)[0]
    part = image[here].astype(np.float32)
    image[here] = part + (colour - part) * cover[..., None]


@cache
def _sprites() -> tuple[Array, ...]:
    """Return round, ragged patches: float32 (128, 128), 0 at the rim."""
    rng = np.random.default_rng(23)
    axis = (np.arange(_SPRITE_PX, dtype=np.float32) + 0.5) / _SPRITE_PX * 2 - 1
    ball = np.clip(1 - axis[None, :] ** 2 - axis[:, None] ** 2, 0, 1)
    sprites = []
    for _ in range(8):
        ragged = np.zeros((_SPRITE_PX, _SPRITE_PX), np.float32)
        for cells, weight in ((5, 0.5), (10, 0.35), (22, 0.2)):
            noise = rng.standard_normal((cells, cells)).astype(np.float32)
            ragged += weight * cv2.resize(noise, (_SPRITE_PX, _SPRITE_PX), interpolation=cv2.INTER_CUBIC)
        sprites.append(np.clip(ball * (1.15 + ragged) * 1.2, 0, 1) * np.clip(ball * 4, 0, 1))
    return tuple(sprites)
