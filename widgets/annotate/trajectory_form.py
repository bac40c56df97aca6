"""The flight beside the stage: key frames with actions and captions, difficulty, instructions."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from annotator.commands.flight_labels import (
    InstructionLevel,
    SetCaption,
    SetFlightDifficulty,
    SetInstruction,
    SetSegmentActions,
)
from annotator.domain import task_set_files
from annotator.domain.flight_actions import KINDS, ActionKind
from annotator.domain.flight_segments import VLN_DIFFICULTY
from annotator.domain.trajectory import Trajectory
from widgets.action_registry import ActionRegistry
from widgets.annotate.key_frame_actions import KeyFrameActions
from widgets.annotate.key_frame_rows import key_frame_rows
from widgets.annotate.trajectory_flights import FLIGHT_SET, PlottedFlight
from widgets.annotate.trajectory_key_frame import KeyFrameFields
from widgets.annotate.trajectory_list import KeyFrameList
from widgets.annotate.trajectory_model import TrajectoryModel, flight_name
from widgets.annotate.trajectory_text import FlightTextField
from widgets.box_layout import column_layout
from widgets.combo_box import ComboBox
from widgets.labels import label
from widgets.translation import language, mark, tr

EDGE_PX, SPACE_PX, LIST_PX = 12, 6, 190
INSTRUCTIONS: dict[InstructionLevel, tuple[str, str, int]] = {
    "instruction_goal": ("G", mark("Goal instruction"), 2),
    "instruction_detailed": ("D", mark("Detailed instruction"), 4),
}
"""Letter, English title, and lines of each instruction, the short one first."""


class TrajectoryForm(QWidget):
    """The edited flight of the scene; each edit is saved at once and is one undo step.

    Signals:
        left: The keyboard focus is to return to the stage.
    """

    left = Signal()

    def __init__(
        self, model: TrajectoryModel, *, key_frames: KeyFrameActions, registry: ActionRegistry
    ) -> None:
        super().__init__()
        self._model, self._key_frames, self._registry = model, key_frames, registry
        self._edited: tuple[str, int] = ("", -1)
        self._is_moving = False
        self.setAccessibleName(tr("Flight"))
        self.flights, self.difficulty = ComboBox(), ComboBox()
        self.facts, self.hint = label(role="dim", wrap=True), label(role="dim", wrap=True)
        self.list = KeyFrameList(
            letters="".join(letter for letter, _, _ in INSTRUCTIONS.values()), digits=len(KINDS)
        )
        self.key_frame = KeyFrameFields()
        self.texts = {
            level: FlightTextField(tr(title), lines=lines)
            for level, (_, title, lines) in INSTRUCTIONS.items()
        }
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._lay_out()
        self._connect()
        self.refresh()

    def refresh(self) -> None:
        """Show the edited flight, if the form is visible."""
        self._is_moving = False
        if not self.isVisible():
            return
        current = self._model.current
        self._body.setVisible(current is not None)
        self._show_hint(current)
        if current is None:
            self._edited = ("", -1)
            return
        if current.flight.id != self._edited[0]:
            self._leave_texts()
            self._edited = (current.flight.id, -1)
        self._show_flights(current)
        self._show_difficulty(current)
        pose = self._edited[1] if self._edited[1] >= 0 else self._model.pose() or 0
        rows = key_frame_rows(current)
        self.list.show_rows(rows, frame=pose)
        for part in (self.list, self.key_frame):
            part.setVisible(bool(rows))
        for level, field in self.texts.items():
            field.show_text(getattr(current.flight, level))
        self._show_key_frame()
        self._enter_list()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Hand the keyboard to the list, as soon as there are key frames."""
        super().focusInEvent(event)
        self._enter_list()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return to the stage with Esc from a form without key frames."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Show the flight when the form is shown."""
        super().showEvent(event)
        self.refresh()

    def _lay_out(self) -> None:
        body, column = QWidget(), QVBoxLayout()
        column.setContentsMargins(EDGE_PX, 0, EDGE_PX, EDGE_PX)
        column.setSpacing(SPACE_PX)
        self.flights.fit_column()
        self.difficulty.fit_column()
        column.addWidget(self.flights)
        column.addWidget(self.facts)
        row = QHBoxLayout()
        row.addWidget(label(tr("Difficulty"), role="label"))
        row.addWidget(self.difficulty, 1)
        column.addLayout(row)
        self.list.setMinimumHeight(LIST_PX)
        column.addWidget(self.list, 1)
        column.addWidget(self.key_frame)
        for level, (letter, title, _) in INSTRUCTIONS.items():
            column.addWidget(label(f"{tr(title)} ({letter})", role="label"))
            column.addWidget(self.texts[level])
        for action in ("stage.key_frame", "stage.propose_key_frames", "stage.reverse_flight"):
            column.addWidget(self._button(action))
        body.setLayout(column)
        self._body = QScrollArea()
        self._body.setWidgetResizable(True)
        self._body.setFrameShape(QFrame.Shape.NoFrame)
        self._body.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._body.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._body.setWidget(body)
        whole = column_layout(self, margins_px=(0, EDGE_PX, 0, 0), spacing_px=SPACE_PX)
        head = column_layout(margins_px=(EDGE_PX, 0, EDGE_PX, 0))
        head.addWidget(label(tr("Flight"), role="strong"))
        head.addWidget(self.hint)
        whole.addLayout(head)
        whole.addWidget(self._body, 1)
        whole.addStretch()

    def _button(self, action: str) -> QPushButton:
        text = tr(self._registry.table.by_id[action].text)
        button = QPushButton(text)
        button.setToolTip(f"{text}  {self._registry.key(action)}".strip())
        # A key of the list must not press it.
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(partial(self._registry.run, action))
        return button

    def _connect(self) -> None:
        self._model.changed.connect(self.refresh)
        self._model.moved.connect(self._on_model_moved)
        self._model.stage.refused.connect(self._on_stage_refused)
        self.flights.activated.connect(self._on_flights_activated)
        self.difficulty.activated.connect(self._on_difficulty_activated)
        self.list.frame_chosen.connect(self._on_list_frame_chosen)
        self.list.caption_requested.connect(self._on_list_caption_requested)
        self.list.digit_pressed.connect(self.key_frame.press_digit)
        self.list.removal_requested.connect(self._on_list_removal_requested)
        self.list.move_requested.connect(self._on_list_move_requested)
        self.list.letter_pressed.connect(self._on_list_letter_pressed)
        self.list.left.connect(self.left)
        self.key_frame.actions_given.connect(self._on_key_frame_actions_given)
        self.key_frame.caption_given.connect(self._on_key_frame_caption_given)
        self.key_frame.left.connect(self._on_key_frame_left)
        for level, field in self.texts.items():
            field.kept.connect(partial(self._on_text_kept, level))
            field.left.connect(self._on_text_left)

    def _show_hint(self, current: PlottedFlight | None) -> None:
        if current is None:
            text = tr("This view has no flight. Select another view, or import the poses of its camera.")
        elif not current.key_frames:
            text = tr("No key frames: propose them from the motion, or set one at the displayed frame.")
        else:
            text = tr(
                "Arrows: next key frame. Enter: caption. Digits: actions. Del: remove. Ctrl+arrows: move."
            )
        self.hint.setText(text)

    def _show_flights(self, current: PlottedFlight) -> None:
        found = self._model.found.flights
        self.flights.clear()
        for one in found:
            name = flight_name(one)
            self.flights.addItem(tr("Reversed: {flight}", flight=name) if one.source else name, one.flight.id)
        self.flights.setCurrentIndex(found.index(current))
        self.flights.setVisible(len(found) > 1)
        self.facts.setVisible(current.source is not None)
        if current.source is not None:
            self.facts.setText(_derivation(current.source))

    def _show_difficulty(self, current: PlottedFlight) -> None:
        values = task_set_files.builtin(FLIGHT_SET).value_lists[VLN_DIFFICULTY]
        titles = {
            value.id: value.title.zh if language() == "zh" and value.title.zh else value.title.en
            for value in values
        }
        proposed = titles.get(current.difficulty)
        self.difficulty.clear()
        self.difficulty.addItem(
            tr("{difficulty} (by rule)", difficulty=proposed)
            if proposed
            else tr("unknown (actions unknown)"),
            "",
        )
        for value, title in titles.items():
            self.difficulty.addItem(title, value)
        self.difficulty.setCurrentIndex(max(0, self.difficulty.findData(current.flight.difficulty)))

    def _show_key_frame(self) -> None:
        row = self.list.current
        if row is None:
            return
        self.key_frame.show_row(row)
        self._edited = (self._edited[0], row.frame)

    def _enter_list(self) -> None:
        if self.hasFocus() and not self.list.isHidden() and not self._body.isHidden():
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _leave_texts(self) -> None:
        """Keep what is typed for the flight that was edited before."""
        self.key_frame.leave()
        for field in self.texts.values():
            field.keep()

    def _on_model_moved(self) -> None:
        if self.isVisible() and self.list.follow(self._model.pose()):
            self._show_key_frame()

    def _on_stage_refused(self) -> None:
        self.key_frame.drop_unsaved()
        if self._is_moving:
            # The list was not changed: its key frame is still at the pose from which it did not move.
            self._is_moving = False
            self._show_key_frame()

    def _on_flights_activated(self, at: int) -> None:
        self._model.choose(self.flights.itemData(at))

    def _on_difficulty_activated(self, at: int) -> None:
        if self._edited[0]:
            value = self.difficulty.itemData(at)
            self._model.stage.send(SetFlightDifficulty(flight=self._edited[0], difficulty=value))

    def _on_list_frame_chosen(self, frame: int) -> None:
        self._show_key_frame()
        self._model.seek(frame)

    def _on_list_caption_requested(self) -> None:
        self._enter(self.key_frame.caption)
        self.key_frame.caption.selectAll()

    def _on_list_removal_requested(self) -> None:
        row = self.list.current
        if row is not None and row.is_key_frame:
            self._key_frames.toggle_pose(row.frame)

    def _on_list_move_requested(self, poses: int) -> None:
        row = self.list.current
        # Until a move is saved, the list shows the key frame at its old pose.
        if row is not None and row.is_key_frame and not self._is_moving:
            to = self._key_frames.move_key_frame(row.frame, row.frame + poses)
            # A key frame at its neighbour does not move: nothing is saved then.
            self._is_moving = to != row.frame
            self._edited = (self._edited[0], to)

    def _on_list_letter_pressed(self, letter: str) -> None:
        level = next(level for level, (own, _, _) in INSTRUCTIONS.items() if own == letter)
        self._enter(self.texts[level])

    def _enter(self, field: FlightTextField) -> None:
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        # In a low window it can be below the edge.
        self._body.ensureWidgetVisible(field, 0, EDGE_PX)

    def _on_key_frame_actions_given(self, frame: int, actions: tuple[ActionKind, ...]) -> None:
        command = SetSegmentActions(flight=self._edited[0], frame=frame, actions=actions)
        self._model.stage.send(command)

    def _on_key_frame_caption_given(self, frame: int, text: str) -> None:
        self._model.stage.send(SetCaption(flight=self._edited[0], frame=frame, text=text))

    def _on_key_frame_left(self, is_next: bool) -> None:
        at = self.list.currentRow() + 1
        if is_next and at < self.list.count():
            self.list.setCurrentRow(at)
            self._on_list_caption_requested()
        else:
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_text_kept(self, level: InstructionLevel, text: str) -> None:
        if self._edited[0]:
            self._model.stage.send(SetInstruction(flight=self._edited[0], level=level, text=text))

    def _on_text_left(self, _is_next: bool) -> None:
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)


def _derivation(source: Trajectory) -> str:
    """Return what of a reversed flight follows from its source."""
    return tr(
        "Derived from {flight}: poses, times, key frames and actions in reverse order, headings turned by "
        "180°. Captions and instructions are its own. The video shows the source.",
        flight=source.name.strip("/").rpartition("/")[2],
    )
