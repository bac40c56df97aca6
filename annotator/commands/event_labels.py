"""Edits of the event-level form: one class per field. The first answer for a view creates its label."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit, edit_differences
from annotator.domain.event_form import ANSWERS, NEEDS_HELP
from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.event_proposals import follow_answers
from annotator.domain.record import new_id
from annotator.domain.scene import Scene
from annotator.domain.task_set import TaskSet
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.edits.scene_reopening import reopened_by
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.own_labels import own_labels, require_annotator, require_own
from annotator.queries.reader import Reader

LEVELS = range(1, 6)


@dataclass(frozen=True, kw_only=True)
class LabelEdit(Command):
    """An edit of the event label of one view.

    Attributes:
        scene: Id of the scene.
        view: Name of the view.
        label: Id of the label, "" for the only one of the view, or a new one.
        gesture: Edits of one field with the same gesture that follow each other are one step for undo.
        task_set: Id of the task set whose value lists are valid.
        active_s: Seconds of work since the last edit of the label; saved if the edit changes something.
        person: Id of the person who answers, "" for nobody: of the labels that several persons gave the view
            independently, it is the own one.
        answers: Field that the command answers, "" if that depends on the label.
    """

    scene: str
    view: str
    label: str = ""
    gesture: str = ""
    task_set: str = "aircop"
    active_s: float = 0.0
    person: str = ""
    answers: ClassVar[str] = ""

    @property
    def merge_key(self) -> str:
        """Key of the gesture, for this kind of edit of this label."""
        subject = f"{self.scene} {self.view} {self.label}"
        return f"{type(self).__name__} {subject} {self.gesture}" if self.gesture else ""

    @abstractmethod
    def edited(self, label: EventLabel, scene: Scene, reader: Reader, /) -> EventLabel:
        """Return the label with the edit.

        Raises:
            UserError: The edit does not fit the label.
        """

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the fields that change, or the new label; a changed answer reopens a finished scene.

        Raises:
            UserError: The view or label does not exist, several labels of the view exist and none is chosen,
                the label is another person's, or the edit does not fit it.
        """
        progress.begin(self.summary, total=1)
        scene = reader.require(Scene, self.scene)
        stored = self._stored(scene, reader)
        before = stored or self._new(scene, reader)
        after = self.edited(before, scene, reader)
        changed = {name for name in ANSWERS if getattr(before, name) != getattr(after, name)}
        if changed:
            after = msgspec.structs.replace(after, state="open")
            yield from reopened_by(reader, scene, person=self.person)
        # An answer confirms what was copied, also by the same value.
        after = _confirmed(after, (changed & set(before.copied)) | {self.answers})
        if after.copied:
            after = follow_answers(before, after, task_set=self._task_set(reader))
        if after != before:
            after = msgspec.structs.replace(after, active_time_s=added_time(before, self.active_s))
        if stored is not None:
            yield from edit_differences(before, after)
        elif after != before:
            yield Edit(entity="event_label", entity_id=after.id, field=CREATED, value=after)

    def _stored(self, scene: Scene, reader: Reader) -> EventLabel | None:
        if self.label:
            chosen = reader.require(EventLabel, self.label)
            require_own(reader, chosen, person=self.person)
            return chosen
        known = own_labels(reader, scene=scene.id, person=self.person)
        labels = [label for label in known if label.view == self.view]
        if len(labels) > 1:
            raise UserError(
                f"{self.view} has {len(labels)} event labels in this scene.",
                hint="Select one of them, or remove the wrong ones.",
            )
        if labels:
            require_own(reader, labels[0], person=self.person)
        return labels[0] if labels else None

    def _new(self, scene: Scene, reader: Reader) -> EventLabel:
        medium = scene.medium_of(self.view)
        if medium is None:
            raise UserError(
                f"The scene has no view {self.view!r}.",
                hint=f"Views: {', '.join(view.name for view in scene.views)}.",
            )
        require_annotator(reader, scene.id, person=self.person)
        return EventLabel(id=new_id(), scene=scene.id, view=self.view, medium=medium, state="open")

    def _task_set(self, reader: Reader) -> TaskSet:
        return TaskSetCatalogue.of(reader.path).get(self.task_set)

    def _require_listed(
        self, values: Collection[str], value_list: str, reader: Reader, *, kept: Collection[str] | None
    ) -> tuple[str, ...]:
        """Return values of a closed list, each once; original texts that the label has already are kept."""
        listed = self._task_set(reader).value_lists.get(value_list, ())
        known = [value.id for value in listed]
        if unknown := sorted(set(values) - {*known, *(kept or ())}):
            raise UserError(
                f"{', '.join(unknown)} is not in the list {value_list!r}.",
                hint=f"Values: {', '.join(known)}.",
            )
        return tuple(dict.fromkeys(values))


@dataclass(frozen=True, kw_only=True)
class SetQuality(LabelEdit):
    """Set the quality of the image.

    Attributes:
        level: 1 (very poor) to 5 (excellent), None for no answer.
    """

    level: int | None
    answers: ClassVar[str] = "quality"

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_quality")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label with the quality."""
        if self.level is not None and self.level not in LEVELS:
            raise UserError(f"The quality {self.level} is not a level.", hint="Enter 1 to 5.")
        return msgspec.structs.replace(label, quality=self.level)


