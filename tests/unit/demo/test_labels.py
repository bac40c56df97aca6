from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.demo.labels import SLIPS, label_file
from annotator.demo.moments import MOMENTS
from annotator.demo.pictures import Picture
from annotator.sources import registry
from annotator.sources.found import Found
from annotator.sources.input_file import InputFile


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


def test_count_when_computed_then_it_is_the_number_of_vehicles(pictures: list[Picture]) -> None:
    assert _records(pictures)["gardens-1-UAV1"]["Object_count"] == "12"


def test_partner_when_a_vehicle_is_hidden_then_it_is_the_view_that_shows_it(pictures: list[Picture]) -> None:
    record = _records(pictures)["gardens-1-UAV1"]
    assert record["Collaboration_when"] == "1 (Yes)"
    assert record["Collaboration_who"] == "UAV2"
    assert [rect["x"] for rect in record["Collaboration_what"]] == [pytest.approx(90 / 1280 * 100)]


def test_partner_when_all_is_seen_then_none_is_needed(pictures: list[Picture]) -> None:
    record = _records(pictures)["school-1-UAV2"]
    assert record["Collaboration_when"] == "0 (No)"
    assert "Collaboration_what" not in record


def test_quality_when_a_picture_has_a_fault_then_the_label_says_so(pictures: list[Picture]) -> None:
    records = _records(pictures)
    faults = {f"{m.name}-{s.view}": s.fault for m in MOMENTS for s in m.shots if s.fault}
    assert sorted(faults.values()) == ["loss", "noise"]
    for name, fault in faults.items():
        assert {"noise": "(2/5)", "loss": "(1/5)"}[fault] in records[name]["Quality"]


def test_slips_when_read_by_the_importer_then_each_raises_its_flag(
    pictures: list[Picture], tmp_path: Path
) -> None:
    path = tmp_path / "labels.json"
    path.write_bytes(label_file(pictures))
    file = InputFile.open(path)
    found = list(registry.detect(file).read(file, context=registry.ReadContext(dataset="Demo")))
    assert all(isinstance(entry, Found) for entry in found)
    kinds = {flag.kind for entry in found for flag in entry.flags}
    assert kinds >= {
        "count_not_integer",
        "partner_unknown",
        "partner_missing",
        "fov_without_rect",
        "annotated_twice",
    }


def test_slips_when_listed_then_they_name_pictures_of_the_demo(pictures: list[Picture]) -> None:
    assert set(SLIPS) <= {picture.name.removesuffix(".jpg") for picture in pictures}
