from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import resources
from annotator.domain import answers, task_set_files, task_set_rules
from annotator.errors import EnvironmentFailure, UserError
from annotator.quality.checks import known_checks

REPO = Path(__file__).resolve().parents[3]
AIRCOP_TEXT = resources.path("tasksets/aircop.toml").read_text(encoding="utf-8")

# Tables of the papers, written down by hand: id, group, then what tells the tasks of that benchmark apart.
URBANVIDEO = """
trajectory_captioning  | recall     | Trajectory Captioning | 5 | goal video
sequence_recall        | recall     | Sequence Recall       | 5 | video
object_recall          | recall     | Object Recall         | 5 | video
scene_recall           | recall     | Scene Recall          | 5 | video
start_end_position     | recall     | Start/End Position    | 5 | video
proximity              | perception | Proximity             | 3 | video
duration               | perception | Duration              | 3 | video
landmark_position      | perception | Landmark Position     | 5 | goal route
goal_detection         | perception | Goal Detection        | 5 | goal
cognitive_map          | perception | Cognitive Map         | 5 | goal
causal                 | reasoning  | Causal                | 5 | video
counterfactual         | reasoning  | Counterfactual        | 3 | video
association            | reasoning  | Association           | 5 | goal
progress_evaluation    | navigation | Progress Evaluation   | 5 | route
high_level_planning    | navigation | High-level Planning   | 5 | goal
action_generation      | navigation | Action Generation     | 7 | goal route
"""
AIRCOP = """
scene_description    | scene         | 1.1 | Scene Description    | SD       | llm
scene_comparison     | scene         | 1.2 | Scene Comparison     | SC       | llm
observing_posture    | scene         | 1.3 | Observing Posture    | OP       | llm
object_recognition   | object        | 2.1 | Object Recognition   | OR       | llm
object_counting      | object        | 2.2 | Object Counting      | OC       | aircop.counting
object_grounding     | object        | 2.3 | Object Grounding     | OG       | llm
object_matching      | object        | 2.4 | Object Matching      | OM       | llm
quality_assessment   | perception    | 3.1 | Quality Assessment   | QA       | aircop.quality
usability_assessment | perception    | 3.2 | Usability Assessment | UA       | aircop.usability
causal_assessment    | perception    | 3.3 | Causal Assessment    | CA       | llm
when_to_collaborate  | collaboration | 4.1 | When to Collaborate  | when2col | aircop.when
what_to_collaborate  | collaboration | 4.2 | What to Collaborate  | what2col | llm
who_to_collaborate   | collaboration | 4.3 | Who to Collaborate   | who2col  | aircop.who
why_to_collaborate   | collaboration | 4.4 | Why to Collaborate   | why2col  | hybrid
"""
SPATIALUAV = """
region_recognition | semantic | Region_Recognition | detected_image | region_set
anomaly_detection | semantic | Anomaly_Detection | detected_image | region_set
direction_recognition | spatial | Direction_Recognition | detected_image | clock
distance_comparison | spatial | Distance_Comparison | detected_image | region_label
a2a_collaboration_recognition|aerial_aerial|A2A_Collaboration_Recognition|query_candidates|option_letter
a2a_shared_association | aerial_aerial | A2A_Shared_Association | detected_pair | pair_list
object_matching | aerial_aerial | A2A_Object_Matching | detected_pair | bbox region_label
camera_transformation | aerial_aerial | A2A_Camera_Transformation | clean_pair | angle angle_distance
occlusion_removal | aerial_aerial | A2A_Occlusion_Removal | annotated_pair | region_label
a2g_shared_association | aerial_ground | A2G_Shared_Association | detected_pair | pair_list
a2g_collaboration_recognition|aerial_ground|A2G_Collaboration_Recognition|query_candidates|option_letter
view_translation | aerial_ground | A2G_View_Translation | detected_pair | region_label
path_planning | aerial_ground | A2G_Path_Planning | annotated_path_pair | direction_label
global_motion | motion | Motion_Understanding | ordered_frames | free_text
"""
TOPVIEWRS = """
object_recognition                 | recognition  | Object Recognition                 | 2 | topview_map
scene_recognition                  | recognition  | Scene Recognition                  | 2 | topview_map
object_localization                | localization | Object Localization                | 1 | topview_map
scene_localization                 | localization | Scene Localization                 | 2 | topview_map
scene_counting                     | static       | Scene Counting                     | 1 | topview_map
relative_spatial_relations         | static       | Relative Spatial Relations         | 2 | topview_map
dynamic_action_counting            | dynamic      | Dynamic Action Counting            | 1 | topview_map_path
dynamic_relative_spatial_reasoning | dynamic      | Dynamic Relative Spatial Reasoning | 1 | topview_map_path
dynamic_spatial_localization       | dynamic      | Dynamic Spatial Localization       | 3 | topview_map_path
"""
INDOORUAV = """
vla                  | navigation  | trajectory       | current_and_reference
vln                  | navigation  | trajectory       | first_person_view
instruction_detailed | instruction | instruction_text | key_frames
instruction_goal     | instruction | instruction_text | key_frames
"""


