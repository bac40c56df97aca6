from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.commands.imports import ImportFiles
from annotator.domain.item import Item, Option
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.release.exporters.spatialuav import SpatialUavExporter, line_of
from annotator.session import Session
from tests.unit.release.samples import (
    PICTURE,
    aircop_item,
    fill,
    lookup_of,
    options,
    release,
    released_again,
    spatialuav_item,
)
from tests.unit.store.making import created, write

CANDIDATES = [
    msgspec.structs.replace(PICTURE, id=str(n) * 32, name=f"img{n}.jpg", path="") for n in range(6, 10)
]
PLACE = "SpatialUAV/samples_Single_Image/img0001.jpg"


def _candidate_item(**fields: Any) -> Any:
    letters = tuple(Option(letter=x, text=m.name) for x, m in zip("ABCD", CANDIDATES, strict=True))
    sound = {
        "name": "A2A_Collaboration_Recognition_00001",
        "task": "a2a_collaboration_recognition",
        "answer_format": "option_letter",
        "options": letters,
        "answer_key": "C",
        "media": (PICTURE.id, *(medium.id for medium in CANDIDATES)),
    }
    return spatialuav_item(**(sound | fields))


def _refusal(item: Any) -> str:
    reason = SpatialUavExporter().refusal(item, lookup=lookup_of(item, positions=[PICTURE, *CANDIDATES]))
    return reason.kind if reason else ""


def test_line_of_when_an_item_is_sound_then_it_has_the_published_shape() -> None:
    assert line_of(spatialuav_item(), paths=(PLACE,)).decode() == (
        '{"id": "Region_Recognition_00001", "image": ["./SpatialUAV/samples_Single_Image/img0001.jpg"], '
        '"conversations": [{"from": "human", "value": "Which regions contain a parking lot?"}], '
        '"source": "SpatialUAV", "GT": "Region 3, 4"}\n'
    )


def test_line_of_when_the_key_is_not_canonical_then_the_clean_one_is_written() -> None:
    assert json.loads(line_of(spatialuav_item(answer_key="region 3 , 4."), paths=()))["GT"] == "Region 3, 4"


def test_line_of_when_text_is_chinese_then_it_is_written_as_it_reads() -> None:
    assert "哪些区域" in line_of(spatialuav_item(question="哪些区域？"), paths=()).decode()


def test_line_of_when_the_source_had_more_turns_and_fields_then_they_stand_in_their_places() -> None:
    turns = [{"from": "system", "value": "Look."}, {"from": "human", "value": "Old?"}]
    item = spatialuav_item(
        question="New?", extras={"conversations": turns, "source": "Other", "split": "test"}
    )
    told = json.loads(line_of(item, paths=()))
    assert told["conversations"] == [turns[0], {"from": "human", "value": "New?"}]
    assert (told["source"], told["split"], list(told)[-1]) == ("Other", "test", "split")
    assert item.extras["conversations"][1]["value"] == "Old?"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"task_set": "aircop"}, "format:task_set"),
        ({"media": ()}, "format:media"),
        ({"name": "Parking_00001"}, "format:task"),
        ({"task": "anomaly_detection"}, "format:task"),
        ({"name": " Region_Recognition_00001"}, "format:text"),
        ({"question": "\n"}, "format:text"),
        ({"answer_key": " "}, "format:answer_key"),
        ({"answer_format": "clock"}, "format:answer_format"),
        ({"options": options("a", "b")}, "format:options"),
        ({"name": "own_1", "task": "", "answer_format": "free_text"}, ""),
    ],
)
def test_refusal_when_the_form_cannot_say_something_then_it_says_what(fields: Any, reason: str) -> None:
    assert _refusal(spatialuav_item(**fields)) == reason


def test_refusal_when_options_are_the_pictures_then_they_need_no_text_of_their_own() -> None:
    assert _refusal(_candidate_item()) == ""
    swapped = _candidate_item().options[::-1]
    assert _refusal(_candidate_item(options=swapped)) == "format:options"
    assert _refusal(_candidate_item(options=options("this", "that", "both", "none"))) == "format:options"


def test_refusal_when_a_picture_leads_out_of_the_folder_then_the_item_stays_out() -> None:
    item = spatialuav_item()
    out = Medium(id=PICTURE.id, name="../secret.jpg")
    reason = SpatialUavExporter().refusal(item, lookup=lookup_of(item, positions=[out]))
    assert reason is not None
    assert reason.kind == "format:media"


