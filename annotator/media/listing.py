"""Which files of folders may be media, by their names alone: nothing is opened."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import filterfalse
from pathlib import Path

from annotator.database_files import is_database_entry, require_no_database
from annotator.domain.medium import MediaType
from annotator.errors import EnvironmentFailure, UserError
from annotator.progress import Progress

MOST_FILES = 1_000_000
_PICTURES = "jpg jpeg jpe jfif mpo png apng bmp dib gif webp tif tiff jp2 j2k avif ppm pgm pnm tga"
_VIDEOS = "mp4 m4v mov avi mkv webm ts mts m2ts mpg mpeg flv wmv 3gp ogv h264 h265 hevc"
PICTURE_ENDINGS = frozenset(_PICTURES.split())
VIDEO_ENDINGS = frozenset(_VIDEOS.split())
DEPTH_ENDINGS = frozenset({"npy"})
TRAJECTORY_NAMES = frozenset({"posture.json", "airsim_rec.txt", "trajectory.txt", "poses.txt"})
# Folders that systems and network storage keep for themselves.
_SKIPPED = frozenset({"__MACOSX", "@eaDir", "$RECYCLE.BIN", "System Volume Information"})
# Depth maps of simulators are PNG files next to PNG images: only a word in the name distinguishes them.
_DEPTH_WORD = re.compile(r"(?<![a-z])(depth|disparity)", re.IGNORECASE)
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, kw_only=True)
class MediaListing:
    """Files that were found, by name.

    Attributes:
        base: Folder that the names are relative to.
        names: Files that are media as their names go, "/" between folders, in natural order.
        others: Files that are something else.
    """

    base: Path
    names: tuple[str, ...]
    others: tuple[str, ...]


def list_media(paths: Sequence[Path], *, progress: Progress) -> MediaListing:
    """Return the media files among files and below folders.

    Args:
        paths: Files and folders; names are relative to the folder given, or to what all share.
        progress: Told of each file.

    Raises:
        UserError: There is no such file or folder, or there are too many.
        EnvironmentFailure: A folder cannot be read.
        Cancelled: The user stopped it.
    """
    if gone := next((path for path in paths if not path.exists()), None):
        raise UserError(f"The file or folder {gone} does not exist.")
    absolute = [path.resolve() for path in paths]
    base = _base_of(absolute)
    progress.begin(f"Listing {base}")
    found: dict[str, None] = {}
    for path in absolute:
        for name in _names_below(path, base=base):
            found[name] = None
            progress.step()
            if len(found) > MOST_FILES:
                raise UserError(
                    f"{base} contains more than {MOST_FILES:,} files.", hint="Import subfolders separately."
                )
    progress.end()
    names = sorted(found, key=natural_order)
    media, others = filter(kind_by_name, names), filterfalse(kind_by_name, names)
    return MediaListing(base=base, names=tuple(media), others=tuple(others))


def kind_by_name(name: str) -> MediaType | None:
    """Return what a file is by its name, None for what is no medium; the content has the last word."""
    file = name.rpartition("/")[2].lower()
    ending = file.rpartition(".")[2] if "." in file else ""
    if ending in PICTURE_ENDINGS:
        return "depth" if ending == "png" and _DEPTH_WORD.search(name) else "image"
    if ending in VIDEO_ENDINGS:
        return "video"
    if ending in DEPTH_ENDINGS:
        return "depth"
    return "trajectory" if file in TRAJECTORY_NAMES else None


def natural_order(name: str) -> tuple[list[str | tuple[int, str]], str]:
    """Return a key that sorts ``a2`` before ``a10``."""
    words = _DIGITS.split(name)
    parts: list[str | tuple[int, str]] = list(words)
    # Longer numbers are larger once their leading zeros are gone; no number is ever converted.
    parts[1::2] = [(len(bare := digits.lstrip("0")), bare) for digits in words[1::2]]
    return parts, name


def frame_files(folder: Path) -> list[Path]:
    """Return the files of a folder of frames in natural order; without hidden ones and links that lead out.

    Raises:
        EnvironmentFailure: The folder cannot be read.
    """
    # macOS writes ._a.jpg next to a.jpg on foreign file systems, and .DS_Store into visited folders. The
    # first is not an image, and the second would change the digest of a frame folder.
    files = (entry for entry in _entries(folder) if entry.is_file() and entry.name[:1] != ".")
    # Beside the folder is still inside: fewer frames of a video are often links to all of them.
    around = os.path.realpath(folder.parent)
    return sorted(
        (Path(one.path) for one in files if not one.is_symlink() or _is_within(one.path, around)),
        key=lambda file: natural_order(file.name),
    )


def is_frame(file: Path) -> bool:
    """Tell whether a file of a folder of frames is one of them, by its name."""
    return kind_by_name(file.name) in {"image", "depth"}


def walk_files(folder: Path) -> Iterator[str]:
    """Yield the files below a folder, relative to it, "/" between parts; never out of it by a link.

    Raises:
        EnvironmentFailure: The folder, or one below it, cannot be read.
    """
    real = os.path.realpath(folder)
    waiting = [""]
    while waiting:
        inner = waiting.pop()
        folders = []
        for entry in _entries_below(folder, inner):
            name = f"{inner}/{entry.name}" if inner else entry.name
            if entry.name.startswith(".") or entry.name in _SKIPPED:
                continue
            # A link that leads out could lead anywhere, home and password files included.
            if entry.is_symlink() and not _is_within(entry.path, real):
                continue
            # Links to folders are not followed, even inside: two that point at each other have no end.
            if entry.is_dir(follow_symlinks=False):
                folders.append(name)
            # A digest of the open project would open it, see ``database_files``.
            elif _is_file(entry) and not is_database_entry(entry):
                yield name
        waiting += reversed(folders)


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        # A link to itself: not there, while the files beside it are.
        return False


def _names_below(path: Path, *, base: Path) -> Iterator[str]:
    if path.is_file():
        require_no_database(path)
        yield path.relative_to(base).as_posix()
        return
    prefix = "" if path == base else f"{path.relative_to(base).as_posix()}/"
    yield from (f"{prefix}{name}" for name in walk_files(path))


def _base_of(paths: Sequence[Path]) -> Path:
    folders = [path if path.is_dir() else path.parent for path in paths]
    try:
        return Path(os.path.commonpath(folders))
    except ValueError as error:
        raise UserError(
            "Files on several drives cannot be imported together.", hint="Import each drive separately."
        ) from error


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise EnvironmentFailure(f"{folder} cannot be read: {error.strerror}.") from error


def _entries_below(root: Path, inner: str) -> list[os.DirEntry[str]]:
    """Return the entries of a folder below a root; none where it was deleted since its parent was listed."""
    try:
        return _entries(root / inner)
    except EnvironmentFailure:
        if inner and not os.path.lexists(root / inner):
            return []
        raise


def _is_within(path: str, real_root: str) -> bool:
    real = os.path.realpath(path)
    # The separator: /data/project-old does not lie in /data/project.
    return real == real_root or real.startswith(real_root.rstrip(os.sep) + os.sep)
