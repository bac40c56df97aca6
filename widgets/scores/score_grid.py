"""Scores as a grid of models and groups of items, for the table and the plots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotator.scoring.measures import MEASURES, RANK
from annotator.scoring.result_table import TableCell, TableRow
from annotator.scoring.score_report import ModelScore, ScoreReport
from annotator.scoring.score_tables import FormatRate, GroupScore, ScoreInterval, ScoreTotal
from annotator.scoring.task_order import in_paper_order
from widgets import display_text
from widgets.translation import mark, tr

NONE = "–"
Measure = Literal["score", "exact"]
Grouping = Literal["tasks", "groups", "formats", "sources", "papers"]
GROUPINGS: Mapping[Grouping, str] = {
    "tasks": mark("By task"),
    "groups": mark("By group of tasks"),
    "formats": mark("By answer format"),
    "sources": mark("By origin of the images"),
    "papers": mark("As in the papers"),
}
"""English titles of the groupings, in the order in which a key goes through them."""
MEASURE_TITLES: Mapping[Measure, str] = {
    "score": mark("Mean score, %"),
    "exact": mark("Right answers, %"),
}
"""English titles of the measures."""
OVERALL, ITEMS, UNPARSED, FORM = "", "#items", "#unparsed", "#form"
"""Ids of the columns before those of the groups."""
RANDOM, PEOPLE = "#random", "#people"
"""Ids of the rows below those of the models."""


@dataclass(frozen=True, kw_only=True)
class ScoreCell:
    """One cell.

    Attributes:
        text: The value as it is shown.
        interval: Its 95 % interval as it is shown, "" for none.
        value: The value in percent, None for a number that is no score, and for none.
        low: Lower end of the interval, percent.
        high: Upper end.
        items: Number of items that it is computed over.
        has_interval: Whether it is a score of a model, which has an interval unless all items score the same.
    """

    text: str
    interval: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    items: int = 0
    has_interval: bool = False

    @property
    def is_constant(self) -> bool:
        """Whether it has no interval because all its items have the same score."""
        return self.has_interval and self.items > 1 and self.value is not None and self.low is None

    @property
    def full_text(self) -> str:
        """The value with its interval."""
        return f"{self.text} ({self.interval})" if self.interval else self.text


EMPTY = ScoreCell(text=NONE)


@dataclass(frozen=True, kw_only=True)
class ScoreGrid:
    """The cells of a table.

    Attributes:
        models: Names of the rows by id: models, random answers, people.
        groups: Titles of the columns by id: the overall ones, then the groups.
        cells: The cells by row and column; those that are missing are empty.
    """

    models: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[tuple[str, str], ScoreCell] = field(default_factory=dict)

    def cell(self, model: str, group: str) -> ScoreCell:
        """Return a cell."""
        return self.cells.get((model, group), EMPTY)

    def scored_groups(self) -> list[str]:
        """Return the ids of the groups, without the columns that are about all items."""
        return [group for group in self.groups if group not in {OVERALL, ITEMS, UNPARSED, FORM}]


def score_grid(report: ScoreReport, *, grouping: Grouping, measure: Measure) -> ScoreGrid:
    """Return the scores of a report.

    Args:
        report: The report.
        grouping: What the groups are.
        measure: The mean score, or the share of right answers.
    """
    if grouping == "papers":
        return _paper_grid(report)
    names = group_names(report, grouping)
    cells: dict[tuple[str, str], ScoreCell] = {}
    for model in report.models:
        own = _model_cells(model, grouping=grouping, measure=measure)
        cells |= {(model.name, group): cell for group, cell in own.items()}
    others = {RANDOM: {OVERALL: report.random, **report.random_tasks}}
    if report.human:
        others[PEOPLE] = {_people_group(task): total for task, total in report.human.items()}
    for row, totals in others.items():
        cells |= _other_cells(row, totals, grouping=grouping, measure=measure)
    models = {model.name: model.name for model in report.models}
    models |= {RANDOM: tr("Random answers")} | ({PEOPLE: tr("People")} if report.human else {})
    return ScoreGrid(models=models, groups=_fixed_columns() | _titles(grouping, names), cells=cells)


def group_names(report: ScoreReport, grouping: Grouping) -> list[str]:
    """Return the ids of the groups that a report has scores of."""
    names = {name for model in report.models for name in getattr(model.tables, grouping)}
    return in_paper_order(names) if grouping == "tasks" else sorted(names)


def percent_text(value: float | None) -> str:
    """Return a percentage with one digit after the point."""
    return NONE if value is None else f"{value:.1f}"


def _paper_grid(report: ScoreReport) -> ScoreGrid:
    models: dict[str, str] = {}
    groups: dict[str, str] = {}
    cells: dict[tuple[str, str], ScoreCell] = {}
    for table in report.papers:
        for at, column in enumerate(table.layout.columns):
            parts = (table.layout.title if len(report.papers) > 1 else "", column.heading, column.title)
            groups[f"{table.layout.task_set}#{at}"] = ": ".join(filter(None, parts))
        for row in table.rows:
            model = {"random": RANDOM, "human": PEOPLE}.get(row.kind, row.name)
            models[model] = _row_title(row)
            for at, (column, cell) in enumerate(zip(table.layout.columns, row.cells, strict=True)):
                cells[model, f"{table.layout.task_set}#{at}"] = _paper_cell(column.measure, cell)
    # Each table has its own rows of random answers and people, which stand below all models.
    ordered = sorted(models, key=lambda model: (model in {RANDOM, PEOPLE}, model == PEOPLE))
    return ScoreGrid(models={model: models[model] for model in ordered}, groups=groups, cells=cells)


def _row_title(row: TableRow) -> str:
    return {"random": tr("Random answers"), "human": tr("People")}.get(row.kind, row.name)


def _paper_cell(measure: str, cell: TableCell) -> ScoreCell:
    decimals = 0 if measure == RANK else MEASURES[measure].decimals
    if cell.value is None:
        return EMPTY
    interval = ""
    if cell.low is not None and cell.high is not None:
        interval = f"{cell.low:.{decimals}f}–{cell.high:.{decimals}f}"
    return ScoreCell(
        text=f"{cell.value:.{decimals}f}",
        interval=interval,
        value=cell.value,
        low=cell.low,
        high=cell.high,
        items=cell.items,
    )


def _fixed_columns() -> dict[str, str]:
    return {
        OVERALL: tr("All items"),
        ITEMS: tr("Items"),
        UNPARSED: tr("Unparsed"),
        FORM: tr("Form correct"),
    }


def _titles(grouping: Grouping, names: list[str]) -> dict[str, str]:
    if grouping == "formats":
        return {name: display_text.format_title(name) for name in names}
    if grouping == "sources":
        return {name: display_text.footage_title("" if name == "unknown" else name) for name in names}
    if grouping == "groups":
        return {name: _group_title(name) for name in names}
    shared = display_text.tasks_of_same_title(names)
    return {name: display_text.task_label(name, shared=shared) for name in names}


def _group_title(name: str) -> str:
    task_set, _, group = name.partition("/")
    return f"{display_text.task_set_title(task_set)}: {display_text.plain(group)}"


def _model_cells(model: ModelScore, *, grouping: Grouping, measure: Measure) -> dict[str, ScoreCell]:
    tables = model.tables
    unparsed = sum(one.unparsed for one in tables.tasks.values())
    cells = {
        OVERALL: _cell(tables.overall, tables.overall_interval, measure),
        ITEMS: ScoreCell(text=f"{tables.overall.total:,}", items=tables.overall.total),
        UNPARSED: ScoreCell(text=f"{unparsed:,}", items=tables.overall.total),
        FORM: _form_cell(tables.format_correct),
    }
    groups: Mapping[str, GroupScore] = getattr(tables, grouping)
    intervals: Mapping[str, ScoreInterval] = getattr(tables, f"{grouping.removesuffix('s')}_intervals")
    return cells | {name: _cell(one, intervals.get(name), measure) for name, one in groups.items()}


def _other_cells(
    row: str, totals: Mapping[str, ScoreTotal], *, grouping: Grouping, measure: Measure
) -> dict[tuple[str, str], ScoreCell]:
    """Return the cells of random answers or people, who are known by task only."""
    shown = {name: one for name, one in totals.items() if grouping == "tasks" or name == OVERALL}
    cells = {(row, name): _cell(one, None, measure) for name, one in shown.items()}
    if OVERALL in totals:
        cells[row, ITEMS] = ScoreCell(text=f"{totals[OVERALL].total:,}", items=totals[OVERALL].total)
    return cells


def _cell(total: ScoreTotal, interval: ScoreInterval | None, measure: Measure) -> ScoreCell:
    value = total.score_pct if measure == "score" else total.exact_pct
    low = high = None
    if interval is not None:
        is_score = measure == "score"
        low = interval.score_low if is_score else interval.exact_low
        high = interval.score_high if is_score else interval.exact_high
    return ScoreCell(
        text=percent_text(value),
        interval=_interval_text(low, high),
        value=value,
        low=low,
        high=high,
        items=total.total,
        has_interval=interval is not None,
    )


def _form_cell(rate: FormatRate) -> ScoreCell:
    return ScoreCell(
        text=percent_text(rate.correct_pct),
        interval=_interval_text(rate.low, rate.high),
        value=rate.correct_pct,
        low=rate.low,
        high=rate.high,
        items=rate.total,
        has_interval=True,
    )


def _interval_text(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return f"{percent_text(low)}–{percent_text(high)}"


def _people_group(task: str) -> str:
    return OVERALL if task == "overall" else task
