from __future__ import annotations

import json
from typing import Any

import pytest

from annotator.domain import task_set_files
from tests.unit.importers.reading import Read

NAME = "Air_Ground_Collaborative_Planning.json"


def question(**fields: Any) -> dict[str, Any]:
    usual = {
        "question_id": 4,
        "question": "Who should look behind the hall?",
        "options": {"A": "The drone.", "B": "The car.", "C": "Nobody."},
        "answer": "B",
        "question_meta": {"category": "Planning", "subcategory": "Air-Ground Collaborative Planning"},
        "metadata": {"data_resources": [{"path": "images/raw/a_1.jpg"}]},
    }
    return {name: value for name, value in {**usual, **fields}.items() if value is not None}


def test_question_when_whole_then_every_field_is_in_its_place(read: Read) -> None:
    result = read([question(target_entities=[{"entity_type": "car", "bbox": [1, 2, 3, 4]}])], name=NAME)
    (item,), (entry,) = result.records, result.found
    assert (result.format, result.flags, item.task_set) == ("mm-uavbench", {}, "mm_uavbench")
    assert (item.name, item.task) == (
        "Air_Ground_Collaborative_Planning_4",
        "air_ground_collaborative_planning",
    )
    assert [(option.letter, option.text) for option in item.options][1] == ("B", "The car.")
    assert (item.answer_key, item.answer_format) == ("B", "option_letter")
    assert item.extras["target_entities"] == [{"entity_type": "car", "bbox": [1, 2, 3, 4]}]
    assert item.extras["question_meta"]["category"] == "Planning"
    assert "metadata" not in item.extras
    assert entry.dataset == "MM-UAVBench"
    assert [(m.name, m.kind) for m in entry.media] == [("images/raw/a_1.jpg", "image")]
    assert entry.scene is not None
    assert [view.view for view in entry.scene.views] == ["UAV1"]
    assert json.loads(bytes(item.original))["question_id"] == 4


@pytest.mark.parametrize("task", task_set_files.builtin("mm_uavbench").tasks, ids=lambda task: task.id)
def test_task_when_told_by_the_file_s_name_or_the_category_then_found(read: Read, task: Any) -> None:
    file = task.title.en.replace(" ", "_").replace("-", "_") + ".json"
    assert read([question(question_meta=None)], name=file, format_id="mm-uavbench").records[0].task == task.id
    meta = {"category": "any", "subcategory": task.title.en}
    assert read([question(question_meta=meta)], name="own.json").records[0].task == task.id


def test_task_when_nothing_tells_it_then_flagged(read: Read) -> None:
    result = read([question(question_meta={"category": "x", "subcategory": "Telepathy"})], name="own.json")
    assert result.records[0].task == ""
    assert "Telepathy" in result.flag("task_unknown").message


def test_options_when_eight_with_empty_ones_then_those_at_the_end_go_and_others_are_flagged(
    read: Read,
) -> None:
    eight = dict(zip("ABCDEFGH", ["one", "", "three", "4", "5", "6", "7", "8"], strict=True))
    result = read([question(options=eight, answer="H")], name=NAME)
    assert (len(result.records[0].options), result.records[0].answer_key) == (8, "H")
    assert result.flags == {"option_empty": 1}
    padded = {"A": "one", "B": "two", "C": "", "D": ""}
    result = read([question(options=padded)], name=NAME)
    assert ([option.letter for option in result.records[0].options], result.flags) == (["A", "B"], {})


def test_resources_when_several_or_a_clip_then_in_order_and_what_they_say_is_kept(read: Read) -> None:
    resources = [{"path": "a/1.mp4", "type": "video"}, "a/2.jpg"]
    result = read([question(metadata={"data_resources": resources, "fps": 3})], name=NAME)
    assert [(m.name, m.kind) for m in result.found[0].media] == [("a/1.mp4", "video"), ("a/2.jpg", "image")]
    assert result.records[0].extras["metadata"] == {"data_resources": resources, "fps": 3}


@pytest.mark.parametrize(
    ("fields", "flags"),
    [
        ({"answer": "D"}, {"key_not_among_options": 1}),
        ({"answer": "A, C"}, {"key_not_single": 1}),
        ({"options": None}, {"options_missing": 1}),
        ({"metadata": None}, {"media_missing": 1}),
        ({"question_id": None}, {"id_missing": 1}),
        ({"question_id": "x7"}, {}),
    ],
)
def test_question_when_it_contradicts_itself_then_taken_and_flagged(
    read: Read, fields: dict[str, Any], flags: dict[str, int]
) -> None:
    assert read([question(**fields)], name=NAME, format_id="mm-uavbench").flags == flags


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"question": None}, "question"),
        ({"options": "A or B"}, "options"),
        ({"options": {"A": ["x"]}}, "options.A"),
        ({"metadata": {"data_resources": [{"path": 7}]}}, "metadata.data_resources[0].path"),
        ({"metadata": {"data_resources": [{}]}}, "metadata.data_resources[0].path"),
        ({"question_meta": []}, "question_meta"),
    ],
)
def test_question_when_a_field_is_of_another_type_then_rejected_alone(
    read: Read, fields: dict[str, Any], field: str
) -> None:
    result = read([question(**fields), question(question_id=5)], name=NAME, format_id="mm-uavbench")
    assert [record.name for record in result.records] == ["Air_Ground_Collaborative_Planning_5"]
    assert [bad.field for bad in result.rejected] == [field]


def test_fields_when_a_person_says_how_they_are_called_then_read_so(read: Read) -> None:
    record = {**question(answer=None), "solution": "C"}
    assert read([record], name=NAME, mapping={"answer": "solution"}).records[0].answer_key == "C"
