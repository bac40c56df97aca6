from __future__ import annotations

import pytest

from annotator.domain import task_set_files
from annotator.domain.task_set import (
    ListValue,
    LocalizedText,
    OptionCount,
    QuestionTemplate,
    Task,
    TaskGroup,
    TaskMetric,
    TaskSet,
    plain_name,
)
from annotator.errors import UserError
from tests.hangs import soon


def make_task(task_id: str, **fields: object) -> Task:
    usual: dict[str, object] = {
        "title": LocalizedText(en=task_id.replace("_", " ").title()),
        "group": "only",
        "visual_input": "clean_image",
        "answer_format": ("option_letter",),
        "option_count": OptionCount(min=4, max=4),
        "key_from": "A person says it.",
        "drafted_by": "manual",
        "templates": (QuestionTemplate(id="one", text="What is it?"),),
        "metrics": (TaskMetric(id="accuracy"),),
    }
    return Task(id=task_id, **(usual | fields))  # type: ignore[arg-type]


def make_set(*tasks: Task, **fields: object) -> TaskSet:
    usual: dict[str, object] = {
        "id": "trial",
        "title": LocalizedText(en="Trial"),
        "version": "1",
        "letters": "A-D",
        "groups": (TaskGroup(id="only", title=LocalizedText(en="Only")),),
    }
    return TaskSet(tasks=tasks, **(usual | fields))  # type: ignore[arg-type]


COUNTING = make_task(
    "object_counting",
    number="2.2",
    aliases=("UAV Target Counting",),
    id_parts=("OC",),
    title=LocalizedText(en="Object Counting", zh="目标计数"),
)
DESCRIPTION = make_task("scene_description", aliases=("Scene Understanding",), id_parts=("SD", "SC_UN_UAV"))
COMPARISON = make_task("scene_comparison", id_parts=("SC", "SC_UN"))
POSTURE = make_task("observing_posture", id_parts=("OP", "SC_UN"))
PATHS = make_task("path_planning", id_parts=("A2G_Path_Planning", "Path_Planning"))
TRIAL = make_set(COUNTING, DESCRIPTION, COMPARISON, POSTURE, PATHS)


@pytest.mark.parametrize(
    "name",
    [
        "object_counting",
        "Object Counting",
        "OBJECT-COUNTING ",
        "目标计数",
        "2.2",
        "2.2 UAV Target Counting (UAV1)",
        "2.2 Object Counting (UAVn)",
        "Object Counting（3UAV）",
    ],
)
def test_find_when_spelt_as_files_do_then_the_task(name: str) -> None:
    assert TRIAL.find(name) is COUNTING


@pytest.mark.parametrize("name", ["", "2.9", "Counting", "Object Counting (ground)", "(UAV1)"])
def test_find_when_unknown_then_none(name: str) -> None:
    assert TRIAL.find(name) is None


def test_find_when_a_name_itself_has_number_and_view_then_the_task() -> None:
    odd = make_task("odd", aliases=("7.1 Odd (UAV2)",))
    assert make_set(odd).find("7.1 odd (uav2)") is odd


def test_task_when_known_then_the_task() -> None:
    assert TRIAL.task("Scene Understanding") is DESCRIPTION


def test_task_when_misspelt_then_the_hint_names_what_comes_near() -> None:
    with pytest.raises(UserError) as caught:
        TRIAL.task("Objekt Counting")
    assert caught.value.message == "Trial has no task 'Objekt Counting'."
    assert caught.value.hint == "Similar: object_counting."


def test_task_when_nothing_comes_near_then_the_hint_names_all() -> None:
    with pytest.raises(UserError) as caught:
        TRIAL.task("zzzz")
    assert caught.value.hint == (
        "Available: object_counting, scene_description, scene_comparison, observing_posture, path_planning."
    )


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("MDMT_OC_UAV1_7", COUNTING),
        ("Sim3_SC_UN_UAV3_7", DESCRIPTION),
        ("MDMT_SC_7", COMPARISON),
        ("A2G_Path_Planning_00001", PATHS),
        ("Path_Planning_00001", PATHS),
    ],
)
def test_find_by_item_name_when_a_part_tells_then_the_task(name: str, task: Task) -> None:
    assert TRIAL.find_by_item_name(name) is task


@pytest.mark.parametrize("name", ["Sim3_SC_UN_7", "MDMT_XX_7", "", "mdmt_oc_7", "MDMTOC_7"])
def test_find_by_item_name_when_no_or_several_tasks_fit_then_none(name: str) -> None:
    assert TRIAL.find_by_item_name(name) is None


def test_find_value_when_spelt_otherwise_then_the_value_of_that_list_only() -> None:
    others = ListValue(
        id="others", title=LocalizedText(en="Other", zh="其他"), published="Others（Please fill in below）"
    )
    trial = make_set(value_lists={"degradation": (others,), "issue": ()})
    for text in (
        "others",
        "Other",
        "其他",
        "Others (Please fill in below)",
        " OTHERS（please fill in below） ",
    ):
        assert trial.find_value("degradation", text) is others
    assert trial.find_value("issue", "others") is None
    assert trial.find_value("degradation", "Othr") is None


@pytest.mark.parametrize(("letters", "expected"), [("A-D", "ABCD"), ("A-I", "ABCDEFGHI"), ("", "")])
def test_option_letters_then_every_letter_of_the_range(letters: str, expected: str) -> None:
    assert make_set(letters=letters).option_letters == expected


def test_slots_when_repeated_then_each_once_in_order() -> None:
    assert QuestionTemplate(id="t", text="Is {b} near {a}, or {b}?").slots == ("b", "a")


def test_fill_when_a_value_has_braces_then_they_stay() -> None:
    template = QuestionTemplate(id="t", text="Is {a} near {b}?")
    assert template.fill({"a": "{b}", "b": "the road"}) == "Is {b} near the road?"


def test_fill_when_a_slot_has_no_value_then_it_fails() -> None:
    with pytest.raises(KeyError, match="b"):
        QuestionTemplate(id="t", text="Is {a} near {b}?").fill({"a": "x"})


@pytest.mark.parametrize(
    ("name", "plain"), [("Start/End  Position", "start end position"), ("A2A_Object", "a2a object")]
)
def test_plain_name_then_words_alone(name: str, plain: str) -> None:
    assert plain_name(name) == plain


def test_find_when_a_name_is_a_page_of_blanks_then_is_no_hang() -> None:
    with soon():
        assert task_set_files.builtin("aircop").find("UAV" + " " * 100_000 + "!") is None
        assert task_set_files.builtin("aircop").find("Object Counting" + " " * 100_000 + "(UAV1)") is not None
