from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.domain.item import Item, Option
from annotator.domain.medium import Medium
from annotator.domain.record import Record, to_json
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Pose, Trajectory
from annotator.errors import Cancelled
from annotator.importers import native, registry
from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import ImportContext
from annotator.importers.input_file import InputFile
from annotator.progress import Progress

MEDIUM = Medium(id="1" * 32, name="a.jpg", path="x/a.jpg")
ITEM = Item(
    id="2" * 32,
    name="q",
    task_set="own",
    options=(Option(letter="A", text="one"),),
    original=msgspec.Raw(b'{"x": 2.50}'),
)


def _line(entity: str, record: Record | str) -> str:
    return f'{{"entity":"{entity}","record":{record if isinstance(record, str) else to_json(record)}}}\n'


def _read(
    path: Path, text: str | bytes, *, progress: Progress | None = None
) -> list[ImportedRecord | ImportIssue]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    context = ImportContext(progress=progress or Progress())
    return list(native.Native().read(InputFile.open(path), context=context))


def _fault(path: Path, text: str | bytes) -> tuple[str, str]:
    (found,) = _read(path, text)
    assert isinstance(found, ImportIssue)
    return found.field, found.message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records.jsonl"


def test_detect_when_a_file_holds_records_then_it_is_this_reader(path: Path) -> None:
    path.write_text(_line("medium", MEDIUM))
    assert registry.detect(InputFile.open(path)).id == "native"


@pytest.mark.parametrize(
    "text", ["", "{}", '[{"entity":"item"}]', '{"entity":"item","question":"x"}', "entity"]
)
def test_recognises_when_a_file_holds_something_else_then_it_is_not_this_reader(
    path: Path, text: str
) -> None:
    path.write_text(text)
    assert not native.Native().recognizes(InputFile.open(path))


def test_read_when_records_are_whole_then_they_come_with_ids_and_originals(path: Path) -> None:
    trajectory = Trajectory(id="3" * 32, scene="", poses=(Pose(x_m=1.0, y_m=0.0, z_m=0.5, yaw_deg=9.0),))
    region = Region(id="4" * 32, medium=MEDIUM.id, number=0, box=Box(x1=0.0, y1=0.0, x2=1.5, y2=2.0))
    text = (
        _line("medium", MEDIUM)
        + _line("item", ITEM)
        + _line("trajectory", trajectory)
        + _line("region", region)
    )
    found = _read(path, text)
    assert [entry.record for entry in found if isinstance(entry, ImportedRecord)] == [
        MEDIUM,
        ITEM,
        trajectory,
        region,
    ]
    assert [entry.line for entry in found] == [1, 2, 3, 4]


def test_read_when_lines_are_blank_or_marked_or_end_in_crlf_then_the_records_are_the_same(path: Path) -> None:
    text = "\ufeff" + _line("medium", MEDIUM).replace("\n", "\r\n") + "\n" + _line("item", ITEM).rstrip("\n")
    assert [(e.line, e.record) for e in _read(path, text) if isinstance(e, ImportedRecord)] == [
        (1, MEDIUM),
        (3, ITEM),
    ]


def test_read_when_a_record_is_spelt_in_another_way_then_it_is_taken_all_the_same(path: Path) -> None:
    spelt = json.dumps({"kind": "image", "name": "a.jpg", "id": "1" * 32, "path": "x/a.jpg"}, indent=None)
    (found,) = _read(path, _line("medium", spelt))
    assert isinstance(found, ImportedRecord)
    assert found.record == MEDIUM


@pytest.mark.parametrize(
    ("text", "field", "phrase"),
    [
        ("{broken", "", "not JSON"),
        ('{"entity":"medium"}', "", "missing required field `record`"),
        (_line("medium", MEDIUM).replace('"record"', '"more":1,"record"'), "", "unknown field `more`"),
        (_line("flag", "{}"), "entity", "Unknown record type 'flag'"),
        (_line("medium", '{"id":"%s"}' % ("1" * 32)), "record", "missing required field `name`"),
        (_line("medium", '{"id":"%s","name":5}' % ("1" * 32)), "record.name", "Expected `str`"),
        (_line("medium", '{"id":"%s","name":"a"}' % ("A" * 32)), "record.id", "32 characters"),
        (_line("medium", '{"name":"a"}'), "record.id", "32 characters"),
        (_line("medium", MEDIUM).replace("x/a.jpg", "../a.jpg"), "record.path", "is outside"),
        (_line("medium", MEDIUM).replace("x/a.jpg", "/a.jpg"), "record.path", "absolute"),
        (_line("medium", MEDIUM).replace("x/a.jpg", "x//a.jpg"), "record.path", "plain path"),
        (
            _line("item", ITEM).replace('"text":"one"', '"text":"one","hint":1'),
            "record.options[0].hint",
            "drop it",
        ),
        (_line("item", ITEM).replace('"name"', '"new":1,"name"'), "record.new", "drop it"),
        (_line("item", ITEM).replace('"name":"q"', '"name":"q","name":"r"'), "record.name", "twice"),
        (_line("item", ITEM).replace('"q"', '"\\ud800"'), "", "not JSON"),
        (_line("item", ITEM).replace("2.50", "NaN"), "", "not JSON"),
        (_line("item", ITEM).replace("2.50", "[" * 5000 + "]" * 5000), "", "not JSON"),
        (_line("item", ITEM).encode().replace(b'"x"', b'"\xff"'), "", "not UTF-8: byte 0xff"),
    ],
)
def test_read_when_a_line_is_wrong_then_it_is_told_with_its_field(
    path: Path, text: Any, field: str, phrase: str
) -> None:
    told = _fault(path, text)
    assert told[0] == field
    assert phrase in told[1]


