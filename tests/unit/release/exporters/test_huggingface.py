from __future__ import annotations

import hashlib
import json
import types
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image

from annotator.commands.imports import ImportFiles
from annotator.domain.item import Item, Provenance
from annotator.domain.record import Record
from annotator.release.manifest import verify_release
from annotator.session import Session
from tests.unit.release.samples import (
    PLACES,
    UAV1,
    UAV2,
    aircop_item,
    fill,
    release,
    spatialuav_item,
    urbanvideo_item,
)


def _released(folder: Path, *items: Item, positions: tuple[Record, ...] = PLACES) -> Path:
    with Session.create(folder / "p.vantage") as session:
        fill(session, *items, positions=positions)
        release(session, folder / "out", "huggingface", include_flagged=True)
    return folder / "out"


def _files(folder: Path) -> dict[str, bytes]:
    names = (path for path in folder.rglob("*") if path.is_file() and path.name != "withheld.jsonl")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in names}


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_release_when_made_then_all_its_parts_are_there_and_it_verifies(tmp_path: Path) -> None:
    out = _released(tmp_path, aircop_item(), spatialuav_item(), urbanvideo_item())
    assert sorted(_files(out)) == [
        "README.md",
        "croissant.json",
        "data/aircop.jsonl",
        "data/spatialuav.jsonl",
        "data/urbanvideo.jsonl",
        "lmms_eval/aircop.yaml",
        "lmms_eval/spatialuav.yaml",
        "lmms_eval/urbanvideo.yaml",
        "lmms_eval/utils.py",
        "manifest.json",
    ]
    assert verify_release(out) == []
    rows = [
        row for name in ("aircop", "spatialuav", "urbanvideo") for row in _rows(out / f"data/{name}.jsonl")
    ]
    # A library infers one schema: each field has one type in all rows.
    assert len({tuple((name, type(value)) for name, value in row.items()) for row in rows}) == 1
    assert rows[0]["prompt"].startswith("How many cars can be seen in the picture of UAV1?\nA. 4\nB. 5\n")


def test_card_when_media_have_licences_then_numbers_and_licence_are_those_of_the_release(
    tmp_path: Path,
) -> None:
    media = [msgspec.structs.replace(medium, licence="CC-BY-4.0") for medium in (UAV1, UAV2)]
    items = (
        aircop_item(provenance=Provenance(made_by="rule")),
        aircop_item(name="b", question="Which?"),
        aircop_item(name="c", answer_key=""),
    )
    out = _released(tmp_path, *items, positions=(*media, *PLACES[2:]))
    card = (out / "README.md").read_text(encoding="utf-8")
    _, head, text = card.split("---\n", 2)
    head, features = head.split("dataset_info:\n")
    assert features.startswith('- config_name: "aircop"\n  features:\n  - name: id\n    dtype: string\n')
    assert "  - name: options\n    sequence: string\n" in features
    assert head.splitlines() == [
        "license: cc-by-4.0",
        "task_categories:",
        "- visual-question-answering",
        "size_categories:",
        "- n<1K",
        "configs:",
        '- config_name: "aircop"',
        "  data_files:",
        "  - split: test",
        '    path: "data/aircop.jsonl"',
    ]
    assert "2 items about 2 media files." in text
    assert "| aircop/object_counting | 2 | 100.0% |" in text
    assert "| hand | 1 | 50.0% |" in text
    assert "| rule | 1 | 50.0% |" in text
    assert "| Real_2_UAVs | CC-BY-4.0 | 2 |" in text
    assert "| The export format cannot represent the record | format:answer_key | 1 |" in text


