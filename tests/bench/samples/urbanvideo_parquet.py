"""A file in the shape of UrbanVideo-Bench's MCQ.parquet."""

from __future__ import annotations

import random
from pathlib import Path

from annotator.domain import task_set_files
from tests.bench.samples import words


def write(path: Path, *, records: int, seed: int) -> None:
    """Write questions about some hundred videos, options inside the question's text."""
    from arro3.core import Array, DataType, Table
    from arro3.io import write_parquet

    rng = random.Random(seed)
    categories = [task.title.en for task in task_set_files.builtin("urbanvideo").tasks]
    texts = {
        "video_id": [f"EmbodiedCity_{number % 300}_0.mp4" for number in range(records)],
        "question_category": [rng.choice(categories) for _ in range(records)],
        "question": [_question(rng) for _ in range(records)],
        "answer": [rng.choice("ABCDE") for _ in range(records)],
    }
    columns = {name: Array(values, DataType.string()) for name, values in texts.items()}
    numbers = Array(list(range(records)), DataType.int64())
    write_parquet(Table.from_pydict({"Question_id": numbers, **columns}), path, compression="snappy")


def _question(rng: random.Random) -> str:
    lines = [f"{letter}. {text}" for letter, text in zip("ABCDE", words.options(rng, count=5), strict=True)]
    return "".join(line + "  \n" for line in (f"Question: {words.question(rng)}", "choose:", *lines))
