from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.commands.imports import ImportFiles
from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox
from annotator.domain.query import ItemQuery
from annotator.domain.record import FieldCorrection, Record
from annotator.errors import UserError
from annotator.release.exporters.aircop_labels import AircopLabelsExporter, file_name, image_of, record_of
from annotator.session import Session
from tests.unit.release.samples import (
    PLACES,
    SCENE,
    UAV1,
    UAV2,
    data_files,
    fill,
    label,
    lookup_of,
    release,
    released_again,
)

BOX = PercentBox(
    x=65.68516421291045,
    y=40.0,
    width=1.5,
    height=3.0,
    rotation=24.27,
    labels=("too_small",),
    image_width_px=1920,
    image_height_px=1080,
)


def _record(**fields: Any) -> dict[str, Any]:
    return record_of(label(**fields), image="a.jpg")


def test_record_of_when_all_is_answered_then_it_is_as_the_published_files_spell_it() -> None:
    record = _record(
        quality=3,
        usable=True,
        object_types=("vehicles", "pedestrians"),
        degradations=("others",),
        other_degradation="complex background",
        issue_boxes=(BOX, msgspec.structs.replace(BOX, rotation=0.0, labels=())),
        when=True,
        what_boxes=(msgspec.structs.replace(BOX, labels=("more_information",)),),
        who=("UAV1", "UAV3"),
        why=("small_target",),
        count=ObjectCount(value=60, approximate=True),
        annotator="1",
        created_at="2025-06-24T06:17:08.956105Z",
        updated_at="2025-06-29T17:36:58.178063Z",
        lead_time_s=375.0,
    )
    rect = {
        "x": 65.68516421291045,
        "y": 40,
        "width": 1.5,
        "height": 3,
        "rotation": 24.27,
        "rectanglelabels": ["Too small"],
        "original_width": 1920,
        "original_height": 1080,
    }
    assert json.dumps(record, ensure_ascii=False) == json.dumps(
        {
            "img1": "a.jpg",
            "id": 17,
            "Quality": "Fair (3/5) - Some blur, noticeable noise, slight color issues.",
            "Usibility": "1 (Available)",
            "Object_type": {"choices": ["Vehicles", "Pedestrians"]},
            "Degradation": "Others（Please fill in below）",
            "Other Degradation": "complex background",
            "PerceptionIssues": [rect, rect | {"rotation": 0, "rectanglelabels": []}],
            "Collaboration_when": "1 (Yes)",
            "Collaboration_what": [rect | {"rectanglelabels": ["More information"]}],
            "Collaboration_why": "The target appears too small or distant in the current image, but is "
            "larger and more visible in the other persepctive.",
            "Object_count": "around 60",
            "Collaboration_who": "UAV1, UAV3",
            "annotator": 1,
            "annotation_id": 170,
            "created_at": "2025-06-24T06:17:08.956105Z",
            "updated_at": "2025-06-29T17:36:58.178063Z",
            "lead_time": 375,
        },
        ensure_ascii=False,
    )


def test_record_of_when_little_is_answered_then_the_other_keys_are_left_out() -> None:
    record = _record(quality=None, usable=None, when=None, source_task=None, source_annotation=None)
    assert record == {"img1": "a.jpg"}


def test_record_of_when_none_was_the_answer_then_it_is_told_from_no_answer() -> None:
    record = _record(who=(), degradations=(), issue_boxes=(), count=ObjectCount(value=0), usable=False)
    assert record["Collaboration_who"] == "None"
    assert record["Degradation"] == {"choices": []}
    assert record["PerceptionIssues"] == []
    assert record["Object_count"] == "0"
    assert record["Usibility"] == "0 (Unavailable)"


@pytest.mark.parametrize(
    ("name", "told"), [("7", 7), ("007", "007"), ("Li", "Li"), ("", None), ("9" * 30, "9" * 30)]
)
def test_record_of_when_the_annotator_is_a_number_then_it_is_one(name: str, told: object) -> None:
    assert _record(annotator=name).get("annotator") == told


def test_record_of_when_a_choice_is_not_in_the_list_then_its_text_stays() -> None:
    assert _record(degradations=("fog",))["Degradation"] == "fog"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"count": ObjectCount(value=7)}, ""),
        ({"count": ObjectCount()}, "format:count"),
        ({"who": ("UAV2",)}, ""),
        ({"who": ("ground",)}, "format:who"),
        ({"who": ("UAV02",)}, "format:who"),
        ({"medium": ""}, "format:media"),
    ],
)
def test_refusal_when_the_form_cannot_say_something_then_it_says_what(fields: Any, reason: str) -> None:
    answered = label(**fields)
    found = AircopLabelsExporter().refusal(answered, lookup=lookup_of(answered))
    assert (found.kind if found else "") == reason


