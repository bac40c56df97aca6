from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.item import Item, Option
from annotator.importers import registry
from annotator.importers.importer import ImportContext
from annotator.importers.input_file import InputFile
from tests.unit.importers.reading import Outcome, Read, outcome

PATHS = {
    "UAV1": "Real_2_UAVs/Samples/UAV1/90-00000001-UAV1.jpg",
    "UAV2": "Real_2_UAVs/Samples/UAV2/90-00000001-UAV2.jpg",
}


def question(**fields: Any) -> dict[str, Any]:
    """Make a question without faults; None takes a field out."""
    sound = {
        "question_id": "MDMT_OC_UAV1_1",
        "question_type": "2.2 Object Counting (UAV1)",
        "question": "How many cars can be seen?",
        "options": {"A": "4", "B": "5", "C": "6", "D": "7"},
        "correct_answer": "B",
        "source": "Rule-Based from JSON",
    }
    return {name: value for name, value in {**sound, **fields}.items() if value is not None}


def real2_group(number: int, *questions: object) -> dict[str, Any]:
    return {
        "sequence_frame": f"90-0000000{number}",
        "uav1_path": f"Real_2_UAVs/Samples/UAV1/90-0000000{number}-UAV1.jpg",
        "uav2_path": f"Real_2_UAVs/Samples/UAV2/90-0000000{number}-UAV2.jpg",
        "uav1_filename": f"90-0000000{number}-UAV1.jpg",
        "uav2_filename": f"90-0000000{number}-UAV2.jpg",
        "annotation_info1": "Image quality: Good",
        "questions": list(questions),
    }


def media_names(result: Outcome) -> list[list[str]]:
    return [[medium.name for medium in entry.media] for entry in result.found]


def test_sample_when_read_then_four_items_and_one_failure(shared_data: Path) -> None:
    file = InputFile.open(shared_data / "aircop" / "aircop_questions_quirks.json")
    reader = registry.detect(file)
    result = outcome(reader.id, reader.read(file, context=ImportContext()))
    assert result.format == "aircop-questions"
    assert [record.task for record in result.records] == [
        "who_to_collaborate",
        "why_to_collaborate",
        "object_counting",
        "object_counting",
    ]
    assert result.flags == {"key_not_single": 1, "duplicate_id": 1, "key_not_among_options": 1}
    (failed,) = result.rejected
    assert (failed.locator, failed.field, failed.line) == ("record 5", "error", 68)
    assert "JSON parsing failed" in failed.message


def test_question_when_sound_then_every_field_is_in_its_place(read: Read) -> None:
    result = read({"results": [question(uav_paths=PATHS, image_description="a road")]})
    (entry,) = result.found
    item = entry.record
    assert isinstance(item, Item)
    assert (item.name, item.task_set, item.task, item.view) == (
        "MDMT_OC_UAV1_1",
        "aircop",
        "object_counting",
        "UAV1",
    )
    assert item.question == "How many cars can be seen?"
    assert item.options[1] == Option(letter="B", text="5")
    assert (item.answer_format, item.answer_key, item.state) == ("option_letter", "B", "drafted")
    assert item.extras == {"source": "Rule-Based from JSON", "image_description": "a road"}
    assert (item.provenance.made_by, item.provenance.locator) == ("import", "record 1")
    assert (item.corrections, entry.flags) == ((), ())
    assert json.loads(bytes(item.original)) == question(uav_paths=PATHS, image_description="a road")
    assert entry.dataset == "Real_2_UAVs"
    assert [(medium.view, medium.path) for medium in entry.media] == list(PATHS.items())
    assert entry.scene is not None
    assert entry.scene.name == "90-00000001"
    assert entry.scene.views == entry.media


