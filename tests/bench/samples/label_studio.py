"""A made-up Label Studio export: tasks with boxes, some of them turned, and polygons."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

PER_TASK = 12


def write(path: Path, *, records: int, seed: int) -> None:
    """Write a file.

    Args:
        path: Where; overwritten.
        records: Number of regions.
        seed: Of everything that chance decides.
    """
    rng = random.Random(seed)
    tasks = [
        _task(number, [_result(start + n, rng) for n in range(min(PER_TASK, records - start))])
        for number, start in enumerate(range(0, records, PER_TASK), start=1)
    ]
    path.write_text(json.dumps(tasks), encoding="utf-8")


def _task(number: int, results: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": number,
        "annotations": [
            {
                "id": number + 70_000,
                "completed_by": 1,
                "result": results,
                "was_cancelled": False,
                "ground_truth": False,
                "created_at": "2025-06-24T06:17:08.956105Z",
                "lead_time": 31.2,
            }
        ],
        "data": {"image": f"/data/upload/3/5064a99b-frame_{number:06d}.jpg"},
        "meta": {},
        "project": 3,
    }


def _result(number: int, rng: random.Random) -> dict[str, Any]:
    x, y = rng.uniform(0, 70), rng.uniform(0, 70)
    label = rng.choice(["Vehicle", "Person", "Bicycle"])
    value: dict[str, Any]
    if rng.random() < 0.3:
        kind = "polygonlabels"
        value = {
            "points": [[x + rng.uniform(0, 20), y + rng.uniform(0, 20)] for _ in range(8)],
            "closed": True,
        }
    else:
        kind = "rectanglelabels"
        turn = rng.choice([0, 0, 0, 12.5])
        value = {"x": x, "y": y, "width": rng.uniform(1, 10), "height": rng.uniform(1, 10), "rotation": turn}
    return {
        "original_width": 1920,
        "original_height": 1080,
        "image_rotation": 0,
        "value": {**value, kind: [label]},
        "id": f"r{number:09d}",
        "from_name": "label",
        "to_name": "image",
        "type": kind,
        "origin": "manual",
    }
