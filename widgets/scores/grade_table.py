"""The table of the grades that a model gives to free texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QPaintEvent

from annotator.scoring.text_grades import GradeTotal, ModelGrades
from widgets import display_text
from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.focus import paint_view_focus
from widgets.paged_model import Index
from widgets.scores.score_grid import percent_text
from widgets.translation import mark as _
from widgets.translation import tr

COLUMNS = (
    TableColumn(title=_("Model")),
    TableColumn(title=_("Task"), width_px=160),
    TableColumn(title=_("Free texts"), width_px=84, is_number=True),
    TableColumn(title=_("Graded"), width_px=68, is_number=True),
    TableColumn(title=_("Grade, %"), width_px=76, is_number=True),
    TableColumn(title=_("At least, %"), width_px=92, is_number=True, hidden_below_px=720),
    TableColumn(title=_("Undecided"), width_px=80, is_number=True, hidden_below_px=640),
    TableColumn(title=_("Not graded"), width_px=88, is_number=True),
)


@dataclass(frozen=True, kw_only=True)
class GradeRow:
    """The grades of one model in one task: the texts of its cells."""

    texts: tuple[str, ...]


def grade_rows(models: Sequence[ModelGrades]) -> list[GradeRow]:
    """Return the rows of all models: over all tasks first, then by task."""
    shared = display_text.tasks_of_same_title({task for one in models for task in one.tasks})
    return [
        GradeRow(texts=(one.model, title, *_figures(total)))
        for one in models
        for title, total in [
            (tr("All tasks"), one.overall),
            *((display_text.task_label(task, shared=shared), total) for task, total in one.tasks.items()),
        ]
    ]


def _figures(total: GradeTotal) -> tuple[str, ...]:
    return (
        f"{total.total:,}",
        f"{total.graded:,}",
        percent_text(total.grade_pct),
        percent_text(total.least_pct),
        f"{total.undecided:,}",
        f"{total.open:,}",
    )


class GradeModel(ColumnModelMixin, QAbstractTableModel):
    """One row per model and task."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[GradeRow] = []

    def show_rows(self, rows: Sequence[GradeRow]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell."""
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self.rows[index.row()].texts[index.column()]
        return None


class GradeCells(CellDelegate):
    """Paints a grade."""

    def cell(self, index: Index) -> CellContent:
        """Return the content of a cell."""
        return CellContent(text=str(index.data()), is_number=COLUMNS[index.column()].is_number)


class GradeTable(ColumnTable):
    """Shows grades."""

    def __init__(self) -> None:
        self.grades = GradeModel()
        super().__init__(self.grades, columns=COLUMNS, painter=GradeCells(), name=tr("Graded free texts"))
        self.grades.setParent(self)

    def show_rows(self, rows: Sequence[GradeRow]) -> None:
        """Show grades, the first row current."""
        self.grades.show_rows(rows)
        self.choose_row(0 if rows else -1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the table, and the frame of the keyboard."""
        super().paintEvent(event)
        paint_view_focus(self)
