"""Schemas that Vantage did not create: refused when a project is opened, and named by ``verify``."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from annotator.errors import UserError
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.connection import connect
from annotator.store.project_file import open_for_reading
from annotator.store.schema import ForeignSchema, require_project_schema
from annotator.store.verification import verify_project
from annotator.verification import IS_OLDER, IS_UNSEALED, verify_unopened

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

STEAL = "CREATE TRIGGER sqlite_steal AFTER INSERT ON item BEGIN DELETE FROM run; END"
VIEW = "CREATE VIEW sqlite_view AS SELECT 1"
FORGED_ROWS = {
    "trigger": (("trigger", "sqlite_steal", "item", STEAL), "trigger 'sqlite_steal' is not part"),
    "view": (("view", "sqlite_view", "sqlite_view", VIEW), "view 'sqlite_view' is not part"),
}
"""SQLite creates nothing whose name begins with sqlite_, but runs what a forged file has."""
CLAUSES = {
    "check": ("task TEXT", "task TEXT CHECK (length(zeroblob(1e9)) > 1)"),
    "generated column": ("name TEXT", "name TEXT, spy TEXT AS (hex(zeroblob(1e8)))"),
    "default": ("task TEXT", "task TEXT DEFAULT (hex(zeroblob(1e8)))"),
    "cascade": ("id TEXT", "id TEXT REFERENCES run(id) ON DELETE CASCADE"),
    "collation": ("id TEXT", "id TEXT COLLATE NOCASE"),
    "types": (") STRICT", ")"),
}


def change(path: Path, statement: str) -> None:
    with closing(connect(path, read_only=False)) as connection:
        connection.execute(statement)


@pytest.mark.parametrize(("statement", "phrase"), HOSTILE.values(), ids=HOSTILE)
def test_open_when_the_schema_is_not_ours_then_is_refused_and_untouched(
    session: Session, statement: str, phrase: str
) -> None:
    session.close()
    change(session.path, statement)
    before = session.path.read_bytes()
    for opening in (Session.open, open_for_reading):
        with pytest.raises(UserError, match=phrase) as refused:
            opening(session.path)
        assert "backup" in refused.value.hint
    assert session.path.read_bytes() == before


@pytest.mark.parametrize(("statement", "phrase"), HOSTILE.values(), ids=HOSTILE)
def test_verify_when_the_schema_is_not_ours_then_names_each_difference(
    session: Session, statement: str, phrase: str
) -> None:
    session.close()
    change(session.path, statement)
    problems = [
        one.message for one in verify_project(session.path, progress=Progress()) if one.kind == "schema"
    ]
    assert len(problems) == 1
    assert phrase in problems[0]


def test_check_when_the_schema_is_one_that_was_sound_then_its_tables_are_not_asked_for_again(
    session: Session,
) -> None:
    with closing(connect(session.path, read_only=True)) as connection:
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        require_project_schema(connection, path=session.path)
    assert statements
    assert not [one for one in statements if "table_xinfo" in one]


def forge(path: Path, statement: str, values: tuple[str, ...]) -> None:
    """Write the table that holds the schema, as a program of one's own can."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema=1")
        connection.execute(statement, values)


def require_refused(path: Path, text: str) -> None:
    for opening in (Session.open, open_for_reading):
        with pytest.raises(UserError, match=text):
            opening(path)
    assert [text in one.message for one in verify_project(path, progress=Progress())] == [True]


@pytest.mark.parametrize(("row", "phrase"), FORGED_ROWS.values(), ids=FORGED_ROWS)
def test_open_when_code_has_a_name_of_sqlites_own_then_is_refused(
    session: Session, row: tuple[str, ...], phrase: str
) -> None:
    session.close()
    forge(session.path, "INSERT INTO sqlite_schema VALUES (?, ?, ?, 0, ?)", row)
    require_refused(session.path, phrase)


@pytest.mark.parametrize(("old", "new"), CLAUSES.values(), ids=CLAUSES)
def test_open_when_a_table_has_clauses_that_it_should_not_have_then_is_refused(
    session: Session, old: str, new: str
) -> None:
    session.close()
    with closing(connect(session.path, read_only=True)) as connection:
        (made,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name='item'").fetchone()
    forged = new.join(made.replace('"', "").rsplit(old, 1))
    assert forged != made.replace('"', "")
    forge(session.path, "UPDATE sqlite_schema SET sql=? WHERE type='table' AND name='item'", (forged,))
    require_refused(session.path, "table 'item' differs")


def test_open_when_another_program_has_analyzed_the_file_then_is_opened(session: Session) -> None:
    session.close()
    change(session.path, "ANALYZE")
    with Session.open(session.path):
        assert list(verify_project(session.path, progress=Progress())) == []


def test_open_when_a_guard_of_an_older_file_does_something_else_then_is_refused(session: Session) -> None:
    session.close()
    change(session.path, "DROP TRIGGER event_is_never_updated")
    change(
        session.path,
        "CREATE TRIGGER event_is_never_updated AFTER INSERT ON event BEGIN DELETE FROM run; END",
    )
    change(session.path, "PRAGMA user_version=6")
    with pytest.raises(UserError, match="'event_is_never_updated' is not part"):
        Session.open(session.path)


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


@pytest.mark.parametrize("version", [2, 8, 9])
def test_open_when_a_file_states_an_older_version_than_its_tables_have_then_is_refused_with_advice(
    session: Session, version: int
) -> None:
    session.close()
    change(session.path, f"PRAGMA user_version={version}")
    with pytest.raises(ForeignSchema, match=f"states project version {version}; its table") as refused:
        Session.open(session.path)
    assert "Restore a backup" in refused.value.hint


@pytest.mark.parametrize("version", [2, 8, 9])
def test_verify_when_a_file_states_an_older_version_then_says_so_and_recomputes_the_seals(
    session: Session, version: int
) -> None:
    session.close()
    change(session.path, "INSERT INTO spending (day, spent_micro) VALUES ('2026-01-01', 99)")
    change(session.path, f"PRAGMA user_version={version}")
    found = verify_unopened(session.path, progress=Progress()).problems
    assert {"schema", "model_work"} <= {one.kind for one in found}


def test_verify_when_a_file_with_other_record_types_has_no_seals_then_says_so(session: Session) -> None:
    session.close()
    change(session.path, "UPDATE schema_digest SET digest='another'")
    change(session.path, "DROP TABLE work_seal")
    report = verify_unopened(session.path, progress=Progress())
    assert "has no table 'work_seal'." in report.problems[0].message
    assert IS_UNSEALED in report.notes


def test_verify_when_a_project_is_of_version_9_then_notes_that_model_work_is_not_verified(
    tmp_path: Path,
) -> None:
    old = tmp_path / "old.vantage"
    old.write_bytes(gzip.decompress((Path(__file__).parent / "projects/version-9.vantage.gz").read_bytes()))
    report = verify_unopened(old, progress=Progress())
    assert report.problems == ()
    assert report.notes == (IS_OLDER, IS_UNSEALED)
