"""Media files in a bundle: entries ``media/DIGEST/NAME``, stored as they are and known by their content.

The manifest names digests and sizes. A file has one entry, a folder of frames one for each frame. Nothing is
unpacked before the entries agree with the manifest; their names never become paths, but for names of frames.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from annotator.errors import EnvironmentFailure, UserError
from annotator.media.content_hash import content_digest
from annotator.media.listing import frame_files
from annotator.progress import Progress
from annotator.store.bundles.bundle_file import Manifest, damaged, open_archive, read_manifest

CHUNK_BYTES = 1 << 20
MOST_ENTRIES = 1_000_000
# No separators, no '.' or '..', no colon (a drive or a stream on Windows), no control characters.
_ENTRY = re.compile(r"media/([0-9a-f]{64})/((?!\.{1,2}$)[^/\\\x00-\x1f:]{1,200})")


@dataclass(frozen=True, kw_only=True)
class MediaFile:
    """A media file, or folder of frames, that a bundle carries.

    Attributes:
        sha256: Digest of its content, as the medium has it.
        path: The file or folder.
        size_bytes: Size of all of it.
    """

    sha256: str
    path: Path
    size_bytes: int


def write_media(
    archive: zipfile.ZipFile, media: Iterable[MediaFile], *, progress: Progress
) -> dict[str, int]:
    """Write media files, and return the sizes of those whose content is what their digests say.

    Args:
        archive: The bundle.
        media: The files.
        progress: One step per byte.
    """
    written: dict[str, int] = {}
    for medium in media:
        whole = hashlib.sha256()
        files = frame_files(medium.path) if medium.path.is_dir() else [medium.path]
        # In the order of the digest of a folder (``content_digest``).
        for file in sorted(files, key=lambda file: file.name):
            digest = _write_file(archive, f"media/{medium.sha256}/{file.name}", file, progress=progress)
            whole.update(f"{digest} {file.name}\n".encode())
        # A file that was changed since it was entered is no part of what the bundle says it has.
        if (whole.hexdigest() if medium.path.is_dir() else digest) == medium.sha256:
            written[medium.sha256] = medium.size_bytes
    return written


def _write_file(archive: zipfile.ZipFile, name: str, file: Path, *, progress: Progress) -> str:
    digest = hashlib.sha256()
    # Stored: images and videos do not shrink, and a reader can trust the size.
    entry = zipfile.ZipInfo(name)
    with file.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
        while chunk := source.read(CHUNK_BYTES):
            digest.update(chunk)
            target.write(chunk)
            progress.step(len(chunk))
    return digest.hexdigest()


class BundledMedia:
    """The media files of a bundle, compared with its manifest before anything is unpacked."""

    def __init__(self, path: Path) -> None:
        """Read the list of a bundle.

        Raises:
            UserError: The entries are not those of the manifest, or it is no bundle.
            EnvironmentFailure: It cannot be read.
        """
        self.path = path
        self.manifest: Manifest = read_manifest(path)
        self._entries: dict[str, list[zipfile.ZipInfo]] = defaultdict(list)
        with open_archive(path) as archive:
            # What lies beyond is missing then, so that its medium differs from the manifest and is refused.
            for entry in archive.infolist()[:MOST_ENTRIES]:
                found = _ENTRY.fullmatch(entry.filename)
                if found and found[1] in self.manifest.media:
                    self._entries[found[1]].append(entry)
        for digest, size in self.sizes.items():
            self._require_plain(digest, size=size)

    @property
    def sizes(self) -> Mapping[str, int]:
        """Size of each medium by digest, bytes."""
        return self.manifest.media

    def unpack(self, digest: str, target: Path, *, is_folder: bool, progress: Progress) -> bool:
        """Write a medium to a path that does not exist; returns whether its content is right.

        Nothing is left where it is not.

        Args:
            digest: Its digest.
            target: The file or folder.
            is_folder: Whether it is a folder of frames.
            progress: One step per byte.

        Raises:
            UserError: The bundle is damaged.
            EnvironmentFailure: The disk refused.
            Cancelled: The user stopped it.
        """
        entries = self._entries[digest]
        made = [target / _name(entry) for entry in entries] if is_folder else [target]
        try:
            with open_archive(self.path) as archive:
                if is_folder:
                    target.mkdir()
                for entry, file in zip(entries, made, strict=True):
                    _unpack(archive, entry, file, progress=progress)
            is_right = content_digest(target, progress=progress) == digest
        # Cancelled too: half a file must not be taken for the medium.
        except BaseException:
            _remove(made, folder=target if is_folder else None)
            raise
        if not is_right:
            _remove(made, folder=target if is_folder else None)
        return is_right

    def has_one_file(self, digest: str) -> bool:
        """Return whether a medium is a single file."""
        return len(self._entries[digest]) == 1

    def _require_plain(self, digest: str, *, size: int) -> None:
        entries = self._entries[digest]
        is_plain = all(
            entry.compress_type == zipfile.ZIP_STORED and entry.file_size == entry.compress_size
            for entry in entries
        )
        # Windows and macOS make one file of two names that differ in case only.
        names = {_name(entry).lower() for entry in entries}
        if not is_plain or len(names) != len(entries) or sum(entry.file_size for entry in entries) != size:
            raise damaged(self.path, "its media files are not those of its manifest")


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, file: Path, *, progress: Progress) -> None:
    left = entry.file_size
    try:
        # 'x' opens no file that is there, and follows no link.
        with archive.open(entry) as source, file.open("xb") as target:
            # One byte more than stated, to notice an entry that has more.
            while chunk := source.read(min(CHUNK_BYTES, left + 1)):
                left -= len(chunk)
                if left < 0:
                    raise UserError(f"{file.name} is larger than the bundle says.")
                target.write(chunk)
                progress.step(len(chunk))
    except OSError as error:
        raise EnvironmentFailure(
            f"{file} could not be written: {error.strerror or error}.",
            hint="Check the free space and the permissions of the folder.",
        ) from error


def _name(entry: zipfile.ZipInfo) -> str:
    return entry.filename.rpartition("/")[2]


def _remove(files: list[Path], *, folder: Path | None) -> None:
    for file in files:
        file.unlink(missing_ok=True)
    if folder is not None and folder.is_dir():
        folder.rmdir()
