"""Finds the media whose files do not exist; fast enough to run whenever a window becomes active."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from annotator.media.media_roots import MediaRoots
from annotator.progress import Progress


def _by_folder(media: Iterable[tuple[str, str]]) -> dict[str, list[tuple[str, str]]]:
    folders: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for medium, path in media:
        folders[path.rpartition("/")[0]].append((medium, path))
    return folders


def find_absent(media: Iterable[tuple[str, str]], *, roots: MediaRoots, progress: Progress) -> frozenset[str]:
    """Return the ids of the media whose file or folder does not exist.

    Each folder is listed once; contents are not read.

    Args:
        media: Id and ``Medium.path`` of each medium.
        roots: Folders that the paths are relative to.
        progress: One step per folder; can cancel.

    Raises:
        Cancelled: The user cancelled.
    """
    absent: set[str] = set()
    for entries in _by_folder(media).values():
        progress.step(0)
        first = roots.file_of(entries[0][1])
        names = _names_in(first.parent) if first is not None else frozenset()
        left = [entry for entry in entries if entry[1].rpartition("/")[2] not in names]
        # A folder that is not there is listed as empty: its media need no look each.
        is_gone = first is not None and not names and not first.parent.is_dir()
        absent.update(medium for medium, path in left if is_gone or not _is_there(path, roots))
    return frozenset(absent)


def _names_in(folder: Path) -> frozenset[str]:
    try:
        with os.scandir(folder) as entries:
            # A link may lead nowhere, or to itself: those are looked at one by one.
            return frozenset(entry.name for entry in entries if not entry.is_symlink())
    except OSError:
        return frozenset()


def _is_there(path: str, roots: MediaRoots) -> bool:
    file = roots.file_of(path)
    return file is not None and file.exists()
