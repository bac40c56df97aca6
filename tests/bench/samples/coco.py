"""A made-up COCO file: pictures with polygons, boxes and masks."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

PER_PICTURE = 7
"""Annotations of a picture; 36,781 on 5,000 pictures in COCO's own val2017."""
_CATEGORIES = ("car", "van", "truck", "bus", "person", "bicycle", "tricycle")


def write(path: Path, *, records: int, seed: int) -> None:
    """Write a file.

    Args:
        path: Where; overwritten.
        records: Number of annotations.
        seed: Of everything that chance decides.
    """
    rng = random.Random(seed)
    images = [
        {
            "id": number,
            "file_name": f"uavdt/M{number // 300:04d}/img{number:06d}.jpg",
            "width": 1920,
            "height": 1080,
            "date_captured": "2024-05-04 10:45:20",
        }
        for number in range(1, -(-records // PER_PICTURE) + 1)
    ]
    categories = [{"id": n, "name": name, "supercategory": "none"} for n, name in enumerate(_CATEGORIES, 1)]
    annotations = [_annotation(number, rng) for number in range(records)]
    tables = {
        "info": {"description": "made up", "year": 2024},
        "images": images,
        "annotations": annotations,
        "categories": categories,
    }
    path.write_text(json.dumps(tables), encoding="utf-8")


def _annotation(number: int, rng: random.Random) -> dict[str, Any]:
    x, y = rng.uniform(0, 1700), rng.uniform(0, 900)
    width, height = rng.uniform(8, 200), rng.uniform(8, 150)
    # A tenth are crowds, told as a mask; the others have 12 to 48 corners.
    is_crowd = rng.random() < 0.1
    mask = {"counts": [rng.randrange(1, 900) for _ in range(40)], "size": [1080, 1920]}
    corners = [
        round(value, 2)
        for _ in range(rng.randrange(12, 48))
        for value in (x + rng.random() * width, y + rng.random() * height)
    ]
    return {
        "id": number + 1,
        "image_id": number // PER_PICTURE + 1,
        "category_id": rng.randrange(1, len(_CATEGORIES) + 1),
        "bbox": [round(value, 2) for value in (x, y, width, height)],
        "area": round(width * height * 0.7, 4),
        "iscrowd": int(is_crowd),
        "segmentation": mask if is_crowd else [corners],
    }
