"""The file of an open project is deleted, moved or overwritten: nothing is called saved, nothing lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotator.command_summary import CommandSummary
from annotator.commands.command import StagedCommand
from annotator.domain.event import Edit
from annotator.domain.query import ItemQuery
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.connection import connect
from annotator.store.file_identity import ReplacedFileError
from annotator.store.reader import Reader
from tests.unit.store.making import ANNA, BEN, Write, an_item, created, problems

Change = Callable[[Path, Path], None]
BEFORE, AFTER = "saved before", "asked for after"


def deleted(path: Path, _other: Path) -> None:
    path.unlink()


def deleted_with_its_log(path: Path, _other: Path) -> None:
    for file in sorted(path.parent.glob(f"{path.name}*")):
        file.unlink()


def moved(path: Path, _other: Path) -> None:
    path.rename(path.with_name("moved.vantage"))


def folder_renamed(path: Path, _other: Path) -> None:
    path.parent.rename(path.parent.with_name("renamed"))


def folder_deleted(path: Path, _other: Path) -> None:
    shutil.rmtree(path.parent)


def replaced(path: Path, other: Path) -> None:
    Path(shutil.copy(other, path.with_name("copy"))).replace(path)


def replaced_by_its_own_copy(path: Path, _other: Path) -> None:
    Path(shutil.copy(path, path.with_name("copy"))).replace(path)


def replaced_by_a_folder(path: Path, _other: Path) -> None:
    path.unlink()
    path.mkdir()


def replaced_by_a_link(path: Path, other: Path) -> None:
    path.unlink()
    path.symlink_to(other)


def replaced_by_an_empty_file(path: Path, _other: Path) -> None:
    path.unlink()
    path.touch()


def log_deleted(path: Path, _other: Path) -> None:
    path.with_name(f"{path.name}-wal").unlink()


def log_replaced(path: Path, _other: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    Path(shutil.copy(log, log.with_name("copy"))).replace(log)


ELSEWHERE: tuple[Change, ...] = (
    deleted, deleted_with_its_log, moved, folder_renamed, folder_deleted, replaced, replaced_by_its_own_copy,
    replaced_by_a_folder, replaced_by_a_link, replaced_by_an_empty_file, log_deleted, log_replaced,
)  # fmt: skip


def truncated(path: Path, _other: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def emptied(path: Path, _other: Path) -> None:
    os.truncate(path, 0)


def overwritten_by_a_smaller_project(path: Path, other: Path) -> None:
    content = other.read_bytes()
    _overwrite(path, content[: len(content) // 2])


def overwritten_by_a_larger_project(path: Path, other: Path) -> None:
    _overwrite(path, other.read_bytes())


def _overwrite(path: Path, content: bytes) -> None:
    # By another process, as a sync program does: to close the file here would drop the locks of the session.
    child = os.fork()
    if not child:
        path.write_bytes(content)
        os._exit(0)
    os.waitpid(child, 0)


IN_PLACE: tuple[Change, ...] = (
    truncated, emptied, overwritten_by_a_smaller_project, overwritten_by_a_larger_project,
)  # fmt: skip


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project of somebody else, larger than the one of the test."""
    path = tmp_path_factory.mktemp("other") / "other.vantage"
    with Session.create(path, actor=BEN) as session:
        items = [created("item", an_item(question=f"Where is car {number}?" * 40)) for number in range(2000)]
        session.execute(Write(tuple(items))).result()
    return path


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    folder = tmp_path / "team"
    folder.mkdir()
    session = Session.create(folder / "p.vantage", actor=ANNA)
    session.execute(Write((created("item", an_item(question=BEFORE)),))).result()
    yield session
    session.close()


def questions(path: Path) -> list[str]:
    with Session.open_for_reading(path) as session:
        page = session.reader.item_page(ItemQuery(), limit=100)
        return sorted(row.question for row in page)


def failure_of(session: Session) -> ReplacedFileError:
    """Return why an edit is refused."""
    with pytest.raises(ReplacedFileError) as caught:
        session.execute(Write((created("item", an_item(question=AFTER)),))).result()
    return caught.value


