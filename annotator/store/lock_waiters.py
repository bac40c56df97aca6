"""Who wants the write lock of a project, so that long work pauses for others only."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from annotator.store.file_identity import FileIdentity
from annotator.store.lock_holder import is_open_elsewhere

_waiting: Counter[tuple[int, int]] = Counter()
"""Connections of this process that wait for the lock of a file, by device and inode."""
_lock = threading.Lock()


@contextmanager
def waiting_for_lock(file: FileIdentity) -> Iterator[None]:
    """Count as waiting for the write lock of a file inside the block."""
    with _lock:
        _waiting[file.number] += 1
    try:
        yield
    finally:
        with _lock:
            _waiting[file.number] -= 1
            if not _waiting[file.number]:
                del _waiting[file.number]


def is_lock_wanted(file: FileIdentity) -> bool:
    """Return whether somebody waits for the write lock of a file, or another process may."""
    return file.number in _waiting or is_open_elsewhere(file.path)
