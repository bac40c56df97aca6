from __future__ import annotations

import os
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from annotator.domain.backup import BackupContent
from annotator.store import backup_thinning
from annotator.store.backup_content import ContentCheck, note_check, noted_check
from annotator.store.backup_thinning import delete_broken_off, thin_backups
from annotator.store.backups import STAMP, backup_folder, list_backups

NOW = datetime(2026, 5, 20, 12, 30, tzinfo=UTC)


# Age of each backup, and whether it stays; newest first.
THINNED = {
    "two hours keep all": [("1m", True), ("2m", True), ("59m", True), ("119m", True)],
    "two days keep one an hour": [
        ("10m", True),
        ("3h", True),
        ("3h10m", False),
        ("3h25m", False),
        ("5h", True),
    ],
    "sixty days keep one a day": [("10m", True), ("3d", True), ("3d2h", False), ("4d", True), ("59d", True)],
    "older ones go but for those of the last seven days that have any": [
        ("10m", True),
        *((f"{days}d", days < 306) for days in range(300, 312)),
    ],
    "the newest stays at any age": [("100d", True), ("100d1h", False)],
    "one from the future stays": [("-1h", True), ("10m", True)],
}


@pytest.mark.parametrize("table", THINNED.values(), ids=THINNED)
def test_thin_when_backups_grow_old_then_keeps_by_the_rule(path: Path, table: list[tuple[str, bool]]) -> None:
    backup_folder(path).mkdir()
    made = {_backup_of(path, age): stays for age, stays in table}
    deleted = thin_backups(path, now=NOW)
    assert set(deleted) == {backup for backup, stays in made.items() if not stays}
    assert {b.path for b in list_backups(path)} == {backup for backup, stays in made.items() if stays}
    assert thin_backups(path, now=NOW) == []


def _backup_of(project: Path, age: str) -> Path:
    sign, text = (-1, age[1:]) if age.startswith("-") else (1, age)
    parts = dict.fromkeys("dhm", 0)
    number = ""
    for letter in text:
        if letter in parts:
            parts[letter], number = int(number), ""
        else:
            number += letter
    made_at = NOW - sign * timedelta(days=parts["d"], hours=parts["h"], minutes=parts["m"])
    path = backup_folder(project) / f"{made_at.strftime(STAMP)}-timer.vantage"
    path.touch()
    return path


def test_thin_when_another_window_has_thinned_meanwhile_then_goes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup_folder(path).mkdir()
    _backup_of(path, "5d")
    gone, stays = _backup_of(path, "5d1h"), _backup_of(path, "10m")
    listed = list_backups(path)
    gone.unlink()
    monkeypatch.setattr(backup_thinning, "list_backups", lambda _project: listed)
    thin_backups(path, now=NOW)
    assert stays.is_file()


def test_thin_when_a_copy_was_broken_off_with_its_program_then_it_goes_once_nobody_can_be_at_it(
    path: Path,
) -> None:
    folder = backup_folder(path)
    folder.mkdir()
    old = [folder / f"20260520T100000.000000Z-timer.partial{beside}" for beside in ("", "-wal", "-shm")]
    young = folder / "20260520T122900.000000Z-timer.partial"
    for file, age in (*((one, timedelta(hours=3)) for one in old), (young, timedelta(minutes=1))):
        file.touch()
        os.utime(file, ((NOW - age).timestamp(),) * 2)
    assert thin_backups(path, now=NOW) == []
    assert list(folder.iterdir()) == [young]


def test_thin_when_a_copy_was_broken_off_by_a_kill_then_goes_at_the_next_start(path: Path) -> None:
    folder = backup_folder(path)
    folder.mkdir()
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    host = socket.gethostname()
    names = {
        f"20260520T122900.000000Z-timer.{int(ended.stdout)}@{host}.partial": False,
        f"20260520T122900.000000Z-timer.{int(ended.stdout)}@{host}.partial-journal": False,
        f"20260520T122900.000000Z-timer.{os.getpid()}@{host}.partial": True,
        f"20260520T122900.000000Z-timer.{int(ended.stdout)}@elsewhere.partial": True,
    }
    restored = path.with_name(f"p-restored-20260520-122900.{int(ended.stdout)}@{host}.partial")
    for file in (*(folder / name for name in names), restored):
        file.touch()
        os.utime(file, (NOW.timestamp(),) * 2)
    delete_broken_off(path, now=NOW)
    assert {file.name for file in folder.iterdir()} == {name for name, stays in names.items() if stays}
    assert not restored.exists()


# Age of each backup, what is known of its content, and whether it stays.
JUDGED: dict[str, list[tuple[str, BackupContent, bool]]] = {
    "a damaged one pushes no good one of its day out": [
        ("10m", "unchecked", True),
        ("3d", "damaged", False),
        ("3d1h", "unchecked", True),
    ],
    "a sound one is better than one that nobody checked": [
        ("10m", "unchecked", True),
        ("3h10m", "unchecked", False),
        ("3h20m", "sound", True),
        ("3h25m", "sound", False),
    ],
    "the newest sound one stays at any age": [
        ("10m", "damaged", True),
        ("20m", "unchecked", True),
        ("100d", "sound", True),
        ("100d1h", "sound", False),
    ],
    "the newest that is not damaged stays at any age": [
        ("10m", "damaged", True),
        ("3d", "damaged", True),
        ("100d", "unchecked", True),
        ("100d1h", "unchecked", False),
    ],
}


@pytest.mark.parametrize("table", JUDGED.values(), ids=JUDGED)
def test_thin_when_backups_are_damaged_then_good_ones_stay(
    path: Path, table: list[tuple[str, BackupContent, bool]]
) -> None:
    backup_folder(path).mkdir()
    made = {}
    for age, state, stays in table:
        backup = _backup_of(path, age)
        found = backup.stat()
        check = ContentCheck(state=state, size_bytes=found.st_size, modified_ns=found.st_mtime_ns)
        if state != "unchecked":
            note_check(backup, check)
        made[backup] = stays
    thin_backups(path, now=NOW)
    assert {b.path for b in list_backups(path)} == {backup for backup, stays in made.items() if stays}
    # Nor is anything left of what was noted about the others.
    assert len(list(backup_folder(path).glob("*.check"))) == sum(
        noted_check(backup) is not None for backup in made
    )
