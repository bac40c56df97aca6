"""What a file, or a folder of frames, holds: its digest, by which a medium is known, and when it changed."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from pathlib import Path
from typing import TypeVar

from annotator.errors import EnvironmentFailure, UserError
from annotator.media.listing import frame_files
from annotator.progress import Progress

CHUNK_BYTES = 4 * 1024 * 1024
"""So much is read between two questions whether to go on: 30 ms of a hard disk."""
FOLDER_LOOK_S = 5.0
"""A folder is listed again after so long: on a network disk a listing of 10,000 frames takes a second."""
LOCKS = 16
KNOWN = 100_000
Stamp = str
"""What the disk tells of a file or folder, hashed: another one where the content may be another."""
T = TypeVar("T")


class DigestCache:
    """Digests of files, worked out once for as long as the disk tells of no change; for any threads.

    Two threads that ask for the same file do not both read it: one waits.
    """

    def __init__(self) -> None:
        self._digests: dict[Path, tuple[Stamp, str]] = {}
        self._stamps: dict[Path, tuple[float, Stamp]] = {}
        self._locks = tuple(threading.Lock() for _ in range(LOCKS))
        self._book = threading.Lock()

    def stamp(self, path: Path) -> Stamp:
        """Return what the disk tells of a file now, of a folder as it was at most ``FOLDER_LOOK_S`` ago.

        Raises:
            EnvironmentFailure: The disk refused, or there is no such file.
        """
        if not path.is_dir():
            return content_stamp(path)
        known, now = self._stamps.get(path), time.monotonic()
        if known is not None and now - known[0] <= FOLDER_LOOK_S:
            return known[1]
        stamp = content_stamp(path)
        self._remember(self._stamps, path, (now, stamp))
        return stamp

    def digest(self, path: Path, *, progress: Progress) -> str:
        """Return the hex SHA-256 of a file or frame folder, as in ``Medium.sha256``.

        Args:
            path: The file or folder.
            progress: One step per few megabytes.

        Raises:
            UserError: The file is being written.
            EnvironmentFailure: The file does not exist or cannot be read.
            Cancelled: The user cancelled; nothing is cached.
        """
        with self._locks[hash(path) % LOCKS]:
            stamp = self.stamp(path)
            known = self._digests.get(path)
            if known is not None and known[0] == stamp:
                return known[1]
            digest = content_digest(path, progress=progress)
            if content_stamp(path) != stamp:
                # What was seen of a folder may be some seconds old: the next look is a fresh one.
                self._stamps.pop(path, None)
                raise UserError(
                    f"{path.name} was changed while it was being read.",
                    hint="Try again when the file is complete.",
                )
            self._remember(self._digests, path, (stamp, digest))
            return digest

    def _remember(self, known: dict[Path, T], path: Path, value: T) -> None:
        with self._book:
            known[path] = value
            if len(known) > KNOWN:
                del known[next(iter(known))]


def content_stamp(path: Path) -> Stamp:
    """Return what changes with the content of a file, or of any file of a folder: size, times, place on disk.

    Hidden files of a folder have no part in it, as in its digest.

    Raises:
        EnvironmentFailure: The disk refused, or there is no such file.
    """
    try:
        if not path.is_dir():
            return _digest_of([_entry_text("", path.stat())])
        return _digest_of(sorted(_entry_text(file.name, file.stat()) for file in frame_files(path)))
    except OSError as error:
        raise _unreadable(path, error) from error


def content_digest(path: Path, *, progress: Progress) -> str:
    """Return the hex SHA-256 of a file, or of the digests and names of a folder's files.

    Media, releases and model work identify content by this digest. Hidden files of a folder are ignored.

    Args:
        path: The file or folder.
        progress: One step per few megabytes.

    Raises:
        EnvironmentFailure: The file does not exist or cannot be read.
        Cancelled: The user cancelled.
    """
    try:
        if not path.is_dir():
            return _file_digest(path, progress=progress)
        whole = hashlib.sha256()
        # By the letters of their names, "10" before "2": projects keep digests that were made so before
        # frames were counted in natural order. Not by paths, which Windows compares without regard to case.
        for file in sorted(frame_files(path), key=lambda file: file.name):
            whole.update(f"{_file_digest(file, progress=progress)} {file.name}\n".encode())
    except OSError as error:
        raise _unreadable(path, error) from error
    return whole.hexdigest()


def _file_digest(path: Path, *, progress: Progress) -> str:
    digest, buffer = hashlib.sha256(), bytearray(min(CHUNK_BYTES, path.stat().st_size + 1))
    view = memoryview(buffer)
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            digest.update(view[:count])
            progress.step(0)
    return digest.hexdigest()


def _unreadable(path: Path, error: OSError) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"{path} cannot be read: {error.strerror}.", hint="Check the disk and its permissions."
    )


def _entry_text(name: str, found: os.stat_result) -> str:
    # Change time and inode also detect a file that replaced another one and kept its modification time.
    return f"{name}\0{found.st_size}\0{found.st_mtime_ns}\0{found.st_ctime_ns}\0{found.st_ino}"


def _digest_of(words: list[str]) -> Stamp:
    return hashlib.sha256("\0".join(words).encode(errors="surrogateescape")).hexdigest()
