from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from annotator.domain.actor import Actor
from annotator.errors import EnvironmentFailure, ReplacedFileError, UserError
from annotator.session import Session
from annotator.store import project_file
from annotator.store.connection import Connection
from annotator.store.schema import USER_VERSION
from tests.unit.store.conftest import Tamper
from tests.unit.store.making import ANNA, an_item, created, events, problems, write


def test_create_when_the_path_is_free_then_makes_a_project_of_that_title(path: Path) -> None:
    with Session.create(path, title="Town", actor=ANNA) as session:
        assert session.title == "Town"
        assert session.media_root == path.parent / "p.media"
        assert session.reader.get(Actor, ANNA.id) == ANNA
    assert events(path, "actor, seq, entity, command") == [
        (ANNA.id, 1, "actor", ""),
        (ANNA.id, 2, "project", ""),
    ]
    assert problems(path) == []


def test_create_when_no_title_is_given_then_takes_the_name_of_the_file(path: Path) -> None:
    with Session.create(path) as session:
        assert session.title == "p"


@pytest.mark.skipif(os.name == "nt", reason="no such names")
@pytest.mark.parametrize("name", ["3: morning", "\\flight", "a\\..\\b"])
def test_create_when_its_name_would_lead_elsewhere_on_windows_then_opens_with_a_folder_of_its_own(
    path: Path, name: str
) -> None:
    made = path.with_name(f"{name}.vantage")
    Session.create(made, actor=ANNA).close()
    with Session.open(made, actor=ANNA) as session:
        assert session.media_root == path.with_name(f"{name}.media")
    assert problems(made) == []


@pytest.mark.skipif(os.name == "nt", reason="no such names")
def test_project_when_its_path_is_no_text_then_says_so_and_makes_nothing(path: Path) -> None:
    folder = path.parent / os.fsdecode(b"drone-\xd6\xd0")
    folder.mkdir()
    for use in (Session.create, Session.open, Session.open_for_reading):
        with pytest.raises(UserError, match="some of its bytes are no UTF-8 text") as refused:
            use(folder / "p.vantage")
        refused.value.message.encode()
    assert [*folder.iterdir()] == []


def test_project_when_its_file_has_several_names_then_is_only_opened_for_reading(path: Path) -> None:
    Session.create(path, actor=ANNA).close()
    other = path.with_name("other.vantage")
    os.link(path, other)
    for name in (path, other):
        with pytest.raises(UserError, match=r"one file with 2 names \(hard links\)"):
            Session.open(name, actor=ANNA)
        with Session.open_for_reading(name) as session:
            assert session.title == "p"
    other.unlink()
    Session.open(path, actor=ANNA).close()


@pytest.mark.skipif(os.name == "nt", reason="no links and no pipes")
def test_project_when_its_link_leads_elsewhere_meanwhile_then_nothing_more_is_called_saved(
    path: Path,
) -> None:
    other, link = path.with_name("other.vantage"), path.with_name("link.vantage")
    for made in (path, other):
        Session.create(made, actor=ANNA).close()
    link.symlink_to(path)
    with Session.open(link, actor=ANNA) as session:
        write(session, created("item", an_item(name="before")))
        link.unlink()
        link.symlink_to(other)
        with pytest.raises(ReplacedFileError, match="was replaced by another file"):
            write(session, created("item", an_item(name="after")))
    (copy,) = path.parent.glob("*rescued*")
    for made, count in ((path, 1), (other, 0), (copy, 1)):
        with Session.open_for_reading(made) as read:
            assert read.reader.counts()["item"] == count
        assert problems(made) == []


@pytest.mark.skipif(os.name == "nt", reason="no links and no pipes")
@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_project_when_a_pipe_or_folder_has_the_name_of_a_file_of_sqlite_then_says_so_at_once(
    path: Path, ending: str, make: Callable[[str], None]
) -> None:
    Session.create(path, actor=ANNA).close()
    make(f"{path}{ending}")
    for use in (Session.open, Session.open_for_reading):
        with pytest.raises(UserError, match="is a folder, a pipe or a device"):
            use(path)


