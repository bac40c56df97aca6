"""The health of media: which files are present and sound, and how much storage they use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.media_health import health_of
from annotator.domain.medium import Medium
from annotator.domain.source import Source
from annotator.media.file_locator import LocatedFile, locate_media
from annotator.media.media_roots import MediaRoots
from annotator.progress import Progress
from annotator.queries.media_survey import MediaSurvey, file_problem
from annotator.queries.reader import Reader

SEEN = "seen"
"""Stands for the digest of a file that was found just now."""
FAULT_STATES = ("missing", "changed", "damaged")


@dataclass(frozen=True, kw_only=True)
class MediaFault:
    """A medium with a faulty file: its id, its name, and the reason."""

    medium: str
    name: str
    why: str


@dataclass(frozen=True, kw_only=True)
class StorageUse:
    """Storage that the media of one kind, collection or source use."""

    name: str
    media: int
    size_bytes: int


@dataclass(frozen=True, kw_only=True)
class MediaHealth:
    """The condition of the media of a project.

    Attributes:
        found: Number of media whose file is present and sound.
        unseen: Number of media that are only named: their files were never found.
        faults: Media that are missing, changed or damaged, by that word.
        by_kind: Storage per kind of medium, largest first.
        by_dataset: Storage per collection.
        by_source: Storage per source, by its name.
    """

    found: int
    unseen: int
    faults: dict[str, tuple[MediaFault, ...]]
    by_kind: tuple[StorageUse, ...]
    by_dataset: tuple[StorageUse, ...]
    by_source: tuple[StorageUse, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the report as the object that ``media health --json`` prints."""
        states = {
            name: [{"id": t.medium, "name": t.name, "why": t.why} for t in self.faults[name]]
            for name in FAULT_STATES
        }
        uses = {"kind": self.by_kind, "dataset": self.by_dataset, "source": self.by_source}
        storage = {
            by: [{"name": use.name, "media": use.media, "bytes": use.size_bytes} for use in some]
            for by, some in uses.items()
        }
        return {"found": self.found, "unseen": self.unseen, **states, "storage": storage}


def media_health(reader: Reader, survey: MediaSurvey) -> MediaHealth:
    """Return the condition of media as a survey found them.

    Args:
        reader: The project; whether ``RegisterMedia`` has stored the survey makes no difference.
        survey: The result of ``survey_media``.
    """
    media = list(reader.records(Medium))
    sources = {s.id: s.name for s in reader.records(Source)}
    states = _states(reader, media, survey)
    return MediaHealth(
        found=len(states["found"]),
        unseen=len(states["unseen"]),
        faults={name: tuple(states[name]) for name in FAULT_STATES},
        by_kind=_uses((medium.media_type, medium.size_bytes) for medium in media),
        by_dataset=_uses((medium.dataset, medium.size_bytes) for medium in media),
        by_source=_uses((sources.get(medium.source, ""), medium.size_bytes) for medium in media),
    )


def _states(reader: Reader, media: list[Medium], survey: MediaSurvey) -> dict[str, list[MediaFault]]:
    """Return the media by condition, each with the reason."""
    located = {entry.medium: entry for entry in survey.located}
    states: dict[str, list[MediaFault]] = defaultdict(list)
    for medium in media:
        entry = located.get(medium.id)
        words = _problems_of(reader, medium, entry)
        is_seen = entry is not None and entry.outcome == "found" and entry.facts is not None
        state = health_of(sha256=medium.sha256 or (SEEN if is_seen else ""), flags=words)
        why = words.get(f"medium_{state}") or _why(entry)
        states[state].append(MediaFault(medium=medium.id, name=medium.name, why=why))
    return states


def _problems_of(reader: Reader, medium: Medium, entry: LocatedFile | None) -> dict[str, str]:
    """Return the message of each kind of flag that is open, or will be once the survey is stored."""
    if entry is not None and entry.outcome != "ambiguous":
        return dict([problem] if (problem := file_problem(medium, entry)) else [])
    return {flag.kind: flag.message for flag in reader.flags_of(medium.id) if flag.state == "open"}


def find_media_in(reader: Reader, folder: Path, *, roots: MediaRoots, progress: Progress) -> MediaSurvey:
    """Search a folder, by content and by name, for media that have no file in any root.

    The folder becomes a further root if it contains at least one of them. Store the result with
    ``RegisterMedia``.

    Args:
        reader: The project.
        folder: The folder to search.
        roots: The project's media roots.
        progress: Advanced for each medium.

    Returns:
        The media that had no file before, found or still missing.

    Raises:
        UserError: There is no such folder.
        EnvironmentFailure: A file cannot be read.
        Cancelled: The user cancelled the operation.
    """
    lost = [medium for medium in reader.records(Medium) if not _is_there(medium, roots)]
    # Search a copy first: a folder without any of the files must not become a media root.
    trial = roots.in_memory()
    name = trial.add(folder) if roots.prefix_of(folder) is None else ""
    if not name:
        return MediaSurvey(root=folder, located=tuple(locate_media(lost, roots=roots, progress=progress)))
    located = tuple(locate_media(lost, roots=trial, progress=progress))
    if any(entry.path.startswith(f"@{name}/") for entry in located):
        located = tuple(_moved(entry, name, roots.add(folder)) for entry in located)
    return MediaSurvey(root=folder, located=located)


def _is_there(medium: Medium, roots: MediaRoots) -> bool:
    file = roots.file_of(medium.path)
    return file is not None and file.exists()


def _moved(entry: LocatedFile, name: str, to: str) -> LocatedFile:
    """Return an entry with the name that the project gave to its root."""
    if not entry.path.startswith(f"@{name}/"):
        return entry
    return msgspec.structs.replace(entry, path=f"@{to}{entry.path[len(name) + 1 :]}")


def _why(entry: LocatedFile | None) -> str:
    return "" if entry is None or entry.facts is None else entry.facts.damage


def _uses(pairs: Iterable[tuple[str, int]]) -> tuple[StorageUse, ...]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, size_bytes in pairs:
        counts[name][0] += 1
        counts[name][1] += size_bytes
    uses = [StorageUse(name=name, media=media, size_bytes=size) for name, (media, size) in counts.items()]
    return tuple(sorted(uses, key=lambda use: (-use.size_bytes, use.name)))
