from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.commands.imports import ImportFiles
from annotator.database_files import is_database_file
from annotator.errors import UserError
from annotator.importers.input_detection import detect_inputs
from annotator.importers.input_folder import InputFolder, is_archive
from annotator.importing.survey import scan_paths
from annotator.media.listing import list_media, walk_files
from annotator.media.media_roots import MediaRoots
from annotator.progress import Progress
from annotator.session import Session
from tests.unit.store.making import an_item, created, problems, reading, spatialuav_file, write

REPO = Path(__file__).resolve().parents[2]
# Opens the project, writes one item and closes: where nobody else's locks are seen, closing deletes the -wal.
SECOND_PROCESS = """
import sys
from pathlib import Path
from annotator.domain.actor import Actor
from annotator.session import Session
from tests.unit.store.making import an_item, created, write

with Session.open(Path(sys.argv[1]), actor=Actor(id="b" * 32, name="Ben")) as session:
    write(session, created("item", an_item(name="of the second process")))
"""


@pytest.fixture(params=["p.vantage", "renamed.json"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    """Give an open project in a folder with a file to import; a project may have any name."""
    (tmp_path / "set").mkdir()
    spatialuav_file(tmp_path / "set", name="a", rows=1)
    with Session.create(tmp_path / "set" / request.param) as session:
        write(session, created("item", an_item(name="of this process")))
        yield session


def _survey(session: Session) -> None:
    parts = scan_paths(session.reader, [session.path.parent], progress=Progress()).files
    assert [part.path.name for part in parts] == ["a.jsonl"]


def _import(session: Session) -> None:
    session.execute(ImportFiles(paths=(session.path.parent,))).result()


def _import_the_project_itself(session: Session) -> None:
    with pytest.raises(UserError, match="is a Vantage project, or belongs to one, and cannot be imported"):
        session.execute(ImportFiles(paths=(session.path,))).result()
    (part,) = scan_paths(session.reader, [session.path], progress=Progress()).files
    assert "is a Vantage project" in part.fault


def _list_as_medium(session: Session) -> None:
    with pytest.raises(UserError, match="is a Vantage project"):
        list_media([session.path], progress=Progress())
    roots = MediaRoots(session.path.parent)
    assert roots.file_of(session.path.name) is None
    assert roots.file_of("a.jsonl") is not None


@pytest.mark.parametrize("read", [_survey, _import, _import_the_project_itself, _list_as_medium])
def test_project_when_its_folder_is_read_and_a_second_process_writes_then_stays_whole(
    session: Session, read: Callable[[Session], None]
) -> None:
    read(session)
    command = [sys.executable, "-c", SECOND_PROCESS, str(session.path)]
    subprocess.run(command, cwd=REPO, check=True, timeout=300)
    write(session, created("item", an_item(name="after it")))
    names = {name for (name,) in _item_names(session.path)}
    assert {"of this process", "of the second process", "after it"} <= names
    assert problems(session.path) == []


def _item_names(path: Path) -> list[tuple[str]]:
    with reading(path) as connection:
        return connection.execute("SELECT name FROM item").fetchall()


def test_companion_files_when_a_folder_is_listed_then_are_left_out(session: Session) -> None:
    beside = {path.name for path in session.path.parent.iterdir()}
    assert {f"{session.path.name}-wal", f"{session.path.name}-shm"} <= beside
    assert InputFolder.open(session.path.parent).names == ("a.jsonl",)
    assert list(walk_files(session.path.parent)) == ["a.jsonl"]


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_link_when_it_leads_to_the_open_project_then_is_a_database_file(
    session: Session, link: Callable[[Path, Path], None]
) -> None:
    other_name = session.path.with_name("innocent.json")
    link(session.path, other_name)
    assert is_database_file(other_name)
    assert not is_archive(other_name)
    with pytest.raises(UserError, match=r"innocent\.json is a Vantage project"):
        detect_inputs(other_name)


def test_file_when_the_project_of_its_name_was_closed_then_may_be_read(tmp_path: Path) -> None:
    path = tmp_path / "renamed.json"
    Session.create(path).close()
    assert not is_database_file(path)


@pytest.mark.parametrize("name", ["P.VANTAGE", "p.vantage-wal", "p.vantage-shm", "p.vantage-journal"])
def test_database_file_when_the_name_says_so_then_need_not_be_open(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    assert is_database_file(tmp_path / name)


def test_database_file_when_the_name_is_no_name_then_is_none() -> None:
    assert not is_database_file(Path("a\0b"))
