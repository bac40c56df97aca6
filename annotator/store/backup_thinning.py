"""Deletes the backups that the schedule does not keep, and what killed programs have left of theirs."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from annotator.domain.backup import Backup
from annotator.store.backups import PARTIAL, delete_backup, files_of_backups, list_backups
from annotator.store.process_check import is_process_gone

# Ages up to which all backups, one per hour and one per day are kept. A wrong edit is noticed within hours
# and is undone to the minute; a lost dataset is noticed within weeks, and a day is precise enough.
KEEP_ALL, KEEP_HOURLY, KEEP_DAILY = timedelta(hours=2), timedelta(days=2), timedelta(days=60)
WRITER = re.compile(rf"\.(\d+)@(.+){re.escape(PARTIAL)}")
"""Process and machine that write a copy, in its name."""
DAYS_KEPT_ANYHOW = 7
"""Last days with backups, which keep one at any age: a clock wrong by years makes all backups old."""
QUALITY = {"damaged": 0, "unchecked": 1, "sound": 2}


def thin_backups(project: Path, *, now: datetime) -> list[Path]:
    """Delete the backups that the schedule does not keep, and return them.

    Kept are all of the last two hours, one per hour of the last two days, one per day of the last 60 days,
    and always the newest of all, of those whose content is sound, of those that are not damaged, and of each
    of the last seven days that have any. Of an hour or a day, a sound one is kept rather than an unchecked
    one, and a damaged one only if there is no other. Copies that were interrupted by the end of their program
    are deleted too.
    """
    delete_broken_off(project, now=now)
    backups = list_backups(project)
    kept = {backup.path for backup in _kept(backups, now=now)}
    deleted = [backup for backup in backups if backup.path not in kept]
    for backup in deleted:
        delete_backup(backup)
    return [backup.path for backup in deleted]


def delete_broken_off(project: Path, *, now: datetime) -> None:
    """Delete halves of copies whose program was killed: as large as the project, and listed nowhere."""
    # Escaped: brackets and asterisks in a project's name are no pattern.
    restored = project.parent.glob(f"{glob.escape(project.stem)}-restored-*{PARTIAL}*")
    # Including SQLite's files beside them.
    for path in (*files_of_backups(project, f"*{PARTIAL}*"), *restored):
        try:
            if _is_broken_off(path, now=now):
                path.unlink()
        except FileNotFoundError:
            # Another window was quicker.
            continue


def _is_broken_off(path: Path, *, now: datetime) -> bool:
    writer = WRITER.search(path.name)
    if writer is not None and is_process_gone(host=writer[2], pid=int(writer[1])):
        return True
    # A recent one may still be written by a process of another machine.
    return now.timestamp() - path.stat().st_mtime > KEEP_ALL.total_seconds()


def _kept(backups: list[Backup], *, now: datetime) -> Iterator[Backup]:
    """Yield the backups to keep of a list with the newest first."""
    for worst in range(len(QUALITY)):
        yield from [one for one in backups if QUALITY[one.content] >= worst][:1]
    days: dict[str, list[Backup]] = {}
    for backup in backups:
        days.setdefault(_day(backup), []).append(backup)
    yield from (_best(found) for found in [*days.values()][:DAYS_KEPT_ANYHOW])
    slots: dict[str, list[Backup]] = {}
    for backup in backups:
        slot = _slot(backup, age=now - backup.made_at)
        if slot is not None:
            slots.setdefault(slot, []).append(backup)
    yield from (_best(found) for found in slots.values())


def _best(backups: Iterable[Backup]) -> Backup:
    """Return the last state of an hour or a day, of those that are known best; the newest is first."""
    return max(backups, key=lambda backup: (QUALITY[backup.content], backup.made_at))


def _slot(backup: Backup, *, age: timedelta) -> str | None:
    if age <= KEEP_ALL:
        return backup.path.name
    if age <= KEEP_HOURLY:
        return backup.made_at.strftime("hour %Y%m%d%H")
    return _day(backup) if age <= KEEP_DAILY else None


def _day(backup: Backup) -> str:
    return backup.made_at.strftime("day %Y%m%d")
