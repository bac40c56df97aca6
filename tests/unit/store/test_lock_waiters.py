from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from annotator.session import Session
from annotator.store import lock_waiters
from annotator.store.connection import Connection, connect, file_identity, transaction
from annotator.store.lock_waiters import is_lock_wanted
from tests.patience import PATIENCE_S, wait_until
from tests.unit.store.making import problems

OPENING = """
import sys
from pathlib import Path
from annotator.store.connection import connect
connection = connect(Path(sys.argv[1]), read_only=True)
connection.execute("SELECT 1 FROM event").fetchone()
print("open", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def connection(session: Session) -> Iterator[Connection]:
    """Give a second connection of this process that writes."""
    with closing(connect(session.path, read_only=False)) as connection:
        yield connection


@contextmanager
def opened_elsewhere(project: Path) -> Iterator[None]:
    """Have another process keep the project open for reading inside the block."""
    program = [sys.executable, "-c", OPENING, str(project)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield
        process.communicate("\n", timeout=PATIENCE_S)


def test_lock_when_this_process_alone_has_the_project_open_then_is_not_wanted(connection: Connection) -> None:
    assert not is_lock_wanted(file_identity(connection))
    with transaction(connection):
        assert not is_lock_wanted(file_identity(connection))


def test_lock_when_another_connection_waits_then_is_wanted_until_a_moment_after_it_has_it(
    session: Session, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(lock_waiters, "time", SimpleNamespace(monotonic=lambda: now[0]))
    file, got = file_identity(connection), threading.Event()

    def write() -> None:
        with closing(connect(session.path, read_only=False)) as other, transaction(other):
            got.set()

    thread = threading.Thread(target=write)
    with transaction(connection):
        thread.start()
        wait_until(lambda: is_lock_wanted(file))
        assert not got.is_set()
    thread.join(PATIENCE_S)
    assert got.is_set()
    # Who edits goes on editing.
    now[0] += lock_waiters.RECENT_S / 2
    assert is_lock_wanted(file)
    now[0] += lock_waiters.RECENT_S / 2
    assert not is_lock_wanted(file)


def test_lock_when_another_process_has_the_project_open_then_is_wanted_until_it_closes_it(
    session: Session, connection: Connection
) -> None:
    file = file_identity(connection)
    with opened_elsewhere(session.path):
        assert is_lock_wanted(file)
    assert not is_lock_wanted(file)
    # The question must not drop the locks of this process.
    assert problems(session.path) == []


def test_lock_when_the_system_does_not_tell_who_has_the_project_open_then_is_wanted(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.store.lock_holder.sys.platform", "win32")
    assert is_lock_wanted(file_identity(connection))
