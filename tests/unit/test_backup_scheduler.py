from __future__ import annotations

import queue
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from annotator import backup_scheduler
from annotator.backup_scheduler import EVERY_S, BackupScheduler
from annotator.domain.backup import Backup, BackupContent
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.session import Session
from annotator.store import backups
from annotator.store.backup_content import ContentCheck, note_check
from annotator.store.backups import BackupPutOff, backup_folder, list_backups
from annotator.store.connection import LONGEST_LOG_BYTES
from tests.patience import PATIENCE_S, wait_until
from tests.unit.store.making import ANNA, an_item, created, problems, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        yield session


@pytest.fixture
def made(session: Session, monkeypatch: pytest.MonkeyPatch) -> queue.Queue[Backup]:
    """Give a queue into which every backup that was made is put."""
    found: queue.Queue[Backup] = queue.Queue()
    original = session.backup

    def noted(
        *, reason: str, progress: Progress | None = None, longest_log_bytes: int | None = None
    ) -> Backup:
        backup = original(reason=reason, progress=progress, longest_log_bytes=longest_log_bytes)
        found.put(backup)
        return backup

    monkeypatch.setattr(session, "backup", noted)
    return found


def _check(backup: Path, progress: Progress, *, state: BackupContent = "sound") -> ContentCheck:
    found = backup.stat()
    problems = ("item 1: The table differs from the log.",) if state == "damaged" else ()
    return ContentCheck(
        state=state, size_bytes=found.st_size, modified_ns=found.st_mtime_ns, problems=problems
    )


@pytest.fixture
def clock(session: Session) -> Iterator[BackupScheduler]:
    clock = BackupScheduler(session, every_s=0.005, check=_check)
    yield clock
    clock.stop()


def _wait_for_rounds(clock: BackupScheduler, monkeypatch: pytest.MonkeyPatch, *, rounds: int) -> None:
    passed = threading.Semaphore(0)
    original: Callable[[float], bool] = clock._stopped.wait

    def counted(timeout: float) -> bool:
        passed.release()
        return original(timeout)

    monkeypatch.setattr(clock._stopped, "wait", counted)
    for _ in range(rounds):
        assert passed.acquire(timeout=PATIENCE_S)


