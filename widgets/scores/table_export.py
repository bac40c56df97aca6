"""The table of scores as text for papers: Markdown, LaTeX or CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotator.scoring.result_table import ResultTable, RowKind, TableCell, TableRow, with_ranks
from annotator.scoring.score_report import ScoreReport
from annotator.scoring.table_layouts import TableColumn, TableLayout
from annotator.scoring.table_text import TextForm, table_text
from widgets.scores.score_grid import (
    FORM,
    GROUPINGS,
    MEASURE_TITLES,
    OVERALL,
    PEOPLE,
    RANDOM,
    Grouping,
    Measure,
    ScoreGrid,
    score_grid,
)
from widgets.translation import tr

ENDINGS: Mapping[str, TextForm] = {".md": "markdown", ".tex": "latex", ".csv": "csv"}
"""Form of the text by the ending of the file."""
KINDS: Mapping[str, RowKind] = {RANDOM: "random", PEOPLE: "human"}


def scores_text(
    report: ScoreReport, form: TextForm, *, grouping: Grouping, measure: Measure, is_turned: bool
) -> str:
    """Return the scores as they are shown, with intervals.

    Args:
        report: The scores.
        form: How they are written.
        grouping: What the columns are.
        measure: What they show.
        is_turned: Whether the models are the columns.
    """
    tables = report.papers if grouping == "papers" else [_result_table(report, grouping, measure)]
    return table_text(tables, form, rows="tasks" if is_turned else "models", with_intervals=True)


def _result_table(report: ScoreReport, grouping: Grouping, measure: Measure) -> ResultTable:
    grid = score_grid(report, grouping=grouping, measure=measure)
    groups = [OVERALL, FORM, *grid.scored_groups()]
    columns = tuple(
        TableColumn(title=grid.groups[group], measure="format" if group == FORM else measure)
        for group in groups
    )
    sets = sorted({task.partition("/")[0] for model in report.models for task in model.tables.tasks})
    title = f"{tr(GROUPINGS[grouping])}: {tr(MEASURE_TITLES[measure])}"
    layout = TableLayout(task_set=" ".join(sets), title=title, columns=columns)
    rows = [_row(grid, model, groups) for model in grid.models]
    models = with_ranks([row for row in rows if row.kind == "model"], columns)
    others = [row for row in rows if row.kind != "model"]
    notes = [f"{model.name}: {model.coverage.statement}" for model in report.models]
    if len(models) > 1:
        notes.insert(0, "Bold: the best model; underlined: the second.")
    return ResultTable(layout=layout, rows=(*models, *others), notes=tuple(notes))


def _row(grid: ScoreGrid, model: str, groups: Sequence[str]) -> TableRow:
    cells = (grid.cell(model, group) for group in groups)
    return TableRow(
        name=grid.models[model],
        kind=KINDS.get(model, "model"),
        cells=tuple(
            TableCell(value=cell.value, low=cell.low, high=cell.high, items=cell.items) for cell in cells
        ),
    )
