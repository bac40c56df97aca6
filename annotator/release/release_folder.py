"""A release folder: written beside its place under a passing name, then put there in one step."""

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

from annotator.domain.record import new_id
from annotator.domain.release import ReleasedFile
from annotator.errors import EnvironmentFailure, UserError

CHUNK_BYTES = 1 << 20
"""Bytes gathered before they are handed to the writing thread."""
FEW_PARTS = 16
MAX_WAITING = 8
"""Chunks that may wait for the disk; bounds the memory of a fast producer before a slow disk."""
SYNC_EVERY_BYTES = 64 << 20
"""Bytes after which the disk is made to catch up, so that the last fsync of a big file is short."""
FULL = {errno.ENOSPC, errno.EDQUOT}


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Say a failure of the disk in words.

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
        # Waits for the oldest, whose error is raised here: the next records need not be fetched any more.
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

    def __init__(self, path: Path, *, writer: _WriterThread) -> None:
        self._path, self._writer = path, writer
        # Exclusive: two datasets whose names a file system takes for one must not share a file. Unbuffered:
        # a buffer would try again to write what a full disk refused while the file is closed.
        self._file = path.open("xb", buffering=0)
        # While the bytes pass: a release of gigabytes is not read again to be quoted.
        self._hash = hashlib.sha256()
        self._parts: list[bytes] = []
        self._gathered = self._unsynced = 0
        self.bytes = self.records = 0

    def write(self, data: bytes, *, records: int = 0) -> None:
        """Append bytes that hold so many more records."""
        self._parts.append(data)
        self._gathered += len(data)
        self.bytes += len(data)
        self.records += records
        if self._gathered >= CHUNK_BYTES:
            self._hand_over()

    def finish(self) -> None:
        """Hand the rest over to the disk; nothing may be written afterwards."""
        self._hand_over()
        self._writer.enqueue(self._sync)

    def entry(self) -> ReleasedFile:
        """Return what the manifest says about the file, once the writer thread has finished."""
        digest = self._hash.hexdigest()
        return ReleasedFile(name=self._path.name, sha256=digest, bytes=self.bytes, records=self.records)

    def close(self) -> None:
        """Let go of the file; may be called twice."""
        self._file.close()

    def _hand_over(self) -> None:
        # A few big parts are written as they are; copying them together would cost more than the calls.
        chunks = self._parts if len(self._parts) <= FEW_PARTS else [b"".join(self._parts)]
        self._parts = []
        self._gathered = 0
        self._writer.enqueue(lambda: self._put(chunks))

    def _put(self, chunks: list[bytes]) -> None:
        for chunk in chunks:
            self._hash.update(chunk)
            rest = memoryview(chunk)
            # An unbuffered file may take less than it was given, which is how a full disk announces itself.
            while rest:
                rest = rest[self._file.write(rest) :]
            self._unsynced += len(chunk)
        if self._unsynced >= SYNC_EVERY_BYTES:
            self._sync()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._unsynced = 0


class ReleaseFolder:
    """Files that appear under their folder's name together or not at all.

    Use it as a context manager: whatever was not published when the block ends is gone. What a process left
    that was killed in its block, the next release to the same place takes away.
    """

    def __init__(self, out: Path) -> None:
        self.out = out.resolve()
        # Beside its place and not in a temporary folder: only on one disk is a rename one step.
        self.path = self.out.parent / f".{self.out.name}.{new_id()}.part"
        self._files: dict[str, ReleaseFile] = {}
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
        # The thread may still be writing: files are closed once it has ended.
        self._writer.close()
        for file in self._files.values():
            file.close()
        # A failed clean-up must not hide why the release failed.
        shutil.rmtree(self.path, ignore_errors=True)
        if self._claim is not None:
            os.close(self._claim)

    def file(self, name: str) -> ReleaseFile:
        """Return a file of the folder by its name; the first call makes it."""
        if name not in self._files:
            self._files[name] = ReleaseFile(self.path / name, writer=self._writer)
        return self._files[name]

    def put(self, name: str, content: bytes) -> ReleasedFile:
        """Write a file whole; unlike ``file`` nothing stays open, so that there may be many.

        Args:
            name: Its name, "/" between folders; they are made.
            content: What it holds.
        """
        path = self.path / name
        if path.parent not in self._folders:
            path.parent.mkdir(parents=True)
            self._folders.add(path.parent)
        self._writer.enqueue(lambda: _write_whole(path, content))
        # Digested here and not on the writer thread: the manifest needs the digest before that has finished.
        digest = hashlib.sha256(content).hexdigest()
        return ReleasedFile(name=name, sha256=digest, bytes=len(content), records=1)

    def finish(self) -> tuple[ReleasedFile, ...]:
        """Bring all files made so far to the disk and return what was written, sorted by name."""
        for file in self._files.values():
            file.finish()
        self._writer.drain()
        entries = [self._files[name].entry() for name in sorted(self._files)]
        for file in self._files.values():
            file.close()
        self._files.clear()
        return tuple(entries)

    def publish(self) -> None:
        """Put the folder in its place, in one step."""
        # What a file is called is kept in its folder: its own fsync does not save its name from a power cut.
        for folder in sorted(self._folders):
            sync_folder(folder)
        # Windows does not rename onto a folder, even an empty one; a folder that was filled meanwhile
        # makes rmdir fail, and its content stays.
        if self.out.exists():
            self.out.rmdir()
        self.path.rename(self.out)
        sync_folder(self.out.parent)


def _remove_abandoned(out: Path) -> None:
    """Take away the folders of releases to a place whose processes ended without doing it."""
    for left in out.parent.glob(f".{glob.escape(out.name)}.*.part"):
        if (claim := _lock_folder(left)) is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(claim)


def _lock_folder(folder: Path) -> int | None:
    """Return a handle that says whose a folder is as long as it is open; None where it is another process's.

    The system gives the claim back however a process ends, which no file with a process number in it does.
    None also where folders cannot be claimed, on Windows and some network disks: nothing is swept there.
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
    """Bring a folder's list of names to the disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def require_free_folder(out: Path, *, marker: str) -> None:
    """Refuse a place that something else holds already.

    Args:
        out: The folder to be.
        marker: Name of the file by which an earlier release is known; its content is compared later.

    Raises:
        UserError: The place is taken, or the folder around it is missing.
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
