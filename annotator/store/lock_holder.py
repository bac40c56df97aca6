"""Which process holds the write lock of a project, for the words to whoever waits for it."""

from __future__ import annotations

import os
import struct
from pathlib import Path

WRITE_LOCK = 120
"""Byte of the ``-shm`` file that SQLite locks while it writes (sqlite.org/walformat.html, section 2.3)."""
READ_LOCKS = (124, 4)
"""First byte and number of those that readers of a state in the write-ahead log lock."""
SHORT_COMMAND = 80
_kept: dict[tuple[int, int], int] = {}


def lock_holder(path: Path) -> str:
    """Return the process that holds the write lock: 'process 4711, main.py import p.vantage'.

    Args:
        path: The project file.

    Returns:
        "" where it is free, is held by this process, or cannot be found: only POSIX systems tell.
    """
    return _described(_holding_process(path, first=WRITE_LOCK, count=1))


def reader_of_log(path: Path) -> str:
    """Return another process that reads a state in the write-ahead log, described as by ``lock_holder``.

    Args:
        path: The project file.
    """
    first, count = READ_LOCKS
    return _described(_holding_process(path, first=first, count=count))


def _described(process: int) -> str:
    if not process:
        return ""
    command = _command_of(process)
    return f"process {process}, {command}" if command else f"process {process}"


def _holding_process(path: Path, *, first: int, count: int) -> int:
    try:
        import fcntl
    except ImportError:
        return 0
    try:
        # Asked as a writer, with whom locks of readers conflict too. Own locks are no answer to
        # F_GETLK.
        question = struct.pack(_LAYOUT, fcntl.F_WRLCK, os.SEEK_SET, first, count, 0)
        shared = Path(f"{os.path.realpath(path)}-shm")
        answer = fcntl.fcntl(_kept_file(shared), fcntl.F_GETLK, question)
    except OSError:
        return 0
    kind, _, _, _, process = struct.unpack(_LAYOUT, answer)
    return 0 if kind == fcntl.F_UNLCK else int(process)


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
        return ""
    parts = [Path(part).name if number < 2 else part for number, part in enumerate(_words(content))]
    # The interpreter says nothing.
    shown = " ".join(parts[1:] if len(parts) > 1 and parts[0].startswith("python") else parts)
    return shown if len(shown) <= SHORT_COMMAND else f"{shown[: SHORT_COMMAND - 1]}…"


def _words(content: bytes) -> list[str]:
    return [word for word in content.decode("utf-8", "replace").split("\0") if word]
