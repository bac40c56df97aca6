"""The projects that the hands work on: scenes of two pictures with regions, items, and event labels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox
from annotator.domain.item import Item, Option
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.canvas import write_picture

SIZE_PX = (640, 360)
OBJECTS = 6
"""Regions of each picture; those with equal numbers show the same object."""

RECORD_SCENES = ("0001", "0002")
SMALL = ((100.0, 60.0, 8.0), (200.0, 90.0, 8.0), (300.0, 60.0, 8.0))
SEEN = (500.0, 250.0, 8.0)
OCCLUDED = ((150.0, 220.0, 40.0), (350.0, 230.0, 40.0))
"""Middle and side of the regions of a record, image pixels."""

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


def region_position(number: int) -> tuple[float, float]:
    """Return the middle of a region, image pixels."""
    return 60.0 + 100.0 * number, 110.0


def make_hands_project(folder: Path) -> Path:
    """Make the project with its pictures in a new folder, and return its path."""
    media = folder / "hands.media"
    media.mkdir(parents=True)
    records: list[Record] = []
    for view in ("UAV1", "UAV2"):
        records.append(_medium(view, media / f"0001-{view}.jpg"))
        records += [_region(view, number) for number in range(OBJECTS)]
    views = tuple(SceneView(name=view, medium=view) for view in ("UAV1", "UAV2"))
    records.append(Scene(id="scene", name="0001", views=views))
    return write_project(folder / "hands.vantage", [*records, *_items()])


def make_bare_record_project(folder: Path) -> Path:
    """Make a project for a record of AirCopBench, of two scenes without regions and labels."""
    return write_project(folder / "record.vantage", list(_record_scenes(folder / "record.media")))


def make_record_project(folder: Path) -> Path:
    """Make a project for a record of AirCopBench: a labelled scene, and the next one with detected regions.

    The record is like those of the real pairs, which have 5 boxes and differ in two answers from the record
    before, as medians. In the first view, the detector found three objects that are too small, a small one
    that is easy to see, and two that are occluded, which it does not know.
    """
    records = list(_record_scenes(folder / "record.media"))
    before, now = RECORD_SCENES
    records.append(_finished_label(before))
    for number, (x, y, side) in enumerate((*SMALL, SEEN, *OCCLUDED)):
        box = Box(x1=x - side / 2, y1=y - side / 2, x2=x + side / 2, y2=y + side / 2)
        records.append(
            Region(
                id=f"r{number}",
                medium=f"{now}-UAV1",
                number=number,
                box=box,
                category="car",
                made_by="yolo",
                is_proposed=True,
            )
        )
    return write_project(folder / "record.vantage", records)


def _record_scenes(media: Path) -> Iterator[Record]:
    """Yield two scenes of two views, with their images."""
    media.mkdir(parents=True)
    for scene in RECORD_SCENES:
        views = tuple(SceneView(name=view, medium=f"{scene}-{view}") for view in ("UAV1", "UAV2"))
        for view in views:
            yield _medium(view.medium, media / f"{view.medium}.jpg")
        yield Scene(id=scene, name=scene, views=views)


def _medium(name: str, path: Path) -> Medium:
    """Write an image, and return its record."""
    file = write_picture(path, size_px=SIZE_PX)
    return Medium(id=name, name=file.name, path=file.name, width_px=SIZE_PX[0], height_px=SIZE_PX[1])


def write_project(path: Path, records: list[Record]) -> Path:
    """Create a project with these records, and return its path."""
    with Session.create(path) as session:
        session.execute(AddRecords(records)).result()
    return path


def _finished_label(scene: str) -> EventLabel:
    box = PercentBox(x=10, y=10, width=2, height=2, labels=("too_small",))
    return EventLabel(
        id="before",
        scene=scene,
        view="UAV1",
        medium=f"{scene}-UAV1",
        quality=4,
        usable=True,
        object_types=("vehicles", "pedestrians", "bicycles"),
        count=ObjectCount(value=15),
        degradations=("small_target",),
        issue_boxes=(box,),
        when=True,
        what_boxes=(msgspec.structs.replace(box, labels=("more_information",)),),
        who=("UAV2",),
        why=("small_target",),
        state="finished",
    )


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
    x, y = region_position(number)
    box = Box(x1=x - 30, y1=y - 20, x2=x + 30, y2=y + 20)
    return Region(id=f"{view}-{number}", medium=view, number=number, box=box, category="car")
