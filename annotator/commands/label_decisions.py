"""Decisions between independent event labels of one view, and the flag that asks for one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.review import ReviewDecision
from annotator.domain.event import CREATED, REMOVED, Edit, edit_fields
from annotator.domain.event_form import ANSWERS, find_form_problems
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.record import Record, ValueObject, new_id
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.quality.label_differences import differing_fields
from annotator.queries.own_labels import begun_by, persons_of
from annotator.queries.reader import Reader

KIND = "labels_differ"
EQUAL = "The labels agree in all fields."


class FieldChoice(ValueObject, frozen=True, kw_only=True):
    """The label that gives the answer of a field.

    Attributes:
        field: Name of the field.
        label: Id of the label.
    """

    field: str
    label: str


@dataclass(frozen=True, kw_only=True)
class DecideLabels(ReviewDecision):
    """Decide between the labels that persons gave to one view independently.

    The decided label has the answers of one of them, in chosen fields those of others. It replaces all of
    them; agreement is still measured from what the persons answered.

    Attributes:
        keep: Id of the label that is kept; its answers hold in all fields without a choice.
        choices: Fields that have the answer of another label.
    """

    entity: str = "event_label"
    keep: str
    choices: tuple[FieldChoice, ...] = ()

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("decide_labels")

    def decided(self, reader: Reader, record: Record | None, reason: str, /) -> Iterator[Edit]:
        """Yield the decided label, the removal of the others, and their flags as resolved.

        Raises:
            UserError: The view has one label alone, a label is not of the view, or the chosen answers
                contradict each other.
        """
        if not isinstance(record, EventLabel):
            raise UserError(
                "Only event labels can be decided this way.", hint="Choose a case of differing labels."
            )
        labels = labels_beside(reader, record)
        if len(labels) < 2:
            raise UserError(
                f"{record.view} has one event label only.", hint="Somebody may have decided already."
            )
        made = _chosen(labels, keep=self.keep, choices=self.choices)
        views = [view.name for view in reader.require(Scene, record.scene).views]
        if self.choices and (problems := find_form_problems(made, views=views)):
            first = next(iter(problems.values()))[0]
            raise UserError("The chosen answers contradict each other.", hint=first.message)
        yield from replacing_edits(reader, labels, made, reason=reason)


def label_of(reader: Reader, target: str, *, person: str) -> str:
    """Return the id of the label that a person gave the view of another label.

    Args:
        reader: The project.
        target: Id of a label of the view.
        person: Name of the person, whose case does not matter.

    Raises:
        UserError: The record is no event label, or the person has none there or several.
    """
    labels = labels_beside(reader, reader.require(EventLabel, target))
    names = persons_of(reader, labels)
    found = [one.id for one, name in zip(labels, names, strict=True) if name.lower() == person.lower()]
    if len(found) != 1:
        raise UserError(
            f"{person} has {len(found)} event labels of this view.",
            hint=f"Labels are by: {', '.join(name or '?' for name in names)}.",
        )
    return found[0]


def labels_beside(reader: Reader, label: EventLabel) -> list[EventLabel]:
    """Return all labels of the view of a label, in order of arrival."""
    return [one for one in reader.labels_of(label.scene) if one.view == label.view]


def compared_labels(reader: Reader, scene: Scene) -> Iterator[Edit]:
    """Yield what follows when all persons have handed a scene in: a flag, or one label, for each view.

    Where the labels of a view differ, a flag asks for a decision. Labels that agree in all fields become one.
    Without independent annotation, only labels that several persons began are compared, as after a merge.
    """
    is_independent = bool(reader.workload.independent_persons(scene.id))
    for view in scene.views:
        labels = [label for label in reader.labels_of(scene.id) if label.view == view.name]
        if len(labels) < 2 or not (is_independent or len({*begun_by(reader, labels).values()}) > 1):
            continue
        if fields := differing_fields(labels):
            yield from _flagged(reader, labels, fields)
        else:
            yield from replacing_edits(reader, labels, _chosen(labels, keep=labels[0].id), reason=EQUAL)


def replacing_edits(
    reader: Reader, labels: Sequence[EventLabel], made: EventLabel, *, reason: str
) -> Iterator[Edit]:
    """Yield a label in place of several others, whose flags about their differences are resolved."""
    yield Edit(entity="event_label", entity_id=made.id, field=CREATED, value=made)
    for label in labels:
        yield Edit(entity="event_label", entity_id=label.id, field=REMOVED, value=True)
    for flag in _open_flags(reader, labels):
        yield from edit_fields(flag, state="resolved", resolution=reason)


def _chosen(labels: Sequence[EventLabel], *, keep: str, choices: Sequence[FieldChoice] = ()) -> EventLabel:
    by_id = {label.id: label for label in labels}
    wanted = {keep, *(choice.label for choice in choices)}
    if wanted - {*by_id} or {choice.field for choice in choices} - {*ANSWERS}:
        raise UserError(
            "A chosen label or field does not belong to the view.", hint="Read the case again, then choose."
        )
    first = labels[0]
    return EventLabel(
        id=new_id(),
        scene=first.scene,
        view=first.view,
        medium=first.medium,
        state="finished",
        decided_from=tuple(origin for label in labels for origin in label.decided_from or (label.id,)),
        **_answers(by_id, keep=keep, choices=choices),
    )


def _answers(
    labels: Mapping[str, EventLabel], *, keep: str, choices: Sequence[FieldChoice]
) -> dict[str, Any]:
    """Return the answers of one label with those that are chosen from others."""
    answers = {name: getattr(labels[keep], name) for name in ANSWERS}
    for choice in choices:
        answers[choice.field] = getattr(labels[choice.label], choice.field)
        if choice.field == "degradations":
            # The text belongs to the degradation 'Other'.
            answers["other_degradation"] = labels[choice.label].other_degradation
    return answers


def _flagged(reader: Reader, labels: Sequence[EventLabel], fields: list[str]) -> Iterator[Edit]:
    message = f"The event labels of {len(labels)} persons differ in {', '.join(fields)}."
    evidence = {"view": labels[0].view, "labels": [label.id for label in labels], "fields": fields}
    known = _open_flags(reader, labels)
    for flag in known:
        wanted = msgspec.structs.replace(flag, message=message, evidence=evidence)
        if wanted != flag:
            yield from edit_fields(flag, message=message, evidence=evidence)
    if not known:
        flag = Flag(
            id=new_id(),
            entity="event_label",
            target=labels[0].id,
            kind=KIND,
            message=message,
            raised_by="response",
            evidence=evidence,
        )
        yield Edit(entity="flag", entity_id=flag.id, field=CREATED, value=flag)


def _open_flags(reader: Reader, labels: Sequence[EventLabel]) -> list[Flag]:
    found = (flag for label in labels for flag in reader.flags_of(label.id))
    return [flag for flag in found if flag.kind == KIND and flag.state == "open"]
