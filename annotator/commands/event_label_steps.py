"""Steps of the event-level form as a whole: boxes, copied answers, and the end of work on a label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.event_labels import LabelEdit, require_need
from annotator.domain.contradictions import KINDS, find_contradictions
from annotator.domain.event import Edit
from annotator.domain.event_form import copy_answers, find_form_problems
from annotator.domain.event_label import EventLabel, PercentBox
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.store.reader import Reader

BoxField = Literal["issue_boxes", "what_boxes"]


@dataclass(frozen=True, kw_only=True)
class AddLabelBox(LabelEdit):
    """Add a box to a label.

    Attributes:
        field: ``issue_boxes`` or ``what_boxes``.
        box: The box with its label.
    """

    field: BoxField
    box: PercentBox

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("add_label_box")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label with the box after the others."""
        if self.field == "what_boxes":
            require_need(label)
        return _with_boxes(label, self.field, (*(getattr(label, self.field) or ()), self.box))


@dataclass(frozen=True, kw_only=True)
class ChangeLabelBox(LabelEdit):
    """Move or relabel a box of a label.

    Attributes:
        field: ``issue_boxes`` or ``what_boxes``.
        place: Place of the box, from 0.
        box: The new box.
    """

    field: BoxField
    place: int
    box: PercentBox

    @property
    def merge_key(self) -> str:
        """Key of the gesture, for this box."""
        return f"{super().merge_key} {self.field} {self.place}" if self.gesture else ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("change_label_box")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label with the new box in its place."""
        boxes = _boxes(label, self.field, self.place)
        boxes[self.place] = self.box
        return _with_boxes(label, self.field, tuple(boxes))


@dataclass(frozen=True, kw_only=True)
class RemoveLabelBox(LabelEdit):
    """Remove a box of a label.

    Attributes:
        field: ``issue_boxes`` or ``what_boxes``.
        place: Place of the box, from 0.
    """

    field: BoxField
    place: int

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("remove_label_box")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label without the box."""
        boxes = _boxes(label, self.field, self.place)
        del boxes[self.place]
        return _with_boxes(label, self.field, tuple(boxes))


@dataclass(frozen=True, kw_only=True)
class CopyAnswers(LabelEdit):
    """Answer the open fields of a label as in another one: that of the previous frame, or of another view.

    Attributes:
        source: Id of the other label.
    """

    source: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("copy_answers")

    def edited(self, label: EventLabel, scene: Scene, reader: Reader, /) -> EventLabel:
        """Return the label with the copied answers, marked until they are confirmed."""
        others = [view.name for view in scene.views if view.name != label.view]
        return copy_answers(reader.require(EventLabel, self.source), label, views=others)


@dataclass(frozen=True, kw_only=True)
class ConfirmCopied(LabelEdit):
    """Confirm copied answers.

    Attributes:
        fields: Names of the fields, empty for all.
    """

    fields: tuple[str, ...] = ()

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("confirm_copied")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label without the marks."""
        left = tuple(name for name in label.copied if self.fields and name not in self.fields)
        return msgspec.structs.replace(label, copied=left)


@dataclass(frozen=True, kw_only=True)
class FinishLabel(LabelEdit):
    """Finish a label. Flags of an import about contradictions that no longer exist are resolved."""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("finish_label")

    def edited(self, label: EventLabel, scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label as finished.

        Raises:
            UserError: An answer is missing, not confirmed, or contradicts another one.
        """
        problems = find_form_problems(label, views=[view.name for view in scene.views])
        found = [problem for problems_of_field in problems.values() for problem in problems_of_field]
        if found:
            raise UserError(
                f"The label cannot be finished: {len(found)} open problems.",
                hint=found[0].message,
            )
        return msgspec.structs.replace(label, state="finished")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the state of the label and of the flags that its corrections have settled.

        Raises:
            UserError: The label does not exist, or is not complete and consistent.
        """
        yield from super().plan(reader, progress=progress)
        label = self._stored(reader.require(Scene, self.scene), reader)
        if label is not None:
            yield from _resolved_flags(label, reader)


def _resolved_flags(label: EventLabel, reader: Reader) -> Iterator[Edit]:
    scene = reader.require(Scene, label.scene)
    holding = {found.kind for found in find_contradictions(label, views=[view.name for view in scene.views])}
    for flag in reader.flags_of(label.id):
        if flag.state == "open" and flag.kind in KINDS - holding:
            yield Edit(entity="flag", entity_id=flag.id, field="state", value="resolved")
            yield Edit(
                entity="flag",
                entity_id=flag.id,
                field="resolution",
                value="The label was corrected and finished.",
            )


def _boxes(label: EventLabel, field: BoxField, place: int) -> list[PercentBox]:
    boxes = list(getattr(label, field) or ())
    if not 0 <= place < len(boxes):
        raise UserError(f"The label has no box {place + 1}.", hint="Select a box of the label.")
    return boxes


def _with_boxes(label: EventLabel, field: BoxField, boxes: tuple[PercentBox, ...]) -> EventLabel:
    return msgspec.structs.replace(label, **{field: boxes})
