from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from annotator.session import Session
from annotator.store import checkpoints
from annotator.store.checkpoints import OVERDUE_RECORDS, RECORDS
from annotator.store.connection import Connection, OperationalError, connect, transaction
from annotator.store.lock_holder import reader_of_log
from tests.patience import PATIENCE_S, wait_until
from tests.unit.store.making import ANNA, an_item, created, events, problems, write


class Watched:
    """A connection that tells the test of every checkpoint."""

    def __init__(self, connection: Connection, *, told: Checkpoints) -> None:
        self._connection, self._told = connection, told

    def execute(self, statement: str):
        if self._told.failures:
            self._told.failures -= 1
            self._told.made.put(-1)
            raise OperationalError("database is locked")
        cursor = self._connection.execute(statement)
        if "wal_checkpoint" not in statement:
            return cursor
        row = cursor.fetchone()
        self._told.made.put(row[2])
        return self._connection.execute("SELECT ?, ?, ?", row)

    def close(self) -> None:
        self._connection.close()


class Checkpoints:
    """Pages moved by each checkpoint; -1 for one that failed."""

    def __init__(self) -> None:
        self.made: queue.Queue[int] = queue.Queue()
        self.failures = 0

    def connect(self, path: Path, *, read_only: bool) -> Watched:
        return Watched(connect(path, read_only=read_only), told=self)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Checkpoints:
    """Give what the checkpoints of this test move; a pause is a hundredth of a second."""
    seen = Checkpoints()
    monkeypatch.setattr(checkpoints, "connect", seen.connect)
    monkeypatch.setattr(checkpoints, "REST_S", 0.01)
    return seen


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have it that somebody always writes: no pause is ever long enough."""
    monkeypatch.setattr(checkpoints, "REST_S", 3600.0)


def _make_items(session: Session, number: int) -> None:
    write(session, *(created("item", an_item(name=f"{n}", question="long " * 40)) for n in range(number)))


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def test_checkpoint_when_people_pause_then_what_was_written_moves_into_the_file(
    seen: Checkpoints, session: Session
) -> None:
    before = session.path.stat().st_size
    _make_items(session, RECORDS)
    assert seen.made.get(timeout=PATIENCE_S) > 0
    assert session.path.stat().st_size > before
    _make_items(session, RECORDS)
    assert seen.made.get(timeout=PATIENCE_S) > 0
    assert problems(session.path) == []


def test_checkpoint_when_little_was_written_then_is_left_to_the_end(
    seen: Checkpoints, session: Session, path: Path
) -> None:
    _make_items(session, 1)
    assert _log_of(path).stat().st_size > 0
    session.close()
    assert seen.made.empty()
    assert not _log_of(path).exists()
    assert len(events(path, "n", "entity='item'")) == 1


def test_checkpoint_when_nobody_ever_pauses_then_is_made_all_the_same(
    seen: Checkpoints, no_pause: None, session: Session
) -> None:
    _make_items(session, RECORDS)
    assert seen.made.empty()
    session._checkpoints.note_commit(OVERDUE_RECORDS)
    assert seen.made.get(timeout=PATIENCE_S) > 0


def test_commit_when_the_log_is_long_then_does_not_move_it(
    seen: Checkpoints, no_pause: None, session: Session
) -> None:
    before = session.path.read_bytes()
    _make_items(session, 3000)
    # SQLite's own limit is 1,000 pages of 4 KiB.
    assert _log_of(session.path).stat().st_size > 1000 * 4096
    _make_items(session, 10)
    assert session.path.read_bytes() == before


def test_checkpoint_when_it_fails_then_the_next_pause_tries_again(
    seen: Checkpoints, session: Session
) -> None:
    seen.failures = 1
    _make_items(session, RECORDS)
    assert seen.made.get(timeout=PATIENCE_S) == -1
    _make_items(session, RECORDS)
    assert seen.made.get(timeout=PATIENCE_S) > 0


def test_checkpoint_when_somebody_reads_then_their_state_stays(seen: Checkpoints, session: Session) -> None:
    reader = session.reader
    with reader.snapshot():
        _make_items(session, RECORDS)
        seen.made.get(timeout=PATIENCE_S)
        assert reader.counts()["item"] == 0
    assert reader.counts()["item"] == RECORDS


def test_stop_when_it_waits_for_a_pause_then_ends_at_once(
    seen: Checkpoints, no_pause: None, session: Session
) -> None:
    _make_items(session, RECORDS)
    session.close()
    assert not session._checkpoints._thread.is_alive()
    assert seen.made.empty()


def test_log_when_nobody_ever_pauses_then_is_emptied(
    seen: Checkpoints, no_pause: None, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    _make_items(session, 1000)
    length = _log_of(session.path).stat().st_size
    assert seen.made.empty()
    monkeypatch.setattr(checkpoints, "LONGEST_LOG_BYTES", length // 2)
    _make_items(session, 1)
    # PASSIVE, which leaves the log as it is, and TRUNCATE.
    assert seen.made.get(timeout=PATIENCE_S) > 100
    assert seen.made.get(timeout=PATIENCE_S) == 0
    wait_until(lambda: _log_of(session.path).stat().st_size == 0)
    _make_items(session, 10)
    assert problems(session.path) == []


def test_log_when_somebody_reads_an_older_state_then_the_write_lock_is_not_held_for_the_rest(
    seen: Checkpoints, no_pause: None, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "LONGEST_LOG_BYTES", 4096)
    monkeypatch.setattr(checkpoints, "LOOK_S", 3600.0)
    reader = session.reader
    with reader.snapshot():
        assert reader.counts()["item"] == 0
        _make_items(session, OVERDUE_RECORDS)
        # Pages of the new project alone.
        assert seen.made.get(timeout=PATIENCE_S) < 1000
        _make_items(session, 1)
        assert reader.counts()["item"] == 0
        # No TRUNCATE, which would have moved thousands of pages in one go.
        assert seen.made.empty()
    session.close()
    assert problems(session.path) == []


def test_log_when_the_reader_of_an_older_state_leaves_then_is_emptied_without_another_edit(
    seen: Checkpoints, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "LONGEST_LOG_BYTES", 4096)
    monkeypatch.setattr(checkpoints, "LOOK_S", 0.01)
    with session.reader.snapshot():
        _make_items(session, RECORDS)
        assert seen.made.get(timeout=PATIENCE_S) < 1000
        assert _log_of(session.path).stat().st_size > 4096
    wait_until(lambda: _log_of(session.path).stat().st_size == 0)


def test_log_when_others_write_beside_an_idle_window_then_the_window_moves_it(
    seen: Checkpoints, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "GROWTH_BYTES", 4096)
    # The writer has no thread of its own, as the queue of a run.
    with closing(connect(session.path, read_only=False)) as other, transaction(other):
        other.execute("UPDATE staging SET active_at=0")
        other.execute("CREATE TABLE filler AS SELECT zeroblob(100000)")
    session._checkpoints.note_commit(0)
    assert seen.made.get(timeout=PATIENCE_S) > 20


@pytest.mark.parametrize("is_killed", [True, False])
def test_log_when_left_long_then_the_next_who_opens_the_project_empties_it(
    path: Path, monkeypatch: pytest.MonkeyPatch, *, is_killed: bool
) -> None:
    monkeypatch.setattr(checkpoints, "LONGEST_LOG_BYTES", 4096)
    child = os.fork()
    if not child:
        try:
            # Killed before its own thread has looked at the log.
            checkpoints.LONGEST_LOG_BYTES = 1 << 40
            _make_items(Session.create(path, actor=ANNA), 500)
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert _log_of(path).stat().st_size > 100_000
    if is_killed:
        with Session.open(path, actor=ANNA) as session:
            assert _log_of(path).stat().st_size < 100_000
            assert session.reader.counts()["item"] == 500
    else:
        # At the end too, for a window that stays open.
        with closing(connect(path, read_only=True)) as window:
            window.execute("SELECT count(*) FROM item").fetchone()
            with Session.open(path, actor=ANNA) as session:
                monkeypatch.setattr(checkpoints, "REST_S", 3600.0)
                _make_items(session, 500)
                assert _log_of(path).stat().st_size > 100_000
            assert _log_of(path).stat().st_size == 0
    assert problems(path) == []


def test_log_when_another_process_reads_an_older_state_then_it_is_named(session: Session) -> None:
    script = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN');"
        "c.execute('SELECT count(*) FROM event').fetchone(); print('reads', flush=True); sys.stdin.readline()"
    )
    command = [sys.executable, "-c", script, str(session.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout.readline() == "reads\n"
        assert reader_of_log(session.path).startswith(f"process {reader.pid}, ")
        reader.communicate("\n", timeout=PATIENCE_S)
    assert reader_of_log(session.path) == ""
