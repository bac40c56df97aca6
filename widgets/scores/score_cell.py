"""The predictions behind a cell of the table of scores."""

from __future__ import annotations

import msgspec

from annotator.scoring.row_filter import RowFilter
from widgets.scores.score_grid import FORM, ITEMS, OVERALL, PEOPLE, RANDOM, UNPARSED, Grouping

_FIELDS: dict[Grouping, str] = {"tasks": "task", "groups": "group", "formats": "format", "sources": "source"}


def cell_filter(model: str, column: str, *, grouping: Grouping) -> RowFilter:
    """Return the predictions that a cell is about: those that are not right, or those that cannot be read.

    Args:
        model: Id of its model; random answers and people have no predictions, and stand for all models.
        column: Id of its group, or of a column of sums.
        grouping: What the groups are.
    """
    wanted = RowFilter(model="" if model in {RANDOM, PEOPLE} else model, outcome="not_right")
    if column == ITEMS:
        return msgspec.structs.replace(wanted, outcome="")
    if column in {UNPARSED, FORM}:
        return msgspec.structs.replace(wanted, outcome="unparsed")
    return wanted if column == OVERALL else msgspec.structs.replace(wanted, **{_FIELDS[grouping]: column})
