"""A lock between processes: one of them holds it, and the system releases it however that process ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from annotator.progress import Progress

POLL_S = 0.1


@contextmanager
def exclusive_lock(path: Path, *, waiting_for: str, progress: Progress) -> Iterator[None]:
    """Hold a lock file inside the block; waits while another process, or another thread, holds it.

    Args:
        path: The lock file; its folder must exist. It is removed at the end where the system allows it.
        waiting_for: Phase that is reported while it waits.
        progress: Can cancel the wait.

    Raises:
        OSError: The lock file cannot be written.
        Cancelled: The user stopped the wait.
    """
    handle = _acquire(path, waiting_for=waiting_for, progress=progress)
    try:
        yield
    finally:
        # Before it is closed: nobody else can hold it yet. Windows does not remove a file that is open.
        with suppress(OSError):
            path.unlink()
        os.close(handle)


def _acquire(path: Path, *, waiting_for: str, progress: Progress) -> int:
    is_waiting = False
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if _lock(handle) and _is_at(handle, path):
            return handle
        os.close(handle)
        if not is_waiting:
            is_waiting = True
            progress.begin(waiting_for)
        progress.wait(POLL_S)


def _is_at(handle: int, path: Path) -> bool:
    """Return whether the file is still the one at its place: its last holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _lock(handle: int) -> bool:
    """Lock an open file; returns False where somebody else holds it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
