"""Projects of older versions, stored as they were, opened by this one."""

from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.domain.region import Region
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.store.backups import list_backups
from annotator.store.connection import connect
from annotator.store.schema import USER_VERSION, version_of
from tests.unit.store.making import (
    ANNA,
    events,
    problems,
    undo_label,
)

OLD_FILES = sorted((Path(__file__).parent / "projects").glob("version-*.vantage.gz"))


@pytest.fixture(params=OLD_FILES, ids=lambda path: path.name.partition(".")[0])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "old.vantage"
    path.write_bytes(gzip.decompress(request.param.read_bytes()))
    return path


def version(path: Path) -> int:
    with closing(connect(path, read_only=True)) as connection:
        return version_of(connection)


def test_old_files_when_listed_then_every_version_before_this_one_is_there() -> None:
    assert [path.name for path in OLD_FILES] == [f"version-{n}.vantage.gz" for n in range(1, USER_VERSION)]


def test_open_when_the_file_is_older_then_the_tables_are_new_and_the_log_is_the_same(old: Path) -> None:
    before = events(old)
    assert version(old) < USER_VERSION
    with Session.open(old) as session:
        assert session.reader.counts()["item"] == 14
        assert session.reader.counts()["event_label"] == 4
        region = next(session.reader.records(Region))
        assert isinstance(region, Region)
        assert (region.number, region.category, region.track) == (3, "red car", "")
    assert version(old) == USER_VERSION
    assert events(old) == before
    assert problems(old) == []


def test_open_when_the_file_is_older_then_a_backup_of_it_as_it_was_is_made_once(old: Path) -> None:
    before = version(old)
    Session.open(old).close()
    Session.open(old).close()
    backups = list_backups(old)
    assert [backup.reason for backup in backups] == ["before an update of the file"]
    assert version(backups[0].path) == before


def test_open_when_the_file_is_older_then_commands_have_codes_and_the_log_its_labels(old: Path) -> None:
    with Session.open(old) as session:
        (item,) = [item.id for item in session.reader.records(Item) if item.state == "in_refinement"]
        entries = session.reader.history.of(item)
    codes = {entry.code: entry.parameters for entry in entries}
    assert codes["set_state"] == {"state": "in_refinement", "count": 1}
    assert codes["draft_items"] == {"name": "aircop"}
    with closing(connect(old, read_only=True)) as connection:
        kept = connection.execute("SELECT value FROM event WHERE entity='command'").fetchall()
        stored = connection.execute("SELECT code FROM command ORDER BY n").fetchall()
    assert all('"label"' in value for (value,) in kept)
    assert [code for (code,) in stored] == [
        "import_file", "draft_items", "check_items", "edit_field", "set_state", "tag_scenes", "tag_scenes",
        "write_comment", "text",
    ]  # fmt: skip


def test_open_when_the_file_is_older_then_undo_goes_on_where_it_was(old: Path) -> None:
    with Session.open(old, actor=ANNA) as session:
        assert undo_label(session) == "Mark a region"
        session.undo().result()
        assert session.reader.counts()["region"] == 0
    assert problems(old) == []


def test_open_when_the_update_is_stopped_then_the_file_is_as_it_was(old: Path) -> None:
    stopped = Progress(lambda step: stopped.cancel() if step.what == "Rebuilding from the log" else None)
    with pytest.raises(Cancelled):
        Session.open(old, progress=stopped)
    assert version(old) < USER_VERSION
    with Session.open(old) as session:
        assert session.reader.counts()["item"] == 14


def test_reader_when_the_file_is_older_then_says_that_it_must_be_opened_first(old: Path) -> None:
    with pytest.raises(UserError, match="older Vantage"):
        Reader.open(old)
