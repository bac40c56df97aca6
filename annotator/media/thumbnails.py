"""Thumbnails on disk: made once for each file, the least used ones removed when there are too many."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.medium import Medium
from annotator.errors import EnvironmentFailure, UserError
from annotator.media.cache_files import keep_file
from annotator.media.image_decoder import decode_image, encode_jpeg

SIDE_PX = 320
QUALITY = 82
MOST_BYTES = 2_000_000_000
"""About 150,000 thumbnails of aerial pictures, which take 13 kB on average."""
KEPT_SHARE = 0.8
"""What is left of the limit after a clean-up, so that the next one is far."""
TOUCHED_EVERY_S = 86_400.0
"""A use is noted on disk once a day: that orders thumbnails well enough, and reading stays quick."""
# One byte that no JPEG begins with: 'looked, and there is no picture'.
_NO_PICTURE = b"-"


def thumbnail_key(medium: Medium, file: Path) -> str:
    """Return the cache key of a thumbnail, from path, size and time of the file and the digest of the medium.

    Raises:
        EnvironmentFailure: The file does not exist.
    """
    try:
        found = file.stat()
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}.") from error
    # Never the digest alone, which a project only claims: all projects share the cache, and one from a
    # stranger could have its image shown in place of another one.
    stands_for = f"{file.absolute()}\0{found.st_size}\0{found.st_mtime_ns}\0{medium.sha256}"
    return hashlib.sha256(stands_for.encode(errors="surrogateescape")).hexdigest()


@dataclass(frozen=True)
class _StoredThumbnail:
    """One thumbnail file: when it was used last, its size, where it lies."""

    used_at: float
    size_bytes: int
    path: str


class ThumbnailStore:
    """A disk cache of thumbnails of at most ``SIDE_PX``; several threads and processes may share it.

    Each thumbnail is a file in one of 256 folders named by the first characters of the keys, so that reading
    one takes at most three system calls for any number of thumbnails.

    Args:
        folder: The folder; created with the first thumbnail.
        most_bytes: Limit of all thumbnails together.
    """

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._used_bytes: int | None = None

    def get(self, key: str) -> bytes | None:
        """Return a thumbnail as JPEG bytes; empty where there is no picture, None where none is made yet."""
        path = self._path(key)
        try:
            with open(path, "rb") as file:  # noqa: PTH123 - a quarter of the time of Path.open, 100,000 times
                content = file.read()
                if time.time() - os.fstat(file.fileno()).st_mtime > TOUCHED_EVERY_S:
                    os.utime(path)
        except OSError:
            return None
        return b"" if content == _NO_PICTURE else content or None

    def make(self, path: Path, key: str) -> bytes:
        """Create and store the thumbnail of a file, and return its JPEG bytes; empty without an image.

        If the cache cannot be written, the thumbnail is returned all the same.

        Args:
            path: The file or frame folder.
            key: Its key, from ``thumbnail_key``.

        Raises:
            EnvironmentFailure: The file cannot be read.
        """
        try:
            made = encode_jpeg(decode_image(path, max_side_px=SIDE_PX), quality=QUALITY)
        except UserError:
            made = b""
        self.put(key, made)
        return made

    def put(self, key: str, content: bytes) -> None:
        """Store JPEG bytes of a thumbnail created elsewhere, for instance by a player; empty for none."""
        if keep_file(Path(self._path(key)), content or _NO_PICTURE):
            self._count(len(content) or len(_NO_PICTURE))

    def forget(self, key: str) -> None:
        """Remove one thumbnail, where it is there."""
        Path(self._path(key)).unlink(missing_ok=True)

    def used_bytes(self) -> int:
        """Return how many bytes all thumbnails take."""
        return sum(kept.size_bytes for kept in self._all())

    def _path(self, key: str) -> str:
        # Keys come from records that others wrote: nothing but a digest may become a path.
        if not key.isalnum():
            raise ValueError(f"not a key of thumbnails: {key!r}")
        return f"{self._folder}{os.sep}{key[:2]}{os.sep}{key}.jpg"

    def _count(self, added_bytes: int) -> None:
        """Note what was added, and make room where it is too much; one thread does it at a time."""
        with self._lock:
            self._used_bytes = (
                self.used_bytes() if self._used_bytes is None else self._used_bytes + added_bytes
            )
            if self._used_bytes > self._most_bytes:
                self._used_bytes = self._make_room()

    def _make_room(self) -> int:
        """Remove those that were not used for longest, and return how many bytes are left."""
        kept = sorted(self._all(), key=lambda one: one.used_at)
        left = sum(one.size_bytes for one in kept)
        for one in kept:
            if left <= self._most_bytes * KEPT_SHARE:
                break
            # Windows removes no file that another window has open; the next clean-up finds it again.
            with contextlib.suppress(PermissionError):
                Path(one.path).unlink(missing_ok=True)
                left -= one.size_bytes
        return left

    def _all(self) -> Iterator[_StoredThumbnail]:
        for shard in self._entries(str(self._folder)):
            if shard.is_dir():
                for entry in self._entries(shard.path):
                    try:
                        found = entry.stat()
                    except FileNotFoundError:
                        # Another thread, or another window, has put it in place or removed it since.
                        continue
                    yield _StoredThumbnail(found.st_mtime, found.st_size, entry.path)

    @staticmethod
    def _entries(folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except FileNotFoundError:
            return []