@pytest.mark.parametrize(
    "wrap",
    [
        lambda listed: listed,
        lambda listed: {"results": listed},
        lambda listed: {"dataset": "Real_2_UAVs", "total_pairs": 1, "results": listed},
        lambda listed: {"dataset": "Real_2_UAVs", "results": [{"uav_paths": PATHS, "questions": listed}]},
        lambda listed: {
            "results": [{"questions_per_uav": {"UAV1": {"uav_paths": PATHS, "questions": listed}}}]
        },
        lambda listed: {"uav_paths": PATHS, "questions": listed},
        lambda listed: {"questions_per_uav": {"UAV1": listed}},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_questions_when_in_any_published_shape_then_same_items(
    read: Read, wrap: Any, indent: int | None
) -> None:
    listed = [question(uav_paths=PATHS), question(question_id="MDMT_OC_UAV1_2", uav_paths=PATHS)]
    result = read(json.dumps(wrap(listed), indent=indent))
    assert result.format == "aircop-questions"
    assert [record.name for record in result.records] == ["MDMT_OC_UAV1_1", "MDMT_OC_UAV1_2"]
    assert result.rejected == []
    assert media_names(result) == [["90-00000001-UAV1.jpg", "90-00000001-UAV2.jpg"]] * 2


def test_json_lines_of_questions_when_read_then_all_taken(read: Read) -> None:
    text = "\n".join(json.dumps(question(question_id=f"q{n}", uav_paths=PATHS)) for n in range(3))
    assert [record.name for record in read(text).records] == ["q0", "q1", "q2"]


def test_groups_of_real2_when_read_then_pictures_and_context_come_from_the_group(read: Read) -> None:
    result = read(
        {"dataset": "Real_2_UAVs", "results": [real2_group(1, question()), real2_group(2, question())]}
    )
    assert media_names(result) == [
        ["90-00000001-UAV1.jpg", "90-00000001-UAV2.jpg"],
        ["90-00000002-UAV1.jpg", "90-00000002-UAV2.jpg"],
    ]
    assert result.records[1].extras["group"] == {
        "sequence_frame": "90-00000002",
        "annotation_info1": "Image quality: Good",
    }
    assert [record.provenance.locator for record in result.records] == [
        "group 1, question 1",
        "group 2, question 1",
    ]
    assert result.records[0].import_key != result.records[1].import_key
    assert result.flags == {"duplicate_id": 1}


def test_groups_per_uav_when_read_then_view_comes_from_the_list(read: Read) -> None:
    paths = {f"UAV{n}": f"Samples/images/scene_001/UAV{n}/UAV{n}_frame_003.jpg" for n in (1, 2, 3)}
    group = {
        "sequence_frame": "scene_001_frame_003",
        "scene": "scene_001",
        "frame": "003",
        "uav_paths": paths,
        "uav_filenames": {name: path.rpartition("/")[2] for name, path in paths.items()},
        "questions_per_uav": {
            view: {
                "annotation_info": f"about {view}",
                "questions": [
                    question(question_id=f"Sim3_OM_{view}_1", question_type="2.4 UAV Target Matching")
                ],
            }
            for view in ("UAV1", "UAV3")
        },
    }
    result = read({"dataset": "Sim_3_UAVs", "total_groups": 1, "results": [group]})
    assert [record.view for record in result.records] == ["UAV1", "UAV3"]
    assert [record.task for record in result.records] == ["object_matching"] * 2
    assert [record.provenance.locator for record in result.records] == [
        "group 1, UAV1, question 1",
        "group 1, UAV3, question 1",
    ]
    assert result.records[1].extras["group"]["annotation_info"] == "about UAV3"
    (entry, _) = result.found
    assert entry.dataset == "Sim_3_UAVs"
    assert entry.scene is not None
    assert entry.scene.name == "scene_001 frame_003"
    assert media_names(result)[0] == [f"scene_001-UAV{n}_frame_003.jpg" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("kind", "task"),
    [
        ("1.1 Scene Understanding (UAV2)", "scene_description"),
        ("1.2 Scene Comparison (3UAV)", "scene_comparison"),
        ("2.1 UAV Target Recognition (UAV2)", "object_recognition"),
        ("2.3 UAV Target Grounding (UAV2)", "object_grounding"),
        ("4.1 When to Collaborate (UAV2)", "when_to_collaborate"),
    ],
)
def test_task_when_spelt_as_in_any_dataset_then_known(read: Read, kind: str, task: str) -> None:
    result = read([question(question_type=kind, question_id="x")])
    assert result.records[0].task == task
    assert result.records[0].view == ("" if "3UAV" in kind else "UAV2")
    assert bool(result.notes("task")) == ("Target" in kind or "Understanding" in kind)


def test_task_when_unknown_then_item_without_task_and_a_flag(read: Read) -> None:
    result = read([question(question_type="9.9 Telepathy (UAV1)", question_id="x")])
    assert result.records[0].task == ""
    assert result.records[0].extras["question_type"] == "9.9 Telepathy (UAV1)"
    assert result.flag("task_unknown").severity == "warning"


@pytest.mark.parametrize(
    ("answer", "key", "flag"),
    [
        ("B", "B", ""),
        ("b", "B", ""),
        ("B.", "B", ""),
        (" (B) ", "B", ""),
        ("A, B", "A, B", "key_not_single"),
        ("AB", "AB", "key_not_single"),
        (["A", "B"], "A, B", "key_not_single"),
        ("H", "H", "key_not_among_options"),
        ("perhaps", "perhaps", "key_unreadable"),
        ("", "", "key_missing"),
        (None, "", "key_missing"),
    ],
)
def test_key_when_read_then_canonical_or_as_it_came_with_a_flag(
    read: Read, answer: object, key: str, flag: str
) -> None:
    result = read([question(correct_answer=answer, uav_paths=PATHS)])
    assert result.records[0].answer_key == key
    assert list(result.flags) == ([flag] if flag else [])
    assert all(entry.severity == "error" for entry in result.found[0].flags)
    assert bool(result.notes("answer_key")) == (
        answer not in {key, None} if isinstance(answer, str) else answer is not None
    )


def test_options_when_of_other_kinds_then_kept_with_their_letters(read: Read) -> None:
    odd, numbers, listed, absent = read(
        [
            question(question_id="a", options={"X": "one", "2": "two"}, correct_answer="X"),
            question(question_id="b", options={"A": 4, "B": 5}),
            question(question_id="c", options=["four", "five"]),
            question(question_id="d", options=None),
        ]
    ).found
    assert [(option.letter, option.text) for option in odd.record.options] == [("X", "one"), ("2", "two")]
    assert [option.text for option in numbers.record.options] == ["4", "5"]
    assert [note.field for note in numbers.record.corrections] == ["options.A", "options.B"]
    assert [(option.letter, option.text) for option in listed.record.options] == [
        ("A", "four"),
        ("B", "five"),
    ]
    assert "options_missing" in {flag.kind for flag in absent.flags}


def test_id_when_missing_then_made_up_with_a_flag(read: Read) -> None:
    result = read([question(question_id=None, uav_paths=PATHS)], name="mine.json")
    assert result.records[0].name == "mine record 1"
    assert result.flags == {"id_missing": 1}


def test_pictures_when_none_are_named_then_no_scene_and_a_flag(read: Read) -> None:
    result = read([question()])
    assert (result.found[0].scene, result.found[0].media) == (None, ())
    assert result.flags == {"media_missing": 1}


def test_path_when_it_leads_out_then_only_its_name_is_kept(read: Read) -> None:
    result = read([question(uav_paths={"UAV1": "../../etc/90-00000001-UAV1.jpg"})])
    assert result.found[0].media[0].path == "90-00000001-UAV1.jpg"
    assert "is outside" in result.notes("media")[0].reason


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"question": None}, "question"),
        ({"question": " "}, "question"),
        ({"question": 7}, "question"),
        ({"options": "A. 4 B. 5"}, "options"),
        ({"options": {"A": ["x"]}}, "options.A"),
        ({"options": list("ABCDEFGHIJ")}, "options"),
        ({"correct_answer": {"x": 1}}, "correct_answer"),
        ({"question_id": []}, "question_id"),
        ({"question_type": {}}, "question_type"),
        ({"uav_paths": ["a"]}, "uav_paths"),
        ({"uav_paths": {"UAV1": 3}}, "uav_paths.UAV1"),
        ({"uav_paths": {"UAV1": "a" * 2000}}, "uav_paths.UAV1"),
    ],
)
def test_question_when_a_field_has_a_wrong_type_then_rejected_with_line_and_field(
    read: Read, fields: dict[str, object], field: str
) -> None:
    result = read({"results": [question(question_id="a"), question(**fields), question(question_id="c")]})
    assert [record.name for record in result.records] == ["a", "c"]
    (rejected,) = result.rejected
    assert (rejected.locator, rejected.field) == ("record 2", field)
    assert rejected.line > 12


