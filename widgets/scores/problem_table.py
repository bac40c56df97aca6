"""The list of what the scores do not contain, with file and line."""

from __future__ import annotations

from annotator.scoring.score_report import ScoreReport
from widgets.column_table import TableColumn
from widgets.message_text import message_text
from widgets.scores.score_text import location_text, problem_kind_title
from widgets.scores.summary_table import SummaryRow, SummaryTable
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


def problem_rows(report: ScoreReport) -> list[SummaryRow]:
    """Return the problems of all models; those that belong to no single model come first."""
    listed = [("", problem) for problem in report.listed]
    listed += [(model.name, problem) for model in report.models for problem in model.listed]
    return [
        (
            problem_kind_title(problem.kind),
            name,
            problem.item,
            location_text(problem),
            message_text(problem.message),
        )
        for name, problem in listed
    ]


def problem_count(report: ScoreReport) -> int:
    """Return the number of problems, also of those that are not listed."""
    return sum(sum(counts.values()) for counts in (report.counts, *(one.counts for one in report.models)))


def problem_table() -> SummaryTable:
    """Return a list of problems, without rows."""
    return SummaryTable(COLUMNS, name=tr("Problems"), identifiers=ITEM)
