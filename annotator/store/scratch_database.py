"""Databases that a check fills with what a project should hold, and compares with what it holds."""

from __future__ import annotations

import errno
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import zip_longest
from pathlib import Path
from urllib.parse import quote

from annotator.store.connection import (
    Connection,
    DatabaseError,
    connect,
    file_identity,
    primary_code_of,
)
from annotator.store.disk_errors import FULL

AT_A_TIME = 5000
"""Rows read at a time: bounds memory at any size of project."""
SQLITE_FOLDERS = ("/var/tmp", "/usr/tmp", "/tmp")  # noqa: S108 - read only
"""Where SQLite puts temporary files if no variable names a folder. Source: sqlite.org/tempfiles.html, 5."""


@contextmanager
def scratch_database() -> Iterator[Connection]:
    """Open an empty database in a temporary file, which is deleted at the end."""
    with (
        tempfile.TemporaryDirectory(prefix="vantage-verify-") as folder,
        closing(connect(Path(folder) / "scratch.db", read_only=False)) as made,
    ):
        # A temporary file need not survive a power failure, and is deleted after an error.
        made.execute("PRAGMA synchronous=OFF")
        made.execute("PRAGMA journal_mode=OFF")
        yield made


def full_disk_message(error: Exception, *, project: Connection) -> str:
    """Return which disk is full and how much room is needed, "" where an error has another cause.

    Args:
        error: Raised by a check, which writes temporary files only.
        project: The project that is checked.
    """
    causes = (error, error.__cause__)
    if not any(_is_full(cause) for cause in causes if cause is not None):
        return ""
    # The tables are made anew in a file of their own: at most as much as the project has beside its log.
    needed = file_identity(project).path.stat().st_size
    folders = " and ".join(dict.fromkeys((tempfile.gettempdir(), _sqlite_folder())))
    return (
        f"The disk of the temporary files is full. Free {math.ceil(needed / 1e6):,} MB in {folders}, "
        "or set TMPDIR to a folder with as much free space."
    )


def _is_full(error: BaseException) -> bool:
    if isinstance(error, DatabaseError):
        return primary_code_of(error) == FULL
    return isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}


def _sqlite_folder() -> str:
    """Return where SQLite puts its own temporary files."""
    if os.name == "nt":
        return tempfile.gettempdir()
    named = (os.environ.get("SQLITE_TMPDIR"), os.environ.get("TMPDIR"), *SQLITE_FOLDERS)
    usable = (name for name in named if name and Path(name).is_dir() and os.access(name, os.W_OK))
    return next(usable, ".")


@contextmanager
def attached(connection: Connection, made: Connection, *, name: str) -> Iterator[None]:
    """Have a connection see a scratch database under a name, only to read it.

    Args:
        connection: Outside of a transaction, at the beginning and at the end.
        made: The scratch database. While it is written, nothing may read it under its name.
        name: The name.
    """
    connection.execute(f"ATTACH ? AS {name}", (f"file:{quote(f'{file_identity(made).path}')}?mode=ro",))
    try:
        yield
    finally:
        connection.execute(f"DETACH {name}")


@contextmanager
def one_state(connection: Connection) -> Iterator[None]:
    """Have all questions inside the block see the same state while others write."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        # After an I/O error SQLite has rolled back already; a second ROLLBACK raises and hides the cause.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def first_difference(connection: Connection, made: Connection, select: str) -> tuple[object, ...] | None:
    """Return the first row that one database has and the other has not, None where both have the same."""
    kept, expected = connection.execute(select), made.execute(select)
    while (pair := (kept.fetchmany(AT_A_TIME), expected.fetchmany(AT_A_TIME))) != ([], []):
        if pair[0] != pair[1]:
            differing = ((one, other) for one, other in zip_longest(*pair) if one != other)
            return next((*(one or other),) for one, other in differing)
    return None
