"""A file in the shape of MM-UAVBench's tasks."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

from tests.bench.samples import words


def write(path: Path, *, records: int, seed: int) -> None:
    """Write questions of one task, four to eight options each."""
    rng = random.Random(seed)
    listed = []
    for number in range(records):
        texts = words.options(rng, count=rng.randrange(4, 9))
        listed.append(
            {
                "question_id": number,
                "question": words.question(rng),
                "options": dict(zip("ABCDEFGH", texts, strict=False)),
                "answer": rng.choice("ABCD"),
                "question_meta": {"category": "Cognition", "subcategory": "Cross-Object Reasoning"},
                "metadata": {"data_resources": [{"path": f"images/raw/cross/{number % 400:05d}.jpg"}]},
            }
        )
    path.write_bytes(msgspec.json.format(msgspec.json.encode(listed), indent=2))
