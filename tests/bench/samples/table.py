"""A team's own table of questions, with Chinese names of columns."""

from __future__ import annotations

import csv
import random
from pathlib import Path

from tests.bench.samples import words

COLUMNS = (
    "题目ID",
    "题目类型",
    "题目信息",
    "图片信息（UAV1/UAV2）",
    "选项A",
    "选项B",
    "选项C",
    "选项D",
    "正确答案",
)


def write(path: Path, *, records: int, seed: int) -> None:
    """Write questions about two views each."""
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(COLUMNS)
        for number in range(records):
            media = "\n".join(f"UAV{view}: images/{number:06d}-UAV{view}.jpg" for view in (1, 2))
            asked = [words.question(rng), media, *words.options(rng, count=4), rng.choice("ABCD")]
            table.writerow([f"own_{number}", "Object Counting", *asked])