def rows(table: str) -> list[tuple[str, ...]]:
    return [tuple(cell.strip() for cell in line.split("|")) for line in table.strip().splitlines()]


def write(folder: Path, text: str) -> Path:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def complaint(path: Path) -> str:
    try:
        task_set_files.load(path)
    except UserError as error:
        return error.message
    return ""


def changed(old: str, new: str) -> str:
    assert old in AIRCOP_TEXT
    return AIRCOP_TEXT.replace(old, new, 1)


# The six that come with the product


def test_builtin_ids_then_all_six_and_each_file_bears_its_own_id() -> None:
    names = ("aircop", "indooruav", "mm_uavbench", "spatialuav", "topviewrs", "urbanvideo")
    assert task_set_files.builtin_ids() == names
    assert [task_set_files.builtin(name).id for name in task_set_files.builtin_ids()] == list(
        task_set_files.builtin_ids()
    )


def test_urbanvideo_then_the_sixteen_tasks_of_the_paper() -> None:
    found = [
        (
            task.id,
            task.group,
            task.title.en,
            str(task.option_count and task.option_count.max),
            " ".join(task.drafted_from),
        )
        for task in task_set_files.builtin("urbanvideo").tasks
    ]
    assert found == rows(URBANVIDEO)
    assert len(found) == 16


def test_aircop_then_the_fourteen_tasks_of_the_paper() -> None:
    found = [
        (task.id, task.group, task.number, task.title.en, task.id_parts[0], task.drafted_by)
        for task in task_set_files.builtin("aircop").tasks
    ]
    assert found == rows(AIRCOP)
    assert len(found) == 14


def test_spatialuav_then_the_fourteen_tasks_of_the_paper_and_seven_inputs() -> None:
    tasks = task_set_files.builtin("spatialuav").tasks
    found = [
        (task.id, task.group, task.id_parts[0], task.visual_input, " ".join(task.answer_format))
        for task in tasks
    ]
    assert found == rows(SPATIALUAV)
    assert len(found) == 14
    assert len({task.visual_input for task in tasks}) == 7


def test_topviewrs_then_nine_sub_tasks_of_four_tasks_with_fifteen_templates() -> None:
    topviewrs = task_set_files.builtin("topviewrs")
    found = [
        (task.id, task.group, task.title.en, str(len(task.templates)), task.visual_input)
        for task in topviewrs.tasks
    ]
    assert found == rows(TOPVIEWRS)
    assert len(topviewrs.groups) == 4
    assert sum(len(task.templates) for task in topviewrs.tasks) == 15
    assert {task.answer_format for task in topviewrs.tasks} == {("option_letter", "span_set")}


def test_indooruav_then_navigation_and_instruction_writing() -> None:
    found = [
        (task.id, task.group, " ".join(task.answer_format), task.visual_input)
        for task in task_set_files.builtin("indooruav").tasks
    ]
    assert found == rows(INDOORUAV)


