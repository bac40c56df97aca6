"""Read-only table with single selection and single-line cells; hides columns when it is narrow."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QObject, QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
)

from widgets import theme
from widgets.elided_texts import ElidedTexts
from widgets.labels import plain_tip
from widgets.paged_model import Index
from widgets.plain_table import RIGHT, ReadOnlyTable
from widgets.translation import tr

EDGE_PX, MARK_PX = 8, 2


@dataclass(frozen=True, kw_only=True)
class TableColumn:
    """One column.

    Attributes:
        title: English heading.
        width_px: 0 for the column that takes the remaining width.
        hidden_below_px: Width of the table, in pixels, below which the column is hidden.
        takes_rest_for: Index of a column: if that one is hidden, this one stretches. -1 for none.
        is_number: Whether it contains numbers.
    """

    title: str
    width_px: int = 0
    hidden_below_px: int = 0
    takes_rest_for: int = -1
    is_number: bool = False


@dataclass(frozen=True, kw_only=True)
class CellContent:
    """Content of a cell: one line with colour, font and alignment; elided at its end or in its middle."""

    text: str
    token: str = "text"
    font: theme.Role = "body"
    gives_way_in_middle: bool = False
    is_number: bool = False


class ColumnModelMixin:
    """Mixin of a table model that provides the columns and their headings."""

    columns: tuple[TableColumn, ...] = ()

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the heading of a column, aligned with its numbers."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(self.columns[section].title)
        is_side = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole
        return RIGHT if is_side and self.columns[section].is_number else None


class CellDelegate(QStyledItemDelegate):
    """Paints cells; derived classes define their content."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._elided = ElidedTexts()

    def cell(self, index: Index) -> CellContent | None:
        """Return the content of a cell, None while it is not loaded."""
        raise NotImplementedError

    def paint_before(self, painter: QPainter, room: QRect, index: Index) -> QRect:
        """Paint the content before the text, and return the remaining rectangle."""
        return room

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Show the full text of an elided cell as a tool tip; otherwise the tool tip of the model."""
        cell = self.cell(index)
        if cell is None or index.data(Qt.ItemDataRole.ToolTipRole):
            return super().helpEvent(event, view, option, index)
        needed = QFontMetrics(theme.font(cell.font)).horizontalAdvance(cell.text) + 2 * EDGE_PX
        text = cell.text if needed > option.rect.width() else ""
        QToolTip.showText(event.globalPos(), plain_tip(text), view.viewport())
        return True

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        tokens, rect = theme.current(), option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, tokens.color("raised"))
            if index.column() == 0 and option.widget.hasFocus():
                painter.fillRect(rect.x(), rect.y(), MARK_PX, rect.height(), tokens.color("accent"))
        cell = self.cell(index)
        if cell is None:
            return
        room = self.paint_before(painter, rect.adjusted(EDGE_PX, 0, -EDGE_PX, 0), index)
        painter.setFont(theme.font(cell.font))
        painter.setPen(tokens.color(cell.token))
        self._elided.paint(
            painter,
            room,
            cell.text,
            font=cell.font,
            gives_way_in_middle=cell.gives_way_in_middle,
            is_at_right=cell.is_number,
        )


class ColumnTable(ReadOnlyTable):
    """Shows a model of columns with one current row.

    Signals:
        row_chosen: Emitted when the current row changes; carries its index, -1 for none.
    """

    row_chosen = Signal(int)

    def __init__(
        self,
        model: QAbstractTableModel,
        *,
        columns: tuple[TableColumn, ...],
        painter: CellDelegate,
        name: str,
    ) -> None:
        """Create the table.

        Args:
            model: Its rows.
            columns: Its columns; the first one is never hidden.
            painter: Paints its cells.
            name: Accessible name.
        """
        super().__init__(model, name=name)
        self._columns = columns
        # A view does not own its delegate: without a parent it would be deleted.
        painter.setParent(self)
        self.setItemDelegate(painter)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._set_widths()
        self.selectionModel().currentRowChanged.connect(self._on_current_row_changed)

    def choose_row(self, row: int) -> None:
        """Make a row the current one."""
        # Not selectRow, which applies the keyboard modifiers that are held down at this moment.
        flags = QItemSelectionModel.SelectionFlag
        index = self.model().index(row, 0)
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide columns that do not fit."""
        # Before Qt divides the width among the columns that are shown.
        for at, column in enumerate(self._columns):
            self.setColumnHidden(at, event.size().width() < column.hidden_below_px)
        # Another column takes the remaining width when the usual one is hidden.
        modes = QHeaderView.ResizeMode
        for at, column in enumerate(self._columns):
            if column.takes_rest_for >= 0:
                is_rest = self.isColumnHidden(column.takes_rest_for)
                self.horizontalHeader().setSectionResizeMode(at, modes.Stretch if is_rest else modes.Fixed)
                if not is_rest:
                    self.horizontalHeader().resizeSection(at, column.width_px)
        super().resizeEvent(event)

    def _set_widths(self) -> None:
        columns = self.horizontalHeader()
        for at, column in enumerate(self._columns):
            modes = QHeaderView.ResizeMode
            columns.setSectionResizeMode(at, modes.Interactive if column.width_px else modes.Stretch)
            if column.width_px:
                columns.resizeSection(at, column.width_px)

    def _on_current_row_changed(self, now: QModelIndex, _before: QModelIndex) -> None:
        self.row_chosen.emit(now.row())