def test_clock_when_something_was_written_then_makes_one_backup_and_no_more(
    session: Session, made: queue.Queue[Backup], clock: BackupScheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(session, created("item", an_item()))
    first = made.get(timeout=PATIENCE_S)
    assert first.reason == "timer"
    assert problems(first.path) == []
    _wait_for_rounds(clock, monkeypatch, rounds=4)
    assert made.empty()
    write(session, created("item", an_item()))
    second = made.get(timeout=PATIENCE_S)
    assert [backup.path for backup in list_backups(session.path)] == [second.path, first.path]


def test_clock_when_nothing_is_written_then_makes_none(
    session: Session, clock: BackupScheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    _wait_for_rounds(clock, monkeypatch, rounds=4)
    assert list_backups(session.path) == []


@pytest.mark.allow_messages("backup failed: .*no space")
def test_clock_when_a_backup_fails_then_says_so_in_the_log_and_tries_again(
    session: Session,
    made: queue.Queue[Backup],
    clock: BackupScheduler,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    failures = queue.Queue()
    working = session.backup

    def failing(
        *, reason: str, progress: Progress | None = None, longest_log_bytes: int | None = None
    ) -> Backup:
        if failures.qsize() < 2:
            failures.put(reason)
            raise EnvironmentFailure("no space left")
        return working(reason=reason, progress=progress, longest_log_bytes=longest_log_bytes)

    monkeypatch.setattr(session, "backup", failing)
    write(session, created("item", an_item()))
    assert made.get(timeout=PATIENCE_S).path.is_file()
    assert failures.qsize() == 2
    # Said once, and no longer once there is a backup again.
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 1
    wait_until(lambda: clock.failure is None)


@pytest.mark.allow_messages("backup failed: No backup could be made: the disk is full.")
def test_clock_when_the_disk_is_full_then_edits_go_on_and_it_is_said_until_there_is_space(
    session: Session, made: queue.Queue[Backup], clock: BackupScheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(session.path.parent)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _folder: usage._replace(free=1000))
        write(session, created("item", an_item()))
        wait_until(lambda: clock.failure is not None)
        said = clock.failure
        assert write(session, created("item", an_item())).command
        _wait_for_rounds(clock, patch, rounds=4)
        assert clock.failure is said
    made.get(timeout=PATIENCE_S)
    wait_until(lambda: clock.failure is None)


def test_clock_when_others_write_much_then_puts_the_backup_off_three_times_and_makes_it_then(
    session: Session, made: queue.Queue[Backup], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int | None] = []
    noted = session.backup

    def busy(*, reason: str, progress: Progress, longest_log_bytes: int | None) -> Backup:
        limits.append(longest_log_bytes)
        if longest_log_bytes is not None:
            raise BackupPutOff("others write much")
        return noted(reason=reason, progress=progress)

    monkeypatch.setattr(session, "backup", busy)
    clock = BackupScheduler(session, every_s=0.005, check=_check)
    try:
        write(session, created("item", an_item()))
        made.get(timeout=PATIENCE_S)
    finally:
        clock.stop()
    assert limits == [LONGEST_LOG_BYTES] * 3 + [None]


def test_clock_when_backups_are_not_checked_then_the_newest_is_checked_first_in_its_own_process(
    session: Session,
) -> None:
    first, second = (session.backup(reason="by hand").path for _ in range(2))
    checked: list[Path] = []

    def check(backup: Path, progress: Progress) -> ContentCheck:
        checked.append(backup)
        return backup_scheduler._check_in_process(backup, progress)

    clock = BackupScheduler(session, every_s=0.005, check=check)
    try:
        wait_until(lambda: all(backup.content == "sound" for backup in list_backups(session.path)))
    finally:
        clock.stop()
    assert checked == [second, first]
    assert clock.failure is None


@pytest.mark.allow_messages("backup failed: The backup .* is damaged")
def test_clock_when_the_content_of_a_backup_is_damaged_then_says_which_one_is_sound(session: Session) -> None:
    sound = session.backup(reason="by hand").path
    note_check(sound, _check(sound, Progress()))
    damaged = session.backup(reason="by hand").path
    clock = BackupScheduler(session, every_s=0.005, check=partial(_check, state="damaged"))
    try:
        wait_until(lambda: clock.failure is not None)
    finally:
        clock.stop()
    assert damaged.name in clock.failure.message
    assert "differs from the log" in clock.failure.message
    assert sound.name in clock.failure.hint


def test_clock_when_started_then_deletes_the_halves_of_killed_ones(session: Session) -> None:
    folder = backup_folder(session.path)
    folder.mkdir()
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    half = folder / f"20260520T122900.000000Z-timer.{int(ended.stdout)}@{socket.gethostname()}.partial"
    half.touch()
    clock = BackupScheduler(session, every_s=3600)
    try:
        wait_until(lambda: not half.exists())
    finally:
        clock.stop()


def test_clock_when_stopped_in_the_middle_of_a_backup_then_leaves_no_file(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_copying, may_go_on = threading.Event(), threading.Event()
    copy = backups._copy

    def slow(project: Path, partial: Path, *, progress: Progress, longest_log_bytes: int | None) -> None:
        is_copying.set()
        assert may_go_on.wait(PATIENCE_S)
        copy(project, partial, progress=progress, longest_log_bytes=longest_log_bytes)

    monkeypatch.setattr(backups, "_copy", slow)
    clock = BackupScheduler(session, every_s=0.005, check=_check)
    write(session, created("item", an_item()))
    assert is_copying.wait(PATIENCE_S)
    stopping = threading.Thread(target=clock.stop)
    stopping.start()
    assert clock._stopped.wait(PATIENCE_S)
    assert clock._progress._cancelled.wait(PATIENCE_S)
    may_go_on.set()
    stopping.join(PATIENCE_S)
    assert not clock._thread.is_alive()
    assert list(backup_folder(session.path).iterdir()) == []


def test_session_when_it_backs_up_regularly_then_close_ends_the_clock(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "q.vantage", actor=ANNA)
    session.start_backups()
    clock = session.backups
    assert clock is not None
    assert clock._every_s == EVERY_S == 600
    assert clock._thread.is_alive()
    session.close()
    assert not clock._thread.is_alive()
