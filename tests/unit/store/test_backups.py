from __future__ import annotations

import shutil
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.errors import Cancelled, EnvironmentFailure
from annotator.progress import Progress
from annotator.session import Session
from annotator.store import backup_restore, backups
from annotator.store.backup_restore import restore_backup
from annotator.store.backups import BackupPutOff, backup_folder, list_backups, make_backup
from annotator.store.connection import connect
from tests.patience import PATIENCE_S
from tests.unit.store.making import (
    an_item,
    changed,
    created,
    events,
    problems,
    undo_label,
    visible_state,
    write,
)


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy a few pages at a time, so that a small project takes many steps."""
    monkeypatch.setattr(backups, "PAGES_PER_STEP", 5)


def test_backup_when_made_then_is_one_file_that_opens_like_the_project(session: Session) -> None:
    item = an_item(question="停车场")
    write(session, created("item", item))
    backup = session.backup(reason="before merge")
    assert [path.name for path in backup_folder(session.path).iterdir()] == [backup.path.name]
    assert backup.path.parent == session.path.parent / "p.backups"
    assert problems(backup.path) == []
    assert visible_state(backup.path) == visible_state(session.path)
    with Session.open(backup.path, actor=session.actor) as restored:
        assert undo_label(restored) == "Write"
        write(restored, *changed("item", item.id, answer_key="A"))
    assert problems(backup.path) == []
    assert session.reader.get(Item, item.id).answer_key == ""


def test_backup_when_somebody_writes_all_the_time_then_ends_and_is_whole(
    session: Session, small_steps: None
) -> None:
    items = [an_item(name=f"{number}", question="long " * 100) for number in range(200)]
    write(session, *(created("item", item) for item in items))
    pages = session.reader._connection.execute("PRAGMA page_count").fetchone()[0]
    steps = 0

    class Writing(Progress):
        def step(self, n: int = 1) -> None:
            nonlocal steps
            steps += 1
            write(session, *changed("item", items[0].id, question=f"{steps}"))
            assert steps <= pages / 5 + 1, "the copy starts anew with each commit"

    before = visible_state(session.path)
    backup = make_backup(session.path, reason="timer", progress=Writing())
    assert steps > 5
    assert visible_state(backup.path) == before
    assert problems(backup.path) == []


def test_backup_when_made_while_another_thread_writes_then_holds_whole_commands(session: Session) -> None:
    is_done = threading.Event()

    def edit() -> None:
        while not is_done.is_set():
            write(session, created("item", an_item()), created("item", an_item()))

    thread = threading.Thread(target=edit)
    thread.start()
    made = [session.backup(reason="timer") for _ in range(3)]
    is_done.set()
    thread.join(PATIENCE_S)
    for backup in made:
        assert problems(backup.path) == []
        assert len(events(backup.path, "n", "entity='item'")) % 2 == 0


def test_backup_when_cancelled_then_leaves_no_file(session: Session, small_steps: None) -> None:
    class Stopping(Progress):
        def step(self, n: int = 1) -> None:
            assert list(backup_folder(session.path).iterdir())
            self.cancel()
            super().step(n)

    with pytest.raises(Cancelled):
        session.backup(reason="timer", progress=Stopping())
    assert list(backup_folder(session.path).iterdir()) == []
    assert list_backups(session.path) == []


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_backup_when_the_copy_is_damaged_then_is_refused_and_removed(
    session: Session, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    write(session, *(created("item", an_item(question="long " * 100)) for _ in range(200)))
    copy = backups._copy

    def damaging(project: Path, partial: Path, *, progress: Progress, longest_log_bytes: int | None) -> None:
        copy(project, partial, progress=progress, longest_log_bytes=longest_log_bytes)
        content = bytearray(partial.read_bytes())
        at = int(len(content) / 4096 * share) * 4096
        content[at : at + 4096] = bytes(4096)
        partial.write_bytes(content)

    monkeypatch.setattr(backups, "_copy", damaging)
    with pytest.raises(EnvironmentFailure, match="The backup is incomplete"):
        session.backup(reason="timer")
    assert list(backup_folder(session.path).iterdir()) == []


def test_backup_when_its_folder_cannot_be_made_then_says_so(session: Session) -> None:
    backup_folder(session.path).write_text("in the way")
    with pytest.raises(EnvironmentFailure, match=r"No backup could be made: .* is not a folder"):
        session.backup(reason="timer")


def test_list_when_there_are_other_files_then_names_backups_only_newest_first(session: Session) -> None:
    first, second = session.backup(reason="timer"), session.backup(reason="before migration")
    folder = backup_folder(session.path)
    (folder / "notes.txt").touch()
    (folder / "mine.vantage").touch()
    (folder / "99999999T999999.000000Z-x.vantage").touch()
    assert [(b.path, b.reason) for b in list_backups(session.path)] == [
        (second.path, "before migration"),
        (first.path, "timer"),
    ]
    assert abs(list_backups(session.path)[0].made_at - datetime.now(UTC)) < timedelta(minutes=5)


def test_list_when_none_was_made_then_is_empty(path: Path) -> None:
    assert list_backups(path) == []


def test_backup_when_others_write_much_meanwhile_then_is_put_off_so_that_the_log_can_be_emptied(
    session: Session, small_steps: None
) -> None:
    write(session, *(created("item", an_item(question="long " * 100)) for _ in range(200)))
    log = session.path.with_name(f"{session.path.name}-wal")

    class Writing(Progress):
        def step(self, n: int = 1) -> None:
            write(session, created("item", an_item(question="long " * 100)))

    limit = log.stat().st_size + 100_000
    with pytest.raises(BackupPutOff):
        make_backup(session.path, reason="timer", progress=Writing(), longest_log_bytes=limit)
    # It holds no state any more.
    with closing(connect(session.path, read_only=False)) as connection:
        assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    assert list(backup_folder(session.path).iterdir()) == []
    make_backup(session.path, reason="timer", progress=Writing())
    assert len(list_backups(session.path)) == 1


def test_backup_when_made_then_no_second_copy_is_written_beside_it(
    session: Session, small_steps: None
) -> None:
    write(session, *(created("item", an_item(question="long " * 100)) for _ in range(500)))
    largest: dict[str, int] = {}

    class Looking(Progress):
        def step(self, n: int = 1) -> None:
            for file in backup_folder(session.path).iterdir():
                ending = file.name.rpartition("partial")[2]
                largest[ending] = max(largest.get(ending, 0), file.stat().st_size)

    make_backup(session.path, reason="timer", progress=Looking())
    assert largest[""] > 500_000
    assert largest.get("-wal", 0) < 100_000


def test_restored_copy_when_it_appears_then_its_content_is_on_the_disk(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = make_backup(session.path, reason="timer", progress=Progress())
    flushed: list[Path] = []
    monkeypatch.setattr(backup_restore, "flush", lambda path: flushed.extend([path] * path.is_file()))
    restored = restore_backup(backup, project=session.path)
    assert [path.name.startswith(restored.stem) for path in flushed] == [True]
    assert restored.read_bytes() == backup.path.read_bytes()


def test_backup_when_the_disk_has_no_space_for_it_then_is_not_begun(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = session.path.stat().st_size
    usage = type(shutil.disk_usage(session.path.parent))
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage(1 << 40, 1 << 40, size + 1000))
    monkeypatch.setattr(backups, "_copy", None)
    with pytest.raises(EnvironmentFailure, match="the disk is full") as failed:
        session.backup(reason="timer")
    assert "Free disk space" in failed.value.hint
    assert list(backup_folder(session.path).iterdir()) == []
