from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from annotator.progress import Progress
from annotator.session import Session
from annotator.store import backup_content
from annotator.store.backup_content import check_content, note_check, noted_check
from annotator.store.backups import list_backups
from annotator.store.verification import Problem
from tests.unit.store.making import an_item, created, write


@pytest.fixture
def backup(session: Session) -> Path:
    write(session, *(created("item", an_item(question="How many?")) for _ in range(5)))
    return session.backup(reason="timer").path


def test_content_when_sound_then_is_noted_and_listed(session: Session, backup: Path) -> None:
    (listed,) = list_backups(session.path)
    assert (listed.content, listed.is_examined) == ("unchecked", False)
    check = check_content(backup, progress=Progress())
    assert (check.state, check.problems) == ("sound", ())
    note_check(backup, check)
    (listed,) = list_backups(session.path)
    assert (listed.content, listed.is_examined) == ("sound", True)


def test_content_when_a_table_was_changed_then_is_damaged_though_each_page_is_whole(backup: Path) -> None:
    with closing(sqlite3.connect(backup)) as connection, connection:
        connection.execute("UPDATE item SET state='accepted' WHERE rowid=(SELECT max(rowid) FROM item)")
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    check = check_content(backup, progress=Progress())
    assert check.state == "damaged"
    assert any("differs from the log" in problem for problem in check.problems)


def test_content_when_the_file_changed_since_then_is_unchecked_again(backup: Path) -> None:
    note_check(backup, check_content(backup, progress=Progress()))
    assert noted_check(backup) is not None
    os.utime(backup, (1, 1))
    assert noted_check(backup) is None


def test_content_when_a_check_cannot_be_completed_then_is_not_called_damaged(
    backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    incomplete = Problem(kind="unreadable", where="file", message="A check cannot be completed: full")
    monkeypatch.setattr(backup_content, "verify_project", lambda _path, **_: iter([incomplete]))
    assert check_content(backup, progress=Progress()).state == "unchecked"


def test_content_when_of_an_older_version_then_stays_unchecked(backup: Path) -> None:
    with closing(sqlite3.connect(backup)) as connection, connection:
        connection.execute("PRAGMA user_version=9")
    check = check_content(backup, progress=Progress())
    assert (check.state, check.problems) == ("unchecked", ())


@pytest.mark.parametrize("noted", [b"", b"{}", b'{"state": "fine"}', b"\xff"])
def test_note_when_it_is_not_one_of_ours_then_is_ignored(
    session: Session, backup: Path, noted: bytes
) -> None:
    backup.with_suffix(".check").write_bytes(noted)
    (listed,) = list_backups(session.path)
    assert listed.content == "unchecked"
