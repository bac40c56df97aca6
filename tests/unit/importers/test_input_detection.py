from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.errors import Cancelled
from annotator.importers.input_detection import detect_inputs
from annotator.importers.input_folder import Directory
from annotator.progress import Progress, ProgressUpdate
from tests.unit.store.making import spatialuav_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder of three files that are looked into, two of them questions, and a picture."""
    made = tmp_path / "set"
    made.mkdir()
    for name in ("a", "b"):
        spatialuav_file(made, name=name, rows=1)
    made.joinpath("notes.json").write_text(json.dumps({"by": "nobody"}))
    made.joinpath("a.png").write_bytes(b"no picture")
    return made


def test_look_at_when_it_is_a_folder_then_each_file_that_is_opened_is_counted(folder: Path) -> None:
    told: list[ProgressUpdate] = []
    looked = detect_inputs(folder, progress=Progress(told.append))
    assert [detected_input.source.name for detected_input in looked.found] == ["a.jsonl", "b.jsonl"]
    assert [over.name for over in looked.skipped] == ["notes.json"]
    assert [(step.what, step.done, step.total) for step in (told[0], told[-1])] == [
        ("Looking through set", 0, 3),
        ("Looking through set", 3, 3),
    ]


def test_look_at_when_cancelled_then_no_further_file_is_opened(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    progress = Progress()
    open_file = Directory.file

    def watched(self: Directory, name: str) -> object:
        opened.append(name)
        progress.cancel()
        return open_file(self, name)

    monkeypatch.setattr(Directory, "file", watched)
    with pytest.raises(Cancelled):
        detect_inputs(folder, progress=progress)
    assert opened == ["a.jsonl"]


def test_look_at_when_a_file_vanishes_after_the_listing_then_the_others_are_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_file = Directory.file

    def delete_next(self: Directory, name: str) -> object:
        (folder / "b.jsonl").unlink(missing_ok=True)
        return open_file(self, name)

    monkeypatch.setattr(Directory, "file", delete_next)
    looked = detect_inputs(folder)
    assert [detected_input.source.name for detected_input in looked.found] == ["a.jsonl"]
    assert [over.name for over in looked.skipped] == ["notes.json"]
