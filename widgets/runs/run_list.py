"""The list of runs: one row per run, with a progress bar."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent

from annotator.domain.query import SortOrder
from annotator.domain.run import Run
from annotator.domain.run_condition import CONDITION_TITLES, duration_s
from widgets import run_text, theme
from widgets.column_table import (
    EDGE_PX,
    CellContent,
    CellDelegate,
    ColumnModelMixin,
    ColumnTable,
    TableColumn,
)
from widgets.display_text import local_time
from widgets.labels import plain_tip
from widgets.list_columns import ListColumns, keep_order, kept_order
from widgets.message_text import message_text
from widgets.paged_model import Index
from widgets.runs.run_status import RunRow, RunStatuses
from widgets.settings import Settings
from widgets.translation import join_texts, tr
from widgets.translation import mark as _

CONDITIONS = tuple(CONDITION_TITLES)
"""In the order in which they are sorted: what needs attention first."""


@dataclass(frozen=True, kw_only=True)
class RunColumn(TableColumn):
    """One column of the list of runs.

    Attributes:
        id: Name in the settings.
        value: What the list is sorted by.
        is_sortable: Whether the list can be sorted by it.
        is_optional: Whether it is hidden until the user shows it.
    """

    id: str
    value: Callable[[RunRow], Any]
    is_sortable: bool = True
    is_optional: bool = False


COLUMNS = (
    RunColumn(id="run", title=_("Run"), value=lambda row: run_text.title_of(row.run).casefold()),
    RunColumn(
        id="kind", title=_("Kind"), width_px=116, value=lambda row: run_text.run_kind_title(row.run.kind)
    ),
    RunColumn(
        id="models",
        title=_("Models"),
        width_px=150,
        hidden_below_px=1320,
        value=lambda row: [name.casefold() for name in row.run.models],
    ),
    RunColumn(id="state", title=_("State"), width_px=160, value=lambda row: CONDITIONS.index(row.condition)),
    RunColumn(
        id="answered",
        title=_("Answered"),
        width_px=190,
        is_number=True,
        value=lambda row: (row.progress.done / max(1, row.progress.total), row.progress.total),
    ),
    RunColumn(
        id="speed",
        title=_("Speed"),
        width_px=130,
        hidden_below_px=1480,
        value=lambda row: row.progress.per_second if row.condition == "running" else 0.0,
    ),
    RunColumn(id="started", title=_("Started"), width_px=128, value=lambda row: row.run.created_at),
    RunColumn(
        id="duration",
        title=_("Duration"),
        width_px=72,
        is_number=True,
        value=lambda row: duration_s(row.run, now=time.time()),
    ),
    RunColumn(
        id="cost", title=_("Cost"), width_px=236, is_number=True, value=lambda row: row.progress.spent_micro
    ),
    RunColumn(
        id="errors",
        title=_("Errors"),
        width_px=150,
        value=lambda row: (row.progress.failed, row.progress.retried),
    ),
)
NAME, KIND, MODELS, STATE, PROGRESS, PACE, STARTED, DURATION, COST, ERRORS = range(10)
NEWEST_FIRST = SortOrder(column="started", is_descending=True)
BAR_PX, BAR_HEIGHT_PX = 80, 6
BAR_TONES = {"running": "accent", "done": "good", "partly_failed": "good"}
"""Colour tokens of the bar by condition; all other conditions are dim."""


class RunModel(ColumnModelMixin, QAbstractTableModel):
    """The runs in an order."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[RunRow, ...] = ()
        self.order = NEWEST_FIRST
        self._newest: tuple[RunRow, ...] = ()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of runs."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell."""
        row = self.rows[index.row()]
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return text_of(row, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(message_text(row.run.message) or text_of(row, index.column()))
        return None

    def show_rows(self, rows: tuple[RunRow, ...]) -> None:
        """Update the rows, newest first; an unchanged list of runs keeps its selection."""
        self._newest, rows = rows, _sorted(rows, self.order)
        # A model reset would clear the current row once a second, so that rows are updated in place.
        before = [row.run.id for row in self.rows]
        if [row.run.id for row in rows] == before:
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(COLUMNS) - 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def sort_by(self, order: SortOrder) -> None:
        """Set the order."""
        self.order = order
        self.show_rows(self._newest)


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


def _sorted(rows: tuple[RunRow, ...], order: SortOrder) -> tuple[RunRow, ...]:
    """Return rows in an order; equal ones stay as they are, newest first."""
    column = next(one for one in COLUMNS if one.id == order.column)
    return tuple(sorted(rows, key=column.value, reverse=order.is_descending))


def text_of(row: RunRow, column: int) -> str:
    """Return the text of a cell."""
    run, progress = row.run, row.progress
    return (
        run_text.title_of(run),
        run_text.run_kind_title(run.kind),
        join_texts(run.models),
        run_text.condition_text(row.condition),
        run_text.progress_text(progress),
        run_text.rate_text(progress) if row.condition == "running" else "",
        local_time(run.created_at) if run.created_at else "",
        run_text.duration_text(run),
        run_text.cost_text(run, progress),
        _why_stopped(run) or run_text.error_count_text(progress) or "–",
    )[column]


def _why_stopped(run: Run) -> str:
    """Return why a run has stopped, "" otherwise. It replaces the error counts: it needs an action."""
    return message_text(" ".join(run.message.split())) if run.state == "stopped" else ""


def token_of(row: RunRow, column: int) -> str:
    """Return the colour token of a cell."""
    if column == STATE:
        return run_text.CONDITION_TONES[row.condition]
    if column == ERRORS:
        usual = "bad" if row.progress.failed else "text_dim"
        return "warn" if _why_stopped(row.run) else usual
    return "text_dim" if column in {KIND, MODELS, PACE, STARTED, DURATION} else "text"


def paint_bar(painter: QPainter, rect: QRect, row: RunRow) -> None:
    """Paint the share of completed jobs as a bar, and the numbers beside it."""
    tokens, progress = theme.current(), row.progress
    bar = QRect(rect.x(), rect.center().y() - BAR_HEIGHT_PX // 2, rect.width(), BAR_HEIGHT_PX)
    painter.fillRect(bar, tokens.color("line"))
    bar.setWidth(round(bar.width() * progress.done / max(1, progress.total)))
    painter.fillRect(bar, tokens.color(BAR_TONES.get(row.condition, "text_dim")))
