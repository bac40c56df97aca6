"""Makes, lists, restores and deletes backups of a project file."""

from __future__ import annotations

import errno
import os
import re
import shutil
import socket
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from annotator.domain.backup import Backup
from annotator.errors import EnvironmentFailure
from annotator.media.confirmed_folders import is_within
from annotator.progress import Progress
from annotator.store.backup_content import forget_check, noted_check
from annotator.store.connection import SIDE_FILES, DatabaseError, connect, is_damage, primary_code_of
from annotator.store.disk_errors import FULL
from annotator.store.staging import delete_abandoned

PAGES_PER_STEP = 2000
"""Pages copied per step, about 8 MB. Between two steps cancel is checked and waiting writers get the lock."""
LEFT_FREE_BYTES = 16 << 20
"""Space that a backup leaves on the disk, so that edits can still be saved."""
# Neither a project nor a backup has this ending, so nothing lists a copy that is being written.
PARTIAL = ".partial"
CHECK_DISK = "Run the command verify, and check the disk."
# With microseconds: a periodic backup and one before a merge can be made within a second.
STAMP = "%Y%m%dT%H%M%S.%fZ"
NAME = re.compile(r"(\d{8}T\d{6}\.\d{6}Z)(?:-(.+))?\.vantage")


class BackupPutOff(EnvironmentFailure):
    """Say that a backup was given up so that the write-ahead log can be emptied."""


def backup_folder(project: Path) -> Path:
    """Return the folder of a project's backups. It is in the project's folder and has the project's name."""
    return project.with_name(project.stem + ".backups")


def files_of_backups(project: Path, pattern: str) -> Iterator[Path]:
    """Yield files of a project's folder of backups; none where it is a link that leads out.

    A project from elsewhere could choose by a link what is listed and deleted.
    """
    folder = backup_folder(project)
    return folder.glob(pattern) if is_within(folder, project.parent) else iter(())


def _make_folder(project: Path) -> None:
    folder = backup_folder(project)
    if not is_within(folder, project.parent):
        raise EnvironmentFailure(
            f"No backup could be made: {folder} is a link that leads to {folder.resolve()}.",
            hint="Replace the link by a folder. The project is not affected.",
        )
    if folder.exists() and not folder.is_dir():
        raise EnvironmentFailure(
            f"No backup could be made: {folder} is not a folder.",
            hint="Rename it or move it away. The project is not affected.",
        )
    folder.mkdir(exist_ok=True)


def make_backup(
    project: Path, *, reason: str, progress: Progress, longest_log_bytes: int | None = None
) -> Backup:
    """Copy a project while it is in use, and check each page of the copy.

    Args:
        project: The project file.
        reason: Part of the file name.
        progress: One step per ``PAGES_PER_STEP`` pages.
        longest_log_bytes: Length of the project's write-ahead log at which the copy is given up. It cannot
            be emptied during the copy. None to copy in any case.

    Raises:
        BackupPutOff: The log has become too long; the copy is deleted.
        EnvironmentFailure: The copy cannot be written or is damaged; the copy is deleted.
        Cancelled: The user cancelled; the copy is deleted.
    """
    made_at = datetime.now(UTC)
    target = backup_folder(project) / f"{made_at.strftime(STAMP)}-{reason.replace(' ', '_')}.vantage"
    # Backups are listed as *.vantage, so an interrupted copy under another suffix is never listed.
    partial = partial_path(target)
    try:
        _make_folder(project)
        _require_space(project)
        _copy(project, partial, progress=progress, longest_log_bytes=longest_log_bytes)
        # Whether its indexes agree with its tables takes three times as long. It is a part of the check of
        # its content (``backup_content``), which follows.
        require_whole(partial, with_indexes=False)
        _drop_staged(partial)
        # Before the rename, or a power cut could leave a backup that is listed but empty.
        flush(partial)
        partial.replace(target)
    except (OSError, DatabaseError) as error:
        raise _refused(error) from error
    finally:
        for ending in ("", *SIDE_FILES):
            # What cannot be deleted here is found again by ``delete_broken_off``.
            with suppress(OSError):
                partial.with_name(f"{partial.name}{ending}").unlink(missing_ok=True)
    return Backup(path=target, made_at=made_at, reason=reason)


def delete_backup(backup: Backup) -> None:
    """Delete a backup and what was noted about it; another window may have done so already."""
    backup.path.unlink(missing_ok=True)
    forget_check(backup.path)


def partial_path(target: Path) -> Path:
    """Return the name of a file while it is written: whoever finds it can tell whether its writer lives."""
    return target.with_name(f"{target.stem}.{os.getpid()}@{socket.gethostname()}{PARTIAL}")


