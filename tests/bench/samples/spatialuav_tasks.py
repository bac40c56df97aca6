"""A file in the shape of SpatialUAV's older ones, one task each."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

_PROMPT = (
    "The given image is an aerial UAV image. Which of the pictures from the ground shows the same place?"
)


def write(path: Path, *, records: int, seed: int) -> None:
    """Write questions with four candidates, all named by stem."""
    rng = random.Random(seed)
    listed = []
    for number in range(records):
        others = rng.sample(range(records + 8), k=4)
        candidates = {
            f"Option {letter}": _stem("ground", n) for letter, n in zip("ABCD", others, strict=True)
        }
        listed.append(
            {
                "Image": _stem("drone", number),
                **candidates,
                "Task": "A2G_Collaboration_Recognition",
                "User": _PROMPT,
                "Answer": rng.choice("ABCD"),
            }
        )
    path.write_bytes(msgspec.json.format(msgspec.json.encode(listed), indent=2))


def _stem(side: str, number: int) -> str:
    return f"scene_{number // 40}_North_{side}_{number % 40:06d}"
