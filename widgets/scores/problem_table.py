"""The list of what the scores do not contain, with file and line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QPaintEvent

from annotator.scoring.score_report import ScoreReport
from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.focus import paint_view_focus
from widgets.message_text import message_text
from widgets.paged_model import Index
from widgets.scores.score_text import location_text, problem_kind_title
from widgets.translation import mark as _
from widgets.translation import tr

COLUMNS = (
    TableColumn(title=_("Problem"), width_px=136),
    TableColumn(title=_("Model"), width_px=120, hidden_below_px=640),
    TableColumn(title=_("Item"), width_px=152),
    TableColumn(title=_("Place"), width_px=160),
    TableColumn(title=_("Explanation")),
)
ITEM = 2


@dataclass(frozen=True, kw_only=True)
class ProblemRow:
    """One problem: the texts of its cells."""

    texts: tuple[str, ...]


def problem_rows(report: ScoreReport) -> list[ProblemRow]:
    """Return the problems of all models; those that belong to no single model come first."""
    listed = [("", problem) for problem in report.listed]
    listed += [(model.name, problem) for model in report.models for problem in model.listed]
    return [
        ProblemRow(
            texts=(
                problem_kind_title(problem.kind),
                name,
                problem.item,
                location_text(problem),
                message_text(problem.message),
            )
        )
        for name, problem in listed
    ]


def problem_count(report: ScoreReport) -> int:
    """Return the number of problems, also of those that are not listed."""
    return sum(sum(counts.values()) for counts in (report.counts, *(one.counts for one in report.models)))


class ProblemModel(ColumnModelMixin, QAbstractTableModel):
    """One row per problem."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[ProblemRow] = []

    def show_rows(self, rows: Sequence[ProblemRow]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of problems."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell."""
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self.rows[index.row()].texts[index.column()]
        return None


class ProblemCells(CellDelegate):
    """Paints a problem."""

    def cell(self, index: Index) -> CellContent:
        """Return the content of a cell."""
        is_item = index.column() == ITEM
        return CellContent(
            text=str(index.data()), font="mono" if is_item else "body", gives_way_in_middle=is_item
        )


class ProblemTable(ColumnTable):
    """Shows problems."""

    def __init__(self) -> None:
        self.problems = ProblemModel()
        super().__init__(self.problems, columns=COLUMNS, painter=ProblemCells(), name=tr("Problems"))
        self.problems.setParent(self)

    def show_rows(self, rows: Sequence[ProblemRow]) -> None:
        """Show problems, the first one current."""
        self.problems.show_rows(rows)
        self.choose_row(0 if rows else -1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the table, and the frame of the keyboard."""
        super().paintEvent(event)
        paint_view_focus(self)
