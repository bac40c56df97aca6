from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.item import Item
from annotator.importers import registry
from annotator.importers.importer import ImportContext
from annotator.importers.input_file import InputFile
from tests.unit.importers.reading import Outcome, Read, outcome


def row(name: str, *images: str, key: Any = "Region 1", **fields: Any) -> dict[str, Any]:
    made = {
        "id": name,
        "image": [f"./SpatialUAV/{image}" for image in images],
        "conversations": [{"from": "human", "value": "Which region?"}],
        "source": "SpatialUAV",
        "GT": key,
    }
    return {field: value for field, value in {**made, **fields}.items() if value is not None}


def lines(*rows: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def test_key_when_it_names_a_part_twice_then_it_stays_as_it_came(read: Read) -> None:
    repeated = {"A2A_Shared_Association_1": "4-5, 3-15, 4-5", "Region_Recognition_1": "Region 4, 3, 4"}
    result = read(lines(*(row(name, "a.jpg", "b.jpg", key=key) for name, key in repeated.items())))
    assert [record.answer_key for record in result.records] == [*repeated.values()]
    assert result.notes("answer_key") == []
    # Without a repeat the same answer is stored in its canonical form.
    once = read(lines(row("A2A_Shared_Association_1", "a.jpg", "b.jpg", key="4-5, 3-15")))
    assert [record.answer_key for record in once.records] == ["3-15, 4-5"]


def test_sample_when_read_then_all_tasks_formats_and_keys(shared_data: Path) -> None:
    file = InputFile.open(shared_data / "spatialuav" / "spatialuav_annotations.jsonl")
    reader = registry.detect(file)
    result = outcome(reader.id, reader.read(file, context=ImportContext()))
    assert (result.format, result.rejected, result.flags) == ("spatialuav", [], {})
    assert [(record.task, record.answer_format, record.answer_key) for record in result.records] == [
        ("region_recognition", "region_set", "Region 3, 4"),
        ("anomaly_detection", "region_set", "Region 6"),
        ("distance_comparison", "region_label", "Region 1"),
        ("direction_recognition", "clock", "8 o'clock"),
        ("a2a_collaboration_recognition", "option_letter", "D"),
        ("a2a_shared_association", "pair_list", "0-7, 2-9, 4-12, 6-11"),
        ("object_matching", "bbox", "[823, 189, 932, 249]"),
        ("object_matching", "region_label", "Region 5"),
        ("camera_transformation", "angle", "269.4 degrees"),
        ("camera_transformation", "angle_distance", "-160.0 degrees, -70.0 meters"),
        ("occlusion_removal", "region_label", "Region 2"),
        ("a2g_collaboration_recognition", "option_letter", "B"),
        ("a2g_shared_association", "pair_list", "2-3, 3-15, 4-5"),
        ("view_translation", "region_label", "Region 0"),
        ("path_planning", "direction_label", "Direction 3"),
        ("global_motion", "free_text", "The drone rises, turns left and ends facing the bridge."),
    ]
    assert [len(entry.media) for entry in result.found] == [1, 1, 1, 1, 5, 2, 2, 2, 2, 2, 2, 5, 2, 2, 2, 16]


def test_row_when_sound_then_every_field_is_in_its_place(read: Read) -> None:
    made = row("Direction_Recognition_00167", "samples_Single_Image/img0001.jpg", key="8 o'clock.")
    (entry,) = read(lines(made)).found
    item = entry.record
    assert isinstance(item, Item)
    assert (item.name, item.task_set, item.question) == (
        "Direction_Recognition_00167",
        "spatialuav",
        "Which region?",
    )
    assert (item.answer_key, item.extras) == ("8 o'clock", {"source": "SpatialUAV"})
    (note,) = item.corrections
    assert (note.field, note.original, note.value) == ("answer_key", "8 o'clock.", "8 o'clock")
    assert json.loads(bytes(item.original)) == made
    assert (entry.line, item.provenance.locator, entry.dataset) == (1, "line 1", "SpatialUAV")
    (medium,) = entry.media
    assert medium.name == "samples_Single_Image/img0001.jpg"
    assert medium.path == "SpatialUAV/samples_Single_Image/img0001.jpg"


def scene(result: Outcome) -> tuple[str, list[tuple[str, str]]]:
    found = result.found[0].scene
    assert found is not None
    return found.name, [(view.view, view.name) for view in found.views]


def test_scene_when_pair_of_one_moment_then_named_by_it(read: Read) -> None:
    images = ["samples_A2A_Pured/66-00000700-UAV2.jpg", "samples_A2A_Pured/66-00000700-UAV1.jpg"]
    assert scene(read(lines(row("A2A_Camera_Transformation_00001", *images, key="3.0 degrees")))) == (
        "samples_A2A_Pured/66-00000700",
        [("UAV2", images[0]), ("UAV1", images[1])],
    )


def test_scene_when_aerial_and_ground_then_views_by_name_or_order(read: Read) -> None:
    images = ["samples_A2G_Pured/ground/x_groundView.png", "samples_A2G_Pured/aerial/x_droneView.png"]
    assert scene(read(lines(row("A2G_View_Translation_00001", *images)))) == (
        "samples_A2G_Pured/x",
        [("ground", images[0]), ("aerial", images[1])],
    )
    assert scene(read(lines(row("A2G_View_Translation_00001", "a.png", "b.png")))) == (
        "a + b",
        [("aerial", "a.png"), ("ground", "b.png")],
    )


def test_view_when_only_the_end_of_the_name_tells_then_known(read: Read) -> None:
    images = ["a/scene_groundView.png", "b/scene_droneView.png"]
    assert scene(read(lines(row("A2G_View_Translation_00001", *images)))) == (
        "a/scene_groundView + b/scene_droneView",
        [("ground", images[0]), ("aerial", images[1])],
    )


def test_scene_when_candidates_or_frames_then_only_the_first_picture(read: Read) -> None:
    images = [f"s/{n}.jpg" for n in range(5)]
    candidates = read(lines(row("A2G_Collaboration_Recognition_00001", *images, key="D")))
    assert scene(candidates) == ("s/0", [("ground", "s/0.jpg")])
    assert [(o.letter, o.text) for o in candidates.records[0].options] == list(
        zip("ABCD", images[1:], strict=True)
    )
    frames = read(lines(row("Motion_Understanding_00001", *images, key="It rises.")))
    assert scene(frames) == ("s/0", [("UAV1", "s/0.jpg")])
    assert len(frames.found[0].media) == 5


def test_path_planning_when_under_its_short_name_then_same_task(read: Read) -> None:
    result = read(lines(row("Path_Planning_00001", "a.png", "b.png", key="Direction 3")))
    assert result.records[0].task == "path_planning"


def test_json_array_when_read_then_taken_too(read: Read) -> None:
    result = read([row("Anomaly_Detection_00001", "a.png"), row("Anomaly_Detection_00002", "a.png")])
    assert [record.answer_key for record in result.records] == ["Region 1", "Region 1"]


@pytest.mark.parametrize(
    ("name", "key", "flag"),
    [
        ("Anomaly_Detection_00001", None, "key_missing"),
        ("Anomaly_Detection_00001", "none at all", "key_unreadable"),
        ("Telepathy_00001", "x", "task_unknown"),
        ("A2A_Collaboration_Recognition_00001", "D", "key_not_among_options"),
    ],
)
def test_row_when_something_is_wrong_then_taken_with_a_flag(
    read: Read, name: str, key: str | None, flag: str
) -> None:
    result = read(lines(row(name, "a.png", "b.png", key=key)), format_id="spatialuav")
    assert list(result.flags) == [flag]
    assert result.records[0].answer_key == (key or "")


def test_ids_and_pictures_when_odd_then_flagged(read: Read) -> None:
    result = read(lines(row("Anomaly_Detection_1", "a.png"), row("Anomaly_Detection_1"), row("", "a.png")))
    assert result.flags == {"duplicate_id": 1, "media_missing": 1, "id_missing": 1, "task_unknown": 1}
    assert result.flag("duplicate_id").severity == "error"


def test_conversation_when_longer_then_kept_whole_beside_the_question(read: Read) -> None:
    turns = [{"from": "system", "value": "Be brief."}, {"from": "human", "value": "Where?"}]
    result = read(lines(row("Anomaly_Detection_1", "a.png", conversations=turns)))
    assert result.records[0].question == "Where?"
    assert result.records[0].extras["conversations"] == turns


@pytest.mark.parametrize("path", ["../a.png", "/etc/a.png", "C:\\a.png", "https://x/a.png"])
def test_path_when_it_leads_out_then_text_stays_in_the_name_alone(read: Read, path: str) -> None:
    result = read(lines(row("Anomaly_Detection_1", image=[path])))
    (medium,) = result.found[0].media
    assert (medium.name, medium.path) == (path, "")
    assert result.notes("media")[0].original == path


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"image": 3}, "image"),
        ({"id": []}, "id"),
        ({"image": {"a": 1}}, "image"),
        ({"image": ["a.png", 3]}, "image[1]"),
        ({"image": ["x" * 2000]}, "image[0]"),
        ({"conversations": None}, "conversations"),
        ({"conversations": []}, "conversations"),
        ({"conversations": "x"}, "conversations"),
        ({"conversations": [3]}, "conversations[0]"),
        ({"conversations": [{"from": "human", "value": 3.5}]}, "conversations[0].value"),
        ({"conversations": [{"from": "human", "value": ""}]}, "conversations[0].value"),
        ({"GT": {}}, "GT"),
    ],
)
def test_row_when_a_field_has_a_wrong_type_then_rejected_with_line_and_field(
    read: Read, fields: dict[str, object], field: str
) -> None:
    good = [row(f"Anomaly_Detection_{n}", "a.png") for n in (1, 3)]
    result = read(lines(good[0], row("Anomaly_Detection_2", "a.png", **fields), good[1]))
    assert len(result.found) == 2
    (rejected,) = result.rejected
    assert (rejected.line, rejected.locator, rejected.field) == (2, "line 2", field)


def test_broken_lines_when_between_good_ones_then_each_is_told_alone(read: Read) -> None:
    good = [json.dumps(row(f"Anomaly_Detection_{n}", "a.png")) for n in range(4)]
    text = "\n".join((good[0], good[1][:40], good[2], "[1, 2", '{"id": NaN}', good[3]))
    result = read(text)
    assert len(result.found) == 3
    assert [(bad.line, bad.locator) for bad in result.rejected] == [
        (2, "line 2"),
        (4, "line 4"),
        (5, "line 5"),
    ]


def test_fields_when_mapped_then_read_under_the_names_of_the_file(read: Read) -> None:
    content = lines({**row("Anomaly_Detection_1", "a.png", key=None), "truth": "Region 4"})
    result = read(content, format_id="spatialuav", mapping={"GT": "truth"})
    assert [(record.answer_key, record.extras) for record in result.records] == [
        ("Region 4", {"source": "SpatialUAV"})
    ]