def test_indooruav_then_the_metrics_of_the_authors_code() -> None:
    vla, vln = (task_set_files.builtin("indooruav").task(name) for name in ("VLA", "VLN"))
    assert {metric.id: metric.parameters for metric in vla.metrics} == {
        "success_rate": {"within_m": 0.5, "within_deg": 45, "strict": True},
        "ndtw": {"length_factor": 1, "position_divisor": 2.2, "with_yaw": True},
    }
    assert vla.scoring_settings == {
        "skipped_points": 1, "most_points": 15, "stop_below_m": 0.15, "stop_below_deg": 15,
    }  # fmt: skip
    assert {metric.id: metric.parameters for metric in vln.metrics} == {
        "navigation_error": {},
        "success_rate": {"within_m": 2, "strict": False},
        "oracle_success_rate": {"within_m": 2},
        "ndtw": {"length_factor": 10},
    }
    assert vln.scoring_settings == {"counted_termination": "no_more_instructions"}


def test_spatialuav_then_each_subtype_has_template_and_threshold() -> None:
    matching = task_set_files.builtin("spatialuav").task("Object Matching")
    camera = task_set_files.builtin("spatialuav").task("Camera Transformation")
    assert [template.answer_format for template in matching.templates] == ["bbox", "region_label"]
    assert matching.metrics[0].parameters == {
        "iou_weight": 0.5, "centre_weight": 0.25, "size_weight": 0.25, "threshold": 0.5,
    }  # fmt: skip
    assert [template.answer_format for template in camera.templates] == ["angle", "angle_distance"]
    assert camera.metrics[0].parameters == {"tolerance_deg": 10, "reported_deg": [5, 10, 20]}
    assert camera.metrics[1].parameters == {"tolerance_deg": 10, "tolerance_m": 10}


@pytest.mark.parametrize(
    ("task_set", "name", "task"),
    [
        ("urbanvideo", "Association Reasoning", "association"),
        ("urbanvideo", "Object Perception", "object_recall"),
        ("urbanvideo", "start/end position", "start_end_position"),
        ("aircop", "1.1 Scene Description (UAV1)", "scene_description"),
        ("aircop", "1.1 Scene Understanding (UAV3)", "scene_description"),
        ("aircop", "1.2 Scene Comparison (3UAV)", "scene_comparison"),
        ("aircop", "2.1 UAV Target Recognition (UAV2)", "object_recognition"),
        ("aircop", "2.2 UAV Target Counting (UAV1)", "object_counting"),
        ("aircop", "2.3 UAV Target Grounding (UAV1)", "object_grounding"),
        ("aircop", "2.4 UAV Target Matching (UAV1)", "object_matching"),
        ("aircop", "4.3 Who to Collaborate (UAV6)", "who_to_collaborate"),
        ("spatialuav", "Motion Understanding", "global_motion"),
        ("indooruav", "IndoorUAV-VLN", "vln"),
    ],
)
def test_builtin_when_asked_for_a_spelling_of_the_files_then_found(
    task_set: str, name: str, task: str
) -> None:
    assert task_set_files.builtin(task_set).task(name).id == task


@pytest.mark.parametrize(
    ("task_set", "name", "task"),
    [
        ("aircop", "MDMT_SD_UAV1_12", "scene_description"),
        ("aircop", "Sim3_SC_UN_UAV1_12", "scene_description"),
        ("aircop", "MDMT_SC_12", "scene_comparison"),
        ("aircop", "MDMT_Model_ObjRec_UAV2_1002", "object_recognition"),
        ("aircop", "MDMT_why2col_UAV1_3", "why_to_collaborate"),
        ("spatialuav", "A2G_Path_Planning_00001", "path_planning"),
        ("spatialuav", "Path_Planning_00001", "path_planning"),
        ("spatialuav", "A2G_Shared_Association_00007", "a2g_shared_association"),
    ],
)
def test_builtin_when_asked_by_item_name_then_found(task_set: str, name: str, task: str) -> None:
    found = task_set_files.builtin(task_set).find_by_item_name(name)
    assert found is not None
    assert found.id == task