def _require_space(project: Path) -> None:
    """Refuse to begin a copy that fills the disk, on which edits are saved too."""
    needed = project.stat().st_size + _log_length(project)
    free = shutil.disk_usage(backup_folder(project)).free
    if free < needed + LEFT_FREE_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _log_length(project: Path) -> int:
    try:
        # SQLite keeps the log beside the file itself, not beside a link to it.
        return Path(f"{os.path.realpath(project)}-wal").stat().st_size
    except OSError:
        # SQLite deletes the log when the last connection is closed.
        return 0


def _refused(error: OSError | DatabaseError) -> EnvironmentFailure:
    is_full = (isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}) or (
        isinstance(error, DatabaseError) and primary_code_of(error) == FULL
    )
    if is_full:
        return EnvironmentFailure(
            "No backup could be made: the disk is full.",
            hint="The project is not affected. Free disk space so that backups can continue.",
        )
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return EnvironmentFailure(
        f"No backup could be made: {reason}.",
        hint="The project is not affected. Check that its folder is writable so that backups can continue.",
    )


def flush(path: Path) -> None:
    """Wait until a file is on the disk; SQLite does not have it open any more."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def list_backups(project: Path) -> list[Backup]:
    """Return a project's backups, newest first."""
    named = (_backup(path) for path in files_of_backups(project, "*.vantage"))
    return sorted((found for found in named if found), key=lambda backup: backup.made_at, reverse=True)


def newest_backup(project: Path) -> Backup | None:
    """Return the newest backup that is not known to be damaged, None for none."""
    return next((backup for backup in list_backups(project) if backup.content != "damaged"), None)


def _backup(path: Path) -> Backup | None:
    match = NAME.fullmatch(path.name)
    if match is None:
        return None
    try:
        made_at = datetime.strptime(match[1], STAMP).replace(tzinfo=UTC)
    except ValueError:
        # Not one of our files: the digits in its name are no valid time.
        return None
    check = noted_check(path)
    return Backup(
        path=path,
        made_at=made_at,
        reason=(match[2] or "").replace("_", " "),
        content=check.state if check else "unchecked",
        is_examined=check is not None,
    )


def _copy(project: Path, partial: Path, *, progress: Progress, longest_log_bytes: int | None) -> None:
    source, copy = connect(project, read_only=True), connect(partial, read_only=False)
    progress.begin("Backing up")

    def step(*_: object) -> None:
        progress.step()
        if longest_log_bytes is not None and _log_length(project) > longest_log_bytes:
            raise BackupPutOff(
                "The backup was postponed: other programs are writing much data to the project."
            )

    try:
        # Pages go into the file once and not into a log before: the state is held for half the time. Nobody
        # opens the copy before it is complete and on the disk.
        copy.execute("PRAGMA journal_mode=OFF")
        copy.execute("PRAGMA synchronous=OFF")
        # One read transaction for all pages: otherwise each commit of another process restarts the copy.
        source.execute("BEGIN")
        # BEGIN fixes no state in WAL mode; the first read does.
        source.execute("SELECT n FROM event LIMIT 1").fetchone()
        source.backup(copy, pages=PAGES_PER_STEP, progress=step)
        # From here on the log of the project can be emptied.
        source.execute("ROLLBACK")
        # A backup is a single file, without -wal and -shm files.
        copy.execute("PRAGMA journal_mode=DELETE")
    finally:
        source.close()
        copy.close()


def _drop_staged(copy: Path) -> None:
    """Delete the rows of an import that was running at the time of the copy; it never continues there."""
    connection = connect(copy, read_only=False)
    try:
        delete_abandoned(connection, is_copy=True)
        # Opening it for writing has put the copy into WAL mode again.
        connection.execute("PRAGMA journal_mode=DELETE")
    finally:
        connection.close()


def require_whole(copy: Path, *, with_indexes: bool = True) -> None:
    """Check every page of a copy.

    Args:
        copy: The file.
        with_indexes: Whether each row of a table is also looked up in its indexes.

    Raises:
        EnvironmentFailure: It is damaged or incomplete.
    """
    try:
        connection = connect(copy, read_only=True)
    except EnvironmentFailure as error:
        raise EnvironmentFailure(f"The backup is incomplete: {error.message}", hint=CHECK_DISK) from error
    try:
        check = "integrity_check" if with_indexes else "quick_check"
        problems = [row[0] for row in connection.execute(f"PRAGMA {check}(3)")]
    # A page that cannot be read at all makes the check itself fail instead of reporting it.
    except DatabaseError as error:
        if not is_damage(error):
            raise
        problems = [str(error)]
    finally:
        connection.close()
    if problems != ["ok"]:
        raise EnvironmentFailure(f"The backup is incomplete: {problems[0]}.", hint=CHECK_DISK)
