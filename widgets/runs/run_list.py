"""The list of runs: one row per run, with a progress bar."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent

from annotator.domain.query import SortOrder
from widgets import theme
from widgets.column_table import EDGE_PX, CellContent, CellDelegate, ColumnTable
from widgets.list_columns import ListColumns, keep_order, kept_order
from widgets.paged_model import Index
from widgets.runs.run_model import COLUMNS, NAME, NEWEST_FIRST, PROGRESS, RunModel, text_of, token_of
from widgets.runs.run_status import RunRow, RunStatuses
from widgets.settings import Settings
from widgets.translation import tr

BAR_PX, BAR_HEIGHT_PX = 80, 6
BAR_TONES = {"running": "accent", "done": "good", "partly_failed": "good"}
"""Colour tokens of the bar by condition; all other conditions are dim."""


class _RunPainter(CellDelegate):
    def cell(self, index: Index) -> CellContent | None:
        model = index.model()
        if not isinstance(model, RunModel):
            return None
        row, column = model.rows[index.row()], index.column()
        return CellContent(
            text=text_of(row, column),
            token=token_of(row, column),
            font="strong" if column == NAME else "body",
            is_number=COLUMNS[column].is_number,
        )

    def paint_before(self, painter: QPainter, room: QRect, index: Index) -> QRect:
        model = index.model()
        if index.column() != PROGRESS or not isinstance(model, RunModel):
            return room
        paint_bar(painter, QRect(room.x(), room.y(), BAR_PX, room.height()), model.rows[index.row()])
        return room.adjusted(BAR_PX + EDGE_PX, 0, 0, 0)


class RunList(ColumnTable):
    """Shows the runs; Enter or a double click opens one.

    Signals:
        opened: Emitted when the user opens a run; carries its id.
        chosen: Emitted when the current row changes; carries the run's id, "" for none.
    """

    opened = Signal(str)
    chosen = Signal(str)

    def __init__(self, *, settings: Settings) -> None:
        self.runs = RunModel()
        super().__init__(self.runs, columns=COLUMNS, painter=_RunPainter(), name=tr("Runs"))
        self.runs.setParent(self)
        self._settings = settings
        self.columns = ListColumns(self, COLUMNS, name="run", settings=settings, usual=NEWEST_FIRST)
        self.runs.order = kept_order(settings, "run", COLUMNS, usual=NEWEST_FIRST)
        self.columns.show_order(self.runs.order)
        self.columns.order_chosen.connect(self._on_order_chosen)
        self.horizontalHeader().customContextMenuRequested.connect(self._on_header_menu_requested)
        self.doubleClicked.connect(self._on_double_clicked)
        self.row_chosen.connect(self._on_row_chosen)

    def show_statuses(self, statuses: RunStatuses) -> None:
        """Show the states of the runs; the current run stays current."""
        at = self.run_at_hand()
        self.runs.show_rows(statuses.rows)
        # Only a reset moves the current row: choosing it again each second would scroll the list back.
        if (statuses.rows and self.run_at_hand() != at) or not self.currentIndex().isValid():
            self.choose(at)

    def run_at_hand(self) -> str:
        """Return the id of the current run, "" for none."""
        row = self.currentIndex().row()
        return self.runs.rows[row].run.id if 0 <= row < len(self.runs.rows) else ""

    def choose(self, run: str) -> None:
        """Make a run current, or the first one if the run is not listed."""
        if self.runs.rows:
            ids = [row.run.id for row in self.runs.rows]
            self.choose_row(ids.index(run) if run in ids else 0)

    def open_column_menu(self) -> None:
        """Open the menu of columns and sort orders."""
        self.columns.menu(self).popup(self.mapToGlobal(QPoint(0, self.horizontalHeader().height())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide columns that do not fit, and were not chosen."""
        super().resizeEvent(event)
        self.columns.arrange(event.size().width())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the current run when Enter is pressed."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.run_at_hand():
            self.opened.emit(self.run_at_hand())
        else:
            super().keyPressEvent(event)

    def _on_order_chosen(self, order: SortOrder) -> None:
        at = self.run_at_hand()
        keep_order(self._settings, "run", order)
        self.runs.sort_by(order)
        self.choose(at)

    def _on_header_menu_requested(self, at: QPoint) -> None:
        self.columns.menu(self).popup(self.horizontalHeader().mapToGlobal(at))

    def _on_double_clicked(self, _index: QModelIndex) -> None:
        self.opened.emit(self.run_at_hand())

    def _on_row_chosen(self, _index: int) -> None:
        self.chosen.emit(self.run_at_hand())


def paint_bar(painter: QPainter, rect: QRect, row: RunRow) -> None:
    """Paint the share of completed jobs as a bar, and the numbers beside it."""
    tokens, progress = theme.current(), row.progress
    bar = QRect(rect.x(), rect.center().y() - BAR_HEIGHT_PX // 2, rect.width(), BAR_HEIGHT_PX)
    painter.fillRect(bar, tokens.color("line"))
    bar.setWidth(round(bar.width() * progress.done / max(1, progress.total)))
    painter.fillRect(bar, tokens.color(BAR_TONES.get(row.condition, "text_dim")))
