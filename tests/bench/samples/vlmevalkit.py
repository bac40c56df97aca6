"""A file in the shape of VLMEvalKit's tables."""

from __future__ import annotations

import base64
import csv
import random
from pathlib import Path

from annotator.domain import task_set_files
from tests.bench.samples import words

PICTURE_BYTES = 3_000
"""Small for a picture, so that it is the rows that count."""


def write(path: Path, *, records: int, seed: int) -> None:
    """Write questions, each with a picture in its cell; the pictures are bytes by chance."""
    rng = random.Random(seed)
    categories = [task.title.en for task in task_set_files.builtin("urbanvideo").tasks]
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, delimiter="\t", lineterminator="\n")
        table.writerow(["index", "category", "image", "image_path", "question", *"ABCDE", "answer"])
        for number in range(records):
            picture = base64.b64encode(b"\xff\xd8\xff" + rng.randbytes(PICTURE_BYTES)).decode()
            shown = [picture, f"images/{number:06d}.jpg"]
            asked = [words.question(rng), *words.options(rng, count=5), rng.choice("ABCDE")]
            table.writerow([number, rng.choice(categories), *shown, *asked])