def _image(name: str, path: str, *, view: str) -> str:
    answered = label(view=view)
    positions: list[Record] = [msgspec.structs.replace(UAV1, name=name, path=path)]
    return image_of(answered, lookup=lookup_of(answered, positions=positions))


def test_image_of_when_the_name_tells_the_view_then_it_is_the_name() -> None:
    assert _image("23-1-UAV1.jpg", "x/23-1-UAV1.jpg", view="UAV1") == "23-1-UAV1.jpg"
    assert _image("c_UAV_1_3.jpg", "x/c_UAV_1_3.jpg", view="UAV1") == "c_UAV_1_3.jpg"
    assert _image("162.png", "x/162.png", view="") == "162.png"


def test_image_of_when_only_the_folder_tells_the_view_then_it_is_the_path() -> None:
    assert _image("162.png", "Samples/UAV1/162.png", view="UAV1") == "Samples/UAV1/162.png"
    assert _image("23-1-UAV12.jpg", "UAV1/23-1-UAV12.jpg", view="UAV1") == "UAV1/23-1-UAV12.jpg"


def test_image_of_when_a_path_leads_out_then_there_is_none() -> None:
    assert _image("../162.png", "", view="") == ""


def _imported(tmp_path: Path, *records: dict[str, Any], project: str = "p") -> list[dict[str, Any]]:
    source = tmp_path / "Sim3_Sample.json"
    source.write_text(json.dumps([{"Quality": None, **record} for record in records]), encoding="utf-8")
    with Session.create(tmp_path / f"{project}.vantage") as session:
        session.execute(ImportFiles(paths=(source,))).result()
        release(session, tmp_path / project, "aircop-labels")
    (file,) = data_files(tmp_path / project)
    released: list[dict[str, Any]] = json.loads(file.read_bytes())
    return released


def test_release_when_uploads_have_prefixes_then_every_image_is_named_as_it_came(tmp_path: Path) -> None:
    images = [
        "/data/upload/9/8f2a9605-scene_004-UAV1_frame_005.jpg",
        "/data/upload/9/00000001-scene_004-UAV1_frame_005.jpg",
        "/data/upload/9/8f2a9605-scene_004-UAV2_frame_005%E5%8E%9F.jpg",
        "scene_004-UAV3_frame_005.jpg",
    ]
    rows = _imported(tmp_path, *({"img1": image, "Object_count": "1"} for image in images))
    assert [row["img1"] for row in rows] == images


def test_release_when_a_path_leads_out_then_the_name_is_written(tmp_path: Path) -> None:
    rows = _imported(tmp_path, {"img1": "../up/scene_004-UAV1_frame_005.jpg", "Object_count": "1"})
    assert [row["img1"] for row in rows] == ["scene_004-UAV1_frame_005.jpg"]


def test_release_when_partners_and_counts_cannot_be_read_then_they_stay_as_they_came(tmp_path: Path) -> None:
    came = [
        {"img1": f"scene_001-UAV1_frame_{n}.jpg", "Object_count": count, "Collaboration_who": who}
        for n, (count, who) in enumerate(
            [("7", "around 30"), ("UAV1, UAV2", "3"), ("around 60", "noen"), ("1", "UAV2\uff0cUAV3")]
        )
    ]
    rows = _imported(tmp_path, *came)
    assert [(row["Object_count"], row["Collaboration_who"]) for row in rows] == [
        ("7", "around 30"),
        ("UAV1, UAV2", "3"),
        ("around 60", "noen"),
        ("1", "UAV2, UAV3"),
    ]
    assert _imported(tmp_path, *rows, project="again") == rows


def test_record_of_when_a_person_has_finished_a_label_then_nobody_is_none() -> None:
    notes = (FieldCorrection(field="who", original="around 30", value=[], reason="x"),)
    assert _record(who=(), corrections=notes)["Collaboration_who"] == "around 30"
    assert _record(who=(), corrections=notes, state="finished")["Collaboration_who"] == "None"
    assert _record(who=("UAV2",), corrections=notes)["Collaboration_who"] == "UAV2"


def test_file_name_when_the_dataset_is_published_then_so_is_the_name() -> None:
    assert file_name("Real_2_UAVs") == "Real2_Sample.json"
    assert file_name("Sim_6_UAVs") == "Sim6_Sample.json"
    assert file_name("Mine") == "Mine_Sample.json"
    assert file_name("") == "Sample.json"


