"""The key frames of a flight as a list: time, action of the segment before each, caption."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from annotator.domain.flight_labels import LabelledSegment, label_at, segment_bounds
from widgets import theme
from widgets.annotate.trajectory_colours import kind_colour, kinds_text
from widgets.annotate.trajectory_flights import PlottedFlight
from widgets.focus import ENTER
from widgets.timeline.ruler import clock_text
from widgets.translation import tr

Index = QModelIndex | QPersistentModelIndex
ROW_PX, EDGE_PX, SWATCH_PX = 46, 10, 8
ROW_ROLE = Qt.ItemDataRole.UserRole
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
LARGE_STEP = 10
"""Poses that an arrow key with Shift moves a key frame."""


@dataclass(frozen=True, kw_only=True)
class KeyFrameRow:
    """A key frame, or an end of the flight.

    Attributes:
        frame: Number of its pose.
        is_key_frame: Whether it is a key frame; the ends of a flight with key frames are listed in any case.
        time_s: Seconds since the first frame of the video; None if unknown.
        segment: The segment before it, None at the first pose.
        caption: What the camera sees, "" for none.
    """

    frame: int
    is_key_frame: bool
    time_s: float | None
    segment: LabelledSegment | None
    caption: str

    @property
    def time_text(self) -> str:
        """The time, or the number of the pose if it is unknown."""
        if self.time_s is None:
            return tr("pose {n}", n=f"{self.frame:,}")
        return clock_text(self.time_s)

    @property
    def action_text(self) -> str:
        """The kinds of action of the segment before it."""
        if self.segment is None:
            return tr("start of the flight")
        text = kinds_text(self.segment.kinds) or tr("no known action")
        return tr("by hand: {actions}", actions=text) if self.segment.is_by_hand else text


def key_frame_rows(flight: PlottedFlight) -> list[KeyFrameRow]:
    """Return the key frames of a flight with its two ends; none without key frames."""
    record, segments = flight.flight, {segment.last: segment for segment in flight.segments}
    return [
        KeyFrameRow(
            frame=frame,
            is_key_frame=frame in record.key_frames,
            time_s=float(flight.times_s[frame]) if len(flight.times_s) else None,
            segment=segments.get(frame),
            caption=label_at(record, frame).caption,
        )
        for frame in segment_bounds(record)
    ]


class KeyFrameDelegate(QStyledItemDelegate):
    """Paints two lines: time and actions, and the caption."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row."""
        return QSize(120, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        row, tokens, rect = index.data(ROW_ROLE), theme.current(), QRectF(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, tokens.color("raised"))
            painter.fillRect(QRectF(rect.left(), rect.top(), 2, rect.height()), tokens.color("accent"))
        inner = rect.adjusted(EDGE_PX, 3, -EDGE_PX, -3)
        upper, lower = (QRectF(inner), QRectF(inner))
        upper.setHeight(inner.height() / 2)
        lower.setTop(upper.bottom())
        self._paint_actions(painter, row, upper)
        painter.setFont(theme.font("body"))
        painter.setPen(tokens.color("text" if row.caption else "text_dim"))
        caption = " ".join(row.caption.split()) or tr("no caption")
        width = int(lower.width())
        painter.drawText(lower, LEFT, _elided(painter, caption, width))

    def _paint_actions(self, painter: QPainter, row: KeyFrameRow, room: QRectF) -> None:
        tokens = theme.current()
        painter.setFont(theme.font("mono_small"))
        painter.setPen(tokens.color("text" if row.is_key_frame else "text_dim"))
        painter.drawText(room, LEFT, row.time_text)
        left = room.left() + painter.fontMetrics().horizontalAdvance(row.time_text) + 10
        for kind in row.segment.kinds if row.segment is not None else ():
            at = QRectF(left, room.center().y() - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX)
            painter.fillRect(at, kind_colour(kind))
            left += SWATCH_PX + 3
        painter.setFont(theme.font("label"))
        is_odd = row.segment is not None and (row.segment.is_too_varied or not row.segment.kinds)
        painter.setPen(tokens.color("warn" if is_odd else "text_dim"))
        rest = QRectF(left + 4, room.top(), max(0.0, room.right() - left - 4), room.height())
        painter.drawText(rest, RIGHT, _elided(painter, row.action_text, int(rest.width())))


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


def _elided(painter: QPainter, text: str, width: int) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width)
