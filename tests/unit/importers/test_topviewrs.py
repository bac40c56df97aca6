from __future__ import annotations

import json
from typing import Any

import pytest

from annotator.domain import task_set_files
from tests.unit.importers.reading import Read

NAME = "released_realistic_datasets.json"
CHOICES = ["bed", "chair", "dining table", "lamp"]


def question(**fields: Any) -> dict[str, Any]:
    usual = {
        "index": 12,
        "scene_id": "17DRP5sb8fy",
        "question": "Which of the following objects are in the room?",
        "choices": CHOICES,
        "labels": ["chair"],
        "choice_type": "<OBJECT>",
        "map_path": "data/realistic/17DRP5sb8fy/room_3.png",
        "question_ability": "Object Recognition",
    }
    return {name: value for name, value in {**usual, **fields}.items() if value is not None}


def test_question_when_whole_then_every_field_is_in_its_place(read: Read) -> None:
    result = read([question()], name=NAME)
    (item,), (entry,) = result.records, result.found
    assert (result.format, result.flags, result.rejected) == ("topviewrs", {}, [])
    assert (item.name, item.task_set, item.task) == ("realistic_12", "topviewrs", "object_recognition")
    assert [(option.letter, option.text) for option in item.options] == list(
        zip("ABCD", CHOICES, strict=True)
    )
    assert (item.answer_format, item.answer_key, item.view) == ("option_letter", "B", "realistic")
    assert item.extras == {"choice_type": "<OBJECT>"}
    assert [(note.original, note.value) for note in result.notes("answer_key")] == [("chair", "B")]
    assert [(m.name, m.kind, m.view) for m in entry.media] == [
        ("data/realistic/17DRP5sb8fy/room_3.png", "map", "realistic")
    ]
    assert entry.scene is not None
    assert (entry.scene.name, entry.scene.views) == ("17DRP5sb8fy", entry.media)
    assert json.loads(bytes(item.original)) == question()


@pytest.mark.parametrize("task", task_set_files.builtin("topviewrs").tasks, ids=lambda task: task.id)
def test_ability_when_any_of_the_nine_then_its_task(read: Read, task: Any) -> None:
    spelt = task.title.en.replace(" ", "_").lower()
    result = read(
        [question(question_ability=task.title.en), question(index=2, question_ability=spelt)], name=NAME
    )
    assert [record.task for record in result.records] == [task.id] * 2
    assert len(result.notes("task")) == 1


def test_ability_when_unknown_then_flagged_and_kept(read: Read) -> None:
    result = read([question(question_ability="Telepathy")], name=NAME)
    assert (result.flags, result.records[0].extras["question_ability"]) == ({"task_unknown": 1}, "Telepathy")


@pytest.mark.parametrize(
    ("labels", "answer_format", "key", "flags"),
    [
        (["lamp", "bed"], "span_set", '["bed", "lamp"]', {}),
        (["bed", "bed"], "option_letter", "A", {}),
        ("dining table", "option_letter", "C", {}),
        ([" Dining-Table. "], "option_letter", "C", {}),
        (["C"], "option_letter", "C", {}),
        (["sofa"], "option_letter", "sofa", {"key_unreadable": 1}),
        (["bed", "sofa"], "span_set", "bed, sofa", {"key_unreadable": 1}),
        ([], "option_letter", "", {"key_missing": 1}),
        (None, "option_letter", "", {"key_missing": 1}),
        ([2], "option_letter", "2", {"key_unreadable": 1}),
    ],
)
def test_labels_when_texts_then_letter_or_set_or_flag(
    read: Read, labels: object, answer_format: str, key: str, flags: dict[str, int]
) -> None:
    result = read([question(labels=labels)], name=NAME)
    (item,) = result.records
    assert (item.answer_format, item.answer_key, result.flags) == (answer_format, key, flags)


def test_labels_when_numbers_are_the_options_then_the_option_with_the_number(read: Read) -> None:
    result = read([question(choices=[3, 1, 4, 2], labels=[2])], name=NAME)
    assert (result.records[0].answer_key, result.flags) == ("D", {})
    assert len(result.notes("choices[0]")) == 1


