"""The content of the event-level form for one view, and the edit that a digit makes in each field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

from annotator.commands.event_labels import (
    LabelEdit,
    SetDegradations,
    SetNeed,
    SetObjectCount,
    SetObjectTypes,
    SetPartners,
    SetQuality,
    SetReasons,
    SetUsable,
)
from annotator.domain.contradictions import Contradiction
from annotator.domain.event_form import find_form_problems, is_asked
from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.scene import Scene
from annotator.domain.task_set import FormField, TaskSet
from widgets.translation import language, tr

MOST_DIGITS = 6
SEVERAL = frozenset({"object_types", "degradations", "who", "why"})
BOXES = ("issue_boxes", "what_boxes")


class LabelTarget(TypedDict):
    """The arguments that every edit of a label has."""

    scene: str
    view: str
    label: str
    task_set: str
    person: str


@dataclass(frozen=True, kw_only=True)
class FormChoice:
    """A value that a digit selects.

    Attributes:
        digit: The digit.
        value: The stored value.
        text: What people read.
        is_chosen: Whether it is selected.
    """

    digit: int
    value: str
    text: str
    is_chosen: bool


@dataclass(frozen=True, kw_only=True)
class FormData:
    """What the form shows of one view.

    Attributes:
        scene: The scene.
        view: Name of the view.
        task_set: The task set whose form it is.
        label: The label of the view; without id where there is none yet.
        count: Number of labels of the view that the person may see.
        person: Id of the person who fills it in.
        is_independent: Whether others label the scene as well, and the person sees the own labels alone.
        previous: Id of the label of this view in the previous scene, "" for none.
        other: Id of the label of another view of this scene, "" for none.
        carried_from: Name of the scene whose answers were carried to this one, "" if all are confirmed.
    """

    scene: Scene
    view: str
    task_set: TaskSet
    label: EventLabel
    count: int
    person: str = ""
    is_independent: bool = False
    previous: str = ""
    other: str = ""
    carried_from: str = ""

    @property
    def target(self) -> LabelTarget:
        """The arguments of every edit of the label."""
        return {
            "scene": self.scene.id,
            "view": self.view,
            "label": self.label.id,
            "task_set": self.task_set.id,
            "person": self.person,
        }

    @property
    def fields(self) -> list[FormField]:
        """The fields that are asked for."""
        return [field for field in self.task_set.form_fields if is_asked(self.label, field.id)]

    @property
    def has_open_fields(self) -> bool:
        """Whether a field that is asked for, or depends on one, has no answer."""
        return any(getattr(self.label, field.id) is None for field in self.fields)

    @cached_property
    def problems(self) -> Mapping[str, list[Contradiction]]:
        """What must be corrected before the label is finished, by field."""
        return find_form_problems(self.label, views=[view.name for view in self.scene.views])

    def choices(self, field: FormField) -> list[FormChoice]:
        """Return the values of a field, in the order of their digits."""
        if field.id == "who":
            others = [view.name for view in self.scene.views if view.name != self.view]
            chosen = self.label.who or ()
            numbered = list(enumerate(others, start=1))[:9]
            return [FormChoice(digit=n, value=o, text=o, is_chosen=o in chosen) for n, o in numbered]
        values = self.task_set.value_lists.get(field.value_list, ())
        return [
            FormChoice(
                digit=value.number,
                value=value.id,
                text=value.title.zh if language() == "zh" and value.title.zh else value.title.en,
                is_chosen=self._is_chosen(field, value.id, value.number),
            )
            for value in values
            if value.number is not None
        ]

    def choice_of(self, field: FormField, digit: int) -> FormChoice | None:
        """Return the value of a field that a digit selects, None for an unknown digit."""
        return next((each for each in self.choices(field) if each.digit == digit), None)

    def _is_chosen(self, field: FormField, value: str, number: int) -> bool:
        if field.id in BOXES:
            return False
        given = getattr(self.label, field.id)
        return value in given if isinstance(given, tuple) else given is not None and int(given) == number

    def value_text(self, field: FormField) -> str:
        """Return the value of a field as text, "" where it is not answered."""
        given = getattr(self.label, field.id)
        if given is None:
            return ""
        if field.id == "count":
            return tr("about {n}", n=given.value) if given.approximate else str(given.value)
        if field.id in BOXES:
            return tr("{n} boxes", n=len(given))
        if field.id == "other_degradation":
            return str(given)
        chosen = [choice.text for choice in self.choices(field) if choice.is_chosen]
        return ", ".join(chosen) or tr("none")

    def chosen_edit(self, field: FormField, digit: int) -> LabelEdit | None:
        """Return the edit that selects or deselects a value by its digit, None for an unknown digit."""
        choice = self.choice_of(field, digit)
        if choice is None or field.id in BOXES:
            return None
        if field.id in SEVERAL:
            given: Sequence[str] = getattr(self.label, field.id) or ()
            values = tuple(v for v in given if v != choice.value)
            if len(values) == len(given):
                values = (*values, choice.value)
            return self._several(field, values)
        return self._single(field, digit)

    def cleared_edit(self, field: FormField) -> LabelEdit | None:
        """Return the edit that removes the answer of a field."""
        if field.id in SEVERAL:
            return self._several(field, ())
        if field.id == "count":
            return SetObjectCount(**self.target, count=None)
        return self._single(field, None)

    def count_edit(self, text: str, *, gesture: str) -> SetObjectCount:
        """Return the edit of the number of objects that is typed digit by digit."""
        is_approximate = self.label.count is not None and self.label.count.approximate
        count = ObjectCount(value=int(text[-MOST_DIGITS:]), approximate=is_approximate)
        return SetObjectCount(**self.target, count=count, gesture=gesture)

    def toggled_count_edit(self) -> SetObjectCount | None:
        """Return the edit that makes the number of objects exact or approximate, None without a number."""
        count = self.label.count
        if count is None or count.value is None:
            return None
        # Of the same digits as a typed number has.
        value = int(str(count.value)[-MOST_DIGITS:])
        toggled = ObjectCount(value=value, approximate=not count.approximate)
        return SetObjectCount(**self.target, count=toggled, gesture="")

    def _several(self, field: FormField, values: tuple[str, ...]) -> LabelEdit:
        if field.id == "object_types":
            return SetObjectTypes(**self.target, types=values)
        if field.id == "degradations":
            return SetDegradations(**self.target, degradations=values)
        if field.id == "who":
            return SetPartners(**self.target, partners=values)
        return SetReasons(**self.target, reasons=values)

    def _single(self, field: FormField, number: int | None) -> LabelEdit | None:
        answer = None if number is None else bool(number)
        if field.id == "quality":
            return SetQuality(**self.target, level=number)
        if field.id == "usable":
            return SetUsable(**self.target, is_usable=answer)
        return SetNeed(**self.target, needs_help=answer) if field.id == "when" else None


def hint_text(data: FormData | None) -> str:
    """Return what a person must know about the label as a whole, "" for nothing."""
    if data is None:
        return tr("Select a view to fill in its event label.")
    if data.count > 1:
        return tr("The view has {n} event labels; this is the first one.", n=data.count)
    if data.is_independent:
        return tr("Several persons label this scene independently. You see only your own label.")
    if scene := data.carried_from:
        return tr("The answers were carried from {scene}. Confirm them, or correct them.", scene=scene)
    return ""
