"""The releases that a project has recorded, with the folders on this computer that they were written to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from annotator.domain.command import CommandRecord
from annotator.queries.reader import Reader

FOLDERS = 20
"""The newest releases that are offered."""


@dataclass(frozen=True, kw_only=True)
class ScoredProject:
    """What the workspace knows of its project.

    Attributes:
        id: Id of the project.
        folders: Folders of its releases that are on this computer, the newest first.
    """

    id: str
    folders: tuple[str, ...]


def read_scored_project(reader: Reader) -> ScoredProject:
    """Return id and release folders of a project; called on the reading thread."""
    with reader.snapshot():
        written = [str(one.details.get("folder", "")) for one in reader.find(CommandRecord, code="release")]
        folders = dict.fromkeys(reversed([folder for folder in written if folder]))
        found = tuple(folder for folder in folders if Path(folder).is_dir())
        return ScoredProject(id=reader.project.id, folders=found[:FOLDERS])