@dataclass(frozen=True, kw_only=True)
class SetUsable(LabelEdit):
    """Set whether the image is usable.

    Attributes:
        is_usable: The answer, None for no answer.
    """

    is_usable: bool | None
    answers: ClassVar[str] = "usable"

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_usable")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label with the usability."""
        return msgspec.structs.replace(label, usable=self.is_usable)


@dataclass(frozen=True, kw_only=True)
class SetObjectTypes(LabelEdit):
    """Set the types of the visible objects.

    Attributes:
        types: Ids of types, empty for none.
    """

    types: tuple[str, ...]
    answers: ClassVar[str] = "object_types"

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_object_types")

    def edited(self, label: EventLabel, _scene: Scene, reader: Reader, /) -> EventLabel:
        """Return the label with the types."""
        types = self._require_listed(self.types, "object_type", reader, kept=label.object_types)
        return msgspec.structs.replace(label, object_types=types)


@dataclass(frozen=True, kw_only=True)
class SetObjectCount(LabelEdit):
    """Set the number of objects.

    Attributes:
        count: The number with its mark, None for no answer.
    """

    count: ObjectCount | None
    answers: ClassVar[str] = "count"

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_object_count")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label with the number."""
        if self.count is not None and (self.count.value is None or self.count.value < 0):
            raise UserError("The number of objects is not a whole number.", hint="Enter 0 or more.")
        return msgspec.structs.replace(label, count=self.count)


@dataclass(frozen=True, kw_only=True)
class SetDegradations(LabelEdit):
    """Set the degradations of the image; without 'Other', its text is removed.

    Attributes:
        degradations: Ids of degradations, empty for none.
    """

    degradations: tuple[str, ...]
    answers: ClassVar[str] = "degradations"

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_degradations")

    def edited(self, label: EventLabel, _scene: Scene, reader: Reader, /) -> EventLabel:
        """Return the label with the degradations."""
        chosen = self._require_listed(self.degradations, "degradation", reader, kept=label.degradations)
        text = label.other_degradation if "others" in chosen else None
        return msgspec.structs.replace(label, degradations=chosen, other_degradation=text)


@dataclass(frozen=True, kw_only=True)
class SetOtherDegradation(LabelEdit):
    """Set the text of the degradation 'Other'.

    Attributes:
        text: The text, "" for none.
    """

    text: str
    answers: ClassVar[str] = "other_degradation"

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_other_degradation")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label with the text."""
        if self.text.strip() and "others" not in (label.degradations or ()):
            raise UserError(
                "The degradation 'Other' is not selected.", hint="Select it, then enter the text."
            )
        return msgspec.structs.replace(label, other_degradation=self.text or None)


@dataclass(frozen=True, kw_only=True)
class SetNeed(LabelEdit):
    """Set whether the view needs another one; with 'no', the answers that follow from 'yes' are removed.

    Attributes:
        needs_help: The answer, None for no answer.
    """

    needs_help: bool | None
    answers: ClassVar[str] = "when"

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_need")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label with the answer."""
        if self.needs_help is False:
            label = msgspec.structs.replace(label, **dict.fromkeys(NEEDS_HELP, None))
        return msgspec.structs.replace(label, when=self.needs_help)


@dataclass(frozen=True, kw_only=True)
class SetPartners(LabelEdit):
    """Set the views that could help.

    Attributes:
        partners: Names of other views of the scene.
    """

    partners: tuple[str, ...]
    answers: ClassVar[str] = "who"

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_partners")

    def edited(self, label: EventLabel, scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label with the views."""
        require_need(label)
        others = [view.name for view in scene.views if view.name != label.view]
        if unknown := sorted(set(self.partners) - set(others)):
            raise UserError(
                f"{', '.join(unknown)} is not another view of this scene.",
                hint=f"Views: {', '.join(others)}.",
            )
        return msgspec.structs.replace(label, who=tuple(name for name in others if name in self.partners))


@dataclass(frozen=True, kw_only=True)
class SetReasons(LabelEdit):
    """Set the reasons why the view needs another one.

    Attributes:
        reasons: Ids of reasons.
    """

    reasons: tuple[str, ...]
    answers: ClassVar[str] = "why"

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_reasons")

    def edited(self, label: EventLabel, _scene: Scene, reader: Reader, /) -> EventLabel:
        """Return the label with the reasons."""
        require_need(label)
        reasons = self._require_listed(self.reasons, "why", reader, kept=label.why)
        return msgspec.structs.replace(label, why=reasons)


def _confirmed(label: EventLabel, fields: Collection[str]) -> EventLabel:
    copied = tuple(name for name in label.copied if name not in fields)
    return msgspec.structs.replace(label, copied=copied)


def added_time(label: EventLabel, seconds: float) -> float:
    """Return the active time of a label with further seconds, to a tenth of a second."""
    return round(label.active_time_s + seconds, 1)


def require_need(label: EventLabel) -> None:
    """Check that a label says that its view needs another one.

    Raises:
        UserError: It does not.
    """
    if label.when is not True:
        raise UserError(
            "The view does not need another view according to this label.",
            hint="Answer the need of another view with yes first.",
        )
