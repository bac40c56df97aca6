"""A file in the shape of AirCopBench's train and test files."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

from annotator.domain import task_set_files
from tests.bench.samples import words


def write(path: Path, *, records: int, seed: int) -> None:
    """Write questions about pairs of views, over all tasks."""
    rng = random.Random(seed)
    tasks = task_set_files.builtin("aircop").tasks
    asked = []
    for number in range(records):
        task = tasks[number % len(tasks)]
        asked.append(
            {
                "question_id": f"MDMT_{task.id_parts[0]}_UAV1_{number}",
                "question_type": f"{task.number} {task.title.en} (UAV1)",
                "question": words.question(rng),
                "options": dict(zip("ABCD", words.options(rng, count=4), strict=True)),
                "correct_answer": rng.choice("ABCD"),
                "source": "Model-Based (Few-Shot)",
                "uav_paths": _paths(number // len(tasks)),
            }
        )
    path.write_bytes(msgspec.json.format(msgspec.json.encode({"results": asked}), indent=2))


def _paths(moment: int) -> dict[str, str]:
    name = f"{moment // 1000:02d}-{moment:08d}"
    return {f"UAV{view}": f"Real_2_UAVs/Samples/UAV{view}/{name}-UAV{view}.jpg" for view in (1, 2)}
