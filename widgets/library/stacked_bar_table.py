"""A table of shares: a name, a stacked bar and a number per part; Enter opens the list of a cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRect, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from widgets import theme
from widgets.labels import plain_tip
from widgets.library.row_model import Index
from widgets.plain_table import LEFT, RIGHT, ReadOnlyTable
from widgets.translation import join_texts, tr

NAME_PX, WIDEST_NAME_PX, BAR_PX = 208, 480, 120
"""Minimum and maximum width of the names, and minimum width of the bars, px."""
BAR_HEIGHT_PX = 8
TOKENS = ("good", "accent", "warn", "bad", "text_dim")
"""Colour tokens of the parts in the order of the bar."""


@dataclass(frozen=True, kw_only=True)
class BarPart:
    """One part of the whole: heading of its column, and colour token in the bar, "" for none."""

    title: str
    token: str = ""


@dataclass(frozen=True, kw_only=True)
class BarRow:
    """One row.

    Attributes:
        name: Title of the row.
        total: The whole.
        parts: Number of each part, in the order of the columns.
        open_row: Called with the index of a part, or -1 for the whole row.
        is_sum: Whether it is the sum of the rows above.
    """

    name: str
    total: int
    parts: tuple[int, ...]
    open_row: Callable[[int], object] | None = None
    is_sum: bool = False


class StackedBarModel(QAbstractTableModel):
    """Rows of shares: name, bar, total, parts."""

    def __init__(self, shares: list[BarRow], *, parts: list[BarPart], head: str, whole: str) -> None:
        super().__init__()
        self.shares, self.parts = shares, parts
        self._titles = [head, tr("Share, 0 to 100 %"), whole, *(part.title for part in parts)]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.shares)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a column's heading, over its numbers."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        is_number = role == Qt.ItemDataRole.TextAlignmentRole and section > 1
        return RIGHT if is_number else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell; zero is empty, so that other numbers stand out."""
        if role == Qt.ItemDataRole.ToolTipRole and index.column() < 2:
            return plain_tip(
                self.shares[index.row()].name if index.column() == 0 else self.bar_text(index.row())
            )
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 1:
            return self.bar_text(index.row())
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self.text(index.row(), index.column())
        return None

    def bar_text(self, row: int) -> str:
        """Return the parts of a bar with their shares: 'Accepted 20 %, Rejected 2 %'."""
        share = self.shares[row]
        return join_texts(
            f"{part.title} {100 * number / share.total:.0f} %"
            for part, number in zip(self.parts, share.parts, strict=True)
            if part.token and number and share.total
        )

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        share = self.shares[row]
        if column < 2:
            return "" if column else share.name
        number = share.total if column == 2 else share.parts[column - 3]
        return f"{number:,}" if number else "–"


class _StackedBarDelegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, StackedBarModel):
            return
        tokens, rect = theme.current(), option.rect
        share = model.shares[index.row()]
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, tokens.color("raised"))
        if share.is_sum:
            painter.fillRect(rect.x(), rect.y(), rect.width(), 1, tokens.color("line"))
        if index.column() == 1:
            _paint_bar(painter, rect, share, model.parts)
        else:
            text = model.text(index.row(), index.column())
            painter.setFont(theme.font("strong" if share.is_sum else "body"))
            painter.setPen(tokens.color("text_dim" if text == "–" else "text"))
            inner = rect.adjusted(8, 0, -8, 0)
            elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, inner.width())
            painter.drawText(inner, int(RIGHT if index.column() else LEFT), elided)
            if index.column() > 2 and text != "–":
                _paint_swatch(painter, inner, elided, token=model.parts[index.column() - 3].token)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(tokens.color("focus"))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))


def _paint_swatch(painter: QPainter, inner: QRect, text: str, *, token: str) -> None:
    """Paint a swatch before a number, as the legend of the bar."""
    if token:
        left = inner.right() - painter.fontMetrics().horizontalAdvance(text) - 12
        painter.fillRect(left, inner.center().y() - 2, 6, 6, theme.current().color(token))


def _paint_bar(painter: QPainter, rect: QRect, share: BarRow, parts: list[BarPart]) -> None:
    tokens = theme.current()
    area = QRect(rect.x() + 8, rect.center().y() - BAR_HEIGHT_PX // 2, rect.width() - 16, BAR_HEIGHT_PX)
    painter.fillRect(area, tokens.color("line"))
    done = 0
    # Completed parts come first, whatever the order of the columns.
    inked = [(part.token, number) for part, number in zip(parts, share.parts, strict=True) if part.token]
    for token, number in sorted(inked, key=lambda one: TOKENS.index(one[0])):
        # From the running sum: rounding each width would leave a gap at the end of the bar.
        left = area.x() + area.width() * done // max(1, share.total)
        right = area.x() + area.width() * (done + number) // max(1, share.total)
        if number:
            # A gap between parts, so that they do not differ in colour alone.
            width = max(2, right - left - 1)
            painter.fillRect(left, area.y(), width, area.height(), tokens.color(token))
        done += number


class StackedBarTable(ReadOnlyTable):
    """Table of shares, as high as its rows."""

    def __init__(self, shares: list[BarRow], *, parts: list[BarPart], head: str, whole: str) -> None:
        self._model = StackedBarModel(shares, parts=parts, head=head, whole=whole)
        super().__init__(self._model, name=head)
        self._model.setParent(self)
        self.setItemDelegate(_StackedBarDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setFixedHeight((len(shares) + 1) * theme.ROW + 12)
        self._set_widths()
        self.doubleClicked.connect(self._on_opened)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shrink the names first: a hidden number is lost, while an elided name can be guessed."""
        numbers = self.horizontalHeader().length() - self.columnWidth(0)
        self.setColumnWidth(0, max(NAME_PX, min(self._name_px, event.size().width() - numbers)))
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the list of the current cell when Enter is pressed."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._on_opened(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _set_widths(self) -> None:
        metrics, letters = QFontMetrics(theme.font("label")), QFontMetrics(theme.font("strong"))
        widest = max((letters.horizontalAdvance(share.name) for share in self._model.shares), default=0)
        self._name_px = max(NAME_PX, min(WIDEST_NAME_PX, widest + 24))
        self.setColumnWidth(0, self._name_px)
        heading = str(self._model.headerData(1, Qt.Orientation.Horizontal))
        self.setColumnWidth(1, max(BAR_PX, metrics.horizontalAdvance(heading) + 26))
        for column in range(2, self._model.columnCount()):
            title = str(self._model.headerData(column, Qt.Orientation.Horizontal))
            self.setColumnWidth(column, max(60, metrics.horizontalAdvance(title) + 26))

    def _on_opened(self, index: QModelIndex) -> None:
        if index.isValid():
            share = self._model.shares[index.row()]
            if share.open_row is not None:
                share.open_row(index.column() - 3 if index.column() > 2 else -1)
