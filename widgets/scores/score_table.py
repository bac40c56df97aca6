"""The table of scores: models as rows and groups as columns, or turned."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from widgets import theme
from widgets.focus import ENTER, paint_view_focus
from widgets.paged_model import Index
from widgets.plain_table import LEFT, RIGHT, ReadOnlyTable
from widgets.scores.score_grid import EMPTY, PEOPLE, RANDOM, ScoreCell, ScoreGrid
from widgets.translation import join_texts, tr

CELL_ROLE = Qt.ItemDataRole.UserRole
EDGE_PX, GAP_PX = 8, 6
NARROWEST_PX, WIDEST_PX, NAME_PX = 72, 200, 192
MARK_PX = 2


class ScoreTableModel(QAbstractTableModel):
    """The cells of a grid."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.grid, self.is_turned = ScoreGrid(), False

    @property
    def rows(self) -> list[str]:
        """Ids of the rows."""
        return list(self.grid.groups if self.is_turned else self.grid.models)

    @property
    def columns(self) -> list[str]:
        """Ids of the columns."""
        return list(self.grid.models if self.is_turned else self.grid.groups)

    def show_grid(self, grid: ScoreGrid, *, is_turned: bool) -> None:
        """Replace the cells."""
        self.beginResetModel()
        self.grid, self.is_turned = grid, is_turned
        self.endResetModel()

    def cell_of(self, index: Index) -> tuple[str, str]:
        """Return model and group of a cell."""
        row, column = self.rows[index.row()], self.columns[index.column()]
        return (column, row) if self.is_turned else (row, column)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the cell, or its text."""
        cell = self.grid.cell(*self.cell_of(index))
        if role == CELL_ROLE:
            return cell
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return cell.full_text
        if role == Qt.ItemDataRole.ToolTipRole and cell.items:
            over = tr("Over {n} items", n=f"{cell.items:,}")
            if cell.is_constant:
                return join_texts([over, tr("no interval: all items have the same value")])
            return over
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the name of a model, or the title of a group."""
        is_column = orientation == Qt.Orientation.Horizontal
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if is_column else LEFT
        if role not in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return None
        titles = {**self.grid.models, **self.grid.groups}
        return titles[(self.columns if is_column else self.rows)[section]]


class ScoreCells(QStyledItemDelegate):
    """Paints a score, and its interval dim beside it."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        tokens, rect = theme.current(), option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, tokens.color("raised"))
            if option.widget.hasFocus():
                painter.fillRect(rect.x(), rect.bottom() - 1, rect.width(), MARK_PX, tokens.color("accent"))
        cell: ScoreCell = index.data(CELL_ROLE) or EMPTY
        room = rect.adjusted(EDGE_PX, 0, -EDGE_PX, 0)
        if cell.interval:
            painter.setFont(theme.font("label"))
            painter.setPen(tokens.color("text_dim"))
            painter.drawText(room, int(RIGHT), cell.interval)
            room = room.adjusted(0, 0, -_width(cell.interval, "label") - GAP_PX, 0)
        model = index.model()
        is_model = isinstance(model, ScoreTableModel) and model.cell_of(index)[0] not in {RANDOM, PEOPLE}
        painter.setFont(theme.font("body"))
        painter.setPen(tokens.color("text" if is_model else "text_dim"))
        painter.drawText(room, int(RIGHT), cell.text)


class ScoreTable(ReadOnlyTable):
    """Shows scores; a cell is opened by Enter or a double click.

    Signals:
        opened: A cell was opened; carries the ids of its model and of its group.
        model_chosen: Another cell is current; carries the id of its model.
    """

    opened = Signal(str, str)
    model_chosen = Signal(str)

    def __init__(self) -> None:
        self.scores = ScoreTableModel()
        super().__init__(self.scores, name=tr("Scores"))
        self.scores.setParent(self)
        self.painter = ScoreCells(self)
        self.setItemDelegate(self.painter)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.show()
        rows.setHighlightSections(False)
        rows.setDefaultAlignment(LEFT)
        rows.setFixedWidth(NAME_PX)
        rows.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        columns.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.doubleClicked.connect(self._on_double_clicked)
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    def show_grid(self, grid: ScoreGrid, *, is_turned: bool) -> None:
        """Show scores; the current cell stays current where it is still there."""
        before = self.current_cell()
        self.scores.show_grid(grid, is_turned=is_turned)
        self._fit_columns()
        self.choose(*(before or ("", "")))

    def current_cell(self) -> tuple[str, str] | None:
        """Return model and group of the current cell, None for none."""
        index = self.currentIndex()
        return self.scores.cell_of(index) if index.isValid() else None

    def choose(self, model: str, group: str) -> None:
        """Make a cell the current one, the first one if it is not there."""
        row, column = (group, model) if self.scores.is_turned else (model, group)
        at = self.scores.rows.index(row) if row in self.scores.rows else 0
        across = self.scores.columns.index(column) if column in self.scores.columns else 0
        self.setCurrentIndex(self.scores.index(at, across))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the current cell when Enter is pressed."""
        if event.key() in ENTER and self.currentIndex().isValid():
            self._on_double_clicked(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the table, and the frame of the keyboard."""
        super().paintEvent(event)
        paint_view_focus(self)

    def _fit_columns(self) -> None:
        for at, column in enumerate(self.scores.columns):
            # The header's own measure: its font and its margins are those of the theme.
            title = min(self.horizontalHeader().sectionSizeHint(at), WIDEST_PX + 2 * EDGE_PX)
            cells = [self.scores.index(row, at).data(CELL_ROLE) for row in range(self.scores.rowCount())]
            widest = max((_cell_width(cell) for cell in cells), default=0)
            usual = max(max(NARROWEST_PX, widest) + 2 * EDGE_PX, title)
            self.horizontalHeader().resizeSection(self.scores.columns.index(column), usual)

    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.opened.emit(*self.scores.cell_of(index))

    def _on_current_changed(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.model_chosen.emit(self.scores.cell_of(now)[0])


def _cell_width(cell: ScoreCell) -> int:
    interval = _width(cell.interval, "label") + GAP_PX if cell.interval else 0
    return _width(cell.text, "body") + interval


def _width(text: str, role: theme.Role) -> int:
    return QFontMetrics(theme.font(role)).horizontalAdvance(text)