def test_release_when_a_project_has_items_of_other_sets_then_they_are_listed_as_withheld(
    tmp_path: Path,
) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, aircop_item(), spatialuav_item())
        report = release(session, tmp_path / "out", "spatialuav")
    assert (report.manifest.records, report.manifest.withheld.records) == (1, 1)
    told = json.loads((tmp_path / "out" / "withheld.jsonl").read_text())
    assert (told["name"], told["task"]) == ("Real2_OC_UAV1_1", "aircop/object_counting")
    assert told["reasons"] == [
        {"kind": "format:task_set", "message": "The item belongs to the task set aircop."}
    ]


def test_release_when_the_real_sample_comes_in_then_only_keys_change_and_only_in_their_spelling(
    shared_data: Path, tmp_path: Path
) -> None:
    source = shared_data / "spatialuav" / "spatialuav_annotations.jsonl"
    with Session.create(tmp_path / "p.vantage") as session:
        session.execute(ImportFiles(paths=(source,))).result()
        release(session, tmp_path / "out", "spatialuav")
    came = source.read_text(encoding="utf-8").rstrip("\n").split("\n")
    went = (tmp_path / "out" / "annotations.jsonl").read_text(encoding="utf-8").rstrip("\n").split("\n")
    changed = {
        json.loads(before)["id"]: (json.loads(before)["GT"], json.loads(after)["GT"])
        for before, after in zip(came, went, strict=True)
        if before != after
    }
    assert changed == {
        "Region_Recognition_00001": ("Region 3, 4.", "Region 3, 4"),
        "Distance_Comparison_00001": ("Region 1.", "Region 1"),
        "Direction_Recognition_00001": ("8 o'clock.", "8 o'clock"),
        "A2A_Shared_Association_00001": ("6-11, 2-9, 4-12, 0-7", "0-7, 2-9, 4-12, 6-11"),
        "A2G_Shared_Association_00001": ("3-15, 4-5, 2-3", "2-3, 3-15, 4-5"),
    }
    for before, after in zip(came, went, strict=True):
        assert json.loads(before) | {"GT": ""} == json.loads(after) | {"GT": ""}
    again = released_again(tmp_path / "out", path=tmp_path / "again", form="spatialuav")
    assert (again / "annotations.jsonl").read_bytes() == (tmp_path / "out" / "annotations.jsonl").read_bytes()


@pytest.mark.parametrize("has_files", [False, True])
def test_release_when_items_are_of_an_older_file_then_it_holds_them_and_reads_back_the_same(
    tmp_path: Path, has_files: bool
) -> None:
    names = ["scene_3_drone_000100", *(f"scene_{number}_ground_000100" for number in range(1, 5))]
    older = {
        "Image": names[0],
        **{f"Option {letter}": name for letter, name in zip("ABCD", names[1:], strict=True)},
        "Task": "A2G_Collaboration_Recognition",
        "User": "The given image is an aerial UAV image. Which ground image fits?",
        "Answer": "C",
    }
    source = tmp_path / "annotations_A2G_Collaboration_Recognition.json"
    source.write_text(json.dumps([older, {**older, "Answer": "A"}]))
    with Session.create(tmp_path / "p.vantage") as session:
        if has_files:
            paths = [f"pictures/{name}.jpg" for name in names]
            media = [Medium(id=new_id(), name=path, path=path, source="s") for path in paths]
            write(session, *(created("medium", medium) for medium in media))
        session.execute(ImportFiles(paths=(source,))).result()
        report = release(session, tmp_path / "out", "spatialuav")
    assert (report.manifest.records, report.manifest.withheld.records) == (2, 0)
    rows = [json.loads(line) for line in (tmp_path / "out" / "annotations.jsonl").read_text().splitlines()]
    assert [(row["id"], row["GT"]) for row in rows] == [
        ("A2G_Collaboration_Recognition_00001", "C"),
        ("A2G_Collaboration_Recognition_00002", "A"),
    ]
    assert rows[0]["image"][0] == ("./pictures/scene_3_drone_000100.jpg" if has_files else f"./{names[0]}")
    with Session.create(tmp_path / "again.vantage") as session:
        session.execute(ImportFiles(paths=(tmp_path / "out" / "annotations.jsonl",))).result()
        items = list(session.reader.records(Item))
    assert [(item.task, item.answer_key, len(item.options)) for item in items] == [
        ("a2g_collaboration_recognition", "C", 4),
        ("a2g_collaboration_recognition", "A", 4),
    ]
