"""The selected key frame of a flight: actions of the segment before it, and its caption."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from annotator.domain.flight_actions import KINDS, ActionKind
from annotator.domain.flight_segments import MOST_KINDS
from widgets.annotate.key_frame_rows import KeyFrameRow
from widgets.annotate.trajectory_text import FlightTextField
from widgets.box_layout import column_layout
from widgets.labels import label
from widgets.stage.segments import KIND_TITLES
from widgets.translation import tr

SPACE_PX = 6


class KeyFrameFields(QWidget):
    """Shows and edits one key frame.

    Signals:
        actions_given: The actions before a key frame were changed; carries its pose and the kinds of action,
            none for those that the poses show.
        caption_given: A caption was entered; carries the pose of its key frame and the text.
        left: The user is done with the caption; carries whether the next key frame is to follow.
    """

    actions_given = Signal(int, object)
    caption_given = Signal(int, str)
    left = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._row: KeyFrameRow | None = None
        self._sent_kinds: tuple[int, tuple[ActionKind, ...]] | None = None
        self.segment, self.problem = label(role="label", wrap=True), label(role="bad", wrap=True)
        self.kinds = {kind: _kind_button(number, kind) for number, kind in enumerate(KINDS, start=1)}
        self.caption = FlightTextField(
            tr("Caption"), lines=3, placeholder=tr("What the camera sees at this key frame")
        )
        grid = QGridLayout()
        grid.setSpacing(4)
        for index, button in enumerate(self.kinds.values()):
            grid.addWidget(button, *divmod(index, 2))
            button.clicked.connect(partial(self._on_button_clicked, index + 1))
        column = column_layout(self, margins_px=0, spacing_px=SPACE_PX)
        column.addWidget(self.segment)
        column.addLayout(grid)
        column.addWidget(self.problem)
        column.addWidget(label(tr("Caption (Enter)"), role="label"))
        column.addWidget(self.caption)
        self.caption.kept.connect(self._on_caption_kept)
        self.caption.left.connect(self.left)

    def show_row(self, row: KeyFrameRow) -> None:
        """Show a key frame; a caption that is being typed for another one is kept for that one."""
        if self._row is None or row.frame != self._row.frame:
            self.leave()
        self._row = row
        self.caption.show_text(row.caption)
        segment = row.segment
        if segment is not None and self._sent_kinds == (row.frame, segment.kinds):
            self._sent_kinds = None
        self.segment.setText(_segment_text(row))
        self._show_problem(_problem(row))
        for button in self.kinds.values():
            button.setEnabled(segment is not None)
        self._show_checked(row)

    def leave(self) -> None:
        """Keep what is typed, because another key frame or flight follows."""
        self.caption.keep()
        self._row = self._sent_kinds = None

    def drop_unsaved(self) -> None:
        """Show the stored actions, because those that were sent could not be saved."""
        self._sent_kinds = None
        if self._row is not None:
            self._show_checked(self._row)

    def press_digit(self, digit: int) -> None:
        """Add or remove the kind of action of a digit; 0 restores those that the poses show."""
        row = self._row
        if row is None or row.segment is None:
            return
        if digit:
            self._toggle_kind(KINDS[digit - 1], row)
        elif row.segment.is_by_hand:
            self._give_actions(row, ())

    def _toggle_kind(self, kind: ActionKind, row: KeyFrameRow) -> None:
        kinds = self._kinds_of(row)
        wanted = tuple(one for one in kinds if one != kind) if kind in kinds else (*kinds, kind)
        if len(wanted) <= MOST_KINDS:
            self._give_actions(row, wanted)
            return
        text = tr(
            "A segment has at most {n} kinds of action. Remove one first, or divide the segment.",
            n=MOST_KINDS,
        )
        self._show_problem(text)
        self._show_checked(row)

    def _show_problem(self, text: str) -> None:
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def _show_checked(self, row: KeyFrameRow) -> None:
        for kind, button in self.kinds.items():
            button.setChecked(kind in self._kinds_of(row))

    def _kinds_of(self, row: KeyFrameRow) -> tuple[ActionKind, ...]:
        """Return the kinds of the segment before a key frame, with those that are still being saved."""
        if self._sent_kinds is not None and self._sent_kinds[0] == row.frame:
            return self._sent_kinds[1]
        return row.segment.kinds if row.segment is not None else ()

    def _give_actions(self, row: KeyFrameRow, kinds: tuple[ActionKind, ...]) -> None:
        # A second digit can come before the first one is saved. The proposal is known only after saving.
        self._sent_kinds = (row.frame, kinds) if kinds else None
        self.actions_given.emit(row.frame, kinds)

    def _on_button_clicked(self, digit: int, _is_checked: bool = False) -> None:
        self.press_digit(digit)

    def _on_caption_kept(self, text: str) -> None:
        if self._row is not None:
            self.caption_given.emit(self._row.frame, text)


def _kind_button(number: int, kind: ActionKind) -> QPushButton:
    button = QPushButton(f"{number}  {tr(KIND_TITLES[kind])}")
    button.setProperty("kind", "pill")
    button.setCheckable(True)
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return button


def _segment_text(row: KeyFrameRow) -> str:
    if row.segment is None:
        return tr("The flight begins here: no segment before it.")
    if row.segment.is_by_hand:
        return tr("Actions before it, given by hand (Backspace: those of the poses)")
    return tr("Actions before it, as the poses show")


def _problem(row: KeyFrameRow) -> str:
    if row.segment is None:
        return ""
    if row.segment.is_too_varied:
        return tr(
            "{n} kinds of action: set a key frame in the segment to divide it.", n=len(row.segment.kinds)
        )
    if not row.segment.kinds:
        return tr("The poses show no action: choose the actions, or remove the key frame.")
    return ""
