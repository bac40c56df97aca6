"""Schemas that Vantage did not create: refused when a project is opened, and named by ``verify``."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from annotator.errors import UserError
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.connection import connect
from annotator.store.project_file import open_for_reading
from annotator.store.verification import verify_project

HOSTILE = {
    "trigger": (
        "CREATE TRIGGER steal AFTER INSERT ON item BEGIN UPDATE run SET record=''; END",
        "trigger 'steal' is not part",
    ),
    "view": ("CREATE VIEW items AS SELECT * FROM item", "view 'items' is not part"),
    "table": ("CREATE TABLE payload (x)", "table 'payload' is not part"),
    "index": ("CREATE INDEX slow ON item(name, id)", "index 'slow' is not part"),
    "guard": ("DROP TRIGGER event_is_never_updated", "trigger 'event_is_never_updated' is missing"),
    "column": ("ALTER TABLE item ADD COLUMN x TEXT", "table 'item' differs"),
    "lost index": ("DROP INDEX event_record", "index 'event_record' is missing"),
}


def change(path: Path, statement: str) -> None:
    with closing(connect(path, read_only=False)) as connection:
        connection.execute(statement)


@pytest.mark.parametrize(("statement", "words"), HOSTILE.values(), ids=HOSTILE)
def test_open_when_the_schema_is_not_ours_then_is_refused_and_untouched(
    session: Session, statement: str, words: str
) -> None:
    session.close()
    change(session.path, statement)
    before = session.path.read_bytes()
    for opening in (Session.open, open_for_reading):
        with pytest.raises(UserError, match=words) as refused:
            opening(session.path)
        assert "backup" in refused.value.hint
    assert session.path.read_bytes() == before


@pytest.mark.parametrize(("statement", "words"), HOSTILE.values(), ids=HOSTILE)
def test_verify_when_the_schema_is_not_ours_then_names_each_difference(
    session: Session, statement: str, words: str
) -> None:
    session.close()
    change(session.path, statement)
    problems = [
        one.message for one in verify_project(session.path, progress=Progress()) if one.kind == "schema"
    ]
    assert len(problems) == 1
    assert words in problems[0]


def test_open_when_a_guard_is_replaced_by_a_tame_one_then_is_refused(session: Session) -> None:
    session.close()
    change(session.path, "DROP TRIGGER event_is_never_deleted")
    change(
        session.path,
        "CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event WHEN 0 BEGIN SELECT 1; END",
    )
    with pytest.raises(UserError, match="'event_is_never_deleted' differs"):
        Session.open(session.path)


def test_open_when_an_older_file_has_a_foreign_trigger_then_is_refused_before_it_is_upgraded(
    session: Session,
) -> None:
    session.close()
    change(session.path, HOSTILE["trigger"][0])
    change(session.path, "PRAGMA user_version=6")
    before = session.path.read_bytes()
    with pytest.raises(UserError, match="'steal'"):
        Session.open(session.path)
    assert session.path.read_bytes() == before
