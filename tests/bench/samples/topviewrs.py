"""A file in the shape of TopViewRS."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

from annotator.domain import task_set_files
from tests.bench.samples import words


def write(path: Path, *, records: int, seed: int) -> None:
    """Write questions about maps of some hundred scenes."""
    rng = random.Random(seed)
    abilities = [task.title.en for task in task_set_files.builtin("topviewrs").tasks]
    listed = []
    for number in range(records):
        choices = words.options(rng, count=4)
        scene = f"scene{number % 200:04d}"
        listed.append(
            {
                "index": number,
                "scene_id": scene,
                "question": words.question(rng),
                "choices": choices,
                "labels": [rng.choice(choices)] if number % 5 else rng.sample(choices, 2),
                "choice_type": "<OBJECT>",
                "map_path": f"data/realistic/{scene}/map_{number % 7}.png",
                "question_ability": rng.choice(abilities),
            }
        )
    path.write_bytes(msgspec.json.format(msgspec.json.encode(listed), indent=2))
