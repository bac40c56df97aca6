"""The table of the grades that a model gives to free texts."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.scoring.text_grades import GradeTotal, ModelGrades
from widgets import display_text
from widgets.column_table import TableColumn
from widgets.scores.score_grid import percent_text
from widgets.scores.summary_table import SummaryRow, SummaryTable
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


def grade_rows(models: Sequence[ModelGrades]) -> list[SummaryRow]:
    """Return the rows of all models, one per task: over all tasks first, then by task."""
    shared = display_text.tasks_of_same_title({task for one in models for task in one.tasks})
    return [
        (one.model, title, *_figures(total))
        for one in models
        for title, total in [
            (tr("All tasks"), one.overall),
            *((display_text.task_label(task, shared=shared), total) for task, total in one.tasks.items()),
        ]
    ]


def grade_table() -> SummaryTable:
    """Return a table of grades, without rows."""
    return SummaryTable(COLUMNS, name=tr("Graded free texts"))


def _figures(total: GradeTotal) -> tuple[str, ...]:
    return (
        f"{total.total:,}",
        f"{total.graded:,}",
        percent_text(total.grade_pct),
        percent_text(total.least_pct),
        f"{total.undecided:,}",
        f"{total.open:,}",
    )
