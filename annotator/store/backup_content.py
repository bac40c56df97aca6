"""Whether the content of a backup was checked as ``verify`` checks a project, and what was found.

A backup is checked page by page when it is made. Whether its log and its tables are sound takes as long as
``verify``, so it is found later, and noted in a small file beside the backup.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from annotator.domain.backup import BackupContent
from annotator.progress import Progress
from annotator.store.connection import connect
from annotator.store.schema import is_current
from annotator.store.verification import verify_project

ENDING = ".check"
MOST_PROBLEMS = 20
LOWEST_PRIORITY = 19  # The largest niceness of POSIX.


class ContentCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What a check found; valid for the file as it was then.

    Attributes:
        state: ``unchecked`` where it could not be completed, or the backup is of an older version.
        size_bytes: Size of the file.
        modified_ns: Time of its last change.
        problems: What is wrong, at most ``MOST_PROBLEMS``.
    """

    state: BackupContent
    size_bytes: int
    modified_ns: int
    problems: tuple[str, ...] = ()


def check_content(backup: Path, *, progress: Progress) -> ContentCheck:
    """Check pages, schema, hash chains, tables and model work of a backup, as ``verify`` does.

    Args:
        backup: The file; it is only read.
        progress: As in ``verify_project``.

    Raises:
        EnvironmentFailure: It cannot be read.
        UserError: It is not an SQLite database.
        Cancelled: The user stopped it.
    """
    found = backup.stat()
    problems, state = [], "sound"
    if not _is_current(backup):
        # Its tables are made anew from the log when it is opened.
        state = "unchecked"
    else:
        for problem in verify_project(backup, progress=progress):
            # A check that ended early, for instance on a full disk, says nothing about the backup.
            is_fault = problem.kind != "unreadable"
            state = "damaged" if is_fault or state == "damaged" else "unchecked"
            problems.append(f"{problem.where}: {problem.message}")
            if len(problems) >= MOST_PROBLEMS:
                break
    return ContentCheck(
        state=msgspec.convert(state, BackupContent),
        size_bytes=found.st_size,
        modified_ns=found.st_mtime_ns,
        problems=tuple(problems),
    )


def check_in_background(backup: str, *, progress: Progress) -> ContentCheck:
    """Do ``check_content`` at the lowest priority; for a process of its own."""
    # Windows has no ``nice``.
    if hasattr(os, "nice"):
        os.nice(LOWEST_PRIORITY)
    return check_content(Path(backup), progress=progress)


def note_check(backup: Path, check: ContentCheck) -> None:
    """Keep what a check found beside the backup."""
    file = backup.with_suffix(ENDING)
    # Not flushed: a note that a power cut tears is read as none, and the backup is checked once more.
    made = file.with_name(f"{file.name}.new")
    made.write_bytes(msgspec.json.encode(check))
    made.replace(file)


def noted_check(backup: Path) -> ContentCheck | None:
    """Return what the last check of a backup found; None if there was none, or the file changed since."""
    try:
        check = msgspec.json.decode(backup.with_suffix(ENDING).read_bytes(), type=ContentCheck)
        found = backup.stat()
    except (OSError, msgspec.MsgspecError):
        return None
    return check if (check.size_bytes, check.modified_ns) == (found.st_size, found.st_mtime_ns) else None


def forget_check(backup: Path) -> None:
    """Delete what was noted about a backup."""
    backup.with_suffix(ENDING).unlink(missing_ok=True)


def _is_current(backup: Path) -> bool:
    connection = connect(backup, read_only=True)
    try:
        return is_current(connection)
    finally:
        connection.close()
