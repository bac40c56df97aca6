"""Painting of the rows of a list: state icon, name, texts and flag chips."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from annotator.domain.rows import ItemRow
from widgets import display_text, theme
from widgets.elided_texts import ElidedTexts
from widgets.labels import plain_tip
from widgets.library.record_types import RecordColumn, Row
from widgets.library.row_model import Index, RowModel
from widgets.library.state_icon import GLYPH_PX, paint_state
from widgets.library.unread_mark import paint_unread

PAD_PX = 8
CHIP_PX = 18
FLAG = Qt.AlignmentFlag
NUMBERS = {"number", "share"}
"""Styles of columns whose texts end at the right side."""
LEFT, CENTRE = int(FLAG.AlignLeft | FLAG.AlignVCenter), int(FLAG.AlignCenter)
LONGEST_TIP = 2_000
"""Maximum number of characters of a tool tip."""
LONGEST_MEASURED = 400
"""Maximum number of visible characters on a line; the rest of a long question is not measured."""


class RowDelegate(QStyledItemDelegate):
    """Paints cells by the style of their column; fonts are created once."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._fonts: dict[str, QFont] = {
            "words": theme.font("body"),
            "number": theme.font("body"),
            "share": theme.font("body"),
            "name": theme.font("mono"),
            "flags": theme.font("label"),
        }
        self._elided = ElidedTexts()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row, and the width of the cell's content."""
        model = index.model()
        row = model.row(index.row()) if isinstance(model, RowModel) else None
        if row is None or not isinstance(model, RowModel):
            return QSize(80, theme.ROW)
        return QSize(self._needed_px(row, model.kind.columns[index.column()]), theme.ROW)

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Show the full text of an elided cell as a tool tip."""
        model = index.model()
        row = model.row(index.row()) if isinstance(model, RowModel) else None
        text = ""
        if row is not None and isinstance(model, RowModel):
            column = model.kind.columns[index.column()]
            is_cut = self._needed_px(row, column) > option.rect.width()
            text = column.text(row)[:LONGEST_TIP] if is_cut else ""
        QToolTip.showText(event.globalPos(), plain_tip(text), view.viewport())
        return True

    def _needed_px(self, row: Row, column: RecordColumn) -> int:
        metrics = QFontMetrics(self._fonts[column.style])
        if column.style == "flags":
            chips = [_chip_width(metrics, display_text.flag_kind_title(kind)) + 4 for kind in row.flags]
            return sum(chips) + 2 * PAD_PX
        glyph = GLYPH_PX + 12 if column.style == "name" and isinstance(row, ItemRow) else 0
        text = " ".join(column.text(row)[:LONGEST_MEASURED].split())
        return metrics.horizontalAdvance(text) + glyph + 2 * PAD_PX + 1

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one cell."""
        model = index.model()
        if not isinstance(model, RowModel):
            return
        rect: QRect = option.rect
        paint_ground(painter, option, is_first=index.column() == 0)
        row = model.row(index.row())
        column = model.kind.columns[index.column()]
        painter.setFont(self._fonts[column.style])
        if row is None:
            paint_waiting(painter, rect)
        elif column.style == "flags":
            paint_chips(painter, rect, kinds=row.flags)
        else:
            if column.style == "name" and row.id in model.unread:
                rect = paint_unread(painter, rect.adjusted(0, 0, -PAD_PX, 0))
            self._paint_text(painter, rect, row=row, column=column)

    def _paint_text(self, painter: QPainter, rect: QRect, *, row: Row, column: RecordColumn) -> None:
        tokens, inner = theme.current(), rect.adjusted(PAD_PX, 0, -PAD_PX, 0)
        state = row.state if isinstance(row, ItemRow) else ""
        if column.style == "name" and state:
            paint_state(painter, state, at=QPoint(inner.x() + 4, rect.center().y() - GLYPH_PX // 2 + 1))
            inner.setLeft(inner.left() + GLYPH_PX + 12)
        # Dimmed: rejected items need no decision, and repetitive columns are not what the user looks for.
        is_dim = column.id in {"task", "dataset", "media_type"} or state == "rejected"
        painter.setPen(tokens.color("text_dim" if is_dim else "text"))
        self._elided.paint(
            painter,
            inner,
            # A question may contain line breaks, but a row has one line.
            " ".join(column.text(row)[:LONGEST_MEASURED].split()),
            font=column.style,
            gives_way_in_middle=column.style == "name",
            is_at_right=column.style in NUMBERS,
        )


def paint_ground(painter: QPainter, option: QStyleOptionViewItem, *, is_first: bool) -> None:
    """Paint the background of a cell, and the mark of a selected row."""
    tokens, rect = theme.current(), option.rect
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(rect, tokens.color("raised"))
        if is_first:
            token = "accent" if option.state & QStyle.StateFlag.State_Active else "line"
            painter.fillRect(rect.x(), rect.y(), 2, rect.height(), tokens.color(token))


def paint_waiting(painter: QPainter, rect: QRect) -> None:
    """Paint the placeholder of a row that is not loaded."""
    bar = QRectF(rect.x() + PAD_PX, rect.center().y() - 3, max(0, min(rect.width() // 2, 120)), 6)
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.current().color("raised"))
    painter.drawRoundedRect(bar, 3, 3)
    painter.restore()


def paint_chips(painter: QPainter, rect: QRect, *, kinds: tuple[str, ...]) -> None:
    """Paint as many chips as fit, then the number of the others."""
    metrics = painter.fontMetrics()
    x, right = rect.x() + PAD_PX, rect.right() - PAD_PX
    for at, kind in enumerate(kinds):
        text, left = display_text.flag_kind_title(kind), len(kinds) - at - 1
        more = _chip_width(metrics, f"+{left}") + 4 if left else 0
        width = _chip_width(metrics, text)
        if x + width + more > right:
            if x > rect.x() + PAD_PX:
                rest = f"+{left + 1}"
                _paint_chip(painter, QRect(x, rect.y(), _chip_width(metrics, rest), rect.height()), rest)
                return
            width = max(CHIP_PX, right - more - x)
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width - 16)
        _paint_chip(painter, QRect(x, rect.y(), width, rect.height()), text)
        x += width + 4


def _chip_width(metrics: QFontMetrics, text: str) -> int:
    return metrics.horizontalAdvance(text) + 16


def _paint_chip(painter: QPainter, rect: QRect, text: str) -> None:
    tokens = theme.current()
    area = QRectF(rect.x(), rect.center().y() - CHIP_PX / 2 + 0.5, rect.width(), CHIP_PX)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tokens.color("warn_ground"))
    painter.drawRoundedRect(area, CHIP_PX / 2, CHIP_PX / 2)
    painter.setPen(tokens.color("warn"))
    painter.drawText(area, CENTRE, text)
    painter.restore()