def test_create_when_closed_then_the_project_is_one_file(path: Path) -> None:
    Session.create(path).close()
    assert [entry.name for entry in path.parent.iterdir()] == ["p.vantage"]


def test_create_when_there_is_a_file_then_leaves_it_alone(path: Path) -> None:
    path.write_text("mine")
    with pytest.raises(UserError, match="already exists"):
        Session.create(path)
    assert path.read_text() == "mine"


@pytest.mark.skipif(os.name == "nt", reason="no links")
def test_create_when_there_is_a_link_to_nothing_then_says_so(path: Path) -> None:
    path.symlink_to(path.name)
    with pytest.raises(UserError, match="is a link that leads to no file"):
        Session.create(path)


def test_create_when_there_is_no_folder_then_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"folder .*no does not exist"):
        Session.create(tmp_path / "no" / "p.vantage")


def test_create_when_the_disk_refuses_then_leaves_no_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA max_page_count=1")
        connection.execute("CREATE TABLE too_much (value TEXT)")

    monkeypatch.setattr(project_file, "create_schema", refuse)
    with pytest.raises(EnvironmentFailure, match="full"):
        Session.create(path)
    assert list(path.parent.iterdir()) == []


def _folder(path: Path) -> None:
    path.mkdir()


def _other_sqlite_file(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE item (n)")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda path: None, "does not exist"),
        (_folder, "does not exist"),
        (lambda path: path.write_text("words\n" * 1000), "is not a Vantage project"),
        (lambda path: path.write_bytes(b""), "is not a Vantage project"),
        (_other_sqlite_file, "is not a Vantage project"),
    ],
    ids=["missing", "folder", "text", "empty", "other"],
)
def test_open_when_it_is_no_project_then_refuses_in_words_and_touches_nothing(
    path: Path, make, text: str
) -> None:
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(UserError, match=text) as refused:
        Session.open(path)
    assert refused.value.hint
    assert (path.read_bytes() if path.is_file() else None) == before
    assert [entry.name for entry in path.parent.iterdir()] in ([], ["p.vantage"])


def test_open_when_a_newer_vantage_made_it_then_refuses_and_touches_nothing(
    session: Session, tamper: Tamper
) -> None:
    session.close()
    tamper(f"PRAGMA user_version={USER_VERSION + 1}")
    before = session.path.read_bytes()
    with pytest.raises(UserError, match=rf"newer Vantage \(project version {USER_VERSION + 1}.*Update"):
        Session.open(session.path)
    assert session.path.read_bytes() == before


def test_open_when_only_opened_and_closed_then_writes_no_event(session: Session) -> None:
    session.close()
    before = events(session.path)
    Session.open(session.path).close()
    assert events(session.path) == before


def test_create_when_the_title_cannot_be_kept_then_leaves_no_file_in_the_way(path: Path) -> None:
    with pytest.raises(UserError, match="invalid character"):
        Session.create(path, title="\ud800")
    assert list(path.parent.iterdir()) == []
    Session.create(path, title="Second try").close()


@pytest.mark.parametrize("name", ["x" * 240, "题" * 80, "x" * 300])
@pytest.mark.parametrize("make", [Session.create, Session.open, Session.open_for_reading])
def test_project_when_its_name_is_too_long_then_says_so_and_leaves_nothing(
    path: Path, name: str, make: Callable[[Path], Session]
) -> None:
    with pytest.raises(UserError, match=r"is too long: it has \d+ bytes, and at most 247 are possible"):
        make(path.with_name(f"{name}.vantage"))
    assert list(path.parent.iterdir()) == []


def test_project_when_its_name_is_just_short_enough_then_can_be_used(path: Path) -> None:
    long = path.with_name("x" * 239 + ".vantage")
    Session.create(long).close()
    with Session.open(long) as session:
        assert session.backup(reason="by hand").path.is_file()
    assert problems(long) == []


def test_create_when_the_disk_refuses_the_first_byte_then_leaves_no_file_in_the_way(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(new: Path, *, read_only: bool) -> Connection:
        new.touch()
        raise EnvironmentFailure("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(project_file, "connect", refuse)
        with pytest.raises(EnvironmentFailure, match="full"):
            Session.create(path)
    assert list(path.parent.iterdir()) == []
    Session.create(path).close()
