"""COCO result lists, alone and beside the COCO files that give their ids a meaning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.commands.imports import ImportFiles
from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.session import Session
from tests.unit.importers.made import COCO
from tests.unit.importers.reading import Read

RESULTS = [
    {"image_id": 7, "category_id": 2, "bbox": [10, 20, 30, 40], "score": 0.75},
    {"image_id": 8, "category_id": 2, "bbox": [1, 2, 3, 4], "score": 0.5},
    {"image_id": 8, "category_id": 5, "bbox": [1, 2, 3, 4], "score": 0.25},
]


def files(folder: Path) -> tuple[Path, Path]:
    labels, results = folder / "instances.json", folder / "results.json"
    labels.write_text(json.dumps(COCO))
    results.write_text(json.dumps(RESULTS))
    return labels, results


def detections(session: Session) -> list[tuple[str, str, float, Box]]:
    media = {medium.id: medium.name for medium in session.reader.records(Medium)}  # type: ignore[attr-defined]
    regions = list(session.reader.records(Region))
    return [
        (media[one.medium], one.category, one.score, one.box)
        for one in regions
        if one.made_by == "coco-results"
    ]


@pytest.mark.parametrize("is_together", [True, False])
def test_results_when_a_coco_file_gives_their_ids_then_its_images_and_categories(
    tmp_path: Path, is_together: bool
) -> None:
    labels, results = files(tmp_path)
    with Session.create(tmp_path / "p.vantage") as session:
        for paths in [(labels, results)] if is_together else [(labels,), (results,)]:
            command = ImportFiles(paths=paths)
            session.execute(command).result()
        assert (command.report.rejected, command.report.flags["category_unknown"]) == (0, 1 + is_together)
        assert detections(session) == [
            ("a/one.jpg", "car", 0.75, Box(x1=10, y1=20, x2=40, y2=60)),
            ("two.jpg", "car", 0.5, Box(x1=1, y1=2, x2=4, y2=6)),
            ("two.jpg", "5", 0.25, Box(x1=1, y1=2, x2=4, y2=6)),
        ]


def test_results_when_no_file_gives_their_ids_then_rejected_with_what_to_do(read: Read) -> None:
    outcome = read(RESULTS)
    assert outcome.format == "coco-results"
    assert [entry.field for entry in outcome.rejected] == ["image_id"] * 3
    assert "import the COCO file with the images" in outcome.rejected[0].message


def test_results_when_ids_are_names_or_numbers_of_files_then_these(read: Read) -> None:
    named = [{**RESULTS[0], "image_id": "flight/0001.jpg"}, {**RESULTS[0], "image_id": 139}]
    sizes = {"flight/0001.jpg": (100, 80), "000000000139": (640, 480)}
    outcome = read(named, size_of=lambda _, name: sizes.get(name))
    assert not outcome.rejected
    assert [entry.media[0].name for entry in outcome.found] == ["flight/0001.jpg", "000000000139"]
    assert [record.category for record in outcome.records] == ["2", "2"]