@pytest.mark.parametrize("change", ELSEWHERE, ids=lambda change: change.__name__)
def test_edit_when_the_file_is_taken_away_then_is_refused_and_all_that_was_saved_is_in_the_copy(
    session: Session, other: Path, change: Change
) -> None:
    change(session.path, other)

    failure = failure_of(session)

    assert failure.copy is not None
    assert str(failure.copy) in failure.hint
    assert questions(failure.copy) == [BEFORE]
    assert problems(failure.copy) == []
    with pytest.raises(ReplacedFileError, match=str(failure.copy)):
        session.undo().result()
    assert session.file.failure is failure
    assert [row.question for row in session.reader.item_page(ItemQuery(), limit=9)] == [BEFORE]


@pytest.mark.parametrize("change", [replaced, replaced_by_an_empty_file], ids=lambda change: change.__name__)
def test_replaced_file_when_the_session_is_closed_then_is_as_it_was_and_has_no_log_beside_it(
    session: Session, other: Path, change: Change
) -> None:
    change(session.path, other)
    content = session.path.read_bytes()

    failure_of(session)
    beside_it = sorted(file.name for file in session.path.parent.glob("p.vantage*"))
    session.close()

    assert beside_it == ["p.vantage"]
    assert session.path.read_bytes() == content
    assert not [*session.path.parent.glob("p.vantage-*")]


@pytest.mark.parametrize("change", IN_PLACE, ids=lambda change: change.__name__)
def test_edit_when_the_file_is_overwritten_then_is_refused_and_what_was_written_over_it_stays(
    session: Session, other: Path, change: Change
) -> None:
    backup = session.backup(reason="timer")
    with closing(connect(session.path, read_only=False)) as connection:
        connection.execute("PRAGMA wal_checkpoint(FULL)")
    session.look_for_foreign_changes().result()
    change(session.path, other)
    content = session.path.read_bytes() if change is not truncated else None

    failure = failure_of(session)
    session.close()

    assert failure.is_overwritten
    if failure.copy is None:
        assert str(backup.path) in failure.hint
    else:
        assert questions(failure.copy) == [BEFORE]
    if content is not None:
        assert session.path.read_bytes() == content


def test_session_when_nothing_is_edited_then_the_look_finds_the_replaced_file(
    session: Session, other: Path
) -> None:
    session.look_for_foreign_changes().result()
    replaced(session.path, other)

    with pytest.raises(ReplacedFileError):
        session.look_for_foreign_changes().result()

    assert session.file.failure is not None
    assert session.file.failure.copy is not None


def test_close_when_the_file_was_replaced_then_writes_the_copy(session: Session, other: Path) -> None:
    replaced(session.path, other)

    session.close()

    assert session.file.failure is not None
    assert session.file.failure.copy is not None
    assert questions(session.file.failure.copy) == [BEFORE]
    assert len(questions(session.path)) == 100


class ReplacingImport(StagedCommand):
    """A long entry, before whose last record something happens."""

    summary = CommandSummary.of_text("Import")

    def __init__(self, happen: Callable[[], None]) -> None:
        self.happen = happen

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        yield from (created("item", an_item(question=AFTER)) for _ in range(1000))
        self.happen()
        yield from (created("item", an_item(question=AFTER)) for _ in range(1000))

    def require_current(self, reader: Reader, *, since: int) -> None:
        pass


def test_import_when_the_file_is_replaced_meanwhile_then_is_refused_and_the_copy_has_what_was_saved(
    session: Session, other: Path
) -> None:
    with pytest.raises(ReplacedFileError) as caught:
        session.execute(ReplacingImport(lambda: replaced(session.path, other))).result()

    assert caught.value.copy is not None
    assert questions(caught.value.copy) == [BEFORE]


def test_file_when_another_session_writes_and_checkpoints_then_is_the_same(session: Session) -> None:
    with Session.open(session.path) as second:
        for number in range(300):
            second.execute(Write((created("item", an_item(question=f"q{number}" * 300)),))).result()
            session.execute(Write((created("item", an_item(question=f"r{number}" * 300)),))).result()
            if number % 50 == 0:
                with closing(connect(session.path, read_only=False)) as connection:
                    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    assert session.file.failure is None
    assert problems(session.path) == []
