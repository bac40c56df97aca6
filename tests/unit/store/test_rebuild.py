"""Rebuilding a project: everything but the log and the model work is made anew."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.connection import connect
from annotator.store.rebuild import rebuild_project
from annotator.store.verification import verify_project
from tests.unit.jobs.working import Voice, answers, enter, plans, work
from tests.unit.store.conftest import Tamper
from tests.unit.store.making import ANNA, changed, created, write
from tests.windows import make_item

SPOILT = {
    "row": "UPDATE item SET name='forged'",
    "lost rows": "DELETE FROM item",
    "counts": "UPDATE item_facet SET items=items+5",
    "words": "INSERT INTO item_words (rowid, text) VALUES (4711, 'forged')",
    "head": "DELETE FROM head",
    "trigger": "CREATE TRIGGER steal AFTER INSERT ON item BEGIN DELETE FROM run; END",
    "view": "CREATE VIEW items AS SELECT * FROM item",
    "table": "CREATE TABLE payload (x)",
    "index": "DROP INDEX event_record",
    "guard": "DROP TRIGGER event_is_never_updated",
}


@pytest.fixture
def project(session: Session) -> Path:
    """Give a project with three items, one of them changed, and a run with answers; it is closed."""
    items = [make_item(number) for number in range(3)]
    write(session, *(created("item", item) for item in items))
    write(session, *changed("item", items[0].id, question="Which one?"))
    session.undo().result()
    session.close()
    enter(session.path, plans(2))
    work(session.path, Voice())
    return session.path


class Stopping(Progress):
    """Cancels at a step; at 0 it counts them."""

    def __init__(self, *, at: int) -> None:
        super().__init__()
        self.at, self.steps = at, 0

    def step(self, count: int = 1) -> None:
        self.steps += 1
        if self.steps == self.at:
            self.cancel()
        super().step(count)


def content(path: Path) -> dict[str, list[object]]:
    """Return what a rebuild keeps and what it makes."""
    with closing(connect(path, read_only=True)) as connection:
        return {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
            for table in ("event", "item", "run", "job", "attempt", "request", "reply", "prediction")
        } | {"head": connection.execute("SELECT * FROM head ORDER BY 1, 2, 3").fetchall()}


def spoil(path: Path, statement: str) -> None:
    with closing(connect(path, read_only=False)) as connection:
        connection.execute(statement)


@pytest.mark.parametrize("statement", SPOILT.values(), ids=SPOILT)
def test_rebuild_when_tables_or_schema_were_changed_then_the_project_is_as_before(
    project: Path, statement: str
) -> None:
    before = content(project)
    spoil(project, statement)
    assert list(verify_project(project, progress=Progress()))
    made = rebuild_project(project, progress=Progress())
    after = content(project)
    # Ids of combinations depend on the order of writing.
    assert {name: rows for name, rows in after.items() if name != "item"} == {
        name: rows for name, rows in before.items() if name != "item"
    }
    assert list(verify_project(project, progress=Progress())) == []
    assert list(verify_project(made.kept, progress=Progress()))
    assert made.events == len(before["event"])
    with Session.open(project, actor=ANNA) as session:
        assert len(list(session.reader.records(Item))) == 3
        assert len(answers(session.reader)) == 2
        session.undo().result()
    assert sorted(path.suffix for path in project.parent.iterdir() if path.is_file()) == [".vantage"] * 2


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("UPDATE event SET value='\"forged\"' WHERE field='question'", "was changed after it was written"),
        ("DELETE FROM event WHERE n=4", "does not follow"),
    ],
)
def test_rebuild_when_the_log_is_not_sound_then_is_refused_and_nothing_changes(
    project: Path, tamper: Tamper, statement: str, text: str
) -> None:
    assert tamper(statement)
    before = content(project)
    with pytest.raises(UserError, match=text):
        rebuild_project(project, progress=Progress())
    assert content(project) == before
    assert [path.name for path in project.parent.iterdir() if path.suffix == ".vantage"] == [project.name]
    assert list(project.parent.glob(".*")) == []


def test_rebuild_when_the_project_is_open_elsewhere_then_is_refused(project: Path) -> None:
    with Session.open(project), pytest.raises(UserError, match="is open in a window or in another program"):
        rebuild_project(project, progress=Progress())
    rebuild_project(project, progress=Progress())


def test_rebuild_when_cancelled_at_any_step_then_the_project_is_as_before(project: Path) -> None:
    before = content(project)
    whole = Stopping(at=0)
    rebuild_project(project, progress=whole)
    assert whole.steps > 20
    for at in range(1, whole.steps, 5):
        with pytest.raises(Cancelled):
            rebuild_project(project, progress=Stopping(at=at))
        assert content(project)["event"] == before["event"]
        assert list(project.parent.glob(".*")) == []


def test_rebuild_when_there_is_no_project_then_words_say_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        rebuild_project(tmp_path / "none.vantage", progress=Progress())
    with closing(connect(tmp_path / "other.vantage", read_only=False)) as connection:
        connection.execute("CREATE TABLE x (y)")
    with pytest.raises(UserError, match="is not a Vantage project"):
        rebuild_project(tmp_path / "other.vantage", progress=Progress())


def test_rebuild_when_the_path_is_a_link_then_the_file_itself_is_rebuilt_and_the_link_stays(
    project: Path, tmp_path: Path
) -> None:
    link = tmp_path / "links" / "q.vantage"
    link.parent.mkdir()
    link.symlink_to(project)
    spoil(project, "DELETE FROM item")
    made = rebuild_project(link, progress=Progress())
    assert link.is_symlink()
    assert list(verify_project(project, progress=Progress())) == []
    assert made.kept.parent == project.resolve().parent
    assert list(link.parent.iterdir()) == [link]


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_rebuild_when_the_file_has_permissions_of_its_own_then_they_stay(project: Path, mode: int) -> None:
    project.chmod(mode)
    made = rebuild_project(project, progress=Progress())
    assert project.stat().st_mode & 0o777 == mode
    assert made.kept.stat().st_mode & 0o777 == mode


def test_rebuild_when_the_folder_is_read_only_then_says_so_and_leaves_nothing(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.close()
    before = sorted(session.path.parent.iterdir())
    # The superuser may write everywhere but on a read-only medium.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(EnvironmentFailure, match="the file or its folder is not writable"):
        rebuild_project(session.path, progress=Progress())
    assert sorted(session.path.parent.iterdir()) == before
