"""The predictions behind a cell of the table of scores."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from annotator.domain.query import qualified_task
from annotator.scoring.result_table import ResultTable
from annotator.scoring.row_filter import RowFilter
from widgets.scores.score_grid import FORM, ITEMS, OVERALL, PEOPLE, RANDOM, UNPARSED, Grouping

_FIELDS: dict[Grouping, str] = {"tasks": "task", "groups": "group", "formats": "format", "sources": "source"}


def cell_filter(
    model: str, column: str, *, grouping: Grouping, papers: Sequence[ResultTable] = ()
) -> RowFilter:
    """Return the predictions that a cell is about: those that are not right, or those that cannot be read.

    Args:
        model: Id of its model; random answers and people have no predictions, and stand for all models.
        column: Id of its group, or of a column of sums.
        grouping: What the groups are.
        papers: The tables of the grouping ``papers``.
    """
    wanted = RowFilter(model="" if model in {RANDOM, PEOPLE} else model, outcome="not_right")
    if grouping == "papers":
        return msgspec.structs.replace(wanted, task=_only_task(column, papers))
    if column == ITEMS:
        return msgspec.structs.replace(wanted, outcome="")
    if column in {UNPARSED, FORM}:
        return msgspec.structs.replace(wanted, outcome="unparsed")
    return wanted if column == OVERALL else msgspec.structs.replace(wanted, **{_FIELDS[grouping]: column})


def _only_task(column: str, papers: Sequence[ResultTable]) -> str:
    """Return the task of a column of a paper as ``set/task``, "" for a column of several tasks."""
    task_set, _, place = column.partition("#")
    table = next((one for one in papers if one.layout.task_set == task_set), None)
    tasks = table.layout.columns[int(place)].tasks if table is not None else ()
    return qualified_task(task_set, tasks[0]) if len(tasks) == 1 else ""