def test_broken_parts_of_groups_when_read_then_the_rest_goes_in(read: Read) -> None:
    text = """{"dataset": "Real_2_UAVs", "results": [
      {"uav1_path": "90-00000001-UAV1.jpg", "annotation_info1": NaN, "questions": [
        {"question_id": "a", "question_type": "2.2 Object Counting", "question": "?", "options": {}},
        {"question_id": "b", "question": "one \\ud800", "options": {}},
        {"question_id": "c", "question": },
        {"question_id": "d", "question": "?", "question": "??"},
        {"error": "failed", "content": "Sure!"},
        {"question_id": "e", "question_type": "2.2 Object Counting", "question": "?", "options": {}}]},
      null,
      {"questions": [
        {"question_id": "f", "question_type": "2.2 Object Counting", "question": "?", "options": {}}]},
      {"question_id": "g", "question_type": "2.2 Object Counting", "question": "?", "options": {}},
      {"questions": [], "questions": []}
    ]}"""
    result = read(text)
    assert [record.name for record in result.records] == ["a", "e", "f", "g"]
    assert [(bad.line, bad.locator, bad.field) for bad in result.rejected] == [
        (2, "group 1", "annotation_info1"),
        (4, "group 1, question 2", "question"),
        (5, "group 1, question 3", "question"),
        (6, "group 1, question 4", "question"),
        (7, "group 1, question 5", "error"),
        (9, "group 2", ""),
        (13, "group 5", "questions"),
    ]


