"""The made-up files of boxes and poses are whole: their readers take every record of them."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from annotator.domain.trajectory import Trajectory
from annotator.importers import registry
from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.input_folder import InputFolder

RECORDS = 500
FORMATS = ("coco", "cvat", "label_studio", "yolo", "nuscenes", "airsim")


def read(path: Path) -> list[ImportedRecord | ImportIssue]:
    if path.is_dir():
        (folder_reader,) = registry.detect_folder_importers(InputFolder.open(path))
        return list(folder_reader.read(InputFolder.open(path), context=ImportContext()))
    reader = registry.detect(InputFile.open(path))
    return list(reader.read(InputFile.open(path), context=ImportContext()))


def made(name: str, path: Path, *, seed: int = 3) -> Path:
    importlib.import_module(f"tests.bench.samples.{name}").write(path, records=RECORDS, seed=seed)
    return path


@pytest.mark.parametrize("name", FORMATS)
def test_sample_when_read_then_every_record_is_taken_without_a_flag(tmp_path: Path, name: str) -> None:
    entries = read(made(name, tmp_path / name))
    found = [entry for entry in entries if isinstance(entry, ImportedRecord)]
    assert len(found) == len(entries)
    assert {flag.kind for entry in found for flag in entry.flags} <= {"crowd_box"}
    # Two flights, 500 boxes in two cameras' pictures, or 5 tracks of which the last box is outside.
    expected = {"airsim": 2, "nuscenes": 2 * RECORDS + 2, "cvat": RECORDS - 5 + 1}
    assert len(found) == expected.get(name, RECORDS)
    poses = [len(entry.record.poses) for entry in found if isinstance(entry.record, Trajectory)]
    assert sum(poses) == {"airsim": RECORDS, "nuscenes": 2 * 15}.get(name, 0)


@pytest.mark.parametrize("name", FORMATS)
def test_sample_when_made_with_the_same_seed_then_the_same(tmp_path: Path, name: str) -> None:
    contents = [
        [file.read_bytes() for file in sorted(made_files(made(name, tmp_path / f"{turn}-{name}", seed=seed)))]
        for turn, seed in enumerate((3, 3, 4))
    ]
    assert contents[0] == contents[1]
    assert contents[0] != contents[2]


def made_files(path: Path) -> list[Path]:
    return [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
