"""The list of paired differences between models, with what they tell in words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QPaintEvent

from annotator.scoring.comparison import ALL_TASKS, ScoreDifference
from annotator.scoring.task_order import in_paper_order
from widgets import display_text
from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.focus import paint_view_focus
from widgets.paged_model import Index
from widgets.scores.score_grid import NONE, Measure
from widgets.translation import mark as _
from widgets.translation import tr

COLUMNS = (
    TableColumn(title=_("Model"), width_px=104),
    TableColumn(title=_("Other model"), width_px=104),
    TableColumn(title=_("Task")),
    TableColumn(title=_("Items"), width_px=64, is_number=True, hidden_below_px=860),
    TableColumn(title=_("Difference"), width_px=88, is_number=True),
    TableColumn(title=_("95 % interval"), width_px=148, is_number=True),
    TableColumn(title=_("Significant"), width_px=152),
)
MODEL, OTHER, TASK, ITEMS, DIFFERENCE, INTERVAL, RESULT = range(7)
Ends = tuple[float | None, float | None, float | None]
"""A difference in percentage points with the ends of its interval."""


def difference_of(one: ScoreDifference, measure: Measure) -> Ends:
    """Return a difference with its interval."""
    if measure == "score":
        return one.score, one.score_low, one.score_high
    return one.exact, one.exact_low, one.exact_high


def result_text(one: ScoreDifference, measure: Measure) -> str:
    """Return in words what a difference tells about two models."""
    _value, low, high = difference_of(one, measure)
    if low is None or high is None:
        return tr("Too few items")
    if low > 0:
        return tr("{model} is better", model=one.first)
    if high < 0:
        return tr("{model} is better", model=one.second)
    return tr("Not significant")


def in_table_order(differences: Sequence[ScoreDifference]) -> list[ScoreDifference]:
    """Return the differences over all tasks first, then those of each task in the order of its paper."""
    tasks = in_paper_order({one.task for one in differences if one.task != ALL_TASKS})
    ranks = {task: at for at, task in enumerate((ALL_TASKS, *tasks))}
    return sorted(differences, key=lambda one: ranks[one.task])


class DifferenceModel(ColumnModelMixin, QAbstractTableModel):
    """One row per pair of models and task."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[tuple[str, ...]] = []
        self.is_told: list[bool] = []

    def show_differences(self, differences: Sequence[ScoreDifference], measure: Measure) -> None:
        """Replace the rows."""
        self.beginResetModel()
        shared = display_text.tasks_of_same_title([one.task for one in differences if one.task])
        self.rows = [_texts(one, measure, shared=shared) for one in differences]
        self.is_told = [_is_told(one, measure) for one in differences]
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of differences."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell, or whether its row tells two models apart."""
        if role == Qt.ItemDataRole.UserRole:
            return self.is_told[index.row()]
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self.rows[index.row()][index.column()]
        return None


class DifferenceCells(CellDelegate):
    """Paints a difference; those that tell nothing apart are dim."""

    def cell(self, index: Index) -> CellContent:
        """Return the content of a cell."""
        column = index.column()
        is_told = bool(index.data(Qt.ItemDataRole.UserRole))
        return CellContent(
            text=str(index.data()),
            token="text" if is_told or column in {MODEL, OTHER, TASK} else "text_dim",
            gives_way_in_middle=column in {MODEL, OTHER},
            is_number=COLUMNS[column].is_number,
        )


class DifferenceTable(ColumnTable):
    """Lists differences."""

    def __init__(self) -> None:
        self.differences = DifferenceModel()
        super().__init__(
            self.differences, columns=COLUMNS, painter=DifferenceCells(), name=tr("Differences of models")
        )
        self.differences.setParent(self)

    def show_differences(self, differences: Sequence[ScoreDifference], measure: Measure) -> None:
        """Show differences; the current row stays current."""
        at = max(0, self.currentIndex().row())
        self.differences.show_differences(differences, measure)
        self.choose_row(min(at, len(differences) - 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the table, and the frame of the keyboard."""
        super().paintEvent(event)
        paint_view_focus(self)


def _is_told(one: ScoreDifference, measure: Measure) -> bool:
    _value, low, high = difference_of(one, measure)
    return low is not None and high is not None and (low > 0 or high < 0)


def _texts(one: ScoreDifference, measure: Measure, *, shared: frozenset[str]) -> tuple[str, ...]:
    value, low, high = difference_of(one, measure)
    return (
        one.first,
        one.second,
        display_text.task_label(one.task, shared=shared) if one.task else tr("All items"),
        f"{one.items:,}",
        NONE if value is None else f"{value:+.1f}",
        NONE
        if low is None or high is None
        else tr("{low} to {high}", low=f"{low:+.1f}", high=f"{high:+.1f}"),
        result_text(one, measure),
    )
