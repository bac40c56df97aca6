from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.backup_scheduler import EVERY_S, BackupScheduler
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.session import Session
from annotator.store import backups
from annotator.store.backups import Backup, backup_folder, list_backups
from tests.patience import PATIENCE_S
from tests.unit.store.making import ANNA, an_item, created, problems, write

"""Longest wait for a condition; a passing test never waits that long."""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        yield session


@pytest.fixture
def made(session: Session, monkeypatch: pytest.MonkeyPatch) -> queue.Queue[Backup]:
    """Give a queue into which every backup that was made is put."""
    found: queue.Queue[Backup] = queue.Queue()
    original = session.backup

    def noted(*, reason: str, progress: Progress | None = None) -> Backup:
        backup = original(reason=reason, progress=progress)
        found.put(backup)
        return backup

    monkeypatch.setattr(session, "backup", noted)
    return found


@pytest.fixture
def clock(session: Session) -> Iterator[BackupScheduler]:
    clock = BackupScheduler(session, every_s=0.005)
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
    session: Session, made: queue.Queue[Backup], clock: BackupScheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = queue.Queue()
    working = session.backup

    def failing(*, reason: str, progress: Progress | None = None) -> Backup:
        if failures.qsize() < 2:
            failures.put(reason)
            raise EnvironmentFailure("no space left")
        return working(reason=reason, progress=progress)

    monkeypatch.setattr(session, "backup", failing)
    write(session, created("item", an_item()))
    assert made.get(timeout=PATIENCE_S).path.is_file()
    assert failures.qsize() == 2


def test_clock_when_stopped_in_the_middle_of_a_backup_then_leaves_no_file(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_copying, may_go_on = threading.Event(), threading.Event()
    copy = backups._copy

    def slow(project: Path, partial: Path, *, progress: Progress) -> None:
        is_copying.set()
        assert may_go_on.wait(PATIENCE_S)
        copy(project, partial, progress=progress)

    monkeypatch.setattr(backups, "_copy", slow)
    clock = BackupScheduler(session, every_s=0.005)
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
    clock = session._backup_scheduler
    assert clock is not None
    assert clock._every_s == EVERY_S == 600
    assert clock._thread.is_alive()
    session.close()
    assert not clock._thread.is_alive()
