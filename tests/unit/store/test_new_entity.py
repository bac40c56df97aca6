"""A new entity is one file of the domain and one projection: all the rest knows it then."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator import domain
from annotator.domain.record import Record, new_id
from annotator.errors import UserError
from annotator.session import Session
from annotator.store import projections
from annotator.store.projections import PROJECTIONS
from tests.unit.store.making import ANNA, changed, created, in_sight, problems, removed, write

DOMAIN = '''
from annotator.domain.record import Record


class Weather(Record, frozen=True, kw_only=True, omit_defaults=True):
    """How it was when a scene was taken."""

    scene: str
    sky: str = "clear"
    wind_ms: float = 0.0
'''
PROJECTION = """
from annotator.store.projection import Column, Projection
from annotator.domain.weather import Weather

PROJECTION = Projection(
    entity="weather",
    record=Weather,
    columns=(
        Column(name="scene", type=str, value=lambda r: r.scene),
        Column(name="wind_ms", type=float, value=lambda r: r.wind_ms),
    ),
    indexes=(("scene", "n"),),
    words=lambda r: r.sky,
)
"""


@pytest.fixture
def weather(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Record]]:
    """Add the two files, and nothing else; give the new record type."""
    for package, text in ((domain, DOMAIN), (projections, PROJECTION)):
        folder = tmp_path / package.__name__
        folder.mkdir()
        (folder / "weather.py").write_text(text)
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    found = projections._find()
    assert set(found) == {*PROJECTIONS, "weather"}
    # All modules share the one dictionary; in a fresh process it is found when it is first imported.
    monkeypatch.setitem(PROJECTIONS, "weather", found["weather"])
    yield found["weather"].record
    for package in (domain, projections):
        del sys.modules[f"{package.__name__}.weather"], package.weather


def test_entity_when_its_two_files_are_there_then_is_done_undone_and_redone(
    weather: type[Record], path: Path
) -> None:
    record = weather(id=new_id(), scene="s1", sky="low clouds")
    with Session.create(path, actor=ANNA) as session:
        empty = in_sight(path)
        write(session, created("weather", record))
        made = in_sight(path)
        write(session, *changed("weather", record.id, wind_ms=7.5))
        assert list(session.reader.find("weather", scene="s1", wind_ms=7.5)) == [
            weather(id=record.id, scene="s1", sky="low clouds", wind_ms=7.5)
        ]
        assert session.reader.counts()["weather"] == 1
        session.undo().result()
        assert in_sight(path) == made
        assert session.reader.get("weather", record.id) == record
        session.undo().result()
        assert in_sight(path) == empty
        session.redo().result()
        session.redo().result()
        assert session.reader.get("weather", record.id).wind_ms == 7.5
        assert [entry.field for entry in session.reader.history(record.id)][-2:] == ["wind_ms", "*"]
        assert problems(path) == []


def test_entity_when_new_then_is_verified_searched_and_held_to_its_types(
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
        assert session.reader.get("weather", record.id) is None
        assert problems(path) == []
        tamper("UPDATE weather SET wind_ms=1.0")
        assert [problem.where for problem in problems(path)] == [f"weather {record.id}"]
