"""A project with a release, and files of predictions: the keys, perturbed with a seed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from annotator.domain.item import Item
from annotator.session import Session
from tests.unit.release.samples import aircop_item, fill, release, spatialuav_item, urbanvideo_item
from tests.unit.scoring.released import write_lines

UNREADABLE = "l**k"
SPATIAL = (
    ("region_recognition", "region_set", "Region 3, 4"),
    ("direction_recognition", "clock", "8 o'clock"),
    ("camera_transformation", "angle_distance", "-160.0 degrees, -70.0 meters"),
)


def scored_items(each: int) -> list[Item]:
    """Return items of five tasks, with choices, clock directions and other answers."""
    items = [aircop_item(name=f"OC_{n:04}", answer_key="ABCD"[n % 4]) for n in range(each)]
    items += [urbanvideo_item(name=f"AG_{n:04}", answer_key="ABCDEFG"[n % 7]) for n in range(each)]
    return items + [
        spatialuav_item(name=f"{task}_{n:04}", task=task, answer_format=answer_format, answer_key=key)
        for task, answer_format, key in SPATIAL
        for n in range(each)
    ]


def made_project(folder: Path, items: Sequence[Item]) -> tuple[Path, Path]:
    """Make a project with items and release them; return its path and the folder of the release."""
    path = folder / "p.vantage"
    with Session.create(path) as session:
        fill(session, *items)
        release(session, folder / "out", "native")
    return path, folder / "out"


def write_model(
    path: Path, items: Sequence[Item], *, right: float, seed: int, unreadable: float = 0.0, model: str = ""
) -> Path:
    """Write predictions of which a share is the answer key, and a share cannot be read."""
    rng = random.Random(seed)
    rows: list[Mapping[str, str]] = []
    for item in items:
        drawn = rng.random()
        text = item.answer_key if drawn < right else _wrong(item, rng)
        said = UNREADABLE if drawn > 1 - unreadable else text
        row = {"item": item.name, "prediction": said}
        rows.append(row | ({"model": model} if model else {}))
    return write_lines(path, rows)


def _wrong(item: Item, rng: random.Random) -> str:
    if item.options:
        return rng.choice([option.letter for option in item.options if option.letter != item.answer_key])
    others = {"region_set": "Region 5", "clock": "3 o'clock", "angle_distance": "20 degrees, 10 meters"}
    return others[item.answer_format]
