"""Media on disk: what a file is, where the file of a medium lies, whether it is still the same."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Literal

from annotator.domain.medium import MediaType, Medium
from annotator.domain.record import ValueObject
from annotator.media.listing import walk_files
from annotator.media.media_roots import MediaRoots
from annotator.media.probe import MediaProbe, probe_media
from annotator.progress import Progress

# Label Studio puts eight hex digits and a dash before the name of every uploaded file.
_UPLOAD_MARK = re.compile(r"[0-9a-f]{8}-(?=.)")
_FRAME_OF_VIEW = re.compile(r"UAV\d+_frame_\d+")
LocateOutcome = Literal["found", "missing", "changed", "ambiguous"]


class LocatedFile(ValueObject, frozen=True, kw_only=True):
    """The result of the search for one medium's file.

    Attributes:
        medium: Id of the medium.
        name: Its name.
        outcome: ``found``; ``missing``; ``changed``: the file at its path has other content; ``ambiguous``:
            several files match.
        path: Path of the file in the form of ``Medium.path``: relative to the project's root, or ``@name/``
            and relative to a further root; "" if not found.
        facts: Properties of the file, None if not found.
        candidates: The matching files of an ambiguous result.
    """

    medium: str
    name: str
    outcome: LocateOutcome
    path: str = ""
    facts: MediaProbe | None = None
    candidates: tuple[str, ...] = ()


def locate_media(media: Iterable[Medium], *, roots: MediaRoots, progress: Progress) -> Iterator[LocatedFile]:
    """Search the file of each medium below the roots.

    The recorded path is tried first; then, if the digest is known, any file with the same content, which
    finds moved and renamed files; then files of the same name.

    Args:
        media: The media.
        roots: Folders that paths are relative to; they need not exist.
        progress: One step per medium.

    Raises:
        EnvironmentFailure: A file cannot be read.
        Cancelled: The user cancelled.
    """
    index = FolderIndex(roots, progress=progress)
    wanted = list(media)
    progress.begin("Looking for media", total=len(wanted))
    for medium in wanted:
        yield index.locate(medium)
        progress.step()
    progress.end()


class FolderIndex:
    """The files and folders below all roots, by path, by name and by size; links out of them are left out.

    A file below two roots is known by the first of them, the own root before further ones.
    """

    def __init__(self, roots: MediaRoots, *, progress: Progress) -> None:
        self._files: dict[str, Path] = {}
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_size: dict[int, list[str]] = defaultdict(list)
        self._folders_by_size: dict[int, list[str]] = defaultdict(list)
        self._facts: dict[str, MediaProbe] = {}
        self._progress = progress
        seen: set[str] = set()
        for prefix, folder in roots.folders().items():
            real = folder.resolve()
            if real.is_dir() and str(real) not in seen:
                progress.begin(f"Listing {folder}")
                self._add_root(real, prefix, seen, progress=progress)

    def __contains__(self, path: str) -> bool:
        """Return whether a file or folder exists at a path in the form of ``Medium.path``."""
        return path in self._files

    def locate(self, medium: Medium) -> LocatedFile:
        """Return where a medium's file lies."""
        at_hint = medium.path if medium.path in self._files else ""
        if medium.sha256:
            return self._locate_known(medium, at_hint)
        candidates = [at_hint] if at_hint else self._named(medium)
        if len(candidates) == 1:
            return self._found(medium, candidates[0])
        outcome: LocateOutcome = "ambiguous" if candidates else "missing"
        return LocatedFile(medium=medium.id, name=medium.name, outcome=outcome, candidates=tuple(candidates))

    def _locate_known(self, medium: Medium, at_hint: str) -> LocatedFile:
        if at_hint and self._facts_of(at_hint, medium.media_type).sha256 == medium.sha256:
            return self._found(medium, at_hint)
        # Hashing is what costs: only files of the very same size are read.
        sizes = self._folders_by_size if medium.media_type == "frames" else self._by_size
        for path in sizes[medium.size_bytes]:
            if self._facts_of(path, medium.media_type).sha256 == medium.sha256:
                return self._found(medium, path)
        if at_hint:
            facts = self._facts_of(at_hint, medium.media_type)
            return LocatedFile(
                medium=medium.id, name=medium.name, outcome="changed", path=at_hint, facts=facts
            )
        return LocatedFile(medium=medium.id, name=medium.name, outcome="missing")

    def _found(self, medium: Medium, path: str) -> LocatedFile:
        facts = self._facts_of(path, medium.media_type)
        return LocatedFile(medium=medium.id, name=medium.name, outcome="found", path=path, facts=facts)

    def _named(self, medium: Medium) -> list[str]:
        """Return the files of a medium's name; where several are, those that agree longest with its hint."""
        # Names in datasets may hold folders; what lies on the disk is looked up by the last part.
        name = medium.name.rpartition("/")[2]
        paths = self._by_name.get(name) or self._by_similar_name.get(_similar_name(name), [])
        if len(paths) < 2:
            return paths
        hint = (medium.path or f"{medium.dataset}/{medium.name}").split("/")
        agreement = {path: _agreement(path.split("/"), hint) for path in paths}
        best = max(agreement.values())
        return [path for path in paths if agreement[path] == best]

    @cached_property
    def _by_similar_name(self) -> dict[str, list[str]]:
        # Made when the first name is not found as it is written, which hardly any search comes to.
        paths: dict[str, list[str]] = defaultdict(list)
        for name, known in self._by_name.items():
            paths[_similar_name(name)] += known
        return paths

    def _facts_of(self, path: str, kind: MediaType) -> MediaProbe:
        if path not in self._facts:
            self._facts[path] = probe_media(self._files[path], kind=kind, progress=self._progress)
        return self._facts[path]

    def _add_root(self, folder: Path, prefix: str, seen: set[str], *, progress: Progress) -> None:
        folders: dict[str, int] = defaultdict(int)
        for name in walk_files(folder):
            file = folder / name
            progress.step()
            try:
                # Only files of the same size are hashed when content is looked for.
                size = file.stat().st_size
            except FileNotFoundError:
                # Gone since it was listed: a video that is being copied still has another name.
                continue
            if str(file) not in seen:
                seen.add(str(file))
                self._add(MediaRoots.join(prefix, name), file)
                self._by_size[size].append(MediaRoots.join(prefix, name))
                folders[name.rpartition("/")[0]] += size
        # Folders can be media too: those of frames.
        for name, size in folders.items():
            if name:
                self._add(MediaRoots.join(prefix, name), folder / name)
                self._folders_by_size[size].append(MediaRoots.join(prefix, name))

    def _add(self, path: str, file: Path) -> None:
        self._files[path] = file
        for name in names_of(path):
            self._by_name[name].append(path)


def names_of(file: str) -> list[str]:
    """Return the names by which other people's files may call one file.

    Args:
        file: Its path, "/" between folders.
    """
    path = PurePosixPath(file)
    names = [path.name]
    unmarked = _UPLOAD_MARK.sub("", path.name, count=1) if _UPLOAD_MARK.match(path.name) else path.name
    if unmarked != path.name:
        names.append(unmarked)
    # AirCopBench's Sim3 keeps scene_001/UAV1/UAV1_frame_005.jpg and speaks of scene_001-UAV1_frame_005.jpg.
    scene = next((part for part in reversed(path.parts[:-1]) if part.startswith("scene_")), "")
    if scene and _FRAME_OF_VIEW.match(unmarked):
        names.append(f"{scene}-{unmarked}")
    return names


def _similar_name(name: str) -> str:
    """Return what names have in common that differ in case or in how their accents are encoded.

    Windows and macOS take them for one name, and macOS writes accents in two characters.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _agreement(path: list[str], hint: list[str]) -> int:
    """Return how many of the hint's folders are in a path."""
    return len(set(path[:-1]) & set(hint[:-1]))
