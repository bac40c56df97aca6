"""Field names of before project versions 8 and 9: read with today's names, in the tables and in the log."""

from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from annotator.domain.event import CREATED
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import to_json
from annotator.domain.record_types import record_type
from annotator.domain.release import Release
from annotator.domain.response import Response
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.errors import UserError
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.store.connection import connect
from annotator.store.event_upgrade import field_sql, upgrade_event, upgrade_value, value_sql
from tests.unit.store.making import (
    ANNA,
    BEN,
    changed,
    events,
    problems,
    redo_label,
    undo_label,
    write,
)

STORED = Path(__file__).parent / "projects" / "field-names-7.vantage.gz"
MEDIUM, SCENE, REGION, FLIGHT, LABEL, ITEM, OTHER, FLAG, SCENE_FLAG, RESPONSE = (
    f"{number:032x}" for number in (2, 5, 6, 7, 8, 9, 10, 11, 12, 13)
)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.vantage"
    path.write_bytes(gzip.decompress(STORED.read_bytes()))
    return path


def correction(reader: Reader, entity: str, record: str) -> str:
    (note,) = getattr(reader.get(record_type(entity), record), "corrections")  # noqa: B009 - records have no such field in common
    return str(note.field)


def test_open_when_fields_have_former_names_then_records_have_todays_and_the_log_is_the_same(
    old: Path,
) -> None:
    before = events(old)
    with Session.open(old, actor=ANNA) as session:
        reader = session.reader
        item, medium = reader.get(Item, ITEM), reader.get(Medium, MEDIUM)
        assert (item.answer_key, item.provenance.predictions) == ("C", ("ab" * 32,))
        assert reader.get(Item, OTHER).extras == {"key": "kept as it came"}
        assert (medium.media_type, medium.encoding) == ("depth", "NPY")
        assert reader.get(Scene, SCENE).metadata == {"weather": "fog"}
        assert reader.get(Trajectory, FLIGHT).metadata == {"difficulty": "easy"}
        assert reader.get(Response, RESPONSE).duration_s == 4.5
        assert next(reader.records(Release)).export_format == "native"
        assert [reader.get(Flag, one).field for one in (FLAG, SCENE_FLAG)] == ["answer_key", "metadata"]
        records = (("item", ITEM), ("region", REGION), ("trajectory", FLIGHT), ("event_label", LABEL))
        assert [correction(reader, *one) for one in records] == ["answer_key", "box", "metadata", "count"]
        # What a source said stays to the letter, whatever its members are called.
        assert bytes(item.original).startswith(b'{"key":"A","facts":"x')
    assert events(old) == before
    assert problems(old) == []


def test_verify_when_a_migrated_project_was_edited_then_nothing_is_wrong(old: Path) -> None:
    with Session.open(old, actor=ANNA) as session:
        write(session, *changed("item", ITEM, answer_key="D"))
        write(session, *changed("region", REGION, category="car"))
    assert problems(old) == []


def test_undo_when_the_field_was_edited_under_its_former_name_then_the_value_before_comes_back(
    old: Path,
) -> None:
    with Session.open(old, actor=ANNA) as session:
        write(session, *changed("item", ITEM, answer_key="D"))
        found = []
        while undo_label(session) != "Fill":
            session.undo().result()
            found.append((session.reader.get(Item, ITEM).answer_key, session.reader.get(Medium, MEDIUM)))
        keys, (medium, *_) = [key for key, _ in found], [medium for _, medium in reversed(found)]
        assert (keys[0], keys[-1]) == ("C", "A")
        assert (medium.media_type, medium.encoding) == ("image", "JPEG")
        assert session.reader.get(Trajectory, FLIGHT).metadata == {"difficulty": "hard"}
        while redo_label(session):
            session.redo().result()
        assert session.reader.get(Item, ITEM).answer_key == "D"
    assert problems(old) == []


def test_undo_when_somebody_else_changed_the_field_since_then_former_and_todays_name_are_the_same(
    old: Path,
) -> None:
    with Session.open(old, actor=BEN) as session:
        write(session, *changed("item", ITEM, answer_key="D"))
    with Session.open(old, actor=ANNA) as session:
        while undo_label(session) != "Key C":
            session.undo().result()
        with pytest.raises(UserError, match="Ben has changed the answer_key"):
            session.undo().result()


