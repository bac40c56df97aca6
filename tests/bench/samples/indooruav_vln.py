"""A file in the shape of IndoorUAV's lists of instructions, with their damage."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

from tests.bench.samples import words


def write(path: Path, *, records: int, seed: int) -> None:
    """Write lists of 4 to 27 steps; in one of seventy, a quotation mark is damaged as in the real file."""
    rng = random.Random(seed)
    lists = {}
    for number in range(records):
        kind = "instruction_pro" if number % 2 else "instruction"
        key = f"/gibson_{number // 600}/scene{number // 6:05d}/traj_-{number // 2 % 3}/{kind}.json"
        lists[key] = [_step(rng) for _ in range(rng.randrange(4, 28))]
    path.write_bytes(msgspec.json.format(msgspec.json.encode(lists), indent=2))


def _step(rng: random.Random) -> str:
    text = words.sentence(rng)
    return text if rng.randrange(70) else f"{text} It is the hallway’s end.".encode().decode("gbk")
