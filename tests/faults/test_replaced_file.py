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
from annotator.errors import ReplacedFileError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.store.connection import connect
from tests.faults.fault_rows import FaultRow, Trials, fault_row, trials
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


def log_moved(path: Path, _other: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    log.rename(path.with_name("moved-wal"))


def moved_with_its_log(path: Path, _other: Path) -> None:
    trash = path.parent / "trash"
    trash.mkdir()
    for file in sorted(path.parent.glob(f"{path.name}*")):
        file.rename(trash / file.name)


def renamed_in_case(path: Path, _other: Path) -> None:
    path.rename(path.with_name(path.name.upper()))


def swapped(path: Path, other: Path) -> None:
    path.rename(path.with_name("own"))
    shutil.copy(other, path)


def replaced_by_a_hard_link(path: Path, other: Path) -> None:
    shutil.copy(other, path.with_name("copy"))
    path.unlink()
    path.hardlink_to(path.with_name("copy"))


def replaced_by_a_link_to_nothing(path: Path, _other: Path) -> None:
    path.unlink()
    path.symlink_to(path.with_name("nothing"))


def replaced_by_a_link_to_itself(path: Path, _other: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def replaced_by_a_pipe(path: Path, _other: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def replaced_by_a_text(path: Path, _other: Path) -> None:
    path.unlink()
    path.write_text("The download failed.", encoding="utf-8")


def folder_replaced(path: Path, other: Path) -> None:
    folder_renamed(path, other)
    path.parent.mkdir()
    shutil.copy(other, path)


def folder_replaced_by_a_link(path: Path, other: Path) -> None:
    elsewhere = path.parent.with_name("elsewhere")
    elsewhere.mkdir()
    shutil.copy(other, elsewhere / path.name)
    folder_renamed(path, other)
    path.parent.symlink_to(elsewhere)


ELSEWHERE: tuple[Change, ...] = (
    deleted, deleted_with_its_log, moved, folder_renamed, folder_deleted, replaced, replaced_by_its_own_copy,
    replaced_by_a_folder, replaced_by_a_link, replaced_by_an_empty_file, log_deleted, log_replaced,
)  # fmt: skip
MORE_ELSEWHERE: tuple[Change, ...] = (
    log_moved, moved_with_its_log, renamed_in_case, swapped, replaced_by_a_hard_link,
    replaced_by_a_link_to_nothing, replaced_by_a_link_to_itself, replaced_by_a_pipe, replaced_by_a_text,
    folder_replaced, folder_replaced_by_a_link,
)  # fmt: skip
"""In the row of the document alone, and not in each quick test."""
LOG_ALONE = {log_deleted, log_replaced, log_moved}


def truncated(path: Path, _other: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def emptied(path: Path, _other: Path) -> None:
    os.truncate(path, 0)


def overwritten_by_a_smaller_project(path: Path, other: Path) -> None:
    content = other.read_bytes()
    _overwrite(path, content[: len(content) // 2])


def overwritten_by_a_larger_project(path: Path, other: Path) -> None:
    _overwrite(path, other.read_bytes())


def cut_by_a_page(path: Path, _other: Path) -> None:
    os.truncate(path, path.stat().st_size - 4096)


def overwritten_by_a_text(path: Path, _other: Path) -> None:
    _overwrite(path, b"The download failed.")


def written_twice(path: Path, _other: Path) -> None:
    _overwrite(path, path.read_bytes() * 2)


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


MORE_IN_PLACE: tuple[Change, ...] = (cut_by_a_page, overwritten_by_a_text, written_twice)
CHANGES = (*ELSEWHERE, *MORE_ELSEWHERE, *IN_PLACE, *MORE_IN_PLACE)


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
    session = make_session(tmp_path / "team")
    yield session
    session.close()


def make_session(folder: Path) -> Session:
    """Return a session of a new project with one item."""
    folder.mkdir(parents=True)
    session = Session.create(folder / "p.vantage", actor=ANNA)
    session.execute(Write((created("item", an_item(question=BEFORE)),))).result()
    return session


def move_log_into_file(session: Session) -> None:
    """Have all that was saved in the file itself."""
    with closing(connect(session.path, read_only=False)) as connection:
        connection.execute("PRAGMA wal_checkpoint(FULL)")
    session.look_for_foreign_changes().result()


def questions(path: Path) -> list[str]:
    with Session.open_for_reading(path) as session:
        page = session.reader.items.page(ItemQuery(), limit=100)
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
    assert [row.question for row in session.reader.items.page(ItemQuery(), limit=9)] == [BEFORE]


@pytest.mark.parametrize(
    "change", [deleted_with_its_log, replaced, emptied], ids=lambda change: change.__name__
)
def test_undo_when_the_file_is_taken_away_then_is_refused_as_an_edit_is(
    session: Session, other: Path, change: Change
) -> None:
    change(session.path, other)

    with pytest.raises(ReplacedFileError):
        session.undo().result()

    assert session.file.failure is not None


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
    move_log_into_file(session)
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


@pytest.mark.parametrize("change", [replaced, deleted], ids=lambda change: change.__name__)
def test_import_when_the_path_led_elsewhere_before_then_writes_nothing_there(
    session: Session, other: Path, change: Change
) -> None:
    change(session.path, other)
    before = state_of(session.path)

    with pytest.raises(ReplacedFileError):
        session.execute(ReplacingImport(lambda: None)).result()

    assert state_of(session.path) == before


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


def look(session: Session) -> None:
    session.look_for_foreign_changes().result()


def edit(session: Session) -> None:
    session.execute(Write((created("item", an_item(question=AFTER)),))).result()


def undo(session: Session) -> None:
    session.undo().result()


def enter_long(session: Session) -> None:
    session.execute(ReplacingImport(lambda: None)).result()


def close(session: Session) -> None:
    session.close()
    if session.file.failure is not None:
        raise session.file.failure


ACTIONS: tuple[Callable[[Session], None], ...] = (edit, undo, enter_long, look, close)


def state_of(path: Path) -> tuple[str, bytes]:
    """Return what is at a place, without waiting for a pipe."""
    if path.is_symlink():
        return f"link to {path.readlink()}", b""
    return ("file", path.read_bytes()) if path.is_file() else ("nothing", b"")


def look_at_refusal(session: Session, change: Change, act: Callable[[Session], None], row: FaultRow) -> None:
    """Note where an action is called saved, or what was saved before is not in the copy."""
    before, text = state_of(session.path), f"{change.__name__}, {act.__name__}"
    try:
        act(session)
    except ReplacedFileError as error:
        failure = error
    else:
        row.faults.append(f"{text}: it counts as done")
        return
    finally:
        session.close()
    if failure.copy is not None:
        row.expect(questions(failure.copy) == [BEFORE], f"{text}: the copy holds something else")
        row.faults.extend(f"{text}: {found}" for found in problems(failure.copy))
        row.add("copies with all that was saved")
    else:
        row.expect(failure.is_overwritten, f"{text}: no copy")
    if change in LOG_ALONE:
        # The file itself is the own one.
        return
    row.expect(state_of(session.path) == before, f"{text}: what is there now was changed")
    log = session.path.with_name(f"{session.path.name}-wal")
    is_log_there = log.exists() and log.stat().st_size > 0
    row.expect(not is_log_there or before[0] == "nothing", f"{text}: a log is beside another file")


@trials(short=30, full=len(CHANGES) * len(ACTIONS), limit_s=20)
def test_project_when_its_file_is_replaced_in_any_way_then_no_action_is_called_saved(
    tmp_path: Path, other: Path, trials: Trials
) -> None:
    fault = f"The file of an open project is deleted, moved, replaced or overwritten, in {len(CHANGES)} ways"
    with fault_row(fault, test=__file__, trials=trials) as row:
        for number in trials:
            change = CHANGES[number % len(CHANGES)]
            act = ACTIONS[(number + number // len(CHANGES)) % len(ACTIONS)]
            session = make_session(tmp_path / f"{number}" / "team")
            if number // len(CHANGES) % 2 or change is written_twice:
                # Twice as much of a young project, which is in its log alone, changes nothing.
                move_log_into_file(session)
            change(session.path, other)
            look_at_refusal(session, change, act, row)
            row.tried += 1