def test_aircop_when_an_id_of_sim3_fits_two_tasks_then_none() -> None:
    assert task_set_files.builtin("aircop").find_by_item_name("Sim3_SC_UN_12") is None


@pytest.mark.parametrize("task_set", task_set_files.builtin_ids())
def test_builtin_then_titles_in_both_languages_and_every_slot_explained(task_set: str) -> None:
    found = task_set_files.builtin(task_set)
    titles = [found.title, *(entry.title for entry in (*found.tasks, *found.groups, *found.issue_classes))]
    titles += [value.title for values in found.value_lists.values() for value in values]
    assert [title.en for title in titles if not re.search(r"[\u4e00-\u9fff]", title.zh)] == []
    assert all(
        re.search(r"\w+ \w+", found.slots[slot])
        for task in found.tasks
        for t in task.templates
        for slot in t.slots
    )
    assert found.paper.rpartition(" ")[2][4:5] == "."
    assert found.data_licence
    assert found.scoring_mode == "strict"


def test_builtin_then_checks_fit_the_formats() -> None:
    about_options = {
        "option_keys",
        "key_in_options",
        "option_similarity",
        "duplicate_options",
        "longest_option",
    }
    for task_set in map(task_set_files.builtin, task_set_files.builtin_ids()):
        for task in task_set.tasks:
            assert {"required_fields", "missing_media", "duplicate_id", "unfilled_slot"} <= set(task.checks)
            has_texts = task.option_count is not None and task.visual_input != "query_candidates"
            assert about_options <= set(task.checks) if has_texts else about_options.isdisjoint(task.checks)
            assert ("letter_balance" in task.checks) == (task.option_count is not None)


def test_aircop_then_thresholds_of_the_draft_check() -> None:
    assert task_set_files.builtin("aircop").check_settings == {
        "option_similarity": {"above": 0.85},
        "question_length": {"min": 10, "max": 200},
    }


@pytest.mark.parametrize(
    ("task_set", "letters", "fewest", "most"),
    [
        ("aircop", "ABCD", 4, 4),
        ("urbanvideo", "ABCDEFG", 3, 7),
        ("topviewrs", "ABCD", 4, 4),
        ("indooruav", "", 0, 0),
    ],
)
def test_builtin_then_letters_and_option_counts(task_set: str, letters: str, fewest: int, most: int) -> None:
    found = task_set_files.builtin(task_set)
    counts = [task.option_count for task in found.tasks if task.option_count] or [
        task_set_files.OptionCount(min=0, max=0)
    ]
    assert (found.option_letters, min(c.min for c in counts), max(c.max for c in counts)) == (
        letters,
        fewest,
        most,
    )


def test_issue_classes_then_those_of_the_papers() -> None:
    issues = task_set_files.builtin("urbanvideo").issue_classes
    assert {issue.id: issue.published_count for issue in issues} == {
        "invalid_question": 761, "element_hallucination": 184, "direction": 446, "choices": 2363,
    }  # fmt: skip
    actions = [issue.id for issue in task_set_files.builtin("topviewrs").issue_classes]
    assert actions == ["skip", "modify", "correct", "keep"]


def test_aircop_then_value_lists_have_the_published_lengths_and_numbers() -> None:
    lists = task_set_files.builtin("aircop").value_lists
    assert {name: len(values) for name, values in lists.items()} == {
        "quality": 5, "usability": 2, "usability_phrase": 5, "object_type": 4, "region_category": 4,
        "degradation": 8, "issue": 4, "when": 2, "what": 1, "why": 8,
    }  # fmt: skip
    assert {value.id: value.number for value in lists["quality"]} == {
        "excellent": 5, "good": 4, "fair": 3, "poor": 2, "very_poor": 1,
    }  # fmt: skip
    assert [value.number for value in lists["why"]] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_aircop_then_degradation_issue_and_reason_map_to_each_other() -> None:
    aircop = task_set_files.builtin("aircop")
    issues = {value.id: value.maps_to.get("issue") for value in aircop.value_lists["degradation"]}
    assert issues == {
        "occlusion": "occluded", "small_target": "too_small", "out_of_fov": "out_of_fov",
        "shadow": "under_shadow", "brightness": None, "noise": None, "loss": None, "others": None,
    }  # fmt: skip
    for value in aircop.value_lists["degradation"]:
        reason = aircop.find_value("why", value.maps_to["why"])
        assert reason is not None
        assert reason.maps_to == {
            "degradation": value.id, **({"issue": issues[value.id]} if issues[value.id] else {}),
        }  # fmt: skip


