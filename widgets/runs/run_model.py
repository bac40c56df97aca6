"""The rows and columns of the list of runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from annotator.domain.query import SortOrder
from annotator.domain.run import Run
from annotator.domain.run_condition import CONDITION_TITLES, duration_s
from widgets import run_text
from widgets.column_table import ColumnModelMixin, TableColumn
from widgets.display_text import local_time
from widgets.labels import plain_tip
from widgets.message_text import message_text
from widgets.paged_model import Index
from widgets.runs.run_status import RunRow
from widgets.translation import join_texts
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
