from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.demo.captures import Picture
from annotator.demo.cases import LABEL_SLIPS
from annotator.demo.judgement import judge
from annotator.demo.labels import label_file
from annotator.demo.moments import Fault, moments_of
from annotator.demo.truth import VisibleObject
from annotator.importers import registry
from annotator.importers.imported_record import ImportedRecord
from annotator.importers.importer import ImportContext
from annotator.importers.input_file import InputFile


def _records(pictures: list[Picture]) -> dict[str, dict[str, Any]]:
    """Return the first record of each picture, by scene and view."""
    records: dict[str, dict[str, Any]] = {}
    for record in json.loads(label_file(pictures)):
        records.setdefault(record["img1"].partition("-")[2].removesuffix(".jpg"), record)
    return records


def test_file_when_written_then_there_is_a_record_a_picture_and_one_twice(pictures: list[Picture]) -> None:
    records = json.loads(label_file(pictures))
    assert len(records) == len(pictures) + 1
    assert len({record["img1"] for record in records}) == len(pictures)


def test_file_when_written_twice_then_bytes_are_equal(pictures: list[Picture]) -> None:
    assert label_file(pictures) == label_file(pictures)


def test_ground_view_when_there_is_one_then_it_is_no_uav_to_be_labelled(
    pictures: list[Picture], draw: Callable[..., Picture], see: Callable[..., VisibleObject]
) -> None:
    moment = moments_of("small")[0]
    ground = draw(moment, dataclasses.replace(moment.shots[0], view="ground"), [see(1)])
    assert label_file([*pictures, ground]) == label_file(pictures)


def test_count_when_computed_then_it_is_the_number_of_vehicles(pictures: list[Picture]) -> None:
    assert _records(pictures)["gardens-1-UAV1"]["Object_count"] == "12"


def test_partner_when_vehicles_are_hidden_then_it_is_the_view_that_shows_them(
    pictures: list[Picture],
) -> None:
    record = _records(pictures)["gardens-1-UAV1"]
    assert record["Collaboration_when"] == "1 (Yes)"
    assert record["Collaboration_who"] == "UAV2"
    assert [rect["x"] for rect in record["Collaboration_what"]] == [
        pytest.approx(x / 1280 * 100) for x in (110, 200)
    ]


def test_partner_when_all_is_seen_then_none_is_needed(pictures: list[Picture]) -> None:
    record = _records(pictures)["school-1-UAV2"]
    assert record["Collaboration_when"] == "0 (No)"
    assert "Collaboration_what" not in record


def test_quality_when_a_picture_has_a_fault_then_the_label_says_so(pictures: list[Picture]) -> None:
    records = _records(pictures)
    faults = {
        f"{m.name}-{s.view}": s.faults[0].name for m in moments_of("small") for s in m.shots if s.faults
    }
    assert sorted(faults.values()) == ["loss", "noise"]
    for name, fault in faults.items():
        assert {"noise": "(2/5)", "loss": "(1/5)"}[fault] in records[name]["Quality"]


def test_judgement_when_fog_lies_over_a_view_then_others_are_ticked_with_words(
    draw: Callable[..., Picture], see: Callable[..., VisibleObject]
) -> None:
    moment = moments_of("small")[0]
    shot = dataclasses.replace(moment.shots[0], faults=(Fault(name="fog", strength=0.6),))
    plain = draw(moment, moment.shots[1], [see(n) for n in range(4)])
    judged = judge(draw(moment, shot, [see(n) for n in range(4)]), partners=[plain])
    assert (judged.quality, judged.other, judged.who) == ("poor", "fog", ("UAV2",))
    assert judged.why == ("others",)
    assert "others" in judged.degradations


def test_slips_when_read_by_the_importer_then_each_raises_its_flag(
    pictures: list[Picture], tmp_path: Path
) -> None:
    path = tmp_path / "labels.json"
    path.write_bytes(label_file(pictures))
    file = InputFile.open(path)
    found = list(registry.get("aircop-labels").read(file, context=ImportContext(dataset="Demo")))
    assert all(isinstance(entry, ImportedRecord) for entry in found)
    kinds = {flag.kind for entry in found if isinstance(entry, ImportedRecord) for flag in entry.flags}
    assert kinds >= {kind for kind, _ in LABEL_SLIPS.values() if kind}


def test_slips_when_listed_then_they_name_pictures_of_the_demo(pictures: list[Picture]) -> None:
    assert set(LABEL_SLIPS) <= {picture.name.removesuffix(".jpg") for picture in pictures}
