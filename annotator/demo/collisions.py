"""Collisions of moving rotated rectangles with each other and with static objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.demo.movers import Mover
from annotator.demo.routes import Drive
from annotator.demo.terrain import CELLS_PER_M, Terrain

Floats = NDArray[Any]

_MARGIN_M = 0.1
_CHUNK = 2000


def runs_free(movers: Sequence[Mover], motion: Drive, *, terrain: Terrain) -> Floats:
    """Return which movers never collide with static objects, except crowns and roofs to pass under.

    Args:
        movers: The moving ones.
        motion: Their motion.
        terrain: The land.

    Returns:
        bool (n).
    """
    # Kerbs and bumps are lower; crowns and bridges have a base above the ground.
    is_solid = (terrain.base_m == 0) & (terrain.height_m > 0.3)
    x_m, y_m, turn = motion.x_m, motion.y_m, np.radians(motion.turn_deg)
    length, width = (
        np.array([getattr(m.plan, k) for m in movers], np.float32) for k in ("length_m", "width_m")
    )
    free = np.ones(len(movers), bool)
    rows, columns = is_solid.shape
    # Ten points around each outline instead of its area: a lamp post that slips between two of them is hardly
    # seen.
    for along in (-0.5, -0.25, 0.0, 0.25, 0.5):
        for across in (-0.5, 0.5):
            a, b = along * length, across * width
            east = x_m + a * np.cos(turn) - b * np.sin(turn)
            south = y_m + a * np.sin(turn) + b * np.cos(turn)
            column, row = (np.floor(v * CELLS_PER_M).astype(np.int32) for v in (east, south))
            is_in = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
            hit = is_solid[np.clip(row, 0, rows - 1), np.clip(column, 0, columns - 1)] & is_in
            free &= ~hit.any(axis=0)
    return free


def first_come(movers: Sequence[Mover], motion: Drive) -> Floats:
    """Return which movers to keep, so that no two of them ever overlap; earlier ones take precedence.

    Returns:
        bool (n).
    """
    keeps = np.ones(len(movers), bool)
    # Sorted by the earlier one: whether it stays is settled before it throws others out.
    for one, other in sorted(_pairs(movers, motion)):
        if keeps[one]:
            keeps[other] = False
    return keeps


def _pairs(movers: Sequence[Mover], motion: Drive) -> Iterator[tuple[int, int]]:
    """Yield pairs that overlap at some time, each once, the earlier mover first."""
    x_m, y_m = motion.x_m.T, motion.y_m.T
    turn = np.radians(motion.turn_deg.T)
    size = np.array([(m.plan.length_m, m.plan.width_m) for m in movers], np.float32) / 2 + _MARGIN_M
    reach = np.hypot(*size.T)
    low = np.stack([x_m.min(1) - reach, y_m.min(1) - reach], 1)
    high = np.stack([x_m.max(1) + reach, y_m.max(1) + reach], 1)
    # Boxes around whole ways first: of thousands of pairs few come near each other at any time.
    may = (low[:, None] <= high[None]).all(2) & (low[None] <= high[:, None]).all(2)
    ones, others = np.nonzero(np.triu(may, 1))
    for start in range(0, len(ones), _CHUNK):
        i, j = ones[start : start + _CHUNK], others[start : start + _CHUNK]
        # Then circles at each time, and the rectangles only where these touch.
        near = (x_m[i] - x_m[j]) ** 2 + (y_m[i] - y_m[j]) ** 2 < ((reach[i] + reach[j]) ** 2)[:, None]
        pair, time = np.nonzero(near)
        a, b = i[pair], j[pair]
        offset = np.stack([x_m[b, time] - x_m[a, time], y_m[b, time] - y_m[a, time]], 1)
        hit = _overlap(offset, (turn[a, time], turn[b, time]), (size[a], size[b]))
        yield from {(int(p), int(q)) for p, q in zip(a[hit], b[hit], strict=True)}


def _overlap(offset: Floats, turns: tuple[Floats, Floats], halves: tuple[Floats, Floats]) -> Floats:
    """Tell which rectangles overlap: none of their four axes parts them."""
    axes = [np.stack([np.cos(t), np.sin(t)], 1) for t in turns]
    axes += [np.stack([-a[:, 1], a[:, 0]], 1) for a in axes]
    hit = np.ones(len(offset), bool)
    for axis in axes:
        reach = sum(
            half[:, 0] * np.abs((axis * axes[k]).sum(1)) + half[:, 1] * np.abs((axis * axes[k + 2]).sum(1))
            for k, half in enumerate(halves)
        )
        hit &= np.abs((offset * axis).sum(1)) < reach
    return hit
