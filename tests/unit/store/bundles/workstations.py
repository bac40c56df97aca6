"""Workstations with copies of one project, whose contents are compared whatever their order of arrival."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from annotator.commands.item_edits import SetQuestion
from annotator.commands.media_import import ImportMedia
from annotator.domain.actor import Actor
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.media.file_import import Keep, import_files
from annotator.media.grouping import group_individually
from annotator.media.listing import list_media
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.bundles.exchange import MergeReport
from annotator.store.connection import connect
from annotator.store.projections import PROJECTIONS
from tests.unit.store.making import created, write

LOCAL = {"command"}
"""Records that each workstation adds when it merges."""


def item(name: str, **fields: Any) -> Item:
    """Return an item that can be stored."""
    return Item(id=new_id(), name=name, task_set="aircop", task="object_counting", **fields)


class Workstation:
    """One person's copy of a project.

    Attributes:
        path: The project.
        actor: The person.
    """

    def __init__(self, path: Path, *, person: str) -> None:
        self.path = path
        self.actor = Actor(id=person.ljust(32, "0"), name=person)

    def open(self) -> Session:
        """Open the copy; each opening is a session of its own."""
        return Session.open(self.path, actor=self.actor)

    def add(self, *items: Item) -> None:
        """Add items."""
        with self.open() as session:
            write(session, *(created("item", one) for one in items))

    def ask(self, item_id: str, question: str) -> None:
        """Give an item another question."""
        with self.open() as session:
            session.execute(SetQuestion(item=item_id, text=question)).result()

    def add_images(self, folder: Path, *names: str, keep: Keep = "link") -> None:
        """Write images into a folder, and import them."""
        folder.mkdir(exist_ok=True)
        for shade, name in enumerate(names):
            cv2.imwrite(str(folder / name), np.full((60, 80, 3), 40 + shade, np.uint8))
        with self.open() as session:
            listing = list_media([folder], progress=Progress())
            grouping = group_individually(listing.names)
            file_import = import_files(listing, grouping, roots=session.roots, keep=keep, progress=Progress())
            session.execute(ImportMedia(file_import=file_import, dataset="set")).result()

    def bundle(self, *, since: Path | None = None) -> Path:
        """Write a bundle beside the project."""
        target = self.path.with_name(f"{self.path.stem}-{new_id()}.bundle")
        with self.open() as session:
            session.export_bundle(target, since=since)
        return target

    def merge(self, *bundles: Path) -> list[MergeReport]:
        """Merge bundles."""
        with self.open() as session:
            return session.merge(*bundles).result()

    def content(self) -> dict[str, Any]:
        """Return all records by type and id, without numbers of arrival, and the newest events of fields."""
        with closing(connect(self.path, read_only=True)) as connection:
            found: dict[str, Any] = {}
            for entity, projection in PROJECTIONS.items():
                if entity not in LOCAL:
                    rows = connection.execute(f"SELECT id, removed, {projection.record_sql} FROM {entity}")
                    found[entity] = {row[0]: (row[1], json.loads(row[2])) for row in rows}
            found["heads"] = sorted(connection.execute("SELECT entity_id, field, event FROM head"))
        return found


def joined(folder: Path, *people: str) -> list[Workstation]:
    """Return workstations that begin with the same project: the first one's, taken over by a bundle."""
    for person in people:
        (folder / person).mkdir()
    first = Workstation(folder / people[0] / "p.vantage", person=people[0])
    Session.create(first.path, actor=first.actor).close()
    bundle = first.bundle()
    others = [Workstation(folder / person / "p.vantage", person=person) for person in people[1:]]
    for other in others:
        Session.create_from_bundle(other.path, bundle, actor=other.actor).close()
    return [first, *others]
