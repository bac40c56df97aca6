"""A release folder: written beside its final path under a temporary name, then renamed in one step."""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import msgspec

from annotator.domain.record import new_id
from annotator.domain.release import ReleasedFile
from annotator.errors import EnvironmentFailure, UserError

CHUNK_BYTES = 1 << 20
"""Bytes collected before they are passed to the writer thread."""
FEW_PARTS = 16
MAX_WAITING = 8
"""Chunks that may wait for the disk; bounds the memory if records are produced faster than written."""
SYNC_EVERY_BYTES = 64 << 20
"""Bytes between two fsync calls, so that the last fsync of a large file is short."""
FULL = {errno.ENOSPC, errno.EDQUOT}


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Convert errors of the disk into messages.

    Raises:
        EnvironmentFailure: The disk failed; nothing of the release is left.
    """
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise EnvironmentFailure(
                f"The disk is full: the release {path} was not written.",
                hint="Free disk space or choose a folder on another disk, then release again.",
            ) from error
        reason = error.strerror or str(error)
        raise EnvironmentFailure(
            f"The release {path} could not be written: {reason}.",
            hint="Check the disk and the permissions of the folder, then release again.",
        ) from error


class _WriterThread:
    """A thread that hashes and writes while the next records are fetched."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="release")
        self._waiting: deque[Future[None]] = deque()

    def enqueue(self, work: Callable[[], None]) -> None:
        # Waits for the oldest chunk, whose error is raised here: after it no further records need to be
        # fetched.
        while len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft().result()
        self._waiting.append(self._pool.submit(work))

    def drain(self) -> None:
        while self._waiting:
            self._waiting.popleft().result()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


class ReleaseFile:
    """One file of a release, hashed while it is written."""

    def __init__(self, path: Path, *, name: str, writer: _WriterThread) -> None:
        self._name, self._writer = name, writer
        # Exclusive: two datasets whose names a file system treats as equal must not share a file. Unbuffered:
        # on close, a buffer would try again to write what a full disk refused.
        self._file = path.open("xb", buffering=0)
        # Hashed while writing, so that a release of gigabytes is not read again.
        self._hash = hashlib.sha256()
        self._parts: list[bytes] = []
        self._gathered = self._unsynced = 0
        self.bytes = self.records = 0

    def write(self, data: bytes, *, records: int = 0) -> None:
        """Append bytes that contain the given number of records."""
        self._parts.append(data)
        self._gathered += len(data)
        self.bytes += len(data)
        self.records += records
        if self._gathered >= CHUNK_BYTES:
            self._hand_over()

    def finish(self) -> None:
        """Pass the rest to the disk; nothing may be written afterwards."""
        self._hand_over()
        self._writer.enqueue(self._sync)

    def entry(self) -> ReleasedFile:
        """Return the manifest entry of the file, once the writer thread has finished."""
        digest = self._hash.hexdigest()
        return ReleasedFile(name=self._name, sha256=digest, bytes=self.bytes, records=self.records)

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._file.close()

    def _hand_over(self) -> None:
        # Large parts are written as they are; joining them would cost more than the additional calls.
        chunks = self._parts if len(self._parts) <= FEW_PARTS else [b"".join(self._parts)]
        self._parts = []
        self._gathered = 0
        self._writer.enqueue(lambda: self._put(chunks))

    def _put(self, chunks: list[bytes]) -> None:
        for chunk in chunks:
            self._hash.update(chunk)
            rest = memoryview(chunk)
            # An unbuffered file may accept fewer bytes than given: that is how a full disk appears.
            while rest:
                rest = rest[self._file.write(rest) :]
            self._unsynced += len(chunk)
        if self._unsynced >= SYNC_EVERY_BYTES:
            self._sync()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._unsynced = 0