def test_release_when_items_are_selected_then_it_says_that_labels_know_nothing_of_them(
    tmp_path: Path,
) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, label())
        with pytest.raises(UserError, match="contains event labels"):
            release(session, tmp_path / "out", "aircop-labels", selection=ItemQuery(tasks=("x",)))
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []


def test_release_when_a_dataset_is_not_published_then_naming_it_gives_the_same_again(tmp_path: Path) -> None:
    media = [msgspec.structs.replace(medium, dataset="Mine") for medium in (UAV1, UAV2)]
    positions = (*PLACES[3:], *media, msgspec.structs.replace(SCENE, dataset="Mine"))
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, label(), label(view="UAV2", medium=UAV2.id, who=("UAV1",)), positions=positions)
        release(session, tmp_path / "out", "aircop-labels")
    again = released_again(tmp_path / "out", path=tmp_path / "again", form="aircop-labels", dataset="Mine")
    assert [path.name for path in data_files(again)] == ["Mine_Sample.json"]
    assert data_files(again)[0].read_bytes() == (tmp_path / "out" / "Mine_Sample.json").read_bytes()


def _look_up(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the id of the record that the published scripts find for each picture.

    Pictures are called by the name without Label Studio's upload prefix, or in Sim3, whatever their scene,
    by view and frame alone; of several records the first counts.
    """
    found: dict[str, Any] = {}
    for row in rows:
        name = re.sub(r"^[0-9a-f]{8}-", "", row["img1"].rpartition("/")[2])
        found.setdefault(name, row["id"])
        if told := re.search(r"UAV\d+_frame_\d+", name):
            found.setdefault(told[0], row["id"])
    return found


def test_release_when_the_published_scripts_look_up_pictures_then_each_has_its_record(tmp_path: Path) -> None:
    names = [f"scene_{scene:03}-UAV{uav}_frame_005.jpg" for scene in (1, 2) for uav in (1, 2, 3)]
    names += ["scene_001-UAV1_frame_007-noise.jpg", "scene_002-UAV2_frame_009%E5%8E%9F.png"]
    # The same picture uploaded twice, and one whose partner cannot be read.
    came = [
        {"img1": f"/data/upload/9/{n:08x}-{name}", "id": n, "Object_count": "1", "Collaboration_who": who}
        for n, (name, who) in enumerate((name, who) for name in names for who in ("None", "noen"))
    ]
    assert _look_up(_imported(tmp_path, *came)) == _look_up(came)
    assert {*names, "UAV1_frame_005", "UAV3_frame_005"} <= _look_up(came).keys()


@pytest.mark.parametrize(("name", "pictures"), [("Real2_Sample.json", 413), ("Sim3_Sample.json", 1827 + 441)])
def test_release_when_the_published_scripts_look_up_real_pictures_then_all_are_found(
    shared_data: Path, tmp_path: Path, name: str, pictures: int
) -> None:
    source = shared_data / "aircop" / name
    with Session.create(tmp_path / "p.vantage") as session:
        session.execute(ImportFiles(paths=(source,))).result()
        release(session, tmp_path / "out", "aircop-labels")
    came = _look_up(json.loads(source.read_bytes()))
    assert len(came) == pictures
    assert _look_up(json.loads((tmp_path / "out" / name).read_bytes())) == came


@pytest.mark.parametrize(
    "name", ["Real2_Sample.json", pytest.param("Sim3_Sample.json", marks=pytest.mark.slow)]
)
def test_release_when_real_labels_come_in_then_all_go_out_as_they_were_but_for_what_was_normalised(
    shared_data: Path, tmp_path: Path, name: str
) -> None:
    source = shared_data / "aircop" / name
    with Session.create(tmp_path / "p.vantage") as session:
        session.execute(ImportFiles(paths=(source,))).result()
        report = release(session, tmp_path / "out", "aircop-labels")
        normalised = [
            {note.field for note in record.corrections} for record in session.reader.records(EventLabel)
        ]
    came = json.loads(source.read_text(encoding="utf-8"))
    went = json.loads((tmp_path / "out" / name).read_text(encoding="utf-8"))
    assert (len(went), report.manifest.withheld.records) == (len(came), 0)
    assert [row["img1"] for row in went] == [row["img1"] for row in came]
    fields_of = {
        "Object_count": "count",
        "Collaboration_who": "who",
        "img1": "medium",
        "Other Degradation": "other_degradation",
    }
    for before, after, notes in zip(came, went, normalised, strict=True):
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        assert {fields_of.get(name, name) for name in changed} <= notes, (before, after)
    again = released_again(tmp_path / "out", path=tmp_path / "again", form="aircop-labels")
    assert (again / name).read_bytes() == (tmp_path / "out" / name).read_bytes()
