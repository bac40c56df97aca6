"""Every kind of file is of one format, whichever readers there are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.sources import registry
from annotator.sources.input_file import InputFile
from annotator.sources.input_folder import InputFolder
from tests.unit.sources import made
from tests.unit.sources.test_fuzz_readers import FILES

SAMPLES: dict[str, tuple[str, bytes]] = {
    "coco": ("coco", json.dumps(made.COCO).encode()),
    "coco, images first": ("coco", json.dumps({k: made.COCO[k] for k in ("images", "annotations")}).encode()),
    "cvat": ("cvat", made.CVAT.encode()),
    "cvat, tracks alone": ("cvat", made.MDMT.encode()),
    "label-studio": ("label-studio", json.dumps(made.LABEL_STUDIO).encode()),
    "label-studio, video": ("label-studio", json.dumps(made.LABEL_STUDIO[1:]).encode()),
    "label-studio, small": ("label-studio", json.dumps(made.LABEL_STUDIO_MIN).encode()),
    "nuscenes-boxes": ("nuscenes-boxes", json.dumps(made.NUSCENES["sample_annotation"]).encode()),
    "airsim": ("airsim", made.AIRSIM.encode()),
    "airsim, poses": ("airsim", json.dumps(made.AIRSIM_POSES).encode()),
    **{format_id: (format_id, content) for format_id, content in FILES.items()},
}
SHARED = (
    ("aircop/Real2_Sample.json", "aircop-labels"), ("aircop/Sim3_Sample.json", "aircop-labels"),
    ("aircop/aircop_annotations_quirks.json", "aircop-labels"),
    ("aircop/aircop_questions_quirks.json", "aircop-questions"),
    ("spatialuav/spatialuav_annotations.jsonl", "spatialuav"),
    ("urbanvideo/urbanvideo_mcq.csv", "urbanvideo"),
)  # fmt: skip


def recognising(path: Path) -> list[str]:
    return [reader.id for reader in registry.recognising(InputFile.open(path))]


@pytest.mark.parametrize("sample", sorted(SAMPLES))
def test_file_when_asked_for_then_one_reader_takes_it(tmp_path: Path, sample: str) -> None:
    format_id, content = SAMPLES[sample]
    (tmp_path / "file").write_bytes(content)
    assert recognising(tmp_path / "file") == [format_id]


@pytest.mark.parametrize(("name", "format_id"), SHARED)
def test_published_file_when_asked_for_then_one_reader_takes_it(
    shared_data: Path, name: str, format_id: str
) -> None:
    assert recognising(shared_data / name) == [format_id]


def test_folders_when_asked_for_then_one_reader_takes_each(tmp_path: Path) -> None:
    yolo = made.yolo_folder(tmp_path / "yolo", {"a": "0 0.5 0.5 0.2 0.4\n"})
    nuscenes = made.nuscenes_folder(tmp_path / "nuscenes", made.NUSCENES)
    found = {
        folder.name: [r.id for r in registry.recognising_folder(InputFolder.open(folder))]
        for folder in (yolo, nuscenes)
    }
    assert found == {"yolo": ["yolo"], "nuscenes": ["nuscenes"]}
