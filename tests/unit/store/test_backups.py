from __future__ import annotations

import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.errors import Cancelled, EnvironmentFailure
from annotator.progress import Progress
from annotator.session import Session
from annotator.store import backups
from annotator.store.backups import STAMP, backup_folder, list_backups, make_backup, thin_backups
from tests.patience import PATIENCE_S
from tests.unit.store.making import (
    an_item,
    changed,
    created,
    events,
    in_sight,
    problems,
    undo_label,
    write,
)

NOW = datetime(2026, 5, 20, 12, 30, tzinfo=UTC)


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
    assert in_sight(backup.path) == in_sight(session.path)
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

    before = in_sight(session.path)
    backup = make_backup(session.path, reason="timer", progress=Writing())
    assert steps > 5
    assert in_sight(backup.path) == before
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

    def damaging(project: Path, partial: Path, *, progress: Progress) -> None:
        copy(project, partial, progress=progress)
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
    with pytest.raises(EnvironmentFailure, match=r"No backup could be made.*The project is not affected"):
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
    "older ones go": [("10m", True), ("61d", False), ("400d", False)],
    "the newest stays at any age": [("100d", True), ("101d", False)],
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
    gone, stays = _backup_of(path, "61d"), _backup_of(path, "10m")
    listed = list_backups(path)
    gone.unlink()
    monkeypatch.setattr(backups, "list_backups", lambda _project: listed)
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
