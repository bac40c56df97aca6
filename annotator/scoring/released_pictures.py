"""The pictures that a release contains, by the media of its items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import msgspec

from annotator.domain.medium import Medium
from annotator.importers.imported_record import ImportedMedium
from annotator.release.listed_file import read_listed_file
from annotator.release.manifest import PICTURE_LIST, ImageEntry
from annotator.release.media_names import is_safe_path

MOST_FRAMES = 6
"""Frames of a video that are shown at once, evenly spaced."""


class ReleasedPicture(msgspec.Struct, frozen=True, kw_only=True):
    """One picture of an item.

    Attributes:
        name: Name of the medium.
        file: Path relative to the release.
        view: Name of its view, "" if unknown.
        frame: Number of the frame in presentation order, None for stills.
    """

    name: str
    file: str
    view: str = ""
    frame: int | None = None


class ReleasedPictures:
    """The pictures in a release folder.

    Args:
        folder: The release; a published file of questions has the pictures of its own folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._listed: dict[tuple[str, str], list[ImageEntry]] = defaultdict(list)
        self._datasets: dict[str, set[str]] = defaultdict(set)
        for entry in _read_list(folder):
            self._listed[entry.dataset, entry.medium].append(entry)
            self._datasets[entry.medium].add(entry.dataset)

    def of_media(self, media: Iterable[Medium | ImportedMedium], *, dataset: str) -> list[ReleasedPicture]:
        """Return the pictures of some media, in their order; those without a picture are left out."""
        found: list[ReleasedPicture] = []
        for medium in media:
            found += self._of_medium(medium, dataset=dataset)
        return found

    def _of_medium(self, medium: Medium | ImportedMedium, *, dataset: str) -> list[ReleasedPicture]:
        view = medium.view if isinstance(medium, ImportedMedium) else ""
        own = medium.dataset if isinstance(medium, Medium) else dataset
        entries = self._listed.get((own, medium.name)) or self._listed_under(medium.name)
        if entries:
            # Rounded up: rounded down, more than ``MOST_FRAMES`` would be left.
            step = max(1, -(-len(entries) // MOST_FRAMES))
            return [
                ReleasedPicture(name=medium.name, file=entry.file, view=view, frame=entry.frame)
                for entry in entries[::step]
            ]
        # Published files name pictures beside them.
        path = medium.path or medium.name
        if is_safe_path(path) and (self._folder / path).is_file():
            return [ReleasedPicture(name=medium.name, file=path, view=view)]
        return []

    def _listed_under(self, name: str) -> list[ImageEntry]:
        """Return the pictures of the only dataset that has a medium of this name."""
        datasets = self._datasets.get(name, set())
        return self._listed[next(iter(datasets)), name] if len(datasets) == 1 else []


def _read_list(folder: Path) -> list[ImageEntry]:
    try:
        listed = msgspec.json.Decoder(ImageEntry).decode_lines(read_listed_file(folder / PICTURE_LIST))
    # Without a list there are no pictures to show; scores do not depend on them.
    except (OSError, msgspec.MsgspecError):
        return []
    # Who made the release is not known: a path could lead out of its folder.
    return [entry for entry in listed if is_safe_path(entry.file)]
