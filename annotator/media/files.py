"""Media on disk: what a file is, where the file of a medium lies, whether it is still the same."""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from annotator.domain.medium import Kind, Medium
from annotator.domain.record import Part
from annotator.errors import HostError
from annotator.media.image_header import UNKNOWN, Size, read_size
from annotator.progress import Progress

# Label Studio puts eight hex digits and a dash before the name of every uploaded file.
_UPLOAD_MARK = re.compile(r"[0-9a-f]{8}-(?=.)")
_FRAME_OF_VIEW = re.compile(r"UAV\d+_frame_\d+")
Outcome = Literal["found", "missing", "changed", "ambiguous"]


class FileFacts(Part, frozen=True, kw_only=True):
    """What a file, or a folder of frames, is.

    Attributes:
        sha256: Hex digest of its content; of a folder: over the names and digests of its files.
        size_bytes: Size of it all.
        width_px: Width after EXIF orientation, 0 where the file does not tell.
        height_px: Height after EXIF orientation, 0 where the file does not tell.
    """

    sha256: str
    size_bytes: int
    width_px: int = 0
    height_px: int = 0


class Located(Part, frozen=True, kw_only=True):
    """What the search for one medium's file came to.

    Attributes:
        medium: Id of the medium.
        name: Its name.
        outcome: ``found``; ``missing``; ``changed``: a file lies where it was, with other content;
            ``ambiguous``: several files could be it.
        path: Where it lies below the root, "/" between parts; "" where it was not found.
        facts: What the file is, None where it was not found.
        candidates: The files among which it could not be decided.
    """

    medium: str
    name: str
    outcome: Outcome
    path: str = ""
    facts: FileFacts | None = None
    candidates: tuple[str, ...] = ()


def read_facts(path: Path, *, kind: Kind = "image") -> FileFacts:
    """Return what a file or a folder of frames is.

    Args:
        path: The file, or the folder.
        kind: What it is taken for: the size of a video is asked of its container.

    Raises:
        HostError: It cannot be read.
    """
    try:
        return _folder_facts(path) if path.is_dir() else _file_facts(path, kind=kind)
    except OSError as error:
        raise HostError(
            f"{path} cannot be read: {error.strerror}.", hint="Check the disk and its permissions."
        ) from error


def locate_media(media: Iterable[Medium], *, root: Path, progress: Progress) -> Iterator[Located]:
    """Look for the file of each medium below a root.

    The path hint comes first; then, for a medium whose content is known, any file of the same
    content, so that moved and renamed files are found again; then the name.

    Args:
        media: The media to look for.
        root: Folder that hints are relative to; it need not exist.
        progress: Told of each medium.

    Raises:
        HostError: A file cannot be read.
        Cancelled: The user stopped it.
    """
    index = FolderIndex(root, progress=progress)
    wanted = list(media)
    progress.begin("Looking for media", total=len(wanted))
    for medium in wanted:
        yield index.locate(medium)
        progress.step()
    progress.end()