def _require_croissant(folder: Path) -> dict[str, Any]:
    """Return the metadata after the rules of the specification.

    Source: MLCommons, "Croissant Format Specification" 1.0: required properties, and references that resolve.
    """
    metadata: dict[str, Any] = json.loads((folder / "croissant.json").read_bytes())
    assert metadata["@type"] == "sc:Dataset"
    assert "http://mlcommons.org/croissant/1.0" in metadata["conformsTo"]
    assert all(metadata[name] for name in ("name", "description", "license", "distribution", "recordSet"))
    objects = {}
    for file in metadata["distribution"]:
        content = (folder / file["contentUrl"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file["sha256"]
        assert f"{len(content)} B" == file["contentSize"]
        objects[file["@id"]] = [json.loads(line) for line in content.splitlines()]
    for records in metadata["recordSet"]:
        for field in records["field"]:
            assert field["@id"] == f"{records['@id']}/{field['name']}"
            rows = objects[field["source"]["fileObject"]["@id"]]
            values = [row[field["source"]["extract"]["column"]] for row in rows]
            assert all(isinstance(value, list) == field.get("repeated", False) for value in values)
        assert {field["name"] for field in records["field"]} == rows[0].keys()
    return metadata


def test_croissant_when_read_by_the_rules_of_the_specification_then_all_holds(tmp_path: Path) -> None:
    metadata = _require_croissant(_released(tmp_path, aircop_item(), urbanvideo_item()))
    assert metadata["name"] == "aircop-urbanvideo"
    assert metadata["rai:dataAnnotationProtocol"] == "Number of items by origin: hand 2"
    assert metadata["rai:personalSensitiveInformation"]


def test_utilities_when_lmms_eval_asks_for_the_images_then_they_are_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = _released(tmp_path, aircop_item())
    for medium in (UAV1, UAV2):
        Image.new("L", (4, 3)).save(tmp_path / medium.name)
    monkeypatch.setenv("MEDIA_ROOT", str(tmp_path))
    module = types.ModuleType("utils")
    exec((out / "lmms_eval" / "utils.py").read_text(), module.__dict__)
    images = module.doc_to_visual(_rows(out / "data" / "aircop.jsonl")[0])
    assert [(image.mode, image.size) for image in images] == [("RGB", (4, 3))] * 2
    task = (out / "lmms_eval" / "aircop.yaml").read_text()
    assert 'dataset_path: json\ndataset_kwargs:\n  data_files:\n    test: "../data/aircop.jsonl"\n' in task
    assert "doc_to_visual: !function utils.doc_to_visual\n" in task


def test_release_when_imported_and_released_again_then_every_file_is_the_same(tmp_path: Path) -> None:
    out = _released(
        tmp_path,
        aircop_item(question='"第 3"\n\tarea?', extras={"note": {"a": None}}),
        aircop_item(name="b", answer_format="free_text", options=(), answer_key="Two."),
        urbanvideo_item(),
    )
    with Session.create(tmp_path / "again.vantage") as session:
        session.execute(ImportFiles(paths=tuple(sorted((out / "data").iterdir())))).result()
        release(session, tmp_path / "again", "huggingface", include_flagged=True)
        origins = {item.provenance.made_by for item in session.reader.records(Item)}
    assert origins == {"import"}
    once, twice = _files(out), _files(tmp_path / "again")
    # The card and the metadata count the origins of the items, which are imported now.
    told = {"README.md", "croissant.json", "manifest.json"}
    assert {name: data for name, data in once.items() if name not in told} == {
        name: data for name, data in twice.items() if name not in told
    }


def test_release_when_the_real_questions_come_in_then_they_go_out_and_come_back(
    shared_data: Path, tmp_path: Path
) -> None:
    sources = [
        shared_data / "spatialuav" / "spatialuav_annotations.jsonl",
        shared_data / "urbanvideo" / "urbanvideo_mcq.csv",
    ]
    with Session.create(tmp_path / "p.vantage") as session:
        session.execute(ImportFiles(paths=tuple(sources))).result()
        release(session, tmp_path / "out", "huggingface", include_flagged=True)
    out = tmp_path / "out"
    assert {file.stem: len(_rows(file)) for file in (out / "data").iterdir()} == {
        "spatialuav": 16,
        "urbanvideo": 4,
    }
    _require_croissant(out)
    with Session.create(tmp_path / "again.vantage") as session:
        session.execute(ImportFiles(paths=tuple(sorted((out / "data").iterdir())))).result()
        release(session, tmp_path / "again", "huggingface", include_flagged=True)
    once, twice = _files(out), _files(tmp_path / "again")
    # The card names the imported file of each item, which is the released one now.
    told = {"README.md", "manifest.json"}
    assert once.keys() == twice.keys()
    assert all(once[name] == twice[name] for name in once.keys() - told)
