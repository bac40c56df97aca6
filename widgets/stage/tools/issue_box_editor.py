"""Edits the issue boxes of event labels: select, move, resize, relabel and remove."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import msgspec
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPolygonF, QTransform

from annotator.commands.label_boxes import BoxField, ChangeLabelBox, RemoveLabelBox
from annotator.domain.event_label import EventLabel, PercentBox
from annotator.domain.region import Box
from widgets import display_text
from widgets.stage.issues import VALUE_LISTS
from widgets.stage.tool import Pointer, ToolStage
from widgets.stage.tools.draft_boxes import (
    box_rect,
    handle_at,
    held_move,
    moved,
    paint_draft,
    paint_handles,
    resized,
)
from widgets.stage.tools.nudge import arrow_step, stepped
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

FIELDS: tuple[BoxField, BoxField] = ("issue_boxes", "what_boxes")


class LabelBox(NamedTuple):
    """A box of an event label.

    Attributes:
        label: The label.
        field: Field of the box.
        box_index: Place of the box in the field, from 0.
    """

    label: EventLabel
    field: BoxField
    box_index: int

    @property
    def box(self) -> PercentBox:
        """The box itself."""
        found: tuple[PercentBox, ...] = getattr(self.label, self.field)
        return found[self.box_index]


class _Target(TypedDict):
    scene: str
    view: str
    label: str
    person: str


class IssueBoxEditor:
    """Edits one box at a time; the select tool forwards its events."""

    def __init__(self, stage: ToolStage) -> None:
        self._stage = stage
        # By its label's id: each change makes another label and another box.
        self._chosen: tuple[str, BoxField, int] | None = None
        self._begin: Pointer | None = None
        self._handle = ""
        self._before: Box | None = None
        self._draft: Box | None = None
        self._sent: Box | None = None
        self._gesture = ""

    @property
    def is_held(self) -> bool:
        """Whether a box is being dragged."""
        return self._begin is not None

    @property
    def keys_text(self) -> str:
        """The keys of the selected box, "" without one."""
        found = self._found()
        if found is None:
            return ""
        name = VALUE_LISTS[FIELDS.index(found.field)]
        numbers = self._numbers(found)
        text = " · ".join(
            f"{n} {display_text.listed_value_title(name, value)}" for n, value in numbers.items()
        )
        return tr("{labels} · Del: remove box · arrow keys: move, with Shift resize", labels=text)

    def press(self, at: Pointer) -> bool:
        """Press a handle of the selected box, or the smallest box under the pointer; False for none."""
        handle = self.handle_at(at)
        if not handle:
            found = self._box_at(at)
            self.drop()
            if found is None:
                return False
            self._chosen = (found.label.id, found.field, found.box_index)
            self._stage.select([])
        self._begin, self._handle, self._gesture = at, handle, uuid.uuid4().hex
        self._before = self.box_in(at.canvas)
        self._stage.show_hint()
        return True

    def press_handle(self, at: Pointer) -> bool:
        """Press a handle of the selected box; False for none."""
        return bool(self.handle_at(at)) and self.press(at)

    def pull(self, at: Pointer) -> None:
        """Move or resize the box to the pointer; a turned box is only moved."""
        if self._begin is None or self._before is None:
            return
        size = at.canvas.image_size
        if self._handle:
            x, y = at.held()
            self._draft = resized(self._before, self._handle, to=(round(x), round(y)))
        else:
            dx, dy = round(at.x - self._begin.x), round(at.y - self._begin.y)
            x, y = held_move([self._before], dx, dy, size=size.toTuple())
            self._draft = moved(self._before, x, y)
        at.canvas.update()

    def release(self, canvas: StageCanvas) -> ChangeLabelBox | None:
        """Return the command of the drag, None if the box is where it was."""
        draft, self._begin, self._draft = self._draft, None, None
        if draft is None or draft == self._before:
            return None
        return self._changed(canvas, draft)

    def wants(self, event: QKeyEvent) -> bool:
        """Return whether a key edits the selected box: Del, a digit of a label, or an arrow key."""
        found = self._found()
        if found is None or event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return False
        key = Qt.Key(event.key())
        is_step = arrow_step(event) is not None and not found.box.rotation
        return key == Qt.Key.Key_Delete or is_step or key - Qt.Key.Key_0 in self._numbers(found)

    def command(self, canvas: StageCanvas, event: QKeyEvent) -> ChangeLabelBox | RemoveLabelBox | None:
        """Return what a key that ``wants`` accepts does, None for nothing."""
        found, step = self._found(), arrow_step(event)
        own = self._canvas_of(found) if found is not None else None
        if found is None or own is None:
            return None
        if Qt.Key(event.key()) == Qt.Key.Key_Delete:
            self.drop()
            return RemoveLabelBox(**self._target(found), field=found.field, index=found.box_index)
        if step is not None:
            before = self.box_in(own)
            after = stepped({"": before}, step, size=own.image_size)[""] if before is not None else None
            return self._changed(own, after) if after is not None and after != before else None
        label = self._numbers(found)[event.key() - Qt.Key.Key_0]
        box = msgspec.structs.replace(found.box, labels=(label,))
        return ChangeLabelBox(**self._target(found), field=found.field, index=found.box_index, box=box)

    def drop(self) -> bool:
        """Discard the drag and the selection; return whether there was one."""
        had = self._chosen is not None
        self._chosen = self._begin = self._before = self._draft = self._sent = None
        if had:
            self._stage.show_hint()
        return had

    def settled(self) -> None:
        """Discard the sent change, which is displayed or rejected."""
        self._sent = None

    def handle_at(self, at: Pointer) -> str:
        """Return the handle of the selected box under the pointer, or ""."""
        box, found = self.box_in(at.canvas), self._found()
        is_plain = found is not None and not found.box.rotation
        return handle_at(at, box) if box is not None and is_plain else ""

    def box_in(self, canvas: StageCanvas) -> Box | None:
        """Return the selected box as painted if it is in a view, image pixels, before its rotation."""
        found = self._found()
        if found is None or self._canvas_of(found) is not canvas:
            return None
        return self._draft or self._sent or _image_box(found.box, canvas)

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the selected box with its handles."""
        box, found = self.box_in(canvas), self._found()
        if box is None or found is None:
            return
        if found.box.rotation and box == _image_box(found.box, canvas):
            painter.drawPolygon(_outline(found.box, canvas))
            return
        paint_draft(painter, box_rect(canvas, box), ratio=canvas.ratio())
        if not found.box.rotation:
            paint_handles(painter, canvas, box)

    def _changed(self, canvas: StageCanvas, box: Box) -> ChangeLabelBox | None:
        found = self._found()
        if found is None:
            return None
        # Shown until the change has come back from the project; else the box would jump to where it was.
        self._sent = box
        width, height = canvas.image_size.toTuple()
        after = msgspec.structs.replace(
            found.box,
            x=100 * box.x1 / width,
            y=100 * box.y1 / height,
            width=100 * (box.x2 - box.x1) / width,
            height=100 * (box.y2 - box.y1) / height,
        )
        target = self._target(found)
        return ChangeLabelBox(
            **target, field=found.field, index=found.box_index, box=after, gesture=self._gesture
        )

    def _found(self) -> LabelBox | None:
        """Return the selected box as it is stored now, None once it is gone or something else is selected."""
        shown = self._stage.shown
        if self._chosen is None or shown is None or self._stage.selected:
            return None
        label_id, field, index = self._chosen
        label = next((one for one in shown.labels if one.id == label_id), None)
        boxes = getattr(label, field) if label is not None else None
        return LabelBox(label, field, index) if label is not None and index < len(boxes or ()) else None

    def _box_at(self, at: Pointer) -> LabelBox | None:
        canvas, shown = at.canvas, self._stage.shown
        if shown is None or canvas.rendering != "annotated" or not canvas.kinds.issues:
            return None
        point = QPointF(at.view) * canvas.ratio()
        hit = [
            LabelBox(label, field, index)
            for label in shown.labels
            if label.medium == canvas.medium
            for field in FIELDS
            for index, box in enumerate(getattr(label, field) or ())
            if _outline(box, canvas).containsPoint(point, Qt.FillRule.OddEvenFill)
        ]
        return min(hit, key=lambda one: one.box.width * one.box.height, default=None)

    def _canvas_of(self, found: LabelBox) -> StageCanvas | None:
        return next((one for one in self._stage.canvases if one.medium == found.label.medium), None)

    def _numbers(self, found: LabelBox) -> Mapping[int, str]:
        shown = self._stage.shown
        return shown.box_numbers.get(found.field, {}) if shown is not None else {}

    def _target(self, found: LabelBox) -> _Target:
        shown = self._stage.shown
        return {
            "scene": self._stage.scene,
            "view": found.label.view,
            "label": found.label.id,
            "person": shown.person if shown is not None else "",
        }


def _image_box(box: PercentBox, canvas: StageCanvas) -> Box:
    width, height = canvas.image_size.toTuple()
    return Box(
        x1=box.x * width / 100,
        y1=box.y * height / 100,
        x2=(box.x + box.width) * width / 100,
        y2=(box.y + box.height) * height / 100,
    )


def _outline(box: PercentBox, canvas: StageCanvas) -> QPolygonF:
    """Return the turned outline of a box in a view, device pixels."""
    plain, line = _image_box(box, canvas), QPolygonF()
    turn = QTransform().translate(plain.x1, plain.y1).rotate(box.rotation).translate(-plain.x1, -plain.y1)
    for x, y in ((plain.x1, plain.y1), (plain.x2, plain.y1), (plain.x2, plain.y2), (plain.x1, plain.y2)):
        at = turn.map(QPointF(x, y))
        line.append(QPointF(*canvas.view_point(at.x(), at.y())))
    return line
