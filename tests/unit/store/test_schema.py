from __future__ import annotations

import pytest

from annotator.domain.event import SEALED
from annotator.session import Session
from annotator.store import sqlite_utils_import
from annotator.store.connection import IntegrityError, connect_in_memory
from annotator.store.projections import PROJECTIONS
from annotator.store.schema import APPLICATION_ID, USER_VERSION, create_schema
from tests.unit.store.making import an_item, created, events, reading, write

ENTITIES = {
    "source", "medium", "scene", "region", "link", "path", "event_label", "trajectory", "item", "response",
    "flag", "assignment", "comment", "release", "actor", "command", "project", "error_label", "settled_text",
}  # fmt: skip

NAMES = "SELECT type, name, sql FROM main.sqlite_schema ORDER BY type, name"


def test_schema_when_a_project_is_made_then_every_entity_has_its_table(session: Session) -> None:
    with reading(session.path) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type='table'")}
    assert tables >= ENTITIES
    assert set(PROJECTIONS) >= ENTITIES


def test_schema_when_a_project_is_made_then_every_table_is_strict(session: Session) -> None:
    with reading(session.path) as connection:
        rows = connection.execute(
            "SELECT name, strict FROM pragma_table_list WHERE schema='main' AND type='table'"
        )
        loose = [name for name, strict in rows if not strict and not name.startswith("sqlite_")]
    assert loose == []


def test_schema_when_a_project_is_made_then_the_file_says_what_it_is(session: Session) -> None:
    session.close()
    header = session.path.read_bytes()[:100]
    assert header[68:72] == b"VANT" == APPLICATION_ID.to_bytes(4, "big")
    assert int.from_bytes(header[60:64], "big") == USER_VERSION


def test_schema_when_another_project_is_made_then_sqlite_utils_is_not_asked_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(sqlite_utils_import, "Database")
    connection = connect_in_memory()
    create_schema(connection)
    with reading(session.path) as made:
        assert connection.execute(NAMES).fetchall() == made.execute(NAMES).fetchall()
    connection.close()


@pytest.mark.parametrize("statement", ["UPDATE event SET value='1'", "DELETE FROM event WHERE n=1"])
def test_event_table_when_changed_by_hand_then_refuses(session: Session, statement: str) -> None:
    write(session, created("item", an_item()))
    before = events(session.path)
    with pytest.raises(IntegrityError, match="append-only"):
        session._connection.execute(statement)
    assert events(session.path) == before


def test_hash_when_compared_with_the_table_then_seals_every_column_but_the_place(
    session: Session,
) -> None:
    with reading(session.path) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(event)")]
    assert columns == ["n", *SEALED, "prev_hash", "hash", "packed"]
