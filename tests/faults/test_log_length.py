"""How long the write-ahead log gets: sessions beside an idle window, kills, and a reader that stays."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotator.session import Session
from annotator.store.connection import LONGEST_LOG_BYTES, connect
from tests.patience import PATIENCE_S, wait_until
from tests.unit.store.making import ANNA, an_item, created, problems, write

REPO = Path(__file__).resolve().parents[2]
SESSIONS = 8
SESSION_BYTES = 40 << 20
"""What one session of these tests adds to the log, at most (measured: 24 MB)."""
SESSION = """
import os, sys
from pathlib import Path
from annotator.session import Session
from tests.faults.test_log_length import write_much
from tests.unit.store.making import BEN
session = Session.open(Path(sys.argv[1]), actor=BEN)
write_much(session)
if sys.argv[2] == "killed":
    os.kill(os.getpid(), 9)
session.close()
"""

pytestmark = pytest.mark.slow


def write_much(session: Session) -> None:
    """Write 24 MB of log in one transaction: texts that cannot be compressed."""
    write(session, *(created("item", an_item(question=os.urandom(1000).hex())) for _ in range(2000)))


def log_length(path: Path) -> int:
    log = path.with_name(f"{path.name}-wal")
    return log.stat().st_size if log.exists() else 0


def run_session(path: Path, *, end: str) -> None:
    command = [sys.executable, "-c", SESSION, str(path), end]
    done = subprocess.run(command, cwd=REPO, capture_output=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == (-9 if end == "killed" else 0), done.stderr


@pytest.fixture
def path() -> Iterator[Path]:
    """Give the path of a project that is not there yet, on a disk in memory where there is one."""
    with tempfile.TemporaryDirectory(prefix="vantage-log-") as folder:
        yield Path(folder) / "p.vantage"


@pytest.fixture
def window(path: Path) -> Iterator[Session]:
    """Give a project that is open in a window in which nothing is done."""
    with Session.create(path, actor=ANNA) as session:
        yield session


@pytest.mark.parametrize("end", ["closed", "killed"])
def test_log_when_many_sessions_write_beside_an_idle_window_then_stays_short(
    window: Session, end: str
) -> None:
    lengths = []
    for _ in range(SESSIONS):
        run_session(window.path, end=end)
        lengths.append(log_length(window.path))
    assert max(lengths) <= LONGEST_LOG_BYTES + SESSION_BYTES
    wait_until(lambda: log_length(window.path) <= LONGEST_LOG_BYTES)
    assert window.reader.counts()["item"] == SESSIONS * 2000


def test_log_when_every_session_is_killed_and_nobody_else_is_there_then_stays_short(path: Path) -> None:
    Session.create(path, actor=ANNA).close()
    lengths = []
    for _ in range(SESSIONS):
        run_session(path, end="killed")
        lengths.append(log_length(path))
    assert max(lengths) <= LONGEST_LOG_BYTES + SESSION_BYTES
    assert problems(path) == []


def test_log_when_a_reader_stays_then_grows_and_is_emptied_when_the_reader_leaves(window: Session) -> None:
    with closing(connect(window.path, read_only=True)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM event").fetchone()
        for _ in range(4):
            run_session(window.path, end="closed")
        # Of another program, which cannot be ended.
        assert log_length(window.path) > LONGEST_LOG_BYTES
        reader.execute("ROLLBACK")
        wait_until(lambda: log_length(window.path) <= LONGEST_LOG_BYTES)


def test_log_when_several_write_at_once_then_is_short_after_the_pause(window: Session) -> None:
    command = [sys.executable, "-c", SESSION, str(window.path), "closed"]
    writers = [subprocess.Popen(command, cwd=REPO, stderr=subprocess.PIPE) for _ in range(4)]
    for writer in writers:
        _, errors = writer.communicate(timeout=PATIENCE_S)
        assert writer.returncode == 0, errors
    wait_until(lambda: log_length(window.path) <= LONGEST_LOG_BYTES)
    assert window.reader.counts()["item"] == 4 * 2000