class ReleaseFolder:
    """Files that are published together under their folder's name, or not at all.

    Use it as a context manager: files not published when the block ends are deleted. Files left by a killed
    process are deleted by the next release to the same path.
    """

    def __init__(self, out: Path) -> None:
        self.out = out.resolve()
        # Beside the final path, not in a temporary folder: renaming is atomic only within one file system.
        self.path = self.out.parent / f".{self.out.name}.{new_id()}.part"
        self._files: dict[str, ReleaseFile] = {}
        self._complete: list[ReleasedFile] = []
        self._folders = {self.path}

    def __enter__(self) -> ReleaseFolder:
        _remove_abandoned(self.out)
        self.path.mkdir()
        self._claim = _lock_folder(self.path)
        self._writer = _WriterThread()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The thread may still be writing: files are closed after it has ended.
        self._writer.close()
        for file in self._files.values():
            file.close()
        # A failed clean-up must not hide why the release failed.
        shutil.rmtree(self.path, ignore_errors=True)
        if self._claim is not None:
            os.close(self._claim)

    def file(self, name: str) -> ReleaseFile:
        """Return a file of the folder by its name, with "/" between folders; the first call makes it."""
        if name not in self._files:
            self._files[name] = ReleaseFile(self._path_of(name), name=name, writer=self._writer)
        return self._files[name]

    def put(self, name: str, content: bytes) -> ReleasedFile:
        """Write a complete file; unlike with ``file`` it is closed at once, so that there may be many.

        Args:
            name: Its name, with "/" between folders, which are created.
            content: The bytes.
        """
        path = self._path_of(name)
        self._writer.enqueue(lambda: _write_whole(path, content))
        # Hashed here, not on the writer thread: the manifest needs the digest before that thread has
        # finished.
        digest = hashlib.sha256(content).hexdigest()
        return ReleasedFile(name=name, sha256=digest, bytes=len(content), records=1)

    def _path_of(self, name: str) -> Path:
        path = self.path / name
        if path.parent not in self._folders:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Folders in between too: each holds the name of the next one.
            self._folders |= {path.parent, *path.parent.parents} - {*self.path.parents}
        return path

    def add(self, name: str, content: bytes, *, records: int = 1) -> None:
        """Write a complete file that ``finish`` lists, in folders of the release where its name has any."""
        entry = self.put(name, content)
        self._complete.append(msgspec.structs.replace(entry, records=records))

    def finish(self) -> tuple[ReleasedFile, ...]:
        """Flush all files created so far to the disk and return their entries, sorted by name."""
        for file in self._files.values():
            file.finish()
        self._writer.drain()
        entries = [*self._complete, *(file.entry() for file in self._files.values())]
        for file in self._files.values():
            file.close()
        self._files.clear()
        self._complete.clear()
        return tuple(sorted(entries, key=lambda entry: entry.name))

    def publish(self) -> None:
        """Move the folder to its final path, in one step."""
        # A file's name is stored in its folder: the file's own fsync does not protect it against a power
        # failure.
        for folder in sorted(self._folders):
            sync_folder(folder)
        # Windows does not rename onto a folder, even an empty one. If the folder was filled meanwhile, rmdir
        # fails and its content stays.
        if self.out.exists():
            self.out.rmdir()
        self.path.rename(self.out)
        sync_folder(self.out.parent)


def _remove_abandoned(out: Path) -> None:
    """Delete the folders that ended processes left for this path."""
    for left in out.parent.glob(f".{glob.escape(out.name)}.*.part"):
        if (claim := _lock_folder(left)) is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(claim)


def _lock_folder(folder: Path) -> int | None:
    """Return a handle that locks a folder while it is open; None if another process holds the lock.

    The system releases the lock however a process ends, unlike a file with a process id. Also None if folders
    cannot be locked, as on Windows and some network disks: nothing is cleaned up there.
    """
    if os.name != "posix":
        return None
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _write_whole(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Flush a folder's directory entries to the disk, if the system supports it."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def require_free_folder(out: Path, *, marker: str) -> None:
    """Refuse a path that is in use by something else.

    Args:
        out: The release folder.
        marker: Name of the file that identifies an earlier release; its content is compared later.

    Raises:
        UserError: The path is in use, or its parent folder does not exist; choose another path.
    """
    if not out.resolve().parent.is_dir():
        raise UserError(
            f"The folder {out.resolve().parent} does not exist.",
            hint="Create the folder, or choose another location.",
        )
    if not out.exists():
        return
    if not out.is_dir():
        raise UserError(f"{out} is a file.", hint="A release is a folder: choose another name.")
    if any(out.iterdir()) and not (out / marker).is_file():
        raise UserError(
            f"The folder {out} is not empty.", hint="Choose a new or empty folder for the release."
        )
