"""The rows of the list of key frames, and how they are painted."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from annotator.domain.flight_labels import LabelledSegment, label_at, segment_bounds
from widgets import theme
from widgets.annotate.trajectory_colours import kind_colour, kinds_text
from widgets.annotate.trajectory_flights import PlottedFlight
from widgets.timeline.ruler import clock_text
from widgets.translation import tr

Index = QModelIndex | QPersistentModelIndex
ROW_PX, EDGE_PX, SWATCH_PX = 46, 10, 8
ROW_ROLE = Qt.ItemDataRole.UserRole
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


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


def _elided(painter: QPainter, text: str, width: int) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width)
