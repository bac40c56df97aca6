"""An edit that the disk refuses loses nothing: it waits, says why, and is saved as soon as it can be."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.session import Session
from annotator.store import connection as connections
from annotator.store.disk_errors import meaning_of
from annotator.store.lock_holder import lock_holder
from tests.patience import PATIENCE_S, wait_until
from tests.unit.store.making import ANNA, Write, an_item, created, problems

HOLDING = """
import sys
from pathlib import Path
from annotator.store.connection import connect, transaction
connection = connect(Path(sys.argv[1]), read_only=False)
with transaction(connection):
    print("holds", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_MS", 20)
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        yield session


@pytest.fixture
def holder(session: Session) -> Iterator[subprocess.Popen[str]]:
    """Start a process that holds the write lock until a line is sent to it."""
    program = [sys.executable, "-c", HOLDING, str(session.path)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "holds\n"
        yield process
        if process.poll() is None:
            process.kill()


def release(holder: subprocess.Popen[str]) -> None:
    holder.communicate("\n", timeout=PATIENCE_S)


def wait_for_failure(session: Session) -> EnvironmentFailure:
    wait_until(lambda: session.unsaved.failure is not None)
    failure = session.unsaved.failure
    assert failure is not None
    return failure


def test_edits_when_another_program_holds_the_lock_then_wait_in_order_and_are_saved_when_it_ends(
    session: Session, holder: subprocess.Popen[str]
) -> None:
    edits = [
        session.execute(Write((created("item", an_item(name=f"item {number}")),)), is_kept=True)
        for number in range(3)
    ]
    failure = wait_for_failure(session)
    assert not any(edit.done() for edit in edits)

    release(holder)
    session.unsaved.try_now()
    for edit in edits:
        edit.result(PATIENCE_S)

    assert f"process {holder.pid}" in failure.message
    assert session.unsaved.failure is None
    assert problems(session.path) == []
    names = [record.name for record in session.reader.records(type(an_item()))]
    assert names == ["item 0", "item 1", "item 2"]


def test_edit_when_given_up_then_fails_and_the_next_one_is_tried(
    session: Session, holder: subprocess.Popen[str]
) -> None:
    first = session.execute(Write((created("item", an_item(name="first")),)), is_kept=True)
    second = session.execute(Write((created("item", an_item(name="second")),)), is_kept=True)
    wait_for_failure(session)

    session.unsaved.give_up()
    with pytest.raises(EnvironmentFailure, match="Another program is writing"):
        first.result(PATIENCE_S)
    release(holder)
    session.unsaved.try_now()
    second.result(PATIENCE_S)

    assert session.reader.counts()["item"] == 1


def test_edit_when_its_task_is_cancelled_then_is_given_up(
    session: Session, holder: subprocess.Popen[str]
) -> None:
    progress = Progress()
    edit = session.execute(Write((created("item", an_item()),)), is_kept=True, progress=progress)
    wait_for_failure(session)

    progress.cancel()
    session.unsaved.try_now()

    with pytest.raises(EnvironmentFailure):
        edit.result(PATIENCE_S)


def test_close_when_an_edit_is_refused_then_ends_and_the_edit_fails(
    session: Session, holder: subprocess.Popen[str]
) -> None:
    edit = session.execute(Write((created("item", an_item()),)), is_kept=True)
    wait_for_failure(session)

    session.close()

    with pytest.raises(EnvironmentFailure):
        edit.result(PATIENCE_S)


def test_lock_when_a_process_holds_it_then_its_command_is_named_and_own_locks_are_kept(
    session: Session, holder: subprocess.Popen[str]
) -> None:
    named = lock_holder(session.path)
    release(holder)

    assert named.startswith(f"process {holder.pid}, -c")
    assert len(named) < 120
    assert lock_holder(session.path) == ""
    # The question must not drop the locks of this process.
    session.execute(Write((created("item", an_item()),))).result(PATIENCE_S)
    assert problems(session.path) == []


@pytest.mark.parametrize("code", [3, 5, 6, 7, 8, 10, 11, 13, 14, 15, 18, 22, 26])
def test_code_when_the_disk_or_the_file_is_its_cause_then_has_a_cause_and_an_advice(code: int) -> None:
    meaning = meaning_of(code | 0x7F00) or meaning_of(code)
    assert meaning is not None
    assert meaning.message.endswith(".")
    assert meaning.hint.endswith(".")
