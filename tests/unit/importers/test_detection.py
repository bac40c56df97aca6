"""Every kind of file and folder is of one format, whichever readers there are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.importers import registry
from annotator.importers.importer import FolderImporter
from annotator.importers.input_file import InputFile
from annotator.importers.input_folder import InputFolder
from tests.unit.importers import made
from tests.unit.importers.fuzz_samples import SAMPLES

ASKED_FOR = "table"
"""Any table can be one of questions, so that this reader is taken only where somebody says so."""
CASES = [(reader_id, number) for reader_id, samples in SAMPLES.items() for number in range(len(samples))]
SHARED = (
    ("aircop/Real2_Sample.json", "aircop-labels"),
    ("aircop/Sim3_Sample.json", "aircop-labels"),
    ("aircop/aircop_annotations_quirks.json", "aircop-labels"),
    ("aircop/aircop_questions_quirks.json", "aircop-questions"),
    ("spatialuav/spatialuav_annotations.jsonl", "spatialuav"),
    ("urbanvideo/urbanvideo_mcq.csv", "urbanvideo"),
)


def recognising(path: Path) -> list[str]:
    return [reader.id for reader in registry.detect_importers(InputFile.open(path))]


@pytest.mark.parametrize(("reader_id", "number"), CASES)
def test_sample_when_asked_for_then_its_reader_alone_takes_it(
    tmp_path: Path, reader_id: str, number: int
) -> None:
    files = SAMPLES[reader_id][number].files
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content.data)
    if isinstance(registry.get(reader_id), FolderImporter):
        found = [reader.id for reader in registry.detect_folder_importers(InputFolder.open(tmp_path))]
    else:
        (name,) = files
        found = recognising(tmp_path / name)
    assert found == ([] if reader_id == ASKED_FOR else [reader_id])


@pytest.mark.parametrize(
    ("content", "format_id"),
    [
        (made.COCO, "coco"),
        ({name: made.COCO[name] for name in ("images", "annotations")}, "coco"),
        (made.LABEL_STUDIO[1:], "label-studio"),
        (made.LABEL_STUDIO_MIN, "label-studio"),
        (made.NUSCENES["sample_annotation"], "nuscenes-boxes"),
        (made.AIRSIM_POSES, "airsim"),
    ],
)
def test_json_when_asked_for_then_one_reader_takes_it(
    tmp_path: Path, content: object, format_id: str
) -> None:
    (tmp_path / "file").write_text(json.dumps(content), encoding="utf-8")
    assert recognising(tmp_path / "file") == [format_id]


@pytest.mark.parametrize(("name", "format_id"), SHARED)
def test_published_file_when_asked_for_then_one_reader_takes_it(
    shared_data: Path, name: str, format_id: str
) -> None:
    assert recognising(shared_data / name) == [format_id]
