"""Commands on the boxes of an event label: add, relabel, move and remove."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.event_labels import LabelEdit, require_need
from annotator.domain.event_label import EventLabel, PercentBox
from annotator.domain.event_proposals import is_same_position
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.queries.reader import Reader

BoxField = Literal["issue_boxes", "what_boxes"]


BOX_FIELDS: tuple[BoxField, ...] = get_args(BoxField)


@dataclass(frozen=True, kw_only=True)
class ToggleLabelBox(LabelEdit):
    """Add a box to a label, relabel the box in the same place, or remove it if it has this label.

    Attributes:
        field: ``issue_boxes`` or ``what_boxes``.
        box: The box with its label.
    """

    field: BoxField
    box: PercentBox

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("toggle_label_box")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label with the box, or without it."""
        if self.field == "what_boxes":
            require_need(label)
        boxes = list(getattr(label, self.field) or ())
        index = next((at for at, box in enumerate(boxes) if is_same_position(box, self.box)), None)
        if index is None:
            boxes.append(self.box)
        elif boxes[index].labels == self.box.labels:
            del boxes[index]
        else:
            boxes[index] = self.box
        return _with_boxes(label, self.field, tuple(boxes))


@dataclass(frozen=True, kw_only=True)
class ChangeLabelBox(LabelEdit):
    """Move or relabel a box of a label.

    Attributes:
        field: ``issue_boxes`` or ``what_boxes``.
        index: Place of the box, from 0.
        box: The new box.
    """

    field: BoxField
    index: int
    box: PercentBox

    @property
    def merge_key(self) -> str:
        """Key of the gesture, for this box."""
        return f"{super().merge_key} {self.field} {self.index}" if self.gesture else ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("change_label_box")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label with the new box in its place."""
        boxes = _boxes(label, self.field, self.index)
        boxes[self.index] = self.box
        return _with_boxes(label, self.field, tuple(boxes))


@dataclass(frozen=True, kw_only=True)
class RemoveLabelBox(LabelEdit):
    """Remove a box of a label.

    Attributes:
        field: ``issue_boxes`` or ``what_boxes``.
        index: Place of the box, from 0.
    """

    field: BoxField
    index: int

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("remove_label_box")

    def edited(self, label: EventLabel, _scene: Scene, _reader: Reader, /) -> EventLabel:
        """Return the label without the box."""
        boxes = _boxes(label, self.field, self.index)
        del boxes[self.index]
        return _with_boxes(label, self.field, tuple(boxes))


def _boxes(label: EventLabel, field: BoxField, index: int) -> list[PercentBox]:
    boxes = list(getattr(label, field) or ())
    if not 0 <= index < len(boxes):
        raise UserError(f"The label has no box {index + 1}.", hint="Select a box of the label.")
    return boxes


def _with_boxes(label: EventLabel, field: BoxField, boxes: tuple[PercentBox, ...]) -> EventLabel:
    return msgspec.structs.replace(label, **{field: boxes})
