"""The answers of a project that agreement is measured from: responses, and labels of the event form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from annotator.domain.answers import registry
from annotator.domain.answers.base import AnswerFormat, Scale, Score
from annotator.domain.event_label import EventLabel
from annotator.domain.record import ValueObject
from annotator.domain.rows import ResponseRow
from annotator.progress import Progress
from annotator.quality.agreement.box_matching import match_boxes
from annotator.quality.agreement.ratings import Ratings
from annotator.quality.agreement.report import SubjectAgreement, measure_agreement
from annotator.queries.reader import Reader

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

    def value_of(self, label: EventLabel) -> Any:  # noqa: ANN401 - a number, a truth value or a set of labels
        """Return the value of a label, None where its annotator has not answered the field.

        A value that was copied or proposed and is not confirmed is no answer of the annotator.
        """
        given = None if self.name in label.copied else getattr(label, self.name)
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
    by_task: dict[tuple[str, str], list[ResponseRow]] = defaultdict(list)
    for row in reader.responses.rows():
        by_task[row.task, row.answer_format].append(row)
    watch.begin("Measure agreement", total=len(by_task) + len(LABEL_FIELDS))
    for (task, format_id), responses in sorted(by_task.items()):
        found.append(_task_agreement(task, format_id, responses, seed=seed))
        watch.step()
    labels = _given_labels(reader)
    annotators = _annotators(labels, reader)
    # One annotator agrees with nobody: ten rows would say so.
    for field in LABEL_FIELDS if len(set(annotators.values())) > 1 else ():
        found.append(_field_agreement(field, labels, annotators=annotators, seed=seed))
        watch.step()
    watch.end()
    return [one for one in found if one.answers]


def _task_agreement(
    task: str, format_id: str, responses: Iterable[ResponseRow], *, seed: int
) -> SubjectAgreement:
    ratings = Ratings.of(
        ((response.item, response.shown), response.person, response.answer) for response in responses
    )
    if not registry.is_known(format_id):
        return measure_agreement(task, ratings, scale="nominal", seed=seed)
    texts = _AnswerTexts(registry.get(format_id))
    return measure_agreement(
        task,
        ratings.mapped(texts.compared),
        scale=texts.scale,
        on_scale=texts.on_scale,
        score=texts.score,
        seed=seed,
    )


class _AnswerTexts:
    """The answers of one format as texts; each distinct text is read once, which takes most of the time."""

    def __init__(self, answers: AnswerFormat[Any]) -> None:
        self._answers, self.scale = answers, answers.scale
        self._parsed = cache(answers.parse)

    def compared(self, text: str) -> str:
        """Return the text that equal answers share; one that cannot be read equals only its own text."""
        value = self._parsed(text).value
        return text if value is None else self._answers.compared_text(value)

    def on_scale(self, text: str) -> Any:  # noqa: ANN401 - as the format has it
        """Return the value of an answer; one that cannot be read is a value only on a nominal scale."""
        if self.scale in {None, "nominal"}:
            return text
        value = self._parsed(text).value
        return None if value is None else self._answers.on_scale(value)

    def score(self, one: str, other: str) -> Score:
        """Score an answer against another as the key."""
        return self._answers.score_parsed(self._parsed(one), self._parsed(other))


def _given_labels(reader: Reader) -> list[EventLabel]:
    """Return the labels as people gave them: those before a decision in place of the decided one."""
    given = (label for label in reader.records(EventLabel) if not label.decided_from)
    return [label for label in (*given, *reader.responses.superseded_labels()) if label.medium]


def _annotators(labels: Iterable[EventLabel], reader: Reader) -> dict[str, str]:
    """Return whose answers each label has: its annotator in the source, or the person who began it here."""
    named = {label.id: label.annotator for label in labels if label.annotator}
    # Whoever imported a label without an annotator has not answered its questions.
    begun = [label.id for label in labels if not label.annotator and not label.source]
    return named | reader.history.creators(begun)


def _field_agreement(
    field: LabelField, labels: Sequence[EventLabel], *, annotators: Mapping[str, str], seed: int
) -> SubjectAgreement:
    ratings = Ratings.of(
        (label.medium, annotators[label.id], value)
        for label in labels
        if label.id in annotators and (value := field.value_of(label)) is not None
    )
    score = match_boxes if field.scale is None else None
    return measure_agreement(
        f"{EVENT_FORM}: {field.name}", ratings, scale=field.scale, score=score, seed=seed
    )
