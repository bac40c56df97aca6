"""The answers of a project that agreement is measured from: responses, and labels of the event form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from annotator.domain.answers import registry
from annotator.domain.answers.base import Scale, Score
from annotator.domain.event_label import EventLabel, PercentBox
from annotator.domain.item import Item
from annotator.domain.record import ValueObject
from annotator.domain.response import Response
from annotator.progress import Progress
from annotator.quality.agreement.box_matching import match_boxes
from annotator.quality.agreement.report import Answer, PairScore, SubjectAgreement, measure_agreement
from annotator.store.reader import Reader

EVENT_FORM = "event form"


class LabelField(ValueObject, frozen=True, kw_only=True):
    """A field of the event form whose agreement is measured.

    Attributes:
        name: Name of the field.
        scale: Scale of its values, None for boxes.
        value: Returns the value of a label that has one.
    """

    name: str
    scale: Scale | None
    value: Callable[[EventLabel], Any] | None = None

    def of(self, label: EventLabel) -> Any:  # noqa: ANN401 - a number, a truth value or a set of labels
        """Return the value of a label, None where the field is not answered."""
        given = getattr(label, self.name)
        if given is None or self.value is None:
            return given
        return self.value(label)


LABEL_FIELDS = (
    LabelField(name="quality", scale="ordinal"),
    LabelField(name="usable", scale="nominal"),
    LabelField(name="object_types", scale="set", value=lambda label: frozenset(label.object_types or ())),
    LabelField(
        name="count", scale="interval", value=lambda label: label.count.value if label.count else None
    ),
    LabelField(name="degradations", scale="set", value=lambda label: frozenset(label.degradations or ())),
    LabelField(name="issue_boxes", scale=None),
    LabelField(name="when", scale="nominal"),
    LabelField(name="what_boxes", scale=None),
    LabelField(name="who", scale="set", value=lambda label: frozenset(label.who or ())),
    LabelField(name="why", scale="set", value=lambda label: frozenset(label.why or ())),
)
"""In the order of the form; text of a person's own is not compared."""


def measure_project(
    reader: Reader, *, seed: int = 0, progress: Progress | None = None
) -> list[SubjectAgreement]:
    """Return the agreement about each task with responses, and about each field of the event form.

    Subjects about which nobody answered are left out.

    Args:
        reader: The project.
        seed: Of the intervals.
        progress: Counts the subjects; may cancel.
    """
    watch = progress or Progress()
    found = []
    by_task = _responses_by_task(reader)
    watch.begin("Measure agreement", total=len(by_task) + len(LABEL_FIELDS))
    for (task, format_id), responses in sorted(by_task.items()):
        found.append(_task_agreement(task, format_id, responses, seed=seed))
        watch.step()
    labels = [label for label in reader.records(EventLabel) if label.annotator and label.medium]
    for field in LABEL_FIELDS:
        found.append(_field_agreement(field, labels, seed=seed))
        watch.step()
    watch.end()
    return [one for one in found if one.answers]


def _responses_by_task(reader: Reader) -> dict[tuple[str, str], list[Response]]:
    """Return the responses by task and answer format; those of removed items are left out."""
    by_item: dict[str, list[Response]] = defaultdict(list)
    for response in reader.records(Response):
        by_item[response.item].append(response)
    by_task: dict[tuple[str, str], list[Response]] = defaultdict(list)
    for item in reader.records(Item, ids=list(by_item)):
        by_task[f"{item.task_set}/{item.task}", item.answer_format].extend(by_item[item.id])
    return by_task


def _task_agreement(
    task: str, format_id: str, responses: Sequence[Response], *, seed: int
) -> SubjectAgreement:
    if not registry.is_known(format_id):
        texts = (
            Answer(unit=(one.item, one.shown), person=one.person, text=one.answer, value=one.answer)
            for one in responses
        )
        return measure_agreement(task, texts, scale="nominal", seed=seed)
    answers = registry.get(format_id)
    read: dict[str, Any] = {}

    def on_scale(text: str) -> Any:  # noqa: ANN401 - as the format has it
        if text not in read:
            value = answers.parse(text).value
            # An answer that cannot be read is compared as text on a nominal scale and left out on any other.
            read[text] = text if answers.scale in {None, "nominal"} else None
            if value is not None and answers.scale is not None:
                read[text] = answers.on_scale(value)
        return read[text]

    given = (
        Answer(unit=(one.item, one.shown), person=one.person, text=one.answer, value=on_scale(one.answer))
        for one in responses
        if on_scale(one.answer) is not None
    )
    return measure_agreement(task, given, scale=answers.scale, score=answers.score, seed=seed)


def _field_agreement(field: LabelField, labels: Sequence[EventLabel], *, seed: int) -> SubjectAgreement:
    boxes = field.scale is None
    answers = _box_answers(field, labels) if boxes else _value_answers(field, labels)
    score: PairScore | None = _score_boxes if boxes else None
    return measure_agreement(
        f"{EVENT_FORM}: {field.name}", answers, scale=field.scale, score=score, seed=seed
    )


def _value_answers(field: LabelField, labels: Sequence[EventLabel]) -> Iterator[Answer]:
    for label in labels:
        value = field.of(label)
        if value is not None:
            yield Answer(unit=label.medium, person=label.annotator, text="", value=value)


def _box_answers(field: LabelField, labels: Sequence[EventLabel]) -> Iterator[Answer]:
    for label in labels:
        drawn = field.of(label)
        if drawn is not None:
            text = msgspec.json.encode(drawn).decode()
            yield Answer(unit=label.medium, person=label.annotator, text=text, value=text)


def _score_boxes(one: str, other: str) -> Score:
    boxes = tuple[PercentBox, ...]
    return match_boxes(msgspec.json.decode(one, type=boxes), msgspec.json.decode(other, type=boxes))
