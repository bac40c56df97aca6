"""The first half of a media import: reads, hashes and places the files.

Nothing is written to the project here, so edits are not delayed while gigabytes are read.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from annotator.errors import EnvironmentFailure, UserError
from annotator.media.file_names import file_name, next_name
from annotator.media.listing import MediaListing, frame_files
from annotator.media.media_roots import MediaRoots
from annotator.media.probe import MediaProbe, probe_media
from annotator.media.scene_grouping import GroupedScene, Grouping, SceneMember
from annotator.progress import Progress

Keep = Literal["link", "stay"]
COMPARED_BYTES = COPIED_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class ImportedFile:
    """A file that was read: what it is, and its path as a medium keeps it."""

    path: str
    facts: MediaProbe


@dataclass(frozen=True, kw_only=True)
class FileImport:
    """Files of a grouping, read and in their place.

    Attributes:
        name: Name of the folder that they came from.
        scenes: The scenes as they were grouped.
        files: What was read, by listed name; files that could not be read are absent.
        rejected: Listed names that could not be read, and why.
        left_out: Number of files that belong to no scene, or clash with another.
    """

    name: str
    scenes: tuple[GroupedScene, ...]
    files: dict[str, ImportedFile]
    rejected: tuple[tuple[str, str], ...]
    left_out: int


def import_files(
    listing: MediaListing,
    grouping: Grouping,
    *,
    roots: MediaRoots,
    keep: Keep = "stay",
    folder: str = "",
    is_hashed: bool = True,
    progress: Progress,
) -> FileImport:
    """Read the files of a grouping and determine their paths in the project.

    Files below a media root keep their place. Other files either keep it too (``stay``), and their folder
    becomes a further root of the project, or they are linked into the project's media folder: hard links if
    the file system supports them, otherwise copies. Links are deleted again if the import fails.

    Args:
        listing: The files.
        grouping: Their scenes.
        roots: The project's media roots.
        keep: Whether files stay or are linked.
        folder: Folder for links below the project's media folder, "" for the name of the files' folder.
        is_hashed: Whether contents are hashed; otherwise equal files are recognised by name and size only.
        progress: One step per file.

    Raises:
        UserError: The files have no common folder that can become a root, or the project's media folder is a
            link that is not confirmed.
        EnvironmentFailure: A file cannot be read or linked.
        Cancelled: The user cancelled; links are deleted.
    """
    media_folder = _MediaFolder(listing.base, roots=roots, keep=keep, folder=folder, progress=progress)
    members = [member for scene in grouping.scenes for member in scene.members]
    progress.begin(f"Reading {listing.base.name}", total=len(members))
    with media_folder.taken_back_on_failure():
        files, rejected = _read_files(members, media_folder, is_hashed=is_hashed, progress=progress)
    progress.end()
    # The first of each clash is taken in.
    clashing = sum(len(clash.names) - 1 for clash in grouping.clashes)
    return FileImport(
        name=listing.base.name,
        scenes=grouping.scenes,
        files=files,
        rejected=tuple(rejected),
        left_out=len(grouping.unmatched) + clashing,
    )


def _import_file(member: SceneMember, media_folder: _MediaFolder, *, is_hashed: bool) -> ImportedFile:
    file = media_folder.base / member.name
    facts = probe_media(file, kind=member.kind, is_hashed=is_hashed, progress=media_folder.progress)
    return ImportedFile(path=media_folder.settle(member.name), facts=facts)


def _read_files(
    members: Iterable[SceneMember], media_folder: _MediaFolder, *, is_hashed: bool, progress: Progress
) -> tuple[dict[str, ImportedFile], list[tuple[str, str]]]:
    """Return the files by name, and why the others cannot be read."""
    files: dict[str, ImportedFile] = {}
    rejected: list[tuple[str, str]] = []
    for member in members:
        try:
            files[member.name] = _import_file(member, media_folder, is_hashed=is_hashed)
        except EnvironmentFailure as error:
            rejected.append((member.name, str(error)))
        progress.step()
    return files, rejected


class _MediaFolder:
    """Where the files of one import come to lie."""

    def __init__(self, base: Path, *, roots: MediaRoots, keep: Keep, folder: str, progress: Progress) -> None:
        self.base = base
        self.progress = progress
        self._roots = roots
        self._made: list[Path] = []
        self._target: Path | None = None
        prefix = roots.prefix_of(base)
        if prefix is None and keep == "stay":
            prefix = f"@{roots.add(base)}/"
        if prefix is None:
            inner = file_name(folder or base.name) or "media"
            self._target, prefix = roots.folder_to_write(inner), f"{inner}/"
        self._prefix = prefix

    def settle(self, name: str) -> str:
        """Return the path of a file or frame folder as its medium keeps it; links it where it must be.

        Raises:
            EnvironmentFailure: It cannot be linked or copied.
        """
        if self._target is None:
            return MediaRoots.join(self._prefix, name)
        source, target = self.base / name, self._target / name
        try:
            target = self._link_frames(source, target) if source.is_dir() else self._link(source, target)
        except OSError as error:
            raise EnvironmentFailure(
                f"{source} cannot be linked into {self._target}: {error.strerror}."
            ) from error
        return MediaRoots.join(self._prefix, target.relative_to(self._target).as_posix())

    @contextlib.contextmanager
    def taken_back_on_failure(self) -> Iterator[None]:
        """Take away what was linked where the block does not end."""
        try:
            yield
        # A cancel and Ctrl-C too: what was linked without being entered would lie there unseen.
        except BaseException:
            for file in self._made:
                file.unlink(missing_ok=True)
            raise

    def _link_frames(self, source: Path, target: Path) -> Path:
        """Link a frame folder and return its path.

        Always into a new folder: frames added to those of an earlier import with other content would form a
        mixture of two videos.
        """
        files = frame_files(source)
        while target.exists() and not self._is_part(target, files):
            target = next_name(target)
        for file in files:
            self._link(file, target / file.name)
        return target

    def _is_part(self, folder: Path, files: list[Path]) -> bool:
        """Tell whether a folder holds nothing but some of these files, as a broken off import does."""
        named = {file.name: file for file in files}
        return folder.is_dir() and all(
            there.name in named and _is_same(named[there.name], there, progress=self.progress)
            for there in frame_files(folder)
        )

    def _link(self, source: Path, target: Path) -> Path:
        """Link or copy a file and return where it lies; an equal one that is there already is taken."""
        if self._target is None or not target.resolve().is_relative_to(self._target.resolve()):
            raise UserError(f"{source} would be outside the media folder.")
        target.parent.mkdir(parents=True, exist_ok=True)
        while target.exists():
            # The same content under the same name is an earlier import of it; another content gets a new
            # name.
            if _is_same(source, target, progress=self.progress):
                return target
            target = next_name(target)
        # Noted before it is made, so that what breaks off in between is taken back too.
        self._made.append(target)
        try:
            _link_or_copy(source, target, progress=self.progress)
        except FileExistsError:
            # Another process has just created this file; it must not be deleted if this import fails.
            self._made.remove(target)
            raise
        return target


def _link_or_copy(source: Path, target: Path, *, progress: Progress) -> None:
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        # Another disk, or one that knows no hard links.
        _copy(source, target, progress=progress)


def _copy(source: Path, target: Path, *, progress: Progress) -> None:
    """Copy a file with its times, or leave nothing of it: the import goes on with the next one.

    Raises:
        OSError: The disk refused.
        Cancelled: The user stopped it.
    """
    try:
        with source.open("rb") as reading, target.open("xb") as writing:
            while block := reading.read(COPIED_BYTES):
                writing.write(block)
                progress.step(0)
        shutil.copystat(source, target)
    except FileExistsError:
        raise
    except OSError:
        target.unlink(missing_ok=True)
        raise


def _is_same(one: Path, other: Path, *, progress: Progress) -> bool:
    if one.samefile(other):
        return True
    if one.stat().st_size != other.stat().st_size:
        return False
    with one.open("rb") as first, other.open("rb") as second:
        while block := first.read(COMPARED_BYTES):
            progress.step(0)
            if block != second.read(COMPARED_BYTES):
                return False
    return True
