"""Several writers on one file: threads, sessions and processes, and writers that die."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.errors import EnvironmentFailure
from annotator.session import Session
from tests.patience import PATIENCE_S
from tests.unit.store.making import (
    ANNA,
    BEN,
    an_item,
    changed,
    created,
    events,
    problems,
    visible_state,
    write,
)

REPO = Path(__file__).resolve().parents[3]
EDITS = 100
WRITER = """
import sys
from pathlib import Path
from annotator.domain.actor import Actor
from annotator.session import Session
from tests.item_fields import SetItemField

path, letter, item, edits = sys.argv[1:]
with Session.open(Path(path), actor=Actor(id=letter * 32, name=letter)) as session:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(int(edits)):
        command = SetItemField(item=item, field="extras", value={letter: number})
        # What was read may be a moment old; the edit goes in all the same.
        assert session.execute(command).result().command
"""
ENDLESS = """
import sys
from itertools import count
from pathlib import Path
from annotator.domain.actor import Actor
from annotator.session import Session
from annotator.store import log
from tests.unit.store.making import Write, an_item, created

class Endless(Write):
    def plan(self, reader, *, progress):
        for number in count():
            if number == 2000:
                print("written in part", flush=True)
            yield created("item", an_item(name=f"{number}"))

log.CHUNK = 100
with Session.open(Path(sys.argv[1]), actor=Actor(id="b" * 32, name="Ben")) as session:
    session._connection.execute("PRAGMA cache_size=10")
    session.execute(Endless(())).result()
"""


@pytest.fixture
def item(session: Session) -> str:
    item = an_item(question="first")
    write(session, created("item", item))
    return item.id


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[str]]]:
    """Give a list of processes that are ended, at the latest, with the test."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def _start(processes: list[subprocess.Popen[str]], script: str, *arguments: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], cwd=REPO, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )
    processes.append(process)
    return process


def test_sessions_when_two_write_at_once_then_no_edit_fails_and_none_is_lost(
    session: Session, item: str
) -> None:
    before = len(events(session.path))
    with Session.open(session.path, actor=BEN) as other:
        begin = threading.Barrier(2)

        def edit(one: Session) -> None:
            begin.wait(PATIENCE_S)
            for number in range(EDITS):
                write(one, *changed("item", item, question=f"{one.actor.name} {number}"))

        threads = [threading.Thread(target=edit, args=(one,)) for one in (session, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    # Per edit the command's record and the field; once the second person's own record.
    assert len(events(session.path)) == before + 4 * EDITS + 1
    assert _questions(session, ANNA.name) == _questions(session, BEN.name) == list(range(EDITS))
    assert problems(session.path) == []


def _questions(session: Session, name: str) -> list[int]:
    rows = events(session.path, "value", "entity='item' AND field='question'")
    texts = [value.strip('"').split() for (value,) in rows]
    return [int(number) for who, number in texts if who == name]


def test_processes_when_two_write_at_once_then_no_edit_fails_and_none_is_lost(
    session: Session, item: str, processes: list[subprocess.Popen[str]]
) -> None:
    writers = [_start(processes, WRITER, str(session.path), letter, item, f"{EDITS}") for letter in "cd"]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        _, trouble = writer.communicate(timeout=PATIENCE_S)
        assert (writer.returncode, trouble) == (0, "")
    for letter in "cd":
        where = f"entity='item' AND field='extras' AND actor='{letter * 32}'"
        values = [value for (value,) in events(session.path, "value", where)]
        assert values == [f'{{"{letter}":{number}}}' for number in range(EDITS)]
    assert problems(session.path) == []


def test_readers_when_somebody_writes_then_see_whole_commands_only(session: Session) -> None:
    item, other = an_item(question="0"), an_item(question="0")
    write(session, created("item", item), created("item", other))
    is_done = threading.Event()
    differing = []

    def look() -> None:
        while not is_done.is_set():
            with session.reader.snapshot():
                pair = {session.reader.get(Item, i.id).question for i in (item, other)}
            if len(pair) != 1:
                differing.append(pair)

    thread = threading.Thread(target=look)
    thread.start()
    for number in range(EDITS):
        value = f"{number}"
        write(session, *changed("item", item.id, question=value), *changed("item", other.id, question=value))
    is_done.set()
    thread.join(PATIENCE_S)
    assert differing == []


def test_writer_when_killed_in_the_middle_of_a_command_then_the_file_is_as_before_and_whole(
    session: Session, item: str, processes: list[subprocess.Popen[str]]
) -> None:
    before = visible_state(session.path), events(session.path)
    writer = _start(processes, ENDLESS, str(session.path))
    assert writer.stdout.readline() == "written in part\n"
    # The command does not fit into the cache: part of it lies in the file's log of pages already.
    assert _pages_log(session.path).stat().st_size > 2**20
    writer.kill()
    assert writer.wait(PATIENCE_S) != 0
    assert (visible_state(session.path), events(session.path)) == before
    assert problems(session.path) == []
    write(session, *changed("item", item, question="second"))
    session.close()
    with Session.open(session.path, actor=ANNA) as again:
        assert again.reader.get(Item, item).question == "second"


def _pages_log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


@pytest.fixture
def full_disk(session: Session) -> Iterator[None]:
    """Let no file of this process grow by more than a megabyte, as if the disk were full then."""
    resource = pytest.importorskip("resource", reason="Windows has no limit on the size of files")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Without this the kernel ends the process instead of refusing to write.
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (session.path.stat().st_size + 2**20, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    signal.signal(signal.SIGXFSZ, handler)


def test_writer_when_the_disk_is_full_then_says_so_and_keeps_the_state(
    session: Session, item: str, full_disk: None
) -> None:
    before = visible_state(session.path), events(session.path)
    long_words = ("much " * 200_000, "more " * 200_000)
    with pytest.raises(EnvironmentFailure, match=r"The project is unchanged\. .*space") as refused:
        write(session, *(created("item", an_item(question=text)) for text in long_words * 4))
    assert refused.value.message.startswith("The disk cannot write the project file.")
    assert (visible_state(session.path), events(session.path)) == before
    assert problems(session.path) == []
    # Small edits still fit.
    write(session, *changed("item", item, question="second"))
    assert session.reader.get(Item, item).question == "second"
