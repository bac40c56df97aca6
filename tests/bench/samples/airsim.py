"""A made-up AirSim recording: two vehicles, a picture each at every pose."""

from __future__ import annotations

import math
import random
from pathlib import Path

_HEADER = "VehicleName\tTimeStamp\tPOS_X\tPOS_Y\tPOS_Z\tQ_W\tQ_X\tQ_Y\tQ_Z\tImageFile\n"
_START_MS = 1_700_000_000_000


def write(path: Path, *, records: int, seed: int) -> None:
    """Write a recording.

    Args:
        path: Where; overwritten.
        records: Number of poses.
        seed: Of everything that chance decides.
    """
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        file.write(_HEADER)
        file.writelines(_row(number, rng) for number in range(records))


def _row(number: int, rng: random.Random) -> str:
    vehicle, step = f"Drone{number % 2 + 1}", number // 2
    heading = rng.gauss(0.001 * step, 0.002)
    x, y, z = 0.3 * step, rng.gauss(0, 0.05), -40 + rng.gauss(0, 0.02)
    time = _START_MS + 50 * step
    numbers = "\t".join(
        f"{value:.7g}" for value in (x, y, z, math.cos(heading / 2), 0, 0, math.sin(heading / 2))
    )
    return f"{vehicle}\t{time}\t{numbers}\timg_{vehicle}_0_0_{time}000000.png\n"
