from __future__ import annotations

import msgspec
import pytest

from annotator.domain.answers import registry
from annotator.domain.answers.base import MetricRule
from annotator.domain.answers.free_text import FreeText
from annotator.domain.task_set import (
    ClipLength,
    ListValue,
    LocalizedText,
    OptionCount,
    QuestionTemplate,
    Task,
    TaskGroup,
    TaskMetric,
    TaskSet,
)
from annotator.domain.task_set_rules import find_check_problems, find_problems, known_metrics
from annotator.quality.checks import known_checks

TASK = Task(
    id="counting",
    title=LocalizedText(en="Counting"),
    group="only",
    visual_input="clean_image",
    answer_format=("option_letter",),
    option_count=OptionCount(min=4, max=4),
    key_from="A person says it.",
    drafted_by="manual",
    templates=(QuestionTemplate(id="one", text="How many in {view}?"),),
    metrics=(TaskMetric(id="accuracy"),),
)
TRIAL = TaskSet(
    id="trial",
    title=LocalizedText(en="Trial"),
    version="1",
    letters="A-D",
    groups=(TaskGroup(id="only", title=LocalizedText(en="Only")),),
    slots={"view": "name of a view"},
    tasks=(TASK,),
)
METRES = {"within_m": 2.0}


def with_task(**fields: object) -> TaskSet:
    return msgspec.structs.replace(TRIAL, tasks=(msgspec.structs.replace(TASK, **fields),))


def with_set(**fields: object) -> TaskSet:
    return msgspec.structs.replace(TRIAL, **fields)


def value(value_id: str, **fields: object) -> ListValue:
    return ListValue(id=value_id, title=LocalizedText(en=value_id.title()), **fields)  # type: ignore[arg-type]


def trajectory_task(*metrics: TaskMetric) -> TaskSet:
    return with_task(answer_format=("trajectory",), option_count=None, metrics=metrics)


def test_find_problems_when_all_is_well_then_none() -> None:
    assert find_problems(TRIAL) == []


@pytest.mark.parametrize(
    ("task_set", "expected"),
    [
        (with_set(id="Über Set"), "field id: 'Über Set' is not a valid id"),
        (with_set(tasks=(), slots={}), "field tasks: at least one task is required."),
        (with_set(tasks=(TASK, TASK)), "field tasks: 'counting' occurs 2 times."),
        (
            with_set(tasks=(TASK, msgspec.structs.replace(TASK, id="other"))),
            "field tasks: 'Counting' of other is also a name of counting.",
        ),
        (with_set(groups=TRIAL.groups * 2), "field groups: 'only' occurs 2 times."),
        (with_set(letters="A-Z"), "field letters: 'A-Z' is not a range"),
        (with_set(slots={"view": "", "unused": ""}), "field slots: 'unused' is not used in any template."),
        (
            with_set(clip_length=ClipLength(min_s=20, max_s=10)),
            "field clip_length: 20 to 10 s is not a range of lengths.",
        ),
        (
            with_set(check_settings={"letter_balance": {}}),
            "field check_settings: 'letter_balance' is unknown",
        ),
        (
            with_set(check_settings={"question_length": {"above": 3.0}}),
            "field check_settings.question_length: 'above' is unknown; available:",
        ),
        (
            with_set(check_settings={"option_similarity": {"above": float("nan")}}),
            "field check_settings.option_similarity: 'above' is not a finite number.",
        ),
        (with_set(value_lists={"No": ()}), "field value_lists: 'No' is not a valid id"),
    ],
)
def test_find_problems_when_the_set_is_wrong_then_field_and_reason(task_set: TaskSet, expected: str) -> None:
    found = [*find_problems(task_set), *find_check_problems(task_set, known_checks())]
    assert any(problem.startswith(expected) for problem in found)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"group": "other"}, "field group: 'other' is unknown; available: only."),
        ({"visual_input": "hologram"}, "field visual_input: 'hologram' is unknown"),
        ({"answer_format": ("morse",)}, "field answer_format: 'morse' is unknown"),
        ({"answer_format": ()}, "field answer_format: the value is missing."),
        ({"answer_format": ("clock",)}, "field option_count: these answer formats have no options."),
        ({"option_count": None}, "field option_count: it is missing."),
        ({"option_count": OptionCount(min=4, max=5)}, "field option_count: 4 to 5 is outside the range"),
        ({"option_count": OptionCount(min=1, max=4)}, "field option_count: 1 to 4 is outside"),
        ({"option_count": OptionCount(min=4, max=3)}, "field option_count: 4 to 3 is outside"),
        ({"checks": ("spelling",)}, "field checks: 'spelling' is unknown"),
        ({"checks_left_out": ("spelling",)}, "field checks_left_out: 'spelling' is unknown"),
        ({"drafted_by": "magic"}, "field drafted_by: 'magic' is neither a rule"),
        ({"drafted_from": ("rumour",)}, "field drafted_from: 'rumour' is unknown"),
        ({"choices": "material"}, "field choices: 'material' is unknown"),
        ({"key_from": " "}, "field key_from: it is empty."),
        ({"title": LocalizedText(en="")}, "field title: it is empty."),
        ({"scoring_settings": {"luck": 1.0}}, "field scoring_settings: 'luck' is unknown"),
        (
            {"scoring_settings": {"most_points": float("inf")}},
            "field scoring_settings: 'most_points' is not a finite",
        ),
        ({"templates": ()}, "field templates: at least one question is required."),
        ({"templates": TASK.templates * 2}, "field templates: 'one' occurs 2 times."),
        ({"metrics": ()}, "field metrics: no metric scores 'option_letter'."),
        ({"metrics": (TaskMetric(id="luck"),)}, "field metrics: 'luck' is unknown"),
        ({"metrics": (TaskMetric(id="pair_f1"),)}, "field metrics.pair_f1: the metric does not support"),
        (
            {"metrics": (TaskMetric(id="accuracy", answer_format="clock"),)},
            "field metrics.accuracy: 'clock' is unknown; available: option_letter.",
        ),
        (
            {"metrics": (TaskMetric(id="accuracy", parameters={"above": 1.0}),)},
            "field metrics.accuracy: 'above' is unknown; available: none.",
        ),
    ],
)
def test_find_problems_when_a_task_is_wrong_then_field_and_reason(
    fields: dict[str, object], expected: str
) -> None:
    task_set = with_task(**fields)
    assert any(
        problem.startswith(f"task counting, {expected}")
        for problem in (*find_problems(task_set), *find_check_problems(task_set, known_checks()))
    )


