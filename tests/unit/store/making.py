"""Records, commands and views of a whole project that the tests of the core share."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.actor import Actor
from annotator.domain.changes import Changes
from annotator.domain.event import CREATED, REMOVED, SEALED, Edit
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import Record, new_id
from annotator.domain.scene import Scene, SceneView
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.store.connection import Connection, connect
from annotator.store.projections import PROJECTIONS
from annotator.store.verification import Problem, verify_project

ANNA, BEN = Actor(id="a" * 32, name="Anna"), Actor(id="b" * 32, name="Ben")
EVENT_COLUMNS = ", ".join(("n", *SEALED, "prev_hash", "hash"))
BOOK_KEEPING = {"command", "actor"}
WHOLE_FILE = {
    "item_facet": "SELECT task_set, task, state, source, flags, assignees, items FROM item_facet "
    "WHERE items<>0",
    "scene_facet": "SELECT dataset, stage, health, tags, flags, annotation, assignees, scenes "
    "FROM scene_facet WHERE scenes<>0",
    "medium_facet": "SELECT dataset, media_type, health, licence, media, bytes FROM medium_facet "
    "WHERE media<>0",
    "scene_view": "SELECT medium, scene, view FROM scene_view",
}


@dataclass(frozen=True)
class Write(Command):
    """A command whose edits are given."""

    edits: tuple[Edit, ...]
    text: str = "Write"

    @property
    def summary(self) -> CommandSummary:
        return CommandSummary.of_text(self.text)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        progress.begin(self.summary, total=len(self.edits))
        for edit in self.edits:
            progress.step()
            yield edit


def write(session: Session, *edits: Edit, label: str = "Write") -> Changes:
    """Do a command with these edits and return what it changed."""
    return session.execute(Write(edits, label)).result()


def twin_projects(folder: Path) -> tuple[Path, Path]:
    """Create the same empty project twice: copies have the same id."""
    one, two = folder / "one.vantage", folder / "two.vantage"
    with Session.create(one, actor=ANNA):
        pass
    shutil.copy(one, two)
    return one, two


def created(entity: str, record: Record) -> Edit:
    return Edit(entity=entity, entity_id=record.id, field=CREATED, value=record)


def changed(entity: str, entity_id: str, **fields: Any) -> tuple[Edit, ...]:
    return tuple(
        Edit(entity=entity, entity_id=entity_id, field=name, value=value) for name, value in fields.items()
    )


def removed(entity: str, entity_id: str, *, value: bool = True) -> Edit:
    return Edit(entity=entity, entity_id=entity_id, field=REMOVED, value=value)


def an_item(**fields: Any) -> Item:
    return Item(**{"id": new_id(), "name": "Counting_00001", "task_set": "aircop", **fields})


def a_flag(target: str, **fields: Any) -> Flag:
    return Flag(**{"id": new_id(), "entity": "item", "target": target, "kind": "doubt", **fields})


def a_medium(**fields: Any) -> Medium:
    return Medium(**{"id": new_id(), "name": "01-UAV1.jpg", **fields})


def a_scene(*media: str, **fields: Any) -> Scene:
    views = tuple(SceneView(name=f"UAV{index}", medium=medium) for index, medium in enumerate(media, start=1))
    return Scene(**{"id": new_id(), "name": "01", "views": views, **fields})


def a_label(**fields: Any) -> EventLabel:
    return EventLabel(**{"id": new_id(), **fields})


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """Give a connection of its own, which sees only what is committed."""
    with closing(connect(path, read_only=True)) as connection:
        # The lists of words below are temporary tables.
        connection.execute("PRAGMA query_only=OFF")
        yield connection


def visible_state(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return all that lists, counts and searches of a project rest on, hidden records left out."""
    with reading(path) as connection:
        rows = {entity: _rows(connection, entity) for entity in PROJECTIONS if entity not in BOOK_KEEPING}
        rows |= {name: sorted(connection.execute(select)) for name, select in WHOLE_FILE.items()}
        return rows | {
            name: _words(connection, name) for name in ("item_words", "medium_parts", "scene_parts")
        }


def _rows(connection: Connection, entity: str) -> list[tuple[Any, ...]]:
    return connection.execute(f"SELECT * FROM {entity} WHERE removed=0 ORDER BY n").fetchall()


def _words(connection: Connection, table: str) -> list[tuple[Any, ...]]:
    connection.execute(
        f"CREATE VIRTUAL TABLE temp.{table}_list USING fts5vocab('main', '{table}', 'instance')"
    )
    return connection.execute(f"SELECT term, doc, offset FROM temp.{table}_list").fetchall()


def events(path: Path, columns: str = EVENT_COLUMNS, where: str = "1") -> list[tuple[Any, ...]]:
    """Return rows of the log in order of arrival, values unpacked."""
    with reading(path) as connection:
        known = {row[1] for row in connection.execute("PRAGMA table_info(event)")}
        # Values of older files are as they are.
        value = "iif(packed IS NULL, value, unpack(packed))" if "packed" in known else "value"
        unpacked = EVENT_COLUMNS.replace(" value,", f" {value} AS value,")
        log = f"(SELECT {unpacked} FROM event) AS event"
        return connection.execute(f"SELECT {columns} FROM {log} WHERE {where} ORDER BY n").fetchall()


def undo_label(session: Session) -> str:
    """Return the command that undo would reverse, "" for none."""
    command = session.reader.log.next_undo(session.actor.id, machine=session.machine)
    return str(command.summary) if command else ""


def redo_label(session: Session) -> str:
    """Return the command that redo would repeat, "" for none."""
    command = session.reader.log.next_redo(session.actor.id, machine=session.machine)
    return str(command.summary) if command else ""


def problems(path: Path) -> list[Problem]:
    return list(verify_project(path, progress=Progress()))


def spatialuav_file(folder: Path, *, name: str, rows: int, word: str = "parking lot") -> Path:
    """Write a question file of SpatialUAV; its names, and with them its records, depend on the word."""
    lines = [
        json.dumps({
            "id": f"Region_Recognition_{number:05}",
            "image": [f"./SpatialUAV/samples/{name}_{number}.jpg"],
            "conversations": [{"from": "human", "value": f"Which regions contain a {word}?"}],
            "source": "SpatialUAV",
            "GT": "Region 3, 4.",
        })
        for number in range(1, rows + 1)
    ]  # fmt: skip
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def aircop_file(folder: Path, *, name: str, records: int) -> Path:
    """Write an annotation file of AirCopBench with a contradiction in each record."""
    made = [
        {
            "img1": f"{name}-{number // 2:08}-UAV{number % 2 + 1}.jpg",
            "id": number,
            "annotation_id": number,
            "annotator": 1,
            "created_at": "2025-06-24T06:17:08.956105Z",
            "updated_at": "2025-06-24T06:17:08.956105Z",
            "lead_time": 12.5,
            "Quality": "Good (4/5) - Mostly clear, minor noise or distortion.",
            "Usibility": "1 (Available)",
            "Object_type": "Vehicles",
            "Object_count": "around 60",
            "Collaboration_when": "1 (Yes)",
            "Collaboration_who": "None",
        }
        for number in range(records)
    ]
    path = folder / f"{name}.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    return path
