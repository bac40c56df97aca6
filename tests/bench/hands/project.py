"""The project that the hands work on: a scene of two pictures with numbered regions, and items about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.item import Item, Option
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.reader import Reader
from tests.bench.canvas import write_picture

SIZE_PX = (640, 360)
OBJECTS = 6
"""Regions of each picture; those with equal numbers show the same object."""

MATCHING = Item(
    id="",
    name="",
    task_set="spatialuav",
    task="object_matching",
    scene="scene",
    media=("UAV1", "UAV2"),
    answer_key="A",
)


class AddRecords(Command):
    """Enter records as they are."""

    summary = CommandSummary.of_text("Add records")

    def __init__(self, records: list[Record]) -> None:
        self._records = records

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield each as a new record."""
        progress.begin(self.summary, total=len(self._records))
        for record in self._records:
            yield Edit(entity=record.table.entity, entity_id=record.id, field=CREATED, value=record)


def region_place(number: int) -> tuple[float, float]:
    """Return the middle of a region, image pixels."""
    return 60.0 + 100.0 * number, 110.0


def make_hands_project(folder: Path) -> Path:
    """Make the project with its pictures in a new folder, and return its path."""
    media = folder / "hands.media"
    media.mkdir(parents=True)
    records: list[Record] = []
    for view in ("UAV1", "UAV2"):
        file = write_picture(media / f"0001-{view}.jpg", size_px=SIZE_PX)
        width, height = SIZE_PX
        records.append(Medium(id=view, name=file.name, path=file.name, width_px=width, height_px=height))
        records += [_region(view, number) for number in range(OBJECTS)]
    views = tuple(SceneView(name=view, medium=view) for view in ("UAV1", "UAV2"))
    records.append(Scene(id="scene", name="0001", views=views))
    records += _items()
    path = folder / "hands.vantage"
    with Session.create(path) as session:
        session.execute(AddRecords(records)).result()
    return path


def _items() -> Iterator[Item]:
    """Yield two items with options, and one whose answer is a region of the second picture."""
    texts = ("Region 0", "Region 1", "Region 2", "Region 3")
    options = tuple(Option(letter=letter, text=text) for letter, text in zip("ABCD", texts, strict=True))
    for number in (1, 2):
        question = f"Which region of image 2 shows car {number} of image 1?"
        yield msgspec.structs.replace(
            MATCHING, id=f"i{number}", name=f"item_{number}", question=question, options=options
        )
    question = "Which region of image 2 shows the red car?"
    yield msgspec.structs.replace(
        MATCHING,
        id="i3",
        name="item_3",
        question=question,
        answer_format="region_label",
        answer_key="Region 0",
    )


def _region(view: str, number: int) -> Region:
    x, y = region_place(number)
    box = Box(x1=x - 30, y1=y - 20, x2=x + 30, y2=y + 20)
    return Region(id=f"{view}-{number}", medium=view, number=number, box=box, category="car")
