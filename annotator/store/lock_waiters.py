"""Who wants the write lock of a project, so that long work pauses for others only."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from annotator.store.file_identity import FileIdentity
from annotator.store.lock_holder import is_open_elsewhere

RECENT_S = 1.0
"""Time after a wait for which the lock counts as wanted: who edits goes on editing."""
_waiting: Counter[tuple[int, int]] = Counter()
"""Connections of this process that wait for the lock of a file, by device and inode."""
_waited_at: dict[tuple[int, int], float] = {}
"""When a connection of this process has last waited for the lock of a file."""
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
            _waited_at[file.number] = time.monotonic()
            _waiting[file.number] -= 1
            if not _waiting[file.number]:
                del _waiting[file.number]


def is_lock_wanted(file: FileIdentity) -> bool:
    """Return whether somebody waits for the write lock of a file, or did just now, or another process may."""
    if file.number in _waiting or time.monotonic() < _waited_at.get(file.number, -RECENT_S) + RECENT_S:
        return True
    return is_open_elsewhere(file.path)