def test_history_when_the_field_was_edited_under_its_former_name_then_it_has_todays(old: Path) -> None:
    with Session.open(old, actor=ANNA) as session:
        entries = session.reader.history.of(ITEM)
    assert [(entry.field, entry.value) for entry in entries[:2]] == [
        ("answer_key", '"C"'),
        ("answer_key", '"B"'),
    ]
    assert '"answer_key":"A"' in entries[2].value


def test_open_when_the_newest_values_are_listed_by_former_names_then_they_are_renamed(old: Path) -> None:
    Session.open(old, actor=ANNA).close()
    with closing(connect(old, read_only=True)) as connection:
        fields = {field for (field,) in connection.execute("SELECT field FROM head")}
    assert fields == {"answer_key", "media_type", "encoding", "metadata", "duration_s", "field"}


@pytest.mark.parametrize(
    ("entity", "field", "value"),
    [
        ("item", CREATED, '{"id":"1","answer_key":"A","corrections":[{"field":"answer_key"}]}'),
        ("item", CREATED, '{"id":"1","key":"A","answer_key":"B"}'),
        ("item", "corrections", "[]"),
        ("item", CREATED, "damaged"),
        ("item", "provenance", "[]"),
        ("medium", CREATED, ""),
        ("link", CREATED, '{"id":"1","kind":"same"}'),
        ("flag", CREATED, '{"id":"1","kind":"duplicate_options"}'),
        ("flag", CREATED, '{"id":"1","evidence":{"key":"as the file has it","run":1}}'),
        ("flag", "evidence", '{"run":"r","answer_key":"A","shown":"s","models":{}}'),
        ("flag", "evidence", "damaged"),
        ("command", CREATED, '{"id":"1","code":"edit_field","parameters":{"name":"question"}}'),
    ],
)
def test_upgrade_when_nothing_is_to_be_renamed_then_the_text_is_the_same(
    entity: str, field: str, value: str
) -> None:
    assert upgrade_value(1, entity, field, value) == value


def test_upgrade_when_done_twice_then_changes_nothing_more() -> None:
    kept = {"id": "1", "key": "A", "normalised": [{"field": "key"}], "original": {"key": 1.0}}
    once = upgrade_value(1, "item", CREATED, to_json(kept))
    assert msgspec.json.decode(once) == {
        "id": "1", "answer_key": "A", "corrections": [{"field": "answer_key"}], "original": {"key": 1.0},
    }  # fmt: skip
    assert upgrade_value(1, "item", CREATED, once) == once


def test_upgrade_when_a_command_edited_the_key_then_it_is_called_answer_key() -> None:
    record = {"id": "1", "code": "edit_field", "parameters": {"name": "key"}}
    upgraded = msgspec.json.decode(upgrade_value(1, "command", CREATED, to_json(record)))
    assert upgraded["parameters"] == {"name": "answer_key"}


def test_upgrade_when_the_event_is_of_version_8_then_only_the_evidence_of_a_flag_is_renamed() -> None:
    evidence = '{"run":"r","key":"A","shown":"s","models":{"m":{"key":1.50}}}'
    upgraded = evidence.replace('"key":"A"', '"answer_key":"A"')
    assert upgrade_value(2, "flag", "evidence", evidence) == upgraded
    record = '{"id":"1","field":"key","evidence":%s}'
    assert upgrade_value(2, "flag", CREATED, record % evidence) == record % upgraded
    assert upgrade_value(2, "flag", "field", '"key"') == '"key"'
    assert upgrade_value(2, "item", CREATED, '{"id":"1","key":"A"}') == '{"id":"1","key":"A"}'


def test_event_when_upgraded_outside_of_sql_then_has_the_names_that_queries_of_the_log_give_it(
    old: Path,
) -> None:
    columns = f"schema, entity, field, value, {field_sql()}, {value_sql('value')}"
    with closing(connect(old, read_only=True)) as connection:
        rows = connection.execute(f"SELECT {columns} FROM event").fetchall()
    assert any(row[2:4] != row[4:] for row in rows)
    for *event, name, value in rows:
        assert upgrade_event(*event) == (name, value)
