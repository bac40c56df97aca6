"""How many errors each class has, by model or task, as a small table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHeaderView, QPushButton, QWidget

from annotator.release.cells import csv_line
from annotator.scoring.row_filter import RowFacet
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.answers.flow_layout import FlowLayout
from widgets.box_layout import column_layout
from widgets.labels import caption, label
from widgets.paged_model import Index
from widgets.plain_table import LEFT, RIGHT, ReadOnlyTable
from widgets.scores.error_text import model_title
from widgets.translation import tr

NAME_PX, NUMBER_PX = 160, 80


@dataclass(frozen=True, kw_only=True)
class ErrorCounts:
    """Labels and predictions of a filter.

    Attributes:
        facet: What the columns are.
        labels: Number of labels by class and value of the facet.
        unlabelled: Number of predictions without a label by value of the facet.
    """

    facet: RowFacet
    labels: Mapping[tuple[str, str], int]
    unlabelled: Mapping[str, int]

    @property
    def columns(self) -> list[str]:
        """Values of the facet, sorted."""
        return sorted({value for _, value in self.labels} | set(self.unlabelled))


class ErrorCountModel(QAbstractTableModel):
    """One row for each class, one for predictions without a class; a column for each value, and their sum."""

    def __init__(self, title_of: Callable[[str], str]) -> None:
        super().__init__()
        self._title_of = title_of
        self.head: list[str] = []
        self.cells: list[list[str]] = []

    def show_counts(self, counts: ErrorCounts) -> None:
        """Show other numbers."""
        self.beginResetModel()
        columns = counts.columns
        titles = [model_title(one) if counts.facet == "model" else _task(one) for one in columns]
        self.head = [tr("Error class"), tr("Sum"), *titles]
        self.cells = []
        for name in sorted({name for name, _ in counts.labels}, key=self._title_of):
            values = [counts.labels.get((name, column), 0) for column in columns]
            self.cells.append([self._title_of(name), *map(_number, (sum(values), *values))])
        values = [counts.unlabelled.get(column, 0) for column in columns]
        self.cells.append([tr("No error class"), *map(_number, (sum(values), *values))])
        self.endResetModel()

    def csv(self) -> str:
        """Return the table as CSV, in which no cell is a formula of a spreadsheet program."""
        return b"".join(csv_line(line) for line in (self.head, *self.cells)).decode()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.cells)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.head)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a cell."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if index.column() else LEFT
        is_text = role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}
        return self.cells[index.row()][index.column()] if is_text else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the heading of a column."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self.head):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section else LEFT
        is_text = role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}
        return self.head[section] if is_text else None


class ErrorCountPane(QWidget):
    """The table of counts, and what its columns are.

    Attributes:
        facet: The models or the tasks.
    """

    def __init__(self, *, registry: ActionRegistry, title_of: Callable[[str], str]) -> None:
        super().__init__()
        self.facet: RowFacet = "model"
        self.model = ErrorCountModel(title_of)
        self.table = ReadOnlyTable(self.model, name=tr("Errors by class"))
        self.table.horizontalHeader().setDefaultSectionSize(NUMBER_PX)
        self.table.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.turn, self.copy = (
            _button(registry, action) for action in ("errors.count_by", "errors.copy_counts")
        )
        note = label(tr("Counts of the predictions that the list shows."), role="dim", wrap=True)
        # Side by side they would make the panel wider than the item needs it.
        buttons = FlowLayout()
        buttons.addWidget(self.turn)
        buttons.addWidget(self.copy)
        column = column_layout(self, margins_px=12, spacing_px=8)
        column.addWidget(caption(tr("Errors by class")))
        column.addLayout(buttons)
        column.addWidget(self.table, 1)
        column.addWidget(note)

    def show_counts(self, counts: ErrorCounts) -> None:
        """Show other numbers."""
        self.model.show_counts(counts)
        head = self.table.horizontalHeader()
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        head.resizeSection(0, NAME_PX)

    def copy_csv(self) -> None:
        """Copy the table to the clipboard as CSV."""
        QGuiApplication.clipboard().setText(self.model.csv())


def _button(registry: ActionRegistry, action: str) -> QPushButton:
    made = QPushButton(f"{registry.action(action).text()}  {registry.key(action)}".strip())
    made.setProperty("kind", "pill")
    made.clicked.connect(lambda: registry.run(action))
    return made


def _task(name: str) -> str:
    return display_text.task_label(name, shared=frozenset())


def _number(value: int) -> str:
    return f"{value:,}" if value else "–"