def test_read_when_one_line_is_wrong_then_the_others_are_taken(path: Path) -> None:
    found = _read(path, _line("medium", MEDIUM) + "{broken\n" + _line("item", ITEM))
    assert [type(entry) for entry in found] == [ImportedRecord, ImportIssue, ImportedRecord]
    assert isinstance(found[1], ImportIssue)
    assert (found[1].line, found[1].locator) == (2, "line 2")


def test_read_when_a_line_is_endless_then_it_is_rejected_and_the_next_one_taken(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "LONGEST_LINE_BYTES", 1000)
    found = _read(path, _line("item", ITEM).replace("one", "x" * 5000) + _line("medium", MEDIUM))
    assert [type(entry) for entry in found] == [ImportIssue, ImportedRecord]
    assert [entry.line for entry in found] == [1, 2]


def test_read_when_cancelled_then_it_stops(path: Path) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        _read(path, _line("medium", MEDIUM), progress=progress)


def test_records_when_compared_with_a_release_then_the_reader_knows_all_it_holds() -> None:
    from annotator.release.exporters.native import CARRIED

    assert tuple(native.RECORDS) == (*(kind.table.entity for kind in CARRIED), "item")


def test_read_when_cancelled_while_its_lines_are_counted_then_it_stops_there(path: Path) -> None:
    class Hasty(Progress):
        def step(self, n: int = 1) -> None:
            self.cancel()
            super().step(n)

    phases: list[str] = []
    progress = Hasty(lambda step: phases.append(step.what))
    with pytest.raises(Cancelled):
        _read(path, _line("medium", MEDIUM), progress=progress)
    assert phases == [f"Looking through {path.name}"]


def test_read_when_a_release_has_former_field_names_then_records_have_todays(path: Path) -> None:
    stem = f'"id":"{"2" * 32}","name":"q","task_set":"own","key":"A"'
    made = '"provenance":{"made_by":"llm","verdicts":["ab"]},"original":{"key": 2.50}'
    note = '"normalised":[{"field":"key","original":"a)","value":"A","reason":"letter"}]'
    former = [
        ("medium", f'{{"id":"{"1" * 32}","name":"a.npy","kind":"depth","coding":"NPY"}}'),
        ("scene", f'{{"id":"{"5" * 32}","name":"one","facts":{{"weather":"fog"}}}}'),
        ("item", f"{{{stem},{made},{note}}}"),
    ]
    read = _read(path, "".join(_line(entity, text) for entity, text in former))
    medium, scene, item = (entry.record for entry in read if isinstance(entry, ImportedRecord))
    assert isinstance(medium, Medium)
    assert (medium.media_type, medium.encoding) == ("depth", "NPY")
    assert isinstance(scene, Scene)
    assert scene.metadata == {"weather": "fog"}
    assert isinstance(item, Item)
    assert (item.answer_key, item.provenance.predictions) == ("A", ("ab",))
    assert (item.corrections[0].field, bytes(item.original)) == ("answer_key", b'{"key": 2.50}')


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ('"key":"A","key":"B"', "The field name occurs twice."),
        ('"key":"A","answer_key":"B"', "This version does not support the field and would drop it."),
        ('"facts":{}', "This version does not support the field and would drop it."),
    ],
)
def test_read_when_a_former_name_is_no_field_of_the_record_then_it_is_refused(
    path: Path, record: str, message: str
) -> None:
    text = f'{{"id":"{"2" * 32}","name":"q","task_set":"own",{record}}}'
    assert _fault(path, _line("item", text))[1] == message
