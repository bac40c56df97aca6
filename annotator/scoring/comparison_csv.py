"""The numbers behind the plots of a comparison, and the differences of models, as CSV."""

from __future__ import annotations

from collections.abc import Iterable

from annotator.release.cells import csv_line
from annotator.scoring.comparison import ScoreDifference
from annotator.scoring.score_plots import SeriesPlot
from annotator.scoring.task_correlation import TaskCorrelation, pair_rows

DECIMALS = 6


def differences_csv(differences: Iterable[ScoreDifference]) -> bytes:
    """Return the differences of all pairs of models, those over all tasks with an empty task."""
    ends = [f"{name}{end}" for name in ("score", "exact") for end in ("", " low", " high")]
    lines = [csv_line(("model", "less", "task", "items", *ends))]
    for one in differences:
        values = (one.score, one.score_low, one.score_high, one.exact, one.exact_low, one.exact_high)
        lines.append(
            csv_line((one.first, one.second, one.task), numbers=[str(one.items), *map(_number, values)])
        )
    return b"".join(lines)


def correlation_csv(correlation: TaskCorrelation) -> bytes:
    """Return the coefficients of all pairs of tasks."""
    lines = [csv_line(("task", "other task", "pearson", "p", "low", "high", "models", "not defined because"))]
    for task, other, pair in pair_rows(correlation):
        values = (pair.value, pair.p_value, pair.low, pair.high)
        numbers = [*map(_number, values), str(pair.models), pair.reason]
        lines.append(csv_line((task, other), numbers=numbers))
    return b"".join(lines)


def series_csv(plot: SeriesPlot) -> bytes:
    """Return the values of bars or of a radar with their intervals, one line for each model and label."""
    lines = [csv_line(("model", "group", "value", "low", "high"))]
    for series in plot.series:
        rows = zip(plot.labels, series.values, series.interval_lows, series.interval_highs, strict=True)
        lines += [csv_line((series.name, label), numbers=[*map(_number, values)]) for label, *values in rows]
    return b"".join(lines)


def _number(value: float | None) -> str:
    return "" if value is None else repr(round(value, DECIMALS))