def test_file_that_is_cut_off_inside_a_group_when_read_then_what_is_whole_goes_in(read: Read) -> None:
    text = json.dumps({"results": [real2_group(1, question(question_id="a"), question(question_id="b"))]})
    result = read(text[: text.index('"b"') + 30])
    assert [record.name for record in result.records] == ["a"]
    assert result.rejected


@pytest.mark.parametrize(
    "text",
    [
        '{"results": {"question_type": 1}}',
        '{"results": 3, "correct_answer": 1}',
        '{"questions": {"question_type": "x"}}',
        '{"questions_per_uav": {"UAV1": 3}}',
    ],
)
def test_lists_that_are_none_when_read_then_told_as_records(read: Read, text: str) -> None:
    result = read(text, format_id="aircop-questions")
    assert result.found == []
    assert result.rejected


SOURCES = (
    "Rule-Based from JSON",
    "Rule-Based from XML",
    "Rule-Based from all_samples.json",
    "Rule-Based from object_info",
    "Rule-Based (Few-Shot)",
    "Model-Based (Few-Shot)",
    "Model-Based (Few-Shot Fallback)",
    "Rule-Based & Model-Based (Few-Shot)",
)


def test_source_when_any_of_the_scripts_words_then_kept_as_it_is(read: Read) -> None:
    asked = [question(question_id=f"q{n}", source=text) for n, text in enumerate(SOURCES)]
    result = read(asked)
    assert [record.extras["source"] for record in result.records] == list(SOURCES)


@pytest.mark.parametrize("said", ["content", "raw_content"])
def test_failure_when_inside_a_group_then_told_with_what_the_model_said(read: Read, said: str) -> None:
    failed = {"error": "JSON parsing failed", said: "Sure! Here is"}
    result = read(
        {"dataset": "Real_2_UAVs", "results": [real2_group(1, question(), failed, {"error": "no"})]}
    )
    assert len(result.found) == 1
    first, second = result.rejected
    assert (first.locator, first.field) == ("group 1, question 2", "error")
    assert "JSON parsing failed" in first.message
    assert "Sure! Here is" in first.message
    assert second.message.endswith("failed: no.")


def test_ids_when_the_same_in_several_datasets_then_other_records(read: Read) -> None:
    real = read({"dataset": "Real_2_UAVs", "results": [real2_group(1, question())]}).found[0]
    made = read({"dataset": "Sim_6_UAVs", "results": [real2_group(1, question())]}).found[0]
    assert (real.record.name, real.dataset, made.dataset) == (made.record.name, "Real_2_UAVs", "Sim_6_UAVs")
    assert real.record.import_key != made.record.import_key


def test_test_file_when_pairs_have_paths_of_their_own_then_taken_from_the_question(read: Read) -> None:
    own = {
        "uav1_path": PATHS["UAV1"],
        "uav2_path": PATHS["UAV2"],
        "uav2_filename": "90-00000001-UAV2.jpg",
    }
    (entry,) = read({"results": [question(**own)]}).found
    assert [(medium.view, medium.path) for medium in entry.media] == list(PATHS.items())
    assert (entry.dataset, entry.record.extras) == ("Real_2_UAVs", {"source": "Rule-Based from JSON"})


def test_fields_when_mapped_then_read_under_the_names_of_the_file(read: Read) -> None:
    content = [{**question(correct_answer=None, uav_paths=PATHS), "truth": "C"}]
    result = read(content, mapping={"correct_answer": "truth"})
    assert [(record.answer_key, record.extras) for record in result.records] == [
        ("C", {"source": "Rule-Based from JSON"})
    ]
