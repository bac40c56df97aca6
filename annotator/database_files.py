"""Which files on disk are SQLite databases of Vantage: nothing but SQLite may open them.

POSIX drops all locks that a process holds on a file as soon as the process closes any handle of it. A plain
``open`` and ``close`` of the open project therefore takes its locks away, and with a second process writing
the database becomes malformed (sqlite.org, "How To Corrupt An SQLite Database File", section 2.2).
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import Counter
from pathlib import Path

from annotator.errors import UserError

PROJECT_SUFFIX = ".vantage"
COMPANION_ENDINGS = ("-wal", "-shm", "-journal")
"""What SQLite appends to a database's name for the files that it keeps beside it."""
_open_files: Counter[tuple[int, int]] = Counter()
_lock = threading.Lock()


def track_open_database(connection: object, path: Path) -> weakref.finalize[[tuple[int, int]], object]:
    """Note that this process has a database file open, as long as the connection lives.

    Args:
        connection: Whatever keeps the file open.
        path: The file, which exists by now.

    Returns:
        What to call once the connection is closed; collecting the connection calls it as well.
    """
    found = path.stat()
    # The file and not its name: a link of another name leads to the same locks.
    file = (found.st_dev, found.st_ino)
    with _lock:
        _open_files[file] += 1
    finalizer = weakref.finalize(connection, _forget, file)
    finalizer.atexit = False
    return finalizer


def is_database_file(path: Path) -> bool:
    """Tell whether a file is a project, something that SQLite keeps beside one, or open as a database here.

    Nothing is opened: by the names of the file and of what a link leads to, and by the files that are open.
    """
    if _has_database_name(path.name) or _is_open(path):
        return True
    return path.is_symlink() and _has_database_name(Path(os.path.realpath(path)).name)


def is_database_entry(entry: os.DirEntry[str]) -> bool:
    """Tell the same of a file that a folder lists, without asking the disk about each file."""
    if _has_database_name(entry.name):
        return True
    is_suspect = (
        entry.is_symlink()
        or entry.name.lower().endswith(COMPANION_ENDINGS)
        or any(entry.inode() == inode for _, inode in tuple(_open_files))
    )
    return is_suspect and is_database_file(Path(entry.path))


def require_no_database(path: Path) -> None:
    """Refuse to read a project's own database as a file.

    Raises:
        UserError: It is one.
    """
    if is_database_file(path):
        raise UserError(
            f"{path.name} is a Vantage project, or belongs to one, and cannot be imported.",
            hint="Export the other project and import the exported files.",
        )


def _forget(file: tuple[int, int]) -> None:
    with _lock:
        _open_files[file] -= 1
        if not _open_files[file]:
            del _open_files[file]


def _has_database_name(name: str) -> bool:
    return _main_name(name).lower().endswith(PROJECT_SUFFIX)


def _is_open(path: Path) -> bool:
    for candidate in {path, path.with_name(_main_name(path.name) or path.name)}:
        try:
            found = candidate.stat()
        # Names with a zero byte, too long ones, and files that are gone: none of them is open.
        except (OSError, ValueError):
            continue
        if (found.st_dev, found.st_ino) in _open_files:
            return True
    return False


def _main_name(name: str) -> str:
    """Return the name of the database that a companion file belongs to; other names as they are."""
    ending = next((ending for ending in COMPANION_ENDINGS if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)]
