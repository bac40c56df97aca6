"""Paints a row of the queue: state, task, id, and the first open flag."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from annotator.domain.rows import ItemRow
from widgets import display_text, theme
from widgets.library.row_model import Index, RowModel
from widgets.library.row_painter import (
    LEFT,
    PAD_PX,
    RowDelegate,
    paint_chips,
    paint_ground,
    paint_waiting,
)
from widgets.library.state_icon import GLYPH_PX, paint_state

NAME_PX, SHORT_NAME_PX, FLAG_PX = 96, 48, 104
"""Largest width of the id, of an id beside flags, and of the flags."""
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class QueueDelegate(RowDelegate):
    """Paints all of an item in one column, so that none of its parts takes room that it does not need."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; its parts are elided to any width."""
        return QSize(120, theme.ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        model = index.model()
        row = model.row(index.row()) if isinstance(model, RowModel) else None
        rect: QRect = option.rect
        paint_ground(painter, option, is_first=True)
        if not isinstance(row, ItemRow):
            paint_waiting(painter, rect)
            return
        inner = rect.adjusted(PAD_PX, 0, -PAD_PX // 2, 0)
        paint_state(painter, row.state, at=QPoint(inner.x() + 4, rect.center().y() - GLYPH_PX // 2 + 1))
        inner.setLeft(inner.left() + GLYPH_PX + 12)
        if row.flags:
            inner.setRight(inner.right() - self._paint_flags(painter, inner, row.flags))
        inner.setRight(inner.right() - self._paint_name(painter, inner, row) - PAD_PX)
        is_done = row.state in {"accepted", "rejected"}
        painter.setPen(theme.current().color("text_dim" if is_done else "text"))
        painter.setFont(theme.font("body"))
        task = display_text.task_word(row.task, row.task_set)
        painter.drawText(inner, LEFT, _elided(painter, task, inner.width(), Qt.TextElideMode.ElideRight))

    def _paint_flags(self, painter: QPainter, rect: QRect, flags: tuple[str, ...]) -> int:
        painter.setFont(theme.font("label"))
        wanted = painter.fontMetrics().horizontalAdvance(display_text.flag_word(flags[0])) + 2 * PAD_PX + 16
        width = min(FLAG_PX, wanted)
        paint_chips(painter, QRect(rect.right() - width, rect.y(), width, rect.height()), kinds=flags)
        return width

    def _paint_name(self, painter: QPainter, rect: QRect, row: ItemRow) -> int:
        painter.setFont(theme.font("mono_small"))
        painter.setPen(theme.current().color("text_dim"))
        most = SHORT_NAME_PX if row.flags else NAME_PX
        width = min(most, QFontMetrics(painter.font()).horizontalAdvance(row.name) + 1)
        place = QRect(rect.right() - width, rect.y(), width, rect.height())
        painter.drawText(place, RIGHT, _elided(painter, row.name, width, Qt.TextElideMode.ElideLeft))
        return width


def _elided(painter: QPainter, text: str, width: int, mode: Qt.TextElideMode) -> str:
    return painter.fontMetrics().elidedText(" ".join(text.split()), mode, max(0, width))
