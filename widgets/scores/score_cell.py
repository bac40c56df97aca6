"""The predictions behind a cell of the table of scores."""

from __future__ import annotations

import msgspec

from annotator.scoring.row_filter import RowFilter
from annotator.scoring.score_report import ScoreReport
from widgets.scores.score_grid import FORM, ITEMS, OVERALL, PEOPLE, RANDOM, UNPARSED, Grouping

_FIELDS: dict[Grouping, str] = {"tasks": "task", "groups": "group", "formats": "format", "sources": "source"}


def cell_filter(report: ScoreReport, model: str, column: str, *, grouping: Grouping) -> RowFilter:
    """Return the predictions that a cell is about: those that are not right, or those that cannot be read.

    Args:
        report: The scores.
        model: Id of its model; random answers and people have no predictions, and stand for all models.
        column: Id of its group, or of a column of sums.
        grouping: What the groups are.
    """
    wanted = RowFilter(model="" if model in {RANDOM, PEOPLE} else model, outcome="not_right")
    if column == ITEMS:
        return msgspec.structs.replace(wanted, outcome="")
    if column in {UNPARSED, FORM}:
        return msgspec.structs.replace(wanted, outcome="unparsed")
    if column == OVERALL:
        return wanted
    if grouping == "papers":
        return _paper_filter(report, wanted, column)
    return msgspec.structs.replace(wanted, **{_FIELDS[grouping]: column})


def _paper_filter(report: ScoreReport, wanted: RowFilter, column: str) -> RowFilter:
    """Return the predictions about the items of a column of a paper's table.

    A column about some views, variants or difficulties of a task has the predictions of the whole task.
    """
    task_set, _, at = column.partition("#")
    layout = next(table.layout for table in report.papers if table.layout.task_set == task_set)
    shown = layout.columns[int(at)]
    tasks = _tasks_of(report, task_set, names=shown.tasks)
    is_one = len(tasks) == 1
    return msgspec.structs.replace(
        wanted,
        task=tasks[0] if is_one else "",
        tasks=() if is_one else tasks,
        format=shown.part if any(shown.part in one.tables.formats for one in report.models) else "",
        source=shown.part if any(shown.part in one.tables.sources for one in report.models) else "",
    )


def _tasks_of(report: ScoreReport, task_set: str, *, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return those tasks of a task set that were scored and have one of some names, all without names."""
    known = {task for one in report.models for task in one.tables.tasks}
    pairs = [(task, *task.split("/", 1)) for task in sorted(known)]
    return tuple(task for task, own, name in pairs if own == task_set and (not names or name in names))
