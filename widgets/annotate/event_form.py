"""The event-level form of the view in front: a letter selects a field, a digit a value."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from annotator.commands.event_labels import LabelEdit, SetOtherDegradation
from annotator.commands.label_boxes import BoxField, ToggleLabelBox
from annotator.domain.event_label import EventLabel
from annotator.domain.event_proposals import percent_box
from annotator.domain.task_set import FormField
from annotator.session import Session
from widgets import display_text
from widgets.annotate.event_form_data import BOXES, FormData, hint_text
from widgets.annotate.event_form_reading import read_form
from widgets.annotate.event_form_row import TEXT_FIELD, EventFormRow, typed_text
from widgets.annotate.event_form_steps import show_steps, step_buttons, step_edit
from widgets.annotate.work_clock import WorkClock, WorkTimeLabel
from widgets.bridge import Bridge
from widgets.labels import ElidedLabel, label
from widgets.project_controller import ProjectController
from widgets.read_only import disable_edits, read_only_reason
from widgets.stage.selection import selected_regions
from widgets.stage.stage import Stage
from widgets.task import while_exists
from widgets.translation import mark, tr

EDGE_PX = 12
AT_ONCE = frozenset({"quality", "usable", "when"})
"""Fields of one value: the next field follows by itself."""
STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Return: 1, Qt.Key.Key_Enter: 1, Qt.Key.Key_Up: -1}
STATES = {"imported": mark("imported"), "open": mark("not finished"), "finished": mark("finished")}


class EventForm(QWidget):
    """The form of the view in front; each answer is saved at once and is one undo step.

    Signals:
        left: The keyboard focus is to return to the stage.
    """

    left = Signal()

    def __init__(
        self,
        stage: Stage,
        *,
        session: Session,
        bridge: Bridge,
        controller: ProjectController,
        clock: WorkClock,
    ) -> None:
        super().__init__()
        self._stage, self._session, self._bridge, self._controller = stage, session, bridge, controller
        self.previous_scene: Callable[[], str] = str
        self.data: FormData | None = None
        self.rows: list[EventFormRow] = []
        self._field, self._typed, self._gesture, self._sent = "", "", 0, 0
        self._keys: deque[tuple[Qt.Key, Qt.KeyboardModifier]] = deque()
        self._is_stale, self._shown_view, self.is_entered = True, ("", ""), False
        self._is_advancing, self._refusal = False, read_only_reason(session)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Event label"))
        self.title, self.state = ElidedLabel(role="strong"), label(role="dim")
        self._clock, self.time = clock, WorkTimeLabel(clock)
        self.hint = label(role="dim", wrap=True)
        self.buttons = step_buttons()
        self._lay_out()
        stage.view_state_changed.connect(self._on_stage_looked)

    @property
    def is_picking(self) -> bool:
        """Whether a digit is awaited for regions that are selected on the stage."""
        current = self.current if self.is_entered and self.isVisible() else None
        return current is not None and current.id in BOXES

    @property
    def current(self) -> FormField | None:
        """The field that digits answer."""
        fields = self.data.fields if self.data is not None else []
        return next((field for field in fields if field.id == self._field), fields[0] if fields else None)

    def is_settled(self) -> bool:
        """Return whether the form shows the answers of the project, and no key is pending."""
        return not (self._is_stale and self.isVisible()) and not self._sent and not self._keys

    def refresh(self) -> None:
        """Read the label of the view in front again."""
        self._is_stale = True
        if not self.isVisible():
            return
        self._shown_view = self._view_in_front()
        scene, view = self._shown_view
        question = partial(
            read_form,
            scene=scene,
            view=view,
            previous=self.previous_scene(),
            person=self._session.actor.id,
        )
        self._bridge.query(self._session, question, done=self._on_form_read, channel=(id(self), "form"))

    def show_field(self, field: str) -> None:
        """Make a field of the view in front the current one, "" for the first, and take the keyboard."""
        self._keys.clear()
        self._field, self._typed = field, ""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Read the label when the form is shown."""
        super().showEvent(event)
        self.refresh()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Enter the form: until it is left, the keyboard returns to it from the stage."""
        super().focusInEvent(event)
        self.is_entered = True

    def event(self, event: QEvent) -> bool:
        """Take the keys of the form before the shortcuts of the stage."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_taken(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Answer by keys; a key that arrives while an answer is being saved waits for it."""
        if event.key() == Qt.Key.Key_Escape:
            self.is_entered = False
            self.left.emit()
        elif _is_taken(event):
            self._keys.append((Qt.Key(event.key()), event.modifiers()))
            self._work_off_keys()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        # In a row of its own: beside state and time, the name of the view would be cut.
        work = QHBoxLayout()
        work.addWidget(self.state, 1)
        work.addWidget(self.time)
        self._area = _rows_area()
        column = QVBoxLayout(self)
        column.setContentsMargins(EDGE_PX, EDGE_PX, EDGE_PX, EDGE_PX)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addLayout(work)
        column.addWidget(self.hint)
        column.addWidget(self._area, 1)
        self.buttons["finish"].setProperty("kind", "main")
        for name, button in self.buttons.items():
            # A button with the keyboard would take the digits and letters of the form.
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(partial(self._take_step, name))
            column.addWidget(button)

    def _view_in_front(self) -> tuple[str, str]:
        shown, front = self._stage.shown, self._stage.front
        if shown is None or front is None:
            return "", ""
        return shown.scene.id, shown.view_of(front.medium)

    def _on_stage_looked(self) -> None:
        # Called at each pointer move: only another view in front matters.
        if self.isVisible() and self._view_in_front() != self._shown_view:
            self._keys.clear()
            self.refresh()

    def _on_form_read(self, data: FormData | None) -> None:
        text = typed_text(self.rows)
        if text is not None and not _is_typed_for(data, before=self.data):
            # What is typed is entered for the view that it was typed for.
            text.clearFocus()
            text = None
        self.data, self._is_stale = data, False
        if text is None or data is None:
            self._show_rows()
        else:
            _show_other_degradation(text, data)
        # Which field is the next one depends on the answers that are stored.
        if self._is_advancing and not self._sent:
            self._is_advancing = False
            self._step(1)
        self._work_off_keys()

    def _show_rows(self) -> None:
        data, current = self.data, self.current
        self._show_head(data)
        fields = data.fields if data is not None else []
        self.rows = [EventFormRow(field, data, is_current=field is current) for field in fields if data]
        rows = QWidget()
        column = QVBoxLayout(rows)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for row in self.rows:
            self._connect_row(row)
            column.addWidget(row)
        column.addStretch(1)
        # Not deleted at once: the click of one of its buttons can be the cause of this update.
        if (old := self._area.takeWidget()) is not None:
            old.deleteLater()
        self._area.setWidget(rows)
        for row in self.rows:
            if row.field is current:
                # Its place is known only after the layout.
                QTimer.singleShot(0, row, partial(self._area.ensureWidgetVisible, row, 0, EDGE_PX))
        show_steps(self.buttons, data)
        disable_edits(self._refusal, *self.buttons.values())

    def _show_head(self, data: FormData | None) -> None:
        hint = self._refusal or hint_text(data)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        self.title.setText(" · ".join(filter(None, (tr("Event label"), data.view if data else ""))))
        self.time.setVisible(data is not None)
        self.time.show_label(data.label if data is not None else EventLabel())
        self.state.setText(tr(STATES[data.label.state]) if data is not None and data.label.id else "")

    def _connect_row(self, row: EventFormRow) -> None:
        disable_edits(self._refusal, *row.buttons, *filter(None, (row.text,)))
        row.selected.connect(partial(self._select, row.field.id))
        row.digit_chosen.connect(self._answer)
        row.text_entered.connect(self._on_row_text_entered)

    def _work_off_keys(self) -> None:
        while self._keys and not self._sent and not self._is_stale and self.data is not None:
            self._press(*self._keys.popleft())

    def _press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            self._take_step("finish")
        elif key in STEPS:
            self._step(STEPS[key])
        elif Qt.Key.Key_0 <= key <= Qt.Key.Key_9:
            self._answer(key - Qt.Key.Key_0)
        elif key == Qt.Key.Key_Backspace:
            self._clear()
        else:
            self._press_letter(chr(key))

    def _press_letter(self, letter: str) -> None:
        steps = {"R": "propose", "P": "previous", "V": "other", "K": "confirm"}
        fields = {field.key: field.id for field in (self.data.fields if self.data else ())}
        if letter in fields:
            self._select(fields[letter])
        elif letter in steps:
            self._take_step(steps[letter])
        elif letter == "A" and self.data is not None and self.current and self.current.id == "count":
            self._send(self.data.toggled_count_edit())

    def _select(self, field: str) -> None:
        self._field, self._typed = field, ""
        self._gesture += 1
        self._show_rows()
        row = next((row for row in self.rows if row.field.id == field), None)
        if row is not None and row.text is not None:
            row.text.setFocus()
        elif not self.hasFocus():
            self.setFocus()

    def _step(self, by: int) -> None:
        fields = [field.id for field in (self.data.fields if self.data else ())]
        if self.current is not None:
            index = fields.index(self.current.id) + by
            self._select(fields[min(max(index, 0), len(fields) - 1)])

    def _answer(self, digit: int) -> None:
        data, field = self.data, self.current
        if data is None or field is None:
            return
        if field.id == "count":
            self._type_count(self._typed + str(digit))
        elif field.id in BOXES:
            self._add_boxes(field, digit)
        elif (edit := data.chosen_edit(field, digit)) is not None:
            self._send(edit)
            # Which field is next can depend on the answer: it is known after the label is read again.
            self._is_advancing = field.id in AT_ONCE

    def _type_count(self, text: str) -> None:
        if self.data is not None:
            self._typed = text
            self._send(self.data.count_edit(text, gesture=str(self._gesture)))

    def _clear(self) -> None:
        if self.data is None or self.current is None:
            return
        if self.current.id == "count" and len(self._typed) > 1:
            self._type_count(self._typed[:-1])
        elif (edit := self.data.cleared_edit(self.current)) is not None:
            self._typed = ""
            self._send(edit)

    def _add_boxes(self, field: FormField, digit: int) -> None:
        data = self.data
        choice = data.choice_of(field, digit) if data is not None else None
        if data is None or choice is None:
            return
        name: BoxField = "issue_boxes" if field.id == "issue_boxes" else "what_boxes"
        sizes = {one.medium: one.image_size for one in self._stage.canvases}
        for region in selected_regions(self._stage):
            if region.medium == data.scene.medium_of(data.view):
                box = percent_box(region.box, size_px=sizes[region.medium].toTuple(), label=choice.value)
                self._send(ToggleLabelBox(**data.target, field=name, box=box))

    def _take_step(self, name: str) -> None:
        data = self.data
        if data is None:
            return
        if name == "finish" and data.problems:
            self._select(next(field.id for field in data.task_set.form_fields if field.id in data.problems))
        else:
            self._send(step_edit(data, name))

    def _send(self, edit: LabelEdit | None) -> None:
        if self._refusal or edit is None:
            return
        self._sent += 1
        timed = self._clock.timed(edit)
        work = self._controller.execute(
            timed, title=display_text.command_summary_text(edit.summary), initiator=self, is_gesture=True
        )
        work.failed.connect(while_exists(self, partial(self._clock.give_back, timed)))
        work.finished.connect(self._on_work_ended)
        work.failed.connect(self._on_work_ended)

    def _on_work_ended(self) -> None:
        self._sent -= 1
        if not self._sent:
            self.refresh()

    def _on_row_text_entered(self, text: str) -> None:
        if self.data is not None and text != (self.data.label.other_degradation or ""):
            self._send(SetOtherDegradation(**self.data.target, text=text))
        else:
            # The rows do not show yet what was changed elsewhere meanwhile.
            self.refresh()
        if self.current is not None and self.current.id == TEXT_FIELD:
            self.setFocus()


def _show_other_degradation(text: QLineEdit, data: FormData) -> None:
    """Update the text that has the keyboard, unless it was edited.

    New rows would take the keyboard from the text, and what is typed so far would be entered.
    """
    stored = data.label.other_degradation or ""
    if not text.isModified() and text.text() != stored:
        text.setText(stored)


def _rows_area() -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area


def _is_typed_for(data: FormData | None, *, before: FormData | None) -> bool:
    """Return whether the label that was read still has the text field of the one before."""
    if data is None or before is None or (data.scene.id, data.view) != (before.scene.id, before.view):
        return False
    return any(field.id == TEXT_FIELD for field in data.fields)


def _is_taken(event: QKeyEvent) -> bool:
    key, modifiers = event.key(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if modifiers == Qt.KeyboardModifier.ControlModifier:
        return key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    is_letter = Qt.Key.Key_A <= key <= Qt.Key.Key_Z
    is_digit = Qt.Key.Key_0 <= key <= Qt.Key.Key_9
    is_other = key in STEPS or key in (Qt.Key.Key_Backspace, Qt.Key.Key_Escape)
    return not modifiers and (is_letter or is_digit or is_other)
