"""Paints a row of a queue: state, title, id, and the first open flag."""

from __future__ import annotations

from dataclasses import dataclass

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
from widgets.library.unread_mark import paint_unread

NAME_PX, SHORT_NAME_PX, FLAG_PX = 96, 48, 104
"""Largest width of the id, of an id beside flags, and of the flags."""
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True, kw_only=True)
class QueueCell:
    """What is painted of a row.

    Attributes:
        title: What it is.
        name: Its id.
        kinds: Kinds of its flags.
        state: State of an item, "" for another record.
        record: Id of the record.
    """

    title: str
    name: str
    kinds: tuple[str, ...]
    state: str = ""
    record: str = ""


class QueueDelegate(RowDelegate):
    """Paints all of a row in one column, so that none of its parts takes room that it does not need."""

    def cell(self, row: object) -> QueueCell | None:
        """Return what is painted of a row, None for one that is not loaded."""
        if not isinstance(row, ItemRow):
            return None
        task = display_text.task_title(row.task, row.task_set)
        return QueueCell(title=task, name=row.name, kinds=row.flags, state=row.state, record=row.id)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; its parts are elided to any width."""
        return QSize(120, theme.ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        model = index.model()
        row = model.row(index.row()) if isinstance(model, RowModel) else None
        rect: QRect = option.rect
        paint_ground(painter, option, is_first=True)
        cell = self.cell(row)
        if cell is None:
            paint_waiting(painter, rect)
            return
        inner = rect.adjusted(PAD_PX, 0, -PAD_PX // 2, 0)
        if cell.state:
            paint_state(painter, cell.state, at=QPoint(inner.x() + 4, rect.center().y() - GLYPH_PX // 2 + 1))
            inner.setLeft(inner.left() + GLYPH_PX + 12)
        if isinstance(model, RowModel) and cell.record in model.unread:
            inner = paint_unread(painter, inner)
        if cell.kinds:
            inner.setRight(inner.right() - self._paint_flags(painter, inner, cell.kinds))
        inner.setRight(inner.right() - self._paint_name(painter, inner, cell) - PAD_PX)
        is_done = cell.state in {"accepted", "rejected"}
        painter.setPen(theme.current().color("text_dim" if is_done else "text"))
        painter.setFont(theme.font("body"))
        title = _elided(painter, cell.title, inner.width(), Qt.TextElideMode.ElideRight)
        painter.drawText(inner, LEFT, title)

    def _paint_flags(self, painter: QPainter, rect: QRect, flags: tuple[str, ...]) -> int:
        painter.setFont(theme.font("label"))
        wanted = (
            painter.fontMetrics().horizontalAdvance(display_text.flag_kind_title(flags[0])) + 2 * PAD_PX + 16
        )
        width = min(FLAG_PX, wanted)
        paint_chips(painter, QRect(rect.right() - width, rect.y(), width, rect.height()), kinds=flags)
        return width

    def _paint_name(self, painter: QPainter, rect: QRect, cell: QueueCell) -> int:
        painter.setFont(theme.font("mono_small"))
        painter.setPen(theme.current().color("text_dim"))
        most = SHORT_NAME_PX if cell.kinds else NAME_PX
        width = min(most, QFontMetrics(painter.font()).horizontalAdvance(cell.name) + 1)
        area = QRect(rect.right() - width, rect.y(), width, rect.height())
        painter.drawText(area, RIGHT, _elided(painter, cell.name, width, Qt.TextElideMode.ElideLeft))
        return width


def _elided(painter: QPainter, text: str, width: int, mode: Qt.TextElideMode) -> str:
    return painter.fontMetrics().elidedText(" ".join(text.split()), mode, max(0, width))
