"""Small projects for tests with Qt: real files, opened by a real session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.actor import Actor
from annotator.domain.event import CREATED, Edit
from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.flag import Flag
from annotator.domain.item import Item, Option, Provenance
from annotator.domain.medium import Medium
from annotator.domain.record import FieldCorrection, Record, new_id
from annotator.domain.scene import Scene, SceneView
from annotator.domain.source import Source
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session

NO_SIZE_HINTS = "does not support propagateSizeHints"
"""What Qt's offscreen platform says about every window that has a smallest size; a real one can do it."""


@dataclass(kw_only=True)
class AddRecords(Command):
    """Take records as they are into a project."""

    records: list[Record]

    @property
    def summary(self) -> CommandSummary:
        """Words for the undo menu."""
        return CommandSummary.of_text(f"Add {len(self.records)} records")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the making of each."""
        progress.begin(self.summary, total=len(self.records))
        for record in self.records:
            progress.step()
            yield Edit(entity=record.table.entity, entity_id=record.id, field=CREATED, value=record)


def option(letter: str, text: str) -> Option:
    """Make an option."""
    return Option(letter=letter, text=text)


def make_item(number: int, **values: object) -> Item:
    """Make an item with two options and a name that tells its number."""
    usual: dict[str, object] = {
        "id": new_id(),
        "name": f"item_{number:05}",
        "task_set": "aircop",
        "task": "object_counting",
        "question": f"How many vehicles does UAV1 see in picture {number}?",
        "options": (option("A", "4"), option("B", "7")),
        "answer_key": "B",
    }
    return msgspec.convert(msgspec.structs.asdict(Item(**(usual | values))), Item)  # type: ignore[arg-type]


def make_flag(entity: str, target: str, kind: str, **values: object) -> Flag:
    """Make an open flag."""
    message = f"Something about {kind}."
    usual: dict[str, object] = {
        "id": new_id(),
        "entity": entity,
        "target": target,
        "kind": kind,
        "message": message,
    }
    return Flag(**(usual | values))  # type: ignore[arg-type]


def small_project() -> list[Record]:
    """Return the records of a project with two scenes, three items, three flags and one source."""
    source = Source(id=new_id(), name="questions.json", format="aircop-questions", sha256="0" * 64, records=1)
    media = [Medium(id=new_id(), name=f"0001-UAV{n}.png", path=f"0001-UAV{n}.png") for n in (1, 2)]
    views = tuple(SceneView(name=f"UAV{n}", medium=m.id) for n, m in enumerate(media, start=1))
    scene = Scene(id=new_id(), name="0001", dataset="Real_2_UAVs", views=views)
    other = Scene(id=new_id(), name="0002", dataset="Sim_3_UAVs")
    label = EventLabel(
        id=new_id(),
        scene=scene.id,
        view="UAV1",
        medium=media[0].id,
        quality=4,
        usable=True,
        object_types=("vehicles",),
        count=ObjectCount(value=60, approximate=True),
        degradations=(),
        locator="record 1",
        original=msgspec.Raw(b'{"Object_count":"around 60"}'),
        corrections=(
            FieldCorrection(field="count", original="around 60", value=60, reason="a number in words"),
        ),
    )
    items = [
        make_item(1, scene=scene.id, view="UAV1", media=(media[0].id,)),
        make_item(2, task="quality_assessment", question="How good is <b>the picture</b>?", state="accepted"),
        make_item(
            3,
            task_set="spatialuav",
            task="object_matching",
            question="Welche Region zeigt 停车场?",
            provenance=Provenance(
                made_by="import", maker="aircop-questions", source=source.id, locator="record 3"
            ),
            original=msgspec.Raw(b'{"question":"Welche Region?"}'),
        ),
    ]
    flags = [
        make_flag("item", items[0].id, "duplicate_options", severity="error", field="options"),
        make_flag("item", items[1].id, "missing_media"),
        make_flag("event_label", label.id, "count_not_integer", field="count"),
    ]
    return [source, *media, scene, other, label, *items, *flags]


def make_project(path: Path, records: list[Record] | None = None, *, title: str = "pilot") -> Path:
    """Write a project with the records given, by default the small one, and return its path."""
    if records is None:
        path.write_bytes(_small_file(path.name, title))
        return path
    # An actor of its own: a fixture for a whole run must not look for the person at the machine.
    with Session.create(path, title=title, actor=Actor(id=new_id(), name="Ada")) as session:
        session.execute(AddRecords(records=records)).result()
    return path


@cache
def _small_file(name: str, title: str) -> bytes:
    """Return the small project as a file; most tests of the window want it, and making it takes 0.1 s."""
    with TemporaryDirectory() as folder:
        return make_project(Path(folder) / name, small_project(), title=title).read_bytes()
