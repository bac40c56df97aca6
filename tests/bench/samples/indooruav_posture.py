"""A file in the shape of IndoorUAV's postures."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec


def write(path: Path, *, records: int, seed: int) -> None:
    """Write one flight; its records are poses."""
    path.write_bytes(msgspec.json.encode(poses(records, rng=random.Random(seed))))


def poses(count: int, *, rng: random.Random) -> list[list[float]]:
    """Return rows of x, y, z in metres and yaw in degrees, as the drone flies on."""
    position, rows = [0.0, 0.0, 1.5, 90.0], []
    for _ in range(count):
        axis = rng.randrange(4)
        position[axis] += rng.choice((-15.0, 15.0)) if axis == 3 else rng.choice((-0.9, 0.15, 0.9))
        rows.append([round(value, 6) for value in position])
    return rows
