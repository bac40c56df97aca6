"""What a task set may say: the vocabularies of its fields, and the search for contradictions.

A file that passes here can be drafted from, checked and scored without further questions.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from annotator.domain import answers
from annotator.domain.answers.base import MetricRule
from annotator.domain.event_form import ANSWERS
from annotator.domain.task_set import ClipLength, ListValue, Task, TaskMetric, TaskSet, plain_name

TRAJECTORY = "trajectory"
"""The one answer format that is no text: a flight of x, y, z and yaw, scored along its way."""

# Source: the seven of SpatialUAV, from detected_image to ordered_frames; the papers of the other sets.
VISUAL_INPUTS: Mapping[str, str] = {
    "clean_image": "one image without annotations",
    "scene_views": "all synchronous views of a scene, two to six, without annotations",
    "video_clip": "one clip",
    "detected_image": "one image with detected regions under neutral ids",
    "query_candidates": "one clean image and the candidate images that are the options",
    "detected_pair": "two views with detected regions under neutral ids",
    "clean_pair": "two views without annotations",
    "annotated_pair": "two views, one with a marked point, the other with regions",
    "annotated_path_pair": "an aerial view with a marked region, and a ground view with numbered directions",
    "ordered_frames": "up to sixteen frames in order",
    "topview_map": "a realistic or semantic map seen from above",
    "topview_map_path": "a map seen from above with a drawn navigation path",
    "current_and_reference": "the current view of the drone and its view at the start of the segment",
    "first_person_view": "the view of the drone during the flight",
    "key_frames": "the key frames of a trajectory in order",
}

KnownChecks = Mapping[str, Collection[str]]
"""Names of the thresholds that a task set may give to a check, by the id of the check."""

DRAFTED_BY = ("llm", "manual", "template", "hybrid")
# Source: UrbanVideo-Bench, which data feed which task.
DRAFTED_FROM = ("video", "goal", "route")


EQUALITY = MetricRule(id="equality", meaning="1 if answer and answer key are equal, otherwise 0")
"""Scores every format whose answers are texts."""
# Source: the paper and evaluation code of IndoorUAV.
TRAJECTORY_METRICS = (
    MetricRule(id="navigation_error", meaning="distance of the two ends in metres (NE)"),
    MetricRule(
        id="success_rate",
        meaning="share of flights that end near the goal (SR); strict means below, not at, the limit",
        required=("within_m", "strict"),
        optional=("within_deg",),
    ),
    MetricRule(
        id="oracle_success_rate",
        meaning="share of flights that come near the goal (OSR)",
        required=("within_m",),
    ),
    MetricRule(
        id="ndtw",
        meaning="exp(-DTW / (length_factor x reference length)), optionally with yaw (nDTW)",
        required=("length_factor",),
        optional=("position_divisor", "with_yaw"),
    ),
)


def metrics_by_format() -> dict[str, tuple[MetricRule, ...]]:
    """Return the metrics that can score each answer format."""
    found = {known.id: (EQUALITY, *known.metrics) for known in answers.formats().values()}
    return found | {TRAJECTORY: TRAJECTORY_METRICS}


def known_metrics() -> dict[str, MetricRule]:
    """Return every metric by its id."""
    return {rule.id: rule for rules in metrics_by_format().values() for rule in rules}


# Source: the IndoorUAV evaluation code.
SCORING_SETTINGS: Mapping[str, str] = {
    "skipped_points": "predicted points dropped at the start",
    "most_points": "predicted points evaluated after those",
    "stop_below_m": "metres; a step shorter than this that also turns less than stop_below_deg is a stop",
    "stop_below_deg": "degrees; second condition of the same rule",
    "counted_termination": "only episodes with this end reason are counted",
}

_ID = re.compile(r"[a-z][a-z0-9_]*")
_RULE_ID = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*")
_LETTERS = re.compile(r"A-[B-I]")


def find_problems(task_set: TaskSet) -> list[str]:
    """Return every contradiction in a task set but those about checks, as place, field and what is wrong."""
    problems = [*_set_problems(task_set), *_slot_problems(task_set)]
    for task in task_set.tasks:
        found = (*_task_problems(task, task_set), *_format_problems(task, task_set), *_metric_problems(task))
        problems += [f"task {task.id}, {problem}" for problem in found]
    for name, values in task_set.value_lists.items():
        problems += [f"value list {name}, {problem}" for problem in _value_problems(values, task_set)]
    return problems


def _set_problems(task_set: TaskSet) -> Iterator[str]:
    yield from _id_problems([task_set.id], field="id")
    yield from _id_problems([task.id for task in task_set.tasks], field="tasks")
    yield from _shared_names({task.id: task.names for task in task_set.tasks}, field="tasks")
    yield from _id_problems([group.id for group in task_set.groups], field="groups")
    yield from _id_problems([issue.id for issue in task_set.issue_classes], field="issue_classes")
    yield from _id_problems(task_set.value_lists, field="value_lists")
    if not task_set.tasks:
        yield "field tasks: at least one task is required."
    if task_set.letters and not _LETTERS.fullmatch(task_set.letters):
        yield f"field letters: {task_set.letters!r} is not a range from A to at most I, such as A-D."
    yield from _form_problems(task_set)
    for check, settings in task_set.check_settings.items():
        yield from _finite_problems(settings, field=f"check_settings.{check}")
    yield from _finite_problems(task_set.drafting_settings, field="drafting_settings")
    yield from _length_problems(task_set.clip_length)


def _length_problems(length: ClipLength | None) -> Iterator[str]:
    if length is not None and not 0 <= length.min_s <= length.max_s < math.inf:
        yield f"field clip_length: {length.min_s:g} to {length.max_s:g} s is not a range of lengths."


def _form_problems(task_set: TaskSet) -> Iterator[str]:
    fields = task_set.form_fields
    ids = [field.id for field in fields]
    yield from _id_problems(ids, field="form_fields")
    yield from _unknown(ids, known=ANSWERS, field="form_fields")
    lists = [field.value_list for field in fields if field.value_list]
    yield from _unknown(lists, known=task_set.value_lists, field="form_fields.value_list")
    yield from _key_problems([field.key for field in fields])
    for name in lists:
        numbers = [value.number for value in task_set.value_lists.get(name, ())]
        if not _are_digits(numbers):
            yield f"value list {name}, field number: a value of the form needs a digit of its own."


def _key_problems(keys: Sequence[str]) -> Iterator[str]:
    if wrong := [key for key in keys if not re.fullmatch("[A-Z]", key) or keys.count(key) > 1]:
        yield f"field form_fields: key {wrong[0]!r} is not a single capital letter, or is used twice."


def _are_digits(numbers: Collection[int | None]) -> bool:
    return len(set(numbers)) == len(numbers) and set(numbers) <= set(range(10))


def find_check_problems(task_set: TaskSet, checks: KnownChecks) -> Iterator[str]:
    """Yield what is wrong with the names and thresholds of checks in a task set."""
    with_settings = [check for check, settings in checks.items() if settings]
    yield from _unknown(task_set.check_settings, known=with_settings, field="check_settings")
    for check, settings in task_set.check_settings.items():
        if check in checks:
            yield from _unknown(settings, known=checks[check], field=f"check_settings.{check}")
    for task in task_set.tasks:
        yield from _unknown(task.checks, known=checks, field="checks", location=f"task {task.id}, ")
        yield from _unknown(
            task.checks_left_out, known=checks, field="checks_left_out", location=f"task {task.id}, "
        )


def _slot_problems(task_set: TaskSet) -> Iterator[str]:
    used = {slot for task in task_set.tasks for template in task.templates for slot in template.slots}
    for slot in task_set.slots:
        # Mostly a slip of the pen: the template has the same slot in another spelling.
        if slot not in used:
            yield f"field slots: {slot!r} is not used in any template."


def _task_problems(task: Task, task_set: TaskSet) -> Iterator[str]:
    yield from _unknown([task.group], known=[group.id for group in task_set.groups], field="group")
    yield from _unknown([task.visual_input], known=VISUAL_INPUTS, field="visual_input")
    yield from _unknown(task.drafted_from, known=DRAFTED_FROM, field="drafted_from")
    yield from _unknown(task.scoring_settings, known=SCORING_SETTINGS, field="scoring_settings")
    yield from _finite_problems(task.scoring_settings, field="scoring_settings")
    if task.choices:
        yield from _unknown([task.choices], known=task_set.value_lists, field="choices")
        if task.option_count and len(task_set.value_lists.get(task.choices, ())) < task.option_count.max:
            yield f"field choices: {task.choices!r} has fewer values than the task has options."
    if task.drafted_by not in DRAFTED_BY and not _RULE_ID.fullmatch(task.drafted_by):
        known = ", ".join(DRAFTED_BY)
        yield f"field drafted_by: {task.drafted_by!r} is neither a rule such as set.rule nor one of {known}."
    for field, text in (("title", task.title.en), ("key_from", task.key_from)):
        if not text.strip():
            yield f"field {field}: it is empty."
    yield from _template_problems(task, task_set)


def _template_problems(task: Task, task_set: TaskSet) -> Iterator[str]:
    if not task.templates:
        yield "field templates: at least one question is required."
    yield from _id_problems([template.id for template in task.templates], field="templates")
    for template in task.templates:
        field = f"templates.{template.id}"
        if "{" in (rest := re.sub(r"\{[^{}]*\}", "", template.text)) or "}" in rest:
            yield f"field {field}: unbalanced brace in {template.text!r}."
        yield from _unknown(
            template.slots, known=task_set.slots, field=f"{field} (slots are explained under [slots])"
        )
        if template.answer_format:
            yield from _unknown(
                [template.answer_format], known=task.answer_format, field=f"{field}.answer_format"
            )


def _format_problems(task: Task, task_set: TaskSet) -> Iterator[str]:
    if not task.answer_format:
        yield "field answer_format: the value is missing."
    yield from _unknown(task.answer_format, known=metrics_by_format(), field="answer_format")
    has_options = any(answers.has_options(name) for name in task.answer_format)
    count = task.option_count
    if has_options != (count is not None):
        wrong = "it is missing" if has_options else "these answer formats have no options"
        yield f"field option_count: {wrong}."
    if count and not 2 <= count.min <= count.max <= len(task_set.option_letters):
        yield (
            f"field option_count: {count.min} to {count.max} is outside the range 2 to "
            f"{len(task_set.option_letters)}, the letters {task_set.letters or 'being none'}."
        )


def _metric_problems(task: Task) -> Iterator[str]:
    scored: set[str] = set()
    for metric in task.metrics:
        yield from _unknown([metric.id], known=known_metrics(), field="metrics")
        if metric.answer_format:
            yield from _unknown(
                [metric.answer_format], known=task.answer_format, field=f"metrics.{metric.id}"
            )
        if metric.id in known_metrics():
            formats = [metric.answer_format] if metric.answer_format else task.answer_format
            scored.update(formats)
            yield from _parameter_problems(metric, formats=formats)
    for name in task.answer_format:
        # A format without a score would give items that no table of a release counts.
        if name not in scored and (
            name == TRAJECTORY or (answers.is_known(name) and answers.get(name).is_scored)
        ):
            yield f"field metrics: no metric scores {name!r}."


def _parameter_problems(metric: TaskMetric, *, formats: Iterable[str]) -> Iterator[str]:
    rule, field = known_metrics()[metric.id], f"metrics.{metric.id}"
    yield from _unknown(metric.parameters, known=sorted({*rule.required, *rule.optional}), field=field)
    yield from _finite_problems(metric.parameters, field=field)
    for name in sorted(set(rule.required) - set(metric.parameters)):
        yield f"field {field}: the parameter {name!r} is missing."
    for name in formats:
        if rule not in metrics_by_format().get(name, ()):
            yield f"field {field}: the metric does not support {name!r}."


def _value_problems(values: tuple[ListValue, ...], task_set: TaskSet) -> Iterator[str]:
    yield from _id_problems([value.id for value in values], field="id")
    yield from _shared_names({value.id: value.names for value in values}, field="published")
    for value in values:
        yield from _unknown(value.maps_to, known=task_set.value_lists, field=f"{value.id}.maps_to")
        for name, target in value.maps_to.items():
            known = [other.id for other in task_set.value_lists.get(name, ())]
            yield from _unknown([target], known=known, field=f"{value.id}.maps_to.{name}")


def _id_problems(ids: Iterable[str], *, field: str) -> Iterator[str]:
    known = list(ids)
    yield from _repeated(known, field=field)
    for name in known:
        if not _ID.fullmatch(name):
            yield f"field {field}: {name!r} is not a valid id; use lowercase letters, digits and underscores."


def _shared_names(names: Mapping[str, Iterable[str]], *, field: str) -> Iterator[str]:
    """Find names by which two entries would be known."""
    owners: dict[str, str] = {}
    for entry, texts in names.items():
        for text in texts:
            owner = owners.setdefault(plain_name(text), entry)
            if owner != entry:
                yield f"field {field}: {text!r} of {entry} is also a name of {owner}."


def _repeated(texts: Iterable[str], *, field: str) -> Iterator[str]:
    for text, times in Counter(texts).items():
        if times > 1:
            yield f"field {field}: {text!r} occurs {times} times."


def _unknown(names: Iterable[str], *, known: Iterable[str], field: str, location: str = "") -> Iterator[str]:
    allowed = list(known)
    for name in names:
        if name not in allowed:
            yield f"{location}field {field}: {name!r} is unknown; available: {', '.join(allowed) or 'none'}."


def _finite_problems(parameters: Mapping[str, object], *, field: str) -> Iterator[str]:
    for name, value in parameters.items():
        numbers = value if isinstance(value, list) else [value]
        if any(isinstance(number, float) and not math.isfinite(number) for number in numbers):
            yield f"field {field}: {name!r} is not a finite number."
