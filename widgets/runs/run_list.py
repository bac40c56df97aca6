"""The list of runs: one row a run, with a bar of how far it is."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from widgets import theme
from widgets.labels import plain_tip
from widgets.library.row_model import Index
from widgets.runs import wording
from widgets.runs.standing import RunRow, Standing
from widgets.translation import mark as _
from widgets.translation import tr

COLUMNS = (
    (_("Run"), 0, 0),
    (_("Models"), 200, 900),
    (_("State"), 88, 0),
    (_("Progress"), 250, 0),
    (_("Pace"), 130, 1080),
    (_("Cost"), 120, 0),
    (_("Errors"), 150, 0),
)
"""Title, width and the width of the list below which the column gives way; 0 px takes the rest."""
NAME, MODELS, STATE, PROGRESS, PACE, COST, ERRORS = range(7)
BAR_PX, BAR_HEIGHT_PX, EDGE_PX = 96, 6, 8


class RunModel(QAbstractTableModel):
    """The runs, newest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[RunRow, ...] = ()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of runs."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a column's heading."""
        is_title = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return tr(COLUMNS[section][0]) if is_title else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell."""
        row = self.rows[index.row()]
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return text_of(row, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(row.run.words or text_of(row, index.column()))
        return None

    def show_rows(self, rows: tuple[RunRow, ...]) -> None:
        """Show the runs; a row that only moved on keeps its place and selection."""
        before = [row.run.id for row in self.rows]
        if [row.run.id for row in rows] == before:
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(COLUMNS) - 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()


class _RunPainter(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, RunModel):
            return
        row, tokens, rect = model.rows[index.row()], theme.current(), option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, tokens.color("raised"))
            if index.column() == NAME and option.state & QStyle.StateFlag.State_HasFocus:
                painter.fillRect(rect.x(), rect.y(), 2, rect.height(), tokens.color("accent"))
        room = rect.adjusted(EDGE_PX, 0, -EDGE_PX, 0)
        if index.column() == PROGRESS:
            paint_bar(painter, QRect(room.x(), room.y(), BAR_PX, room.height()), row)
            room.setLeft(room.x() + BAR_PX + EDGE_PX)
        painter.setFont(theme.font("strong" if index.column() == NAME else "body"))
        painter.setPen(tokens.color(token_of(row, index.column())))
        text = QFontMetrics(painter.font()).elidedText(
            text_of(row, index.column()), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)


class RunList(QTableView):
    """Shows the runs; Enter or a double click opens one.

    Signals:
        opened: A run is to be opened; carries its id.
        chosen: The keyboard is at another run; carries its id, "" for none.
    """

    opened = Signal(str)
    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.runs = RunModel(self)
        self.setModel(self.runs)
        self.setItemDelegate(_RunPainter(self))
        self.setAccessibleName(tr("Runs"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._lay_out_headers()
        self.doubleClicked.connect(self._on_double_clicked)
        self.selectionModel().currentRowChanged.connect(self._on_current_row_changed)

    def show_standing(self, standing: Standing) -> None:
        """Show how the runs stand; the keyboard stays at its run."""
        at = self.run_at_hand()
        self.runs.show_rows(standing.rows)
        if (standing.rows and self.run_at_hand() != at) or not self.currentIndex().isValid():
            self.choose(at)

    def run_at_hand(self) -> str:
        """Return the id of the run that the keyboard is at, "" for none."""
        place = self.currentIndex().row()
        return self.runs.rows[place].run.id if 0 <= place < len(self.runs.rows) else ""

    def choose(self, run: str) -> None:
        """Put the keyboard at a run, at the newest where it is not there."""
        if self.runs.rows:
            ids = [row.run.id for row in self.runs.rows]
            self.selectRow(ids.index(run) if run in ids else 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the run at Enter."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.run_at_hand():
            self.opened.emit(self.run_at_hand())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide what there is no room for."""
        for at, (_title, _width, hidden_below_px) in enumerate(COLUMNS):
            self.setColumnHidden(at, event.size().width() < hidden_below_px)
        super().resizeEvent(event)

    def _lay_out_headers(self) -> None:
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(theme.ROW)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setHighlightSections(False)
        columns.setFixedHeight(theme.ROW)
        for at, (_title, width_px, _hidden) in enumerate(COLUMNS):
            is_rest = not width_px
            columns.setSectionResizeMode(
                at, QHeaderView.ResizeMode.Stretch if is_rest else QHeaderView.ResizeMode.Interactive
            )
            if not is_rest:
                columns.resizeSection(at, width_px)

    def _on_double_clicked(self, _index: QModelIndex) -> None:
        self.opened.emit(self.run_at_hand())

    def _on_current_row_changed(self, _now: QModelIndex, _before: QModelIndex) -> None:
        self.chosen.emit(self.run_at_hand())


def text_of(row: RunRow, column: int) -> str:
    """Return the text of a cell of the list."""
    run, progress = row.run, row.progress
    return (
        wording.title_of(run),
        ", ".join(run.models),
        wording.state_word(run.state),
        wording.progress_words(progress),
        wording.pace_words(progress) if run.state == "running" else "",
        wording.cost_words(progress),
        wording.error_words(progress) or "–",
    )[column]


def token_of(row: RunRow, column: int) -> str:
    """Return the token that inks a cell of the list."""
    if column == STATE:
        return wording.STATE_TONES[row.run.state]
    if column == ERRORS:
        return "bad" if row.progress.failed else "text_dim"
    return "text_dim" if column in {MODELS, PACE} else "text"


def paint_bar(painter: QPainter, place: QRect, row: RunRow) -> None:
    """Paint how far a run is: what was answered, then what failed."""
    tokens, progress = theme.current(), row.progress
    bar = QRect(place.x(), place.center().y() - BAR_HEIGHT_PX // 2, place.width(), BAR_HEIGHT_PX)
    painter.fillRect(bar, tokens.color("line"))
    left = float(bar.x())
    for count, token in (
        (progress.done, "accent" if row.run.state == "running" else "good"),
        (progress.failed, "bad"),
    ):
        width = bar.width() * count / max(1, progress.total)
        painter.fillRect(
            round(left), bar.y(), round(left + width) - round(left), bar.height(), tokens.color(token)
        )
        left += width
