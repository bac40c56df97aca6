"""Which other process holds a lock of a project: who is waited for, and whether anybody else has it open."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

WRITE_LOCK = 120
"""Byte of the ``-shm`` file that SQLite locks while it writes (sqlite.org/walformat.html, section 2.3)."""
READ_LOCKS = (124, 4)
"""First byte and number of those that readers of a state in the write-ahead log lock."""
OPEN_LOCK = 128
"""Byte that a process locks while it has the project open (``UNIX_SHM_DMS`` in SQLite's os_unix.c)."""
SHORT_COMMAND = 80
FREE = (False, 0)
"""Of a lock that no other process has."""
_kept: dict[tuple[int, int], int] = {}


def lock_holder(path: Path) -> str:
    """Return the process that holds the write lock: 'process 4711, main.py import p.vantage'.

    Args:
        path: The project file.

    Returns:
        "" where it is free, is held by this process, or cannot be found: only Linux tells.
    """
    return _described(_holding_process(path, first=WRITE_LOCK, count=1))


def reader_of_log(path: Path) -> str:
    """Return another process that reads a state in the write-ahead log, described as by ``lock_holder``.

    Args:
        path: The project file.
    """
    first, count = READ_LOCKS
    return _described(_holding_process(path, first=first, count=count))


def is_open_elsewhere(path: Path) -> bool:
    """Return whether another process has a project open; 10 µs.

    Args:
        path: The project file, open in this process.

    Returns:
        True as well where it cannot be found: only Linux tells.
    """
    return _held_lock(path, first=OPEN_LOCK, count=1) != FREE


def _described(process: int) -> str:
    if not process:
        return ""
    command = _command_of(process)
    return f"process {process}, {command}" if command else f"process {process}"


def _holding_process(path: Path, *, first: int, count: int) -> int:
    held = _held_lock(path, first=first, count=count)
    return held[1] if held is not None else 0


def _held_lock(path: Path, *, first: int, count: int) -> tuple[bool, int] | None:
    """Return whether another process has one of some locks, and its number.

    Returns:
        None where the system does not tell. The number of a process of another container is 0.
    """
    if sys.platform != "linux":
        return None
    import fcntl

    try:
        # Asked as a writer, with whom locks of readers conflict too. Own locks are no answer to
        # F_GETLK.
        question = struct.pack(_LAYOUT, fcntl.F_WRLCK, os.SEEK_SET, first, count, 0)
        shared = Path(f"{os.path.realpath(path)}-shm")
        answer = fcntl.fcntl(_kept_file(shared), fcntl.F_GETLK, question)
    except OSError:
        return None
    kind, _, _, _, process = struct.unpack(_LAYOUT, answer)
    return FREE if kind == fcntl.F_UNLCK else (True, int(process))


_LAYOUT = "hhqqi4x"
"""``struct flock`` on 64-bit Linux: kind, origin, start, length, process."""


def _kept_file(shared: Path) -> int:
    """Return a descriptor of the file that stays open: closing one drops all locks of this process on it."""
    found = shared.stat()
    key = (found.st_dev, found.st_ino)
    if key not in _kept:
        _kept[key] = os.open(shared, os.O_RDONLY)
    return _kept[key]


def _command_of(process: int) -> str:
    """Return the command of a process in short, "" where the system does not tell."""
    try:
        content = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        # It has ended meanwhile, or the system shows nobody the processes of others.
        return ""
    parts = [Path(part).name if number < 2 else part for number, part in enumerate(_words(content))]
    # The interpreter says nothing.
    shown = " ".join(parts[1:] if len(parts) > 1 and parts[0].startswith("python") else parts)
    return shown if len(shown) <= SHORT_COMMAND else f"{shown[: SHORT_COMMAND - 1]}…"


def _words(content: bytes) -> list[str]:
    return [word for word in content.decode("utf-8", "replace").split("\0") if word]