@pytest.mark.parametrize(
    "text", ["How many in {view?", "How many in view}?", "How many in {view}}?", "{{view}"]
)
def test_find_problems_when_a_brace_has_no_partner_then_said(text: str) -> None:
    problems = find_problems(with_task(templates=(QuestionTemplate(id="one", text=text),)))
    assert f"task counting, field templates.one: unbalanced brace in {text!r}." in problems


def test_find_problems_when_a_slot_is_not_explained_then_said() -> None:
    problems = find_problems(
        with_task(templates=(QuestionTemplate(id="one", text="How many in {view} of {room}?"),))
    )
    (problem,) = problems
    assert problem.startswith("task counting, field templates.one (slots are explained under [slots])")
    assert problem.endswith(": 'room' is unknown; available: view.")


def test_find_problems_when_a_template_answers_in_a_foreign_format_then_said() -> None:
    template = QuestionTemplate(id="one", text="How many in {view}?", answer_format="clock")
    assert find_problems(with_task(templates=(template,))) == [
        "task counting, field templates.one.answer_format: 'clock' is unknown; available: option_letter."
    ]


def test_find_problems_when_a_parameter_is_missing_then_said() -> None:
    problems = find_problems(trajectory_task(TaskMetric(id="success_rate", parameters=dict(METRES))))
    assert problems == ["task counting, field metrics.success_rate: the parameter 'strict' is missing."]


def test_find_problems_when_a_parameter_in_a_list_is_not_finite_then_said() -> None:
    metric = TaskMetric(
        id="angle_within", parameters={"tolerance_deg": 10.0, "reported_deg": [5.0, float("nan")]}
    )
    problems = find_problems(with_task(answer_format=("angle",), option_count=None, metrics=(metric,)))
    assert problems == ["task counting, field metrics.angle_within: 'reported_deg' is not a finite number."]


def test_find_problems_when_optional_parameters_are_left_out_then_none() -> None:
    assert find_problems(trajectory_task(TaskMetric(id="oracle_success_rate", parameters=dict(METRES)))) == []


def test_find_problems_when_an_instruction_has_no_metric_then_none() -> None:
    assert find_problems(with_task(answer_format=("instruction_text",), option_count=None, metrics=())) == []


def test_find_problems_when_each_of_two_formats_has_its_metric_then_none() -> None:
    metrics = (
        TaskMetric(id="accuracy", answer_format="option_letter"),
        TaskMetric(id="equality", answer_format="clock"),
    )
    assert find_problems(with_task(answer_format=("option_letter", "clock"), metrics=metrics)) == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((value("a"), value("a")), "field id: 'a' occurs 2 times."),
        (
            (value("a", published="Same"), value("b", published="same")),
            "field published: 'same' of b is also a name of a.",
        ),
        (
            (value("a", maps_to={"nowhere": "x"}),),
            "field a.maps_to: 'nowhere' is unknown; available: material.",
        ),
        (
            (value("a", maps_to={"material": "x"}),),
            "field a.maps_to.material: 'x' is unknown; available: a.",
        ),
    ],
)
def test_find_problems_when_a_value_list_is_wrong_then_said(
    values: tuple[ListValue, ...], expected: str
) -> None:
    problems = find_problems(with_set(value_lists={"material": values}))
    assert f"value list material, {expected}" in problems


def test_find_problems_when_choices_are_too_few_then_said() -> None:
    task = msgspec.structs.replace(TASK, choices="material")
    three = tuple(value(name) for name in "abc")
    problems = find_problems(with_set(tasks=(task,), value_lists={"material": three}))
    assert problems == [
        "task counting, field choices: 'material' has fewer values than the task has options."
    ]
    assert find_problems(with_set(tasks=(task,), value_lists={"material": (*three, value("d"))})) == []


def test_find_problems_when_a_format_is_new_in_the_registry_then_it_and_its_metric_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Morse(FreeText):
        """A text in Morse code."""

        __slots__ = ()
        id = "morse"
        metrics = (MetricRule(id="dots", meaning="share of dots that are right"),)

    equal, dots = (
        with_task(answer_format=("morse",), option_count=None, metrics=(TaskMetric(id=metric),))
        for metric in ("equality", "dots")
    )
    assert any("'morse' is unknown" in problem for problem in find_problems(equal))
    monkeypatch.setattr(registry, "format_classes", lambda: (FreeText, Morse))
    registry.formats.cache_clear()
    assert find_problems(equal) == find_problems(dots) == []
    monkeypatch.undo()
    registry.formats.cache_clear()


def test_find_problems_when_equality_has_to_score_a_trajectory_then_said() -> None:
    problems = find_problems(trajectory_task(TaskMetric(id="equality")))
    assert problems == ["task counting, field metrics.equality: the metric does not support 'trajectory'."]


def test_metrics_then_no_parameter_is_both_required_and_optional() -> None:
    rules = known_metrics().values()
    assert [rule.id for rule in rules if set(rule.required) & set(rule.optional)] == []
