"""Temporary files of the tests lie in memory where there is room for them.

Each command of a project waits until the disk says that it is saved. That is a third of the time of the tests
of commands, and what the disk does with the bytes is none of their subjects.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

MEMORY_DISK = Path("/dev/shm")
ROOM_BYTES = 6 << 30
"""Room that the disk needs: a run of all tests writes 1.1 GB, and failed ones stay."""
MEMORY_BYTES = 12 << 30
"""Memory that the machine needs: the processes of a run take up to 2 GB each."""
MEMORY_INFO = Path("/proc/meminfo")
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


def quick_disk(folder: Path = MEMORY_DISK) -> Path | None:
    """Return the folder of a disk in memory that has room and runs programs, None where there is none."""
    # Containers often have one of 64 MB, from which no program may be started.
    if not (folder.is_dir() and os.access(folder, os.W_OK) and MEMORY_INFO.is_file()):
        return None
    disk = os.statvfs(folder)
    has_room = disk.f_bavail * disk.f_frsize >= ROOM_BYTES and not disk.f_flag & os.ST_NOEXEC
    return folder if has_room and memory_bytes() >= MEMORY_BYTES else None


def memory_bytes() -> int:
    """Return the memory that is available, bytes: of the machine, or of the container where that is less."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB", MEMORY_INFO.read_text(encoding="ascii"), re.MULTILINE)
    free = int(found[1]) * 1024 if found else 0
    limit = CONTAINER_LIMIT.read_text(encoding="ascii").strip() if CONTAINER_LIMIT.is_file() else "max"
    return free if limit == "max" else min(free, int(limit))


def use_quick_disk() -> None:
    """Have all temporary files made there, those of child processes too, unless TMPDIR says where."""
    folder = quick_disk()
    if folder is not None and "TMPDIR" not in os.environ:
        os.environ["TMPDIR"] = str(folder)
        # Asked for anew: it may have been looked up already.
        tempfile.tempdir = None
