"""A new record type is one class with its table: all the rest knows it then, also in a project of before."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from annotator.domain.record import Column, Record, Table, new_id
from annotator.errors import UserError
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.store.backups import list_backups
from annotator.store.connection import connect
from annotator.store.projection import Projection
from annotator.store.projections import PROJECTIONS
from annotator.store.schema import schema_digest
from tests.unit.store.making import (
    ANNA,
    an_item,
    changed,
    created,
    events,
    problems,
    removed,
    visible_state,
    write,
)


class Weather(Record, frozen=True, kw_only=True, omit_defaults=True):
    """How it was when a scene was taken."""

    scene: str
    sky: str = "clear"
    wind_ms: float = 0.0

    table = Table(
        entity="weather",
        columns=(
            Column(name="scene", value=lambda r: r.scene),
            Column(name="wind_ms", value=lambda r: r.wind_ms, type=float),
        ),
        indexes=(("scene", "n"),),
        search_text=lambda r: r.sky,
    )


@pytest.fixture
def weather(monkeypatch: pytest.MonkeyPatch) -> type[Record]:
    """Register the record type."""
    monkeypatch.setitem(PROJECTIONS, "weather", Projection(record=Weather))
    return Weather


@pytest.fixture
def old(path: Path) -> Path:
    """Make a project before the record type is registered."""
    with Session.create(path, actor=ANNA) as session:
        write(session, created("item", an_item()))
    return path


def test_project_of_before_when_opened_then_holds_records_of_the_new_type(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = events(old)
    record = Weather(id=new_id(), scene="s1", sky="low clouds")
    monkeypatch.setitem(PROJECTIONS, "weather", Projection(record=Weather))
    with Session.open(old, actor=ANNA) as session:
        assert session.reader.counts()["item"] == 1
        write(session, created("weather", record))
        assert list(session.reader.find(Weather, scene="s1")) == [record]
    assert events(old)[: len(before)] == before
    assert problems(old) == []


def test_project_of_before_when_only_read_then_says_that_it_must_be_opened_first(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROJECTIONS, "weather", Projection(record=Weather))
    with pytest.raises(UserError, match="other record types") as caught:
        Reader.open(old)
    assert "Open the project once for writing" in caught.value.hint
    Session.open(old).close()
    with closing(Reader.open(old)) as reader:
        assert reader.counts()["weather"] == 0


def test_project_of_before_when_opened_again_then_its_tables_are_left_as_they_are(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Session.open(old).close()
    assert list_backups(old) == []
    monkeypatch.setitem(PROJECTIONS, "weather", Projection(record=Weather))
    Session.open(old).close()
    Session.open(old).close()
    assert [backup.reason for backup in list_backups(old)] == ["before an update of the file"]


def test_project_of_a_version_without_a_digest_when_opened_then_gets_one(old: Path) -> None:
    with closing(connect(old, read_only=False)) as connection:
        connection.execute("DROP TABLE schema_digest")
    Session.open(old).close()
    with closing(connect(old, read_only=True)) as connection:
        assert connection.execute("SELECT digest FROM schema_digest").fetchall() == [(schema_digest(),)]


def test_project_when_it_holds_records_of_an_unknown_type_then_keeps_them_in_the_log(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Weather(id=new_id(), scene="s1")
    with monkeypatch.context() as newer:
        newer.setitem(PROJECTIONS, "weather", Projection(record=Weather))
        with Session.create(path, actor=ANNA) as session:
            write(session, created("weather", record))
    with Session.open(path) as session:
        assert "weather" not in session.reader.counts()
    monkeypatch.setitem(PROJECTIONS, "weather", Projection(record=Weather))
    with Session.open(path) as session:
        assert session.reader.get(Weather, record.id) == record


def test_record_type_when_registered_then_is_done_undone_and_redone(
    weather: type[Record], path: Path
) -> None:
    record = weather(id=new_id(), scene="s1", sky="low clouds")
    with Session.create(path, actor=ANNA) as session:
        empty = visible_state(path)
        write(session, created("weather", record))
        made = visible_state(path)
        write(session, *changed("weather", record.id, wind_ms=7.5))
        assert list(session.reader.find(Weather, scene="s1", wind_ms=7.5)) == [
            weather(id=record.id, scene="s1", sky="low clouds", wind_ms=7.5)
        ]
        assert session.reader.counts()["weather"] == 1
        session.undo().result()
        assert visible_state(path) == made
        assert session.reader.get(Weather, record.id) == record
        session.undo().result()
        assert visible_state(path) == empty
        session.redo().result()
        session.redo().result()
        assert session.reader.get(Weather, record.id).wind_ms == 7.5
        assert [entry.field for entry in session.reader.history.of(record.id)][-2:] == ["wind_ms", "*"]
        assert problems(path) == []


def test_record_type_when_registered_then_is_verified_searched_and_held_to_its_types(
    weather: type[Record], path: Path, tamper
) -> None:
    record = weather(id=new_id(), scene="s1", sky="low clouds")
    with Session.create(path, actor=ANNA) as session:
        write(session, created("weather", record))
        found = session.reader._connection.execute(
            "SELECT rowid FROM weather_words WHERE weather_words MATCH 'low'"
        )
        assert len(found.fetchall()) == 1
        with pytest.raises(UserError, match="The wind_ms of the weather cannot be"):
            write(session, *changed("weather", record.id, wind_ms="strong"))
        write(session, removed("weather", record.id))
        assert session.reader.get(Weather, record.id) is None
        assert problems(path) == []
        tamper("UPDATE weather SET wind_ms=1.0")
        assert [problem.where for problem in problems(path)] == [f"weather {record.id}"]
