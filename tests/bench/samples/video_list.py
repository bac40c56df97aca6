"""A file in the shape of UrbanVideo-Bench's lists of videos."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

from tests.bench.samples import words


def write(path: Path, *, records: int, seed: int) -> None:
    """Write videos, half with a destination and half with instructions."""
    rng = random.Random(seed)
    listed = [
        {
            "video_name": f"AerialVLN_{number}_made.mp4",
            **(
                {"destination": words.thing(rng)}
                if number % 2
                else {"movement_instructions": " ".join(words.sentence(rng) for _ in range(4))}
            ),
        }
        for number in range(records)
    ]
    path.write_bytes(msgspec.json.format(msgspec.json.encode(listed), indent=2))
