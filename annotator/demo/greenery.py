"""Trees, hedges and bushes: crowns made of many leafy lumps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.terrain import CELLS_PER_M, Colour, Material, Rectangle, Terrain, colour_of

LEAF_COLOURS = tuple(colour_of(c) for c in ("41552c", "4b6032", "576a37", "394d2e", "64713d", "6f6f3c"))
NEEDLE_COLOURS = tuple(colour_of(c) for c in ("2f4330", "374a33"))
HEDGE_COLOUR = colour_of("46592f")
_TEMPLATE_CELLS = 96


@dataclass(frozen=True, kw_only=True)
class Crown:
    """The form of a tree, of width 1 and height 1.

    Attributes:
        top: float32 (96, 96), upper side of the leaves, 0 outside.
        base: float32 (96, 96), lower side of the leaves.
        shade: float32 (96, 96), brightness of the leaves about 1.
    """

    top: NDArray[Any]
    base: NDArray[Any]
    shade: NDArray[Any]


def leafy_crown(rng: np.random.Generator) -> Crown:
    """Return a broad-leaved tree: lumps of leaves on a dome."""
    crown = _bare()
    for _ in range(60):
        # The root spreads them evenly over the disc instead of crowding its middle.
        angle, distance = rng.uniform(0, 2 * np.pi), 0.37 * np.sqrt(rng.uniform())
        radius = rng.uniform(0.06, 0.15)
        centre = (0.5 + distance * np.cos(angle), 0.5 + distance * np.sin(angle))
        level = (0.2 + 0.62 * np.sqrt(max(0.0, 1 - (distance / 0.42) ** 2))) * rng.uniform(0.82, 1.0)
        _lump(crown, centre=centre, radius=radius, level=level, tint=rng.uniform(0.85, 1.15))
    return _finished(crown, trunk=0.1)


def needle_crown(rng: np.random.Generator) -> Crown:
    """Return a conifer: a cone with whorls of branches."""
    crown = _bare()
    axis = (np.arange(_TEMPLATE_CELLS, dtype=np.float32) + 0.5) / _TEMPLATE_CELLS - 0.5
    distance = np.hypot(axis[None, :], axis[:, None])
    angle = np.arctan2(axis[:, None], axis[None, :])
    reach = 0.38 + 0.07 * np.sin(angle * rng.integers(7, 11) + rng.uniform(0, 6)) + 0.04 * np.sin(angle * 23)
    inside = distance < reach
    crown.top[inside] = (1.0 - 0.8 * distance / reach)[inside]
    crown.base[inside] = (0.14 + 0.04 * (distance / reach))[inside]
    crown.shade[:] = 1 + 0.16 * np.sin(angle * 13 + distance * 40) - 0.1 * (distance / reach)
    return crown


def plant(
    terrain: Terrain,
    *,
    crown: Crown,
    at: tuple[float, float],
    width_m: float,
    height_m: float,
    colour: Colour,
) -> None:
    """Put a tree on the terrain; parts under something higher stay hidden."""
    size = max(4, round(width_m * CELLS_PER_M))
    origin = (terrain.north_m, terrain.west_m)
    corner = [
        round((position - width_m / 2 - o) * CELLS_PER_M)
        for position, o in zip(at[::-1], origin, strict=True)
    ]
    here = tuple(
        slice(max(0, c), max(0, min(end, c + size)))
        for c, end in zip(corner, terrain.body.shape, strict=True)
    )
    cut = tuple(slice(s.start - c, s.stop - c) for s, c in zip(here, corner, strict=True))
    top, base, shade = (
        cv2.resize(part, (size, size), interpolation=cv2.INTER_LINEAR)[cut]
        for part in (crown.top, crown.base, crown.shade)
    )
    top, base = top * np.float32(height_m), base * np.float32(height_m)
    # A crown's rim thinner than this would show as a hair.
    shown = (top > base + 0.02 * height_m) & (top > terrain.height_m[here])
    terrain.height_m[here][shown] = top[shown]
    terrain.base_m[here][shown] = base[shown]
    leaves = np.clip(shade[..., None] * np.array(colour, np.float32), 0, 255).astype(np.uint8)
    terrain.colour[here][shown] = leaves[shown]
    terrain.material[here][shown] = Material.LEAVES
    terrain.body[here][shown] = 0
    _trunk(terrain, at=at, width_m=np.clip(0.06 * width_m, 0.25, 0.6))


def _trunk(terrain: Terrain, *, at: tuple[float, float], width_m: float) -> None:
    """Stand a crown on a trunk: its middle cells are solid down to the ground."""
    window = terrain.window(Rectangle(x_m=at[0], y_m=at[1], length_m=width_m, width_m=width_m))
    here = (window.rows, window.columns)
    inside = (np.hypot(window.along_m, window.across_m) <= width_m / 2) & (terrain.base_m[here] > 0)
    terrain.base_m[here][inside] = 0
    terrain.material[here][inside] = Material.TRUNK


def hedge(
    terrain: Terrain, *, line: tuple[tuple[float, float], tuple[float, float]], rng: np.random.Generator
) -> None:
    """Grow a hedge about 1.3 m high along a straight line."""
    (x1, y1), (x2, y2) = line
    turn = float(np.degrees(np.arctan2(y2 - y1, x2 - x1)))
    length = float(np.hypot(x2 - x1, y2 - y1))
    plan = Rectangle(x_m=(x1 + x2) / 2, y_m=(y1 + y2) / 2, length_m=length, width_m=1.1, turn_deg=turn)
    window = terrain.window(plan)
    here = (window.rows, window.columns)
    wave = 0.12 * np.sin(window.along_m * 4.1) + 0.08 * np.sin(window.along_m * 9.7 + 1)
    inside = (
        window.inside & (np.abs(window.across_m) < 0.42 + wave) & (terrain.material[here] == Material.GRASS)
    )
    bumps = 1.2 + 0.25 * rng.standard_normal(inside.shape, np.float32)
    terrain.height_m[here][inside] = bumps[inside]
    terrain.colour[here][inside] = HEDGE_COLOUR
    terrain.material[here][inside] = Material.LEAVES


def _bare() -> Crown:
    shape = (_TEMPLATE_CELLS, _TEMPLATE_CELLS)
    return Crown(
        top=np.zeros(shape, np.float32), base=np.ones(shape, np.float32), shade=np.ones(shape, np.float32)
    )


def _lump(crown: Crown, *, centre: tuple[float, float], radius: float, level: float, tint: float) -> None:
    axis = (np.arange(_TEMPLATE_CELLS, dtype=np.float32) + 0.5) / _TEMPLATE_CELLS
    square = radius**2 - (axis[None, :] - centre[0]) ** 2 - (axis[:, None] - centre[1]) ** 2
    reach = 0.9 * np.sqrt(np.maximum(square, 0))
    shown = (square > 0) & (level + reach > crown.top)
    crown.top[shown], crown.shade[shown] = (level + reach)[shown], tint
    under = square > 0
    # The underside belongs to all lumps above a cell, not only to the highest.
    crown.base[under] = np.minimum(crown.base, level - reach)[under]


def _finished(crown: Crown, *, trunk: float) -> Crown:
    """Return the crown with its top at 1, off the ground, and nothing hanging outside of it."""
    top = crown.top / crown.top.max()
    return Crown(top=top, base=np.where(top > 0, np.maximum(crown.base, trunk), 0), shade=crown.shade)
