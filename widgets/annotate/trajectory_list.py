"""The key frames of a flight as a list: time, action of the segment before each, caption."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem

from widgets.annotate.key_frame_rows import ROW_ROLE, KeyFrameDelegate, KeyFrameRow
from widgets.focus import ENTER
from widgets.translation import tr

_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
LARGE_STEP = 10
"""Poses that an arrow key with Shift moves a key frame."""


class KeyFrameList(QListWidget):
    """The key frames; the arrow keys go from one to the next, and the video with them.

    Signals:
        frame_chosen: The user selected a key frame; carries its pose.
        caption_requested: The caption is to be edited.
        digit_pressed: A digit was pressed, which stands for a kind of action; 0 restores the proposal.
        removal_requested: The key frame is to be removed.
        move_requested: The key frame is to be moved; carries a signed number of poses.
        letter_pressed: A letter was pressed that selects another field; carries it.
        left: The keyboard focus is to return to the stage.
    """

    frame_chosen = Signal(int)
    caption_requested = Signal()
    digit_pressed = Signal(int)
    removal_requested = Signal()
    move_requested = Signal(int)
    letter_pressed = Signal(str)
    left = Signal()

    def __init__(self, *, letters: str, digits: int) -> None:
        """Create an empty list.

        Args:
            letters: Letters of other fields of the form.
            digits: Number of kinds of action.
        """
        super().__init__()
        self._letters, self._digits = letters, digits
        self._is_following = False
        self.setItemDelegate(KeyFrameDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Key frames"))
        self.currentRowChanged.connect(self._on_current_row_changed)
        self.itemDoubleClicked.connect(self._on_item_double_clicked)

    @property
    def current(self) -> KeyFrameRow | None:
        """The selected key frame."""
        # Qt's stubs declare an item, but there is none in an empty list.
        item = cast("QListWidgetItem | None", self.currentItem())
        found: KeyFrameRow | None = item.data(ROW_ROLE) if item is not None else None
        return found

    def rows(self) -> list[KeyFrameRow]:
        """Return all key frames."""
        return [self.item(at).data(ROW_ROLE) for at in range(self.count())]

    def show_rows(self, rows: list[KeyFrameRow], *, frame: int) -> None:
        """Replace the rows.

        Args:
            rows: The rows.
            frame: Pose of the key frame to select; the nearest one if there is none.
        """
        self._is_following = True
        index = self.verticalScrollBar().value()
        self.clear()
        for row in rows:
            item = QListWidgetItem(self)
            item.setData(ROW_ROLE, row)
            texts = (row.time_text, row.action_text, row.caption or tr("no caption"))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(texts))
        if rows:
            self.setCurrentRow(min(range(len(rows)), key=lambda at: abs(rows[at].frame - frame)))
        self.verticalScrollBar().setValue(index)
        self._is_following = False

    def follow(self, frame: int | None) -> bool:
        """Select the key frame at a pose, if there is one; return whether it is another one."""
        rows = self.rows()
        at = next((at for at, row in enumerate(rows) if row.frame == frame), -1)
        if at < 0 or at == self.currentRow():
            return False
        self._is_following = True
        self.setCurrentRow(at)
        self._is_following = False
        return True

    def keyboardSearch(self, _text: str, /) -> None:
        """Disable the keyboard search: letters are keys of the form."""

    def event(self, event: QEvent) -> bool:
        """Take the keys of the list before the shortcuts of the stage."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._takes(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Execute the operation of a key."""
        key = Qt.Key(event.key())
        if not self._takes(event):
            super().keyPressEvent(event)
        elif key in ENTER:
            self.caption_requested.emit()
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        elif key == Qt.Key.Key_Delete:
            self.removal_requested.emit()
        elif key == Qt.Key.Key_Backspace:
            self.digit_pressed.emit(0)
        elif key in _STEPS:
            is_large = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.move_requested.emit(_STEPS[key] * (LARGE_STEP if is_large else 1))
        elif Qt.Key.Key_0 <= key <= Qt.Key.Key_9:
            self.digit_pressed.emit(key - Qt.Key.Key_0)
        elif Qt.Key.Key_A <= key <= Qt.Key.Key_Z:
            self.letter_pressed.emit(chr(key))
        else:
            super().keyPressEvent(event)

    def _takes(self, event: QKeyEvent) -> bool:
        key, modifiers = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
        if key in _STEPS:
            return modifiers in (control, control | shift)
        if modifiers:
            return False
        plain = {*ENTER, Qt.Key.Key_Escape, Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Up}
        plain |= {Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End}
        is_digit = Qt.Key.Key_0 < key <= Qt.Key.Key_0 + self._digits
        is_letter = Qt.Key.Key_A <= key <= Qt.Key.Key_Z and chr(key) in self._letters
        return key in plain or is_digit or is_letter

    def _on_current_row_changed(self, _at: int) -> None:
        row = self.current
        if row is not None and not self._is_following:
            self.frame_chosen.emit(row.frame)

    def _on_item_double_clicked(self, _item: QListWidgetItem) -> None:
        self.caption_requested.emit()
