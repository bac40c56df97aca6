"""Records, projects and commands that the tests of releases share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.imports import ImportFiles
from annotator.commands.releases import CreateRelease, ReleaseReport
from annotator.domain.event import CREATED, Edit
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item, Option
from annotator.domain.medium import Medium
from annotator.domain.record import Record, new_id
from annotator.domain.scene import Scene, SceneView
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.release.release_items import RecordLookup
from annotator.session import Session
from annotator.store.projections import PROJECTIONS

ENTITY_OF = {projection.record: entity for entity, projection in PROJECTIONS.items()}

UAV1 = Medium(id="1" * 32, name="23-00000001-UAV1.jpg", dataset="Real_2_UAVs")
UAV2 = Medium(id="2" * 32, name="23-00000001-UAV2.jpg", dataset="Real_2_UAVs")
SCENE = Scene(
    id="3" * 32,
    name="23-00000001",
    dataset="Real_2_UAVs",
    views=(SceneView(name="UAV1", medium=UAV1.id), SceneView(name="UAV2", medium=UAV2.id)),
)
CLIP = Medium(id="4" * 32, name="EmbodiedCity_18_0.mp4", dataset="UrbanVideo-Bench", media_type="video")
PICTURE = Medium(
    id="5" * 32,
    name="samples_Single_Image/img0001.jpg",
    dataset="SpatialUAV",
    path="SpatialUAV/samples_Single_Image/img0001.jpg",
)
PLACES: tuple[Record, ...] = (UAV1, UAV2, SCENE, CLIP, PICTURE)


def options(*texts: str) -> tuple[Option, ...]:
    return tuple(Option(letter=letter, text=text) for letter, text in zip("ABCDEFGHI", texts, strict=False))


def aircop_item(**fields: Any) -> Item:
    sound: dict[str, Any] = {
        "id": new_id(),
        "name": "Real2_OC_UAV1_1",
        "task_set": "aircop",
        "task": "object_counting",
        "question": "How many cars can be seen in the picture of UAV1?",
        "options": options("4", "5", "6", "7"),
        "answer_key": "B",
        "scene": SCENE.id,
        "view": "UAV1",
        "media": (UAV1.id, UAV2.id),
    }
    return Item(**(sound | fields))


def urbanvideo_item(**fields: Any) -> Item:
    sound: dict[str, Any] = {
        "id": new_id(),
        "name": "1001",
        "task_set": "urbanvideo",
        "task": "action_generation",
        "question": "What should the agent do next to reach the balcony?",
        "options": options(
            "Rise.", "Descend.", "Turn left.", "Turn right.", "Fly on.", "Look up.", "Look down."
        ),
        "answer_key": "C",
        "media": (CLIP.id,),
    }
    return Item(**(sound | fields))


def spatialuav_item(**fields: Any) -> Item:
    sound: dict[str, Any] = {
        "id": new_id(),
        "name": "Region_Recognition_00001",
        "task_set": "spatialuav",
        "task": "region_recognition",
        "question": "Which regions contain a parking lot?",
        "answer_format": "region_set",
        "answer_key": "Region 3, 4",
        "media": (PICTURE.id,),
    }
    return Item(**(sound | fields))


def label(**fields: Any) -> EventLabel:
    sound: dict[str, Any] = {
        "id": new_id(),
        "scene": SCENE.id,
        "view": "UAV1",
        "medium": UAV1.id,
        "quality": 5,
        "usable": True,
        "when": False,
        "source_task": 17,
        "source_annotation": 170,
    }
    return EventLabel(**(sound | fields))


def flag(item: Item, **fields: Any) -> Flag:
    sound: dict[str, Any] = {
        "id": new_id(),
        "entity": "item",
        "target": item.id,
        "kind": "key_wrong",
        "message": "The key is not what the picture shows.",
        "severity": "error",
    }
    return Flag(**(sound | fields))


R = TypeVar("R", bound=Record)


class KnownRecords:
    """Stands for the reader of a project."""

    def __init__(self, positions: Iterable[Record] = PLACES) -> None:
        self._known = {record.id: record for record in positions}

    def records(self, kind: type[R], *, ids: list[str]) -> list[R]:
        """Return the records of a kind among these ids."""
        found = (self._known.get(record_id) for record_id in ids)
        return [record for record in found if isinstance(record, kind)]


def lookup_of(*records: Item | EventLabel, positions: Iterable[Record] = PLACES) -> RecordLookup:
    """Return a look-up that is ready for some records."""
    lookup = RecordLookup(KnownRecords(positions))
    lookup.prepare(records)
    return lookup


@dataclass(frozen=True)
class AddRecords(Command):
    records: tuple[Record, ...]
    summary = CommandSummary.of_text("Add records")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        for record in self.records:
            yield Edit(entity=ENTITY_OF[type(record)], entity_id=record.id, field=CREATED, value=record)


def fill(session: Session, *records: Record, positions: tuple[Record, ...] = PLACES) -> None:
    """Put records into an empty project, with the media and scenes that they stand on."""
    session.execute(AddRecords((*positions, *records))).result()


def release(session: Session, out: Path, form: str, **fields: Any) -> ReleaseReport:
    """Release a project and return what it came to."""
    command = CreateRelease(out=out, export_format=form, **fields)
    session.execute(command).result()
    assert command.report is not None
    return command.report


def data_files(folder: Path) -> list[Path]:
    """Return the files of a release that can be imported, one of each pair that says the same."""
    about = {"manifest.json", "withheld.jsonl", "dataset_info.json", "croissant.json", "README.md"}
    files = sorted(path for path in folder.iterdir() if path.name not in about)
    return [path for path in files if path.suffix != ".jsonl" or not path.with_suffix(".json").exists()]


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of a release's files, the list of what was withheld left out."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "withheld.jsonl"}


def released_again(folder: Path, *, path: Path, form: str, dataset: str = "", **fields: Any) -> Path:
    """Import a release into a new project, release that, and return the folder."""
    path.mkdir()
    with Session.create(path / "again.vantage") as session:
        session.execute(ImportFiles(paths=tuple(data_files(folder)), dataset=dataset)).result()
        release(session, path / "out", form, **fields)
    return path / "out"