def test_aircop_then_published_spellings_keep_their_slips() -> None:
    lists = task_set_files.builtin("aircop").value_lists
    published = {name: [value.published for value in values] for name, values in lists.items()}
    assert published["degradation"] == [
        "Object occlusion", "Small target / Long distance", "Out of FoV", "Under shadow",
        "Brightness imbalance", "Low SNR (noisy)", "Image loss", "Others（Please fill in below）",
    ]  # fmt: skip
    assert published["issue"] == ["Occluded", "Too small", "Out of FoV", "Under shadow"]
    assert published["what"] == ["More information"]
    assert published["usability"] == ["1 (Available)", "0 (Unavailable)"]
    assert published["when"] == ["1 (Yes)", "0 (No)"]
    assert published["why"][1].endswith("more visible in the other persepctive.")
    assert "too bright),while" in published["why"][4]
    assert all("persepctive" not in value.title.en for value in lists["why"])


# The real files


@pytest.mark.parametrize("name", ["Real2_Sample.json", "Sim3_Sample.json"])
def test_aircop_when_read_against_the_real_labels_then_every_choice_is_listed(
    name: str, shared_data: Path
) -> None:
    aircop = task_set_files.builtin("aircop")
    fields = {
        "Quality": "quality", "Usibility": "usability", "Object_type": "object_type",
        "Degradation": "degradation", "Collaboration_when": "when", "Collaboration_why": "why",
    }  # fmt: skip
    boxes = {"PerceptionIssues": "issue", "Collaboration_what": "what"}
    records = json.loads((shared_data / "aircop" / name).read_text(encoding="utf-8"))
    used = {
        (value_list, choice)
        for record in records
        for field, value_list in fields.items()
        if field in record
        for choice in (record[field]["choices"] if isinstance(record[field], dict) else [record[field]])
    }
    used |= {
        (value_list, label)
        for record in records
        for field, value_list in boxes.items()
        for box in record.get(field) or []
        for label in box["rectanglelabels"]
    }
    published = {(name, value.published) for name, values in aircop.value_lists.items() for value in values}
    assert {value_list for value_list, _ in used} == {*fields.values(), *boxes.values()}
    assert used - published == set()


