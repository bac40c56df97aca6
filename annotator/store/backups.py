"""Makes, lists, restores and deletes verified backups of a project file."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from annotator.errors import EnvironmentFailure
from annotator.media.confirmed_folders import is_within
from annotator.progress import Progress
from annotator.store.connection import DatabaseError, connect, is_damage
from annotator.store.staging import delete_abandoned

PAGES_PER_STEP = 2000
"""Pages copied per step, about 8 MB. Between two steps cancel is checked and waiting writers get the lock."""
# Ages up to which all backups, one per hour and one per day are kept. A wrong edit is noticed within hours
# and is undone to the minute; a lost dataset is noticed within weeks, and a day is precise enough.
KEEP_ALL, KEEP_HOURLY, KEEP_DAILY = timedelta(hours=2), timedelta(days=2), timedelta(days=60)
PARTIAL = ".partial"
CHECK_DISK = "Run the command verify, and check the disk."
STAMP = "%Y%m%dT%H%M%S.%fZ"
NAME = re.compile(r"(\d{8}T\d{6}\.\d{6}Z)(?:-(.+))?\.vantage")


@dataclass(frozen=True, kw_only=True)
class Backup:
    """One backup file.

    Attributes:
        path: The file; it can be opened like any project.
        made_at: UTC time.
        reason: Why it was made: ``timer``, ``before migration`` …
    """

    path: Path
    made_at: datetime
    reason: str


def backup_folder(project: Path) -> Path:
    """Return the folder of a project's backups. It is in the project's folder and has the project's name."""
    return project.with_name(project.stem + ".backups")


def _files(project: Path, pattern: str) -> Iterator[Path]:
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
    folder.mkdir(exist_ok=True)


def make_backup(project: Path, *, reason: str, progress: Progress) -> Backup:
    """Copy a project while it is in use, and verify the copy.

    Args:
        project: The project file.
        reason: Part of the file name.
        progress: One step per ``PAGES_PER_STEP`` pages.

    Raises:
        EnvironmentFailure: The copy cannot be written or is damaged; the copy is deleted.
        Cancelled: The user cancelled; the copy is deleted.
    """
    made_at = datetime.now(UTC)
    target = backup_folder(project) / f"{made_at.strftime(STAMP)}-{reason.replace(' ', '_')}.vantage"
    # Backups are listed as *.vantage, so an interrupted copy under another suffix is never listed.
    partial = target.with_suffix(PARTIAL)
    try:
        _make_folder(project)
        _copy(project, partial, progress=progress)
        require_whole(partial)
        _drop_staged(partial)
        partial.replace(target)
    except (OSError, DatabaseError) as error:
        raise EnvironmentFailure(
            f"No backup could be made: {error}.",
            hint="The project is not affected. Free disk space so that backups can continue.",
        ) from error
    finally:
        if partial.is_file():
            partial.unlink()
    return Backup(path=target, made_at=made_at, reason=reason)


def restore_backup(backup: Backup, *, project: Path) -> Path:
    """Copy a backup into the project's folder under a new name and return the copy.

    The project itself is not changed. Paths of media files are relative to the folder, so they hold in the
    copy.

    Args:
        backup: One of ``list_backups``.
        project: The project file, which may be damaged.

    Raises:
        EnvironmentFailure: The copy cannot be written; it is deleted.
    """
    name = f"{project.stem}-restored-{backup.made_at.strftime('%Y%m%d-%H%M%S')}"
    target = next(path for path in _names(project.with_name(name)) if not path.exists())
    partial = target.with_suffix(PARTIAL)
    try:
        shutil.copyfile(backup.path, partial)
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise EnvironmentFailure(
            f"The backup could not be copied to {project.parent}: {error.strerror}.",
            hint="Copy the backup to a writable folder, together with the media files, and open it there.",
        ) from error
    return target


def _names(path: Path) -> Iterator[Path]:
    yield path.with_name(f"{path.name}.vantage")
    yield from (path.with_name(f"{path.name}-{number}.vantage") for number in itertools.count(2))


def list_backups(project: Path) -> list[Backup]:
    """Return a project's backups, newest first."""
    named = (_backup(path) for path in _files(project, "*.vantage"))
    return sorted((found for found in named if found), key=lambda backup: backup.made_at, reverse=True)


def _backup(path: Path) -> Backup | None:
    match = NAME.fullmatch(path.name)
    if match is None:
        return None
    try:
        made_at = datetime.strptime(match[1], STAMP).replace(tzinfo=UTC)
    except ValueError:
        # Not one of our files: the digits in its name are no valid time.
        return None
    return Backup(path=path, made_at=made_at, reason=(match[2] or "").replace("_", " "))


def thin_backups(project: Path, *, now: datetime) -> list[Path]:
    """Delete the backups that the schedule does not keep, and return them.

    Kept are all of the last two hours, one per hour of the last two days, one per day of the last 60 days,
    and always the newest. Copies that were interrupted by the end of the program are deleted too.
    """
    _delete_broken_off(project, now=now)
    kept: set[str] = set()
    deleted = []
    # Newest first, so that the last state of an hour or a day is the one that is kept.
    for index, backup in enumerate(list_backups(project)):
        slot = _slot(backup, age=now - backup.made_at)
        if index == 0 or (slot is not None and slot not in kept):
            kept.add(slot or "")
        else:
            # Another window of the project may have thinned them at the same time.
            backup.path.unlink(missing_ok=True)
            deleted.append(backup.path)
    return deleted


def _delete_broken_off(project: Path, *, now: datetime) -> None:
    """Delete halves of backups whose program was killed: as large as the project, and listed nowhere."""
    # Including SQLite's -wal and -shm files. A recent one may still be written by another process.
    for path in _files(project, f"*{PARTIAL}*"):
        try:
            if now.timestamp() - path.stat().st_mtime > KEEP_ALL.total_seconds():
                path.unlink()
        except FileNotFoundError:
            # Another window was quicker.
            continue


def _slot(backup: Backup, *, age: timedelta) -> str | None:
    if age <= KEEP_ALL:
        return backup.path.name
    if age <= KEEP_HOURLY:
        return backup.made_at.strftime("hour %Y%m%d%H")
    return backup.made_at.strftime("day %Y%m%d") if age <= KEEP_DAILY else None


def _copy(project: Path, partial: Path, *, progress: Progress) -> None:
    source, copy = connect(project, read_only=True), connect(partial, read_only=False)
    progress.begin("Backing up")
    try:
        # One read transaction for all pages: otherwise each commit of another process restarts the copy.
        source.execute("BEGIN")
        source.execute("SELECT n FROM event LIMIT 1").fetchone()
        source.backup(copy, pages=PAGES_PER_STEP, progress=lambda *_: progress.step())
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
        connection.execute("PRAGMA journal_mode=DELETE")
    finally:
        connection.close()


def require_whole(copy: Path) -> None:
    """Check every page of a copy.

    Raises:
        EnvironmentFailure: It is damaged or incomplete.
    """
    try:
        connection = connect(copy, read_only=True)
    except EnvironmentFailure as error:
        raise EnvironmentFailure(f"The backup is incomplete: {error.message}", hint=CHECK_DISK) from error
    try:
        problems = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
    # A page that cannot be read at all makes the check itself fail instead of reporting it.
    except DatabaseError as error:
        if not is_damage(error):
            raise
        problems = [str(error)]
    finally:
        connection.close()
    if problems != ["ok"]:
        raise EnvironmentFailure(f"The backup is incomplete: {problems[0]}.", hint=CHECK_DISK)