def test_labels_when_two_options_have_the_text_then_not_guessed(read: Read) -> None:
    result = read([question(choices=["bed", "chair", "bed", "lamp"], labels=["bed"])], name=NAME)
    assert "A, C have the same text" in result.flag("key_unreadable").message
    result = read([question(choices=["bed-", "-bed", "x", "y"], labels=["bed"])], name=NAME)
    assert result.flags == {"key_unreadable": 1}


def test_choices_when_lists_of_words_then_one_text_each(read: Read) -> None:
    result = read([question(choices=[["bed", "lamp"], ["chair"]], labels=["chair"])], name=NAME)
    assert [option.text for option in result.records[0].options] == ["bed, lamp", "chair"]
    assert result.records[0].answer_key == "B"


def test_fields_when_called_otherwise_then_read_the_same(read: Read) -> None:
    record = {"id": "q7", "scene": "s", "question": "Where?", "options": CHOICES, "answer": "lamp",
              "image_path": "m.png", "sub_task": "Object Localization", "choice_type": "x"}  # fmt: skip
    (item,) = read([record], name="semantic.json", format_id="topviewrs").records
    assert (item.name, item.task, item.answer_key, item.view) == (
        "q7",
        "object_localization",
        "D",
        "semantic",
    )
    record["text"] = record.pop("question")
    (item,) = read([record], name="m.json", format_id="topviewrs", mapping={"question": "text"}).records
    assert item.question == "Where?"


@pytest.mark.parametrize("kind", ["list", "lines", "sets", "by key"])
def test_file_when_a_list_lines_or_sets_of_records_then_all_are_read(read: Read, kind: str) -> None:
    records = [question(index=number) for number in range(3)]
    text = {
        "list": json.dumps(records),
        "lines": "\n".join(json.dumps(record) for record in records),
        "sets": json.dumps({"top_view_recognition": records[:2], "top_view_localization": records[2:]}),
        "by key": json.dumps({str(number): record for number, record in enumerate(records)}),
    }[kind]
    result = read(text, name=NAME)
    assert [record.name for record in result.records] == ["realistic_0", "realistic_1", "realistic_2"]


def test_maps_when_a_scene_has_several_then_a_view_each(read: Read) -> None:
    paths = ["s/a.png", "s/b.png", "s/a.png", "s/semantic_c.png"]
    result = read([question(index=n, map_path=path) for n, path in enumerate(paths)], name=NAME)
    assert [record.view for record in result.records] == ["realistic", "realistic 2", "realistic", "semantic"]
    last = result.found[-1].scene
    assert last is not None
    assert [view.view for view in last.views] == ["realistic", "realistic 2", "semantic"]


def test_maps_when_a_scene_has_more_than_any_building_then_shown_without_a_view(read: Read) -> None:
    result = read([question(index=n, map_path=f"s/{n}.png") for n in range(70)], name=NAME)
    last = result.found[-1]
    assert last.scene is not None
    assert len(last.scene.views) == 64
    assert [(m.name, m.view) for m in last.media] == [("s/69.png", "")]


def test_map_when_missing_or_out_of_the_root_then_flagged_or_noted(read: Read) -> None:
    assert read([question(map_path=None)], name=NAME).flags == {"media_missing": 1}
    result = read([question(map_path="../../m.png")], name=NAME)
    assert (result.found[0].media[0].path, "is outside" in result.notes("media")[0].reason) == ("", True)


def test_files_when_both_are_read_then_no_id_is_used_twice(read: Read) -> None:
    (one,) = read([question()], name=NAME).records
    (two,) = read([question()], name="released_semantic_datasets.json").records
    assert (one.name, two.name) == ("realistic_12", "semantic_12")
    assert one.import_key != two.import_key


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"question": " "}, "question"),
        ({"choices": "bed"}, "choices"),
        ({"choices": [None]}, "choices[0]"),
        ({"labels": [{"a": 1}]}, "labels[0]"),
        ({"map_path": 7}, "map_path"),
        ({"scene_id": ["a"]}, "scene_id"),
    ],
)
def test_question_when_a_field_is_of_another_type_then_rejected_alone(
    read: Read, fields: dict[str, Any], field: str
) -> None:
    result = read([question(**fields), question(index=5)], name=NAME)
    assert [record.name for record in result.records] == ["realistic_5"]
    assert [bad.field for bad in result.rejected] == [field]