class FolderIndex:
    """The files below a root, by path, by name and by size; links that lead out of it are left out."""

    def __init__(self, root: Path, *, progress: Progress) -> None:
        self._root = root
        self._paths: set[str] = set()
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_size: dict[int, list[str]] = defaultdict(list)
        self._facts: dict[str, FileFacts] = {}
        progress.begin(f"Listing {root}")
        for path in _walk(root):
            self._add(path)
            progress.step()

    def locate(self, medium: Medium) -> Located:
        """Return where a medium's file lies."""
        at_hint = medium.path if medium.path in self._paths else ""
        if medium.sha256:
            return self._locate_known(medium, at_hint)
        candidates = [at_hint] if at_hint else self._named(medium)
        if len(candidates) == 1:
            return self._found(medium, candidates[0])
        outcome: Outcome = "ambiguous" if candidates else "missing"
        return Located(medium=medium.id, name=medium.name, outcome=outcome, candidates=tuple(candidates))

    def _locate_known(self, medium: Medium, at_hint: str) -> Located:
        for path in dict.fromkeys(
            [at_hint, *self._by_size[medium.size_bytes]] if at_hint else self._by_size[medium.size_bytes]
        ):
            if self._facts_of(path, medium.kind).sha256 == medium.sha256:
                return self._found(medium, path)
        if at_hint:
            facts = self._facts_of(at_hint, medium.kind)
            return Located(medium=medium.id, name=medium.name, outcome="changed", path=at_hint, facts=facts)
        return Located(medium=medium.id, name=medium.name, outcome="missing")

    def _found(self, medium: Medium, path: str) -> Located:
        facts = self._facts_of(path, medium.kind)
        return Located(medium=medium.id, name=medium.name, outcome="found", path=path, facts=facts)

    def _named(self, medium: Medium) -> list[str]:
        """Return the files of a medium's name; where several are, those that agree longest with its hint."""
        paths = self._by_name[medium.name]
        if len(paths) < 2:
            return paths
        hint = (medium.path or f"{medium.dataset}/{medium.name}").split("/")
        agreement = {path: _agreement(path.split("/"), hint) for path in paths}
        best = max(agreement.values())
        return [path for path in paths if agreement[path] == best]

    def _facts_of(self, path: str, kind: Kind) -> FileFacts:
        if path not in self._facts:
            self._facts[path] = read_facts(self._root / path, kind=kind)
        return self._facts[path]

    def _add(self, path: Path) -> None:
        relative = path.relative_to(self._root)
        text = relative.as_posix()
        self._paths.add(text)
        for name in _names_of(relative):
            self._by_name[name].append(text)
        # Only files of the same size are hashed when content is looked for.
        if path.is_file():
            self._by_size[path.stat().st_size].append(text)


def _walk(root: Path) -> Iterator[Path]:
    """Yield folders and files below a root in order of their names, never outside of it."""
    real_root = root.resolve()
    for folder, names, files in os.walk(root):
        names.sort()
        for name in sorted([*files, *names]):
            path = Path(folder, name)
            if not path.is_symlink() or path.resolve().is_relative_to(real_root):
                yield path


def _names_of(path: Path) -> list[str]:
    """Return the names by which other people's files may call one file."""
    names = [path.name]
    unmarked = _UPLOAD_MARK.sub("", path.name, count=1) if _UPLOAD_MARK.match(path.name) else path.name
    if unmarked != path.name:
        names.append(unmarked)
    # AirCopBench's Sim3 keeps scene_001/UAV1/UAV1_frame_005.jpg and speaks of scene_001-UAV1_frame_005.jpg.
    scene = next((part for part in reversed(path.parts[:-1]) if part.startswith("scene_")), "")
    if scene and _FRAME_OF_VIEW.match(unmarked):
        names.append(f"{scene}-{unmarked}")
    return names


def _agreement(path: list[str], hint: list[str]) -> int:
    """Return how many of the hint's folders are in a path."""
    return len(set(path[:-1]) & set(hint[:-1]))


def _file_facts(path: Path, *, kind: Kind) -> FileFacts:
    with path.open("rb") as file:
        size = read_size(file)
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if kind == "video":
        size = _video_size(path)
    return FileFacts(
        sha256=digest, size_bytes=path.stat().st_size, width_px=size.width_px, height_px=size.height_px
    )


def _folder_facts(path: Path) -> FileFacts:
    digest, total, size = hashlib.sha256(), 0, UNKNOWN
    for file in sorted(entry for entry in path.iterdir() if entry.is_file()):
        facts = _file_facts(file, kind="image")
        digest.update(f"{facts.sha256} {file.name}\n".encode())
        total += facts.size_bytes
        if size == UNKNOWN:
            size = Size(width_px=facts.width_px, height_px=facts.height_px)
    return FileFacts(
        sha256=digest.hexdigest(), size_bytes=total, width_px=size.width_px, height_px=size.height_px
    )


def _video_size(path: Path) -> Size:
    import av

    try:
        with av.open(str(path)) as container:
            stream = next(iter(container.streams.video), None)
            return Size(width_px=stream.width, height_px=stream.height) if stream else UNKNOWN
    except av.FFmpegError:
        return UNKNOWN