def test_spatialuav_when_read_against_the_real_rows_then_every_task_is_told(shared_data: Path) -> None:
    spatialuav = task_set_files.builtin("spatialuav")
    lines = [
        json.loads(line)
        for path in sorted((shared_data / "spatialuav").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    found = [spatialuav.find_by_item_name(str(line["id"])) for line in lines]
    assert {task.id for task in found if task} == {task.id for task in spatialuav.tasks}
    assert None not in found


def test_urbanvideo_when_read_against_the_real_rows_then_option_counts_agree(shared_data: Path) -> None:
    urbanvideo = task_set_files.builtin("urbanvideo")
    checked = 0
    for path in sorted((shared_data / "urbanvideo").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                count = urbanvideo.task(row["question_category"]).option_count
                assert count is not None
                assert (
                    count.min
                    <= len(re.findall(r"^[A-G]\. ", row["question"], flags=re.MULTILINE))
                    <= count.max
                )
                checked += 1
    assert checked >= 4


# Loading


def test_builtin_when_asked_twice_then_the_same_object() -> None:
    assert task_set_files.builtin("aircop") is task_set_files.builtin("aircop")


def test_builtin_when_unknown_then_the_hint_names_what_comes_near() -> None:
    with pytest.raises(UserError) as caught:
        task_set_files.builtin("AirCopBench")
    assert caught.value.message == "Unknown task set 'AirCopBench'."
    assert caught.value.hint == "Available: aircop, mm_uavbench."


def test_builtin_when_the_name_is_a_path_then_refused_like_any_other() -> None:
    with pytest.raises(UserError, match="Unknown task set"):
        task_set_files.builtin("../tasksets/aircop")


def example_of_the_documents() -> str:
    page = (REPO / "docs" / "tasksets.md").read_text(encoding="utf-8")
    return page.partition("```toml\n")[2].partition("```")[0]


def test_load_when_a_team_writes_the_example_of_the_documents_then_it_works(tmp_path: Path) -> None:
    own = task_set_files.load(write(tmp_path, example_of_the_documents()))
    solar = own.task("Solar Roofs")
    assert [task.id for task in own.tasks] == ["roof_material", "solar_roofs"]
    assert solar.visual_input == "detected_image"
    assert solar.checks == ("required_fields", "duplicate_id")
    assert own.task("roof_material").option_count == task_set_files.OptionCount(min=4, max=4)


def test_load_when_option_count_is_a_range_then_both_bounds(tmp_path: Path) -> None:
    text = example_of_the_documents().replace("option_count = 4", "option_count = { min = 2, max = 3 }")
    assert task_set_files.load(write(tmp_path, text)).tasks[0].option_count == task_set_files.OptionCount(
        min=2, max=3
    )


def test_load_when_a_windows_editor_put_a_byte_order_mark_then_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(AIRCOP_TEXT, encoding="utf-8-sig", newline="\r\n")
    assert task_set_files.load(path) == task_set_files.builtin("aircop")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id = ", "own.toml is not valid TOML: Invalid value (at"),
        ("x = 1979-13-01", "own.toml is not valid TOML: "),
        ("x = " + "9" * 5000, "own.toml is not valid TOML: "),
        ("x = " + "[" * 5000, "own.toml is nested too deeply."),
        (".".join("a" * 102) + " = 1", "own.toml, line 1 has more than 100 dots."),
        ("x = 1\n" * 50_000, "own.toml is too large for a task set (limit: 256 kB)."),
        ("", "own.toml, top level: missing required field `id`."),
        ("id = 3", "own.toml, field id: expected text, got a whole number."),
        ("tasks = [1]", "own.toml, task number 1: expected a table, got a whole number."),
        ("defaults = 1", "own.toml, field defaults: the value must be a table."),
        (
            changed("per_view = true", "per_viw = true"),
            "own.toml, field defaults: 'per_viw' is not a field of a task.",
        ),
        (changed('"strict"', '"loose"'), "own.toml, field scoring_mode: 'loose' is not a valid value."),
        (changed("above = 0.85", 'above = "x"'), "own.toml, field check_settings.option_similarity"),
        (
            changed('group = "object"', 'gruop = "object"'),
            "own.toml, task object_recognition: unknown field `gruop`.",
        ),
        (
            changed('title = { en = "Object Grounding", zh = "目标定位" }', 'title = "Grounding"'),
            "own.toml, task object_grounding, field title: expected a table, got text.",
        ),
        (
            changed('{ id = "same_object", text', '{ id = "same_object", txt'),
            "own.toml, task object_matching, field templates, entry 1: unknown field `txt`.",
        ),
        (changed('id = "object_counting"\n', ""), "own.toml, task number 5: missing required field `id`."),
        (
            changed('title = { en = "Drones", zh = "无人机" }\n', ""),
            "own.toml, field value_lists.object_type, entry 4: missing required field `title`.",
        ),
        (
            changed("number = 5", "number = 5.5"),
            "own.toml, field value_lists.quality, entry 1, field number: expected a whole number, got a",
        ),
        (
            changed("source = [", "source = [7, "),
            "own.toml, field source, entry 1: expected text, got a whole number.",
        ),
        (
            changed('visual_input = "scene_views"', 'visual_input = "x"'),
            "own.toml, task scene_description, field visual_input",
        ),
    ],
)
def test_load_when_the_file_is_wrong_then_file_place_and_reason(
    text: str, expected: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as caught:
        task_set_files.load(write(tmp_path, text))
    assert caught.value.message.startswith(expected)


def test_load_when_several_things_are_wrong_then_all_are_said(tmp_path: Path) -> None:
    text = changed('group = "scene"', 'group = "sene"').replace('"accuracy"', '"luck"')
    with pytest.raises(UserError) as caught:
        task_set_files.load(write(tmp_path, text))
    lines = caught.value.message.splitlines()
    assert (
        "own.toml, task scene_description, field group: 'sene' is unknown; available: scene, object"
        in lines[0]
    )
    assert sum("'luck' is unknown" in line for line in lines) == 14


def test_load_when_there_is_no_file_then_said(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(UserError, match="The task set file"):
            task_set_files.load(path)


def test_load_when_it_is_not_text_then_said(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not UTF-8"):
        task_set_files.load(path)


def test_load_when_the_disk_refuses_then_a_host_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path, AIRCOP_TEXT)
    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(EnvironmentFailure, match="cannot be read: Permission denied"):
        task_set_files.load(path)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    line=st.integers(0, AIRCOP_TEXT.count("\n") - 1),
    text=st.sampled_from(
        ["", "x = 1", "[[tasks]]", "[slots]", "tasks = 3", 'id = "a"', "[[value_lists.why]]", "checks = {}"]
    )
    | st.text(max_size=12),
)
def test_load_when_any_line_is_damaged_then_it_loads_or_says_why(
    line: int, text: str, tmp_path: Path
) -> None:
    lines = AIRCOP_TEXT.splitlines()
    lines[line] = text
    path = tmp_path / "own.toml"
    path.write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")
    said = complaint(path)
    assert said == "" or said.startswith("own.toml")


# The page that describes it


@pytest.mark.parametrize(
    "struct",
    [
        task_set_files.TaskSet,
        task_set_files.Task,
        task_set_files.QuestionTemplate,
        task_set_files.TaskMetric,
        task_set_files.ListValue,
        task_set_files.TaskGroup,
        task_set_files.IssueClass,
        task_set_files.OptionCount,
        task_set_files.LocalizedText,
    ],
)
def test_documents_then_every_field_is_described(struct: type[msgspec.Struct]) -> None:
    page = (REPO / "docs" / "tasksets.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[a-z][a-z0-9_]*", page))
    assert set(struct.__struct_fields__) - words == set()


def test_documents_then_every_known_word_is_described() -> None:
    page = (REPO / "docs" / "tasksets.md").read_text(encoding="utf-8")
    quoted = set(re.findall(r"`([a-z0-9_]+)`", page))
    known = {
        *task_set_rules.metrics_by_format(), *task_set_rules.VISUAL_INPUTS, *task_set_rules.DRAFTED_BY,
        *task_set_rules.DRAFTED_FROM, *task_set_rules.SCORING_SETTINGS,
    }  # fmt: skip
    assert known - quoted - {known.id for known in answers.formats().values()} == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            changed('"required_fields"', '"requird_fields"'),
            "field checks: 'requird_fields' is unknown; available: required_fields,",
        ),
        (
            changed("option_similarity = {", "unfilled_slot = {"),
            "field check_settings: 'unfilled_slot' is unknown; available: option_similarity, que",
        ),
        (
            changed("above = 0.85", "below = 0.85"),
            "field check_settings.option_similarity: 'below' is unknown; available: above.",
        ),
    ],
)
def test_check_problems_when_a_check_is_unknown_then_place_and_the_known_ones(
    text: str, expected: str, tmp_path: Path
) -> None:
    task_set = task_set_files.load(write(tmp_path, text))
    problems = list(task_set_rules.find_check_problems(task_set, known_checks()))
    assert any(expected in problem for problem in problems)


@pytest.mark.parametrize("task_set", task_set_files.builtin_ids())
def test_builtin_then_names_checks_that_there_are(task_set: str) -> None:
    found = task_set_files.load(resources.path(f"tasksets/{task_set}.toml"))
    assert list(task_set_rules.find_check_problems(found, known_checks())) == []
