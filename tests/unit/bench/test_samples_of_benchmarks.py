"""The made-up files of these formats are read whole: figures of the import count what they should."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from annotator.domain.record import to_json
from annotator.importers import registry
from annotator.importers.imported_record import ImportedRecord
from annotator.importers.importer import FileImporter, FolderImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.input_folder import InputFolder

SAMPLES = {
    "spatialuav_tasks": ("spatialuav-tasks", "x.json", 21),
    "aircop_test": ("aircop-questions", "x.json", 21),
    "aircop_review": ("aircop-review", "x.xlsx", 21),
    "indooruav_vla": ("indooruav", "x.json", 21),
    "indooruav_vln": ("indooruav", "x.json", 21),
    "indooruav_posture": ("indooruav", "x.json", 1),
    "indooruav_folder": ("indooruav-folder", "x", 3 * (1 + 2 + 7 + 7)),
}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_sample_when_written_and_read_then_every_record_is_found(tmp_path: Path, name: str) -> None:
    format_id, file, count = SAMPLES[name]
    path = tmp_path / file
    importlib.import_module(f"tests.bench.samples.{name}").write(path, records=21, seed=5)
    reader, context = registry.get(format_id), ImportContext()
    if isinstance(reader, FolderImporter):
        entries = list(reader.read(InputFolder.open(path), context=context))
    else:
        assert registry.detect_importers(InputFile.open(path)) == [reader]
        entries = list(reader.read(InputFile.open(path), context=context))
    assert len(entries) == count
    assert all(isinstance(entry, ImportedRecord) for entry in entries)


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - {"indooruav_folder"}))
def test_sample_when_written_again_with_its_seed_then_the_same(tmp_path: Path, name: str) -> None:
    module = importlib.import_module(f"tests.bench.samples.{name}")
    for file, seed in (("a", 5), ("b", 5), ("c", 6)):
        (tmp_path / file).mkdir()
        module.write(tmp_path / file / "sample", records=30, seed=seed)
    first, again, other = (
        [to_json(entry.record) for entry in _entries(name, tmp_path / file / "sample")] for file in "abc"
    )
    assert first == again != other


def _entries(name: str, path: Path) -> list[ImportedRecord]:
    reader = registry.get(SAMPLES[name][0])
    assert isinstance(reader, FileImporter)
    entries = list(reader.read(InputFile.open(path), context=ImportContext()))
    return [entry for entry in entries if isinstance(entry, ImportedRecord)]
