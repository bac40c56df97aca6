"""The plots of a comparison as numbers and labels, which the window and the writer of SVG files draw."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from annotator.scoring.score_tables import PERCENT, ScoreInterval, ScoreTables
from annotator.scoring.task_correlation import TaskCorrelation
from annotator.scoring.task_order import in_paper_order, task_title

NO_INTERVAL = ScoreInterval(score_low=None, score_high=None, exact_low=None, exact_high=None)


class PlotSeries(msgspec.Struct, frozen=True, kw_only=True):
    """The values of one model.

    Attributes:
        name: Name of the model.
        values: In percent, one per label of the plot; None where it has no predictions.
        interval_lows: Lower ends of the 95 % intervals; None without one.
        interval_highs: Upper ends.
    """

    name: str
    values: tuple[float | None, ...]
    interval_lows: tuple[float | None, ...]
    interval_highs: tuple[float | None, ...]


class SeriesPlot(msgspec.Struct, frozen=True, kw_only=True):
    """Values of models for some labels, as a radar plot or as groups of bars.

    Attributes:
        title: What is shown.
        labels: The axes of the radar, or the groups of bars.
        series: One per model.
        low: Least value of the scale.
        high: Largest.
    """

    title: str
    labels: tuple[str, ...]
    series: tuple[PlotSeries, ...]
    low: float = 0.0
    high: float = PERCENT


class HeatMap(msgspec.Struct, frozen=True, kw_only=True):
    """A square of values with a scale of colours from ``low`` over 0 to ``high``.

    Attributes:
        title: What is shown.
        labels: Of the rows, which are those of the columns as well.
        values: The rows; None where a value is not defined.
        notes: Why a value is not defined, or its significance, for each value.
        low: Least value of the scale.
        high: Largest.
    """

    title: str
    labels: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    notes: tuple[tuple[str, ...], ...]
    low: float = -1.0
    high: float = 1.0


def correlation_heat_map(correlation: TaskCorrelation) -> HeatMap:
    """Return the matrix of a correlation as a heat map."""
    return HeatMap(
        title=f"Correlation of tasks over {len(correlation.models)} models (Pearson)",
        labels=tuple(map(task_title, correlation.tasks)),
        values=tuple(tuple(pair.value for pair in row) for row in correlation.pairs),
        notes=tuple(
            tuple(pair.reason or f"p = {pair.p_value:.3g}, {pair.models} models" for pair in row)
            for row in correlation.pairs
        ),
    )


def task_plot(tables: Mapping[str, ScoreTables]) -> SeriesPlot:
    """Return the mean scores of models by task; tasks in the order of their task sets."""
    tasks = in_paper_order({task for own in tables.values() for task in own.tasks})
    series = []
    for model, own in tables.items():
        totals = [own.tasks.get(task) for task in tasks]
        intervals = [own.task_intervals.get(task, NO_INTERVAL) for task in tasks]
        series.append(
            PlotSeries(
                name=model,
                values=tuple(total.score_pct if total else None for total in totals),
                interval_lows=tuple(interval.score_low for interval in intervals),
                interval_highs=tuple(interval.score_high for interval in intervals),
            )
        )
    return SeriesPlot(title="Score by task (%)", labels=tuple(map(task_title, tasks)), series=tuple(series))


def overall_plot(tables: Mapping[str, ScoreTables]) -> SeriesPlot:
    """Return the mean scores of models over all tasks."""
    series = tuple(
        PlotSeries(
            name=model,
            values=(own.overall.score_pct,),
            interval_lows=(own.overall_interval.score_low,),
            interval_highs=(own.overall_interval.score_high,),
        )
        for model, own in tables.items()
    )
    return SeriesPlot(title="Score over all tasks (%)", labels=("All tasks",), series=series)


def score_plot(tables: Mapping[str, ScoreTables]) -> SeriesPlot:
    """Return the mean scores of models over all tasks, and by task."""
    overall, tasks = overall_plot(tables), task_plot(tables)
    series = tuple(
        PlotSeries(
            name=first.name,
            values=first.values + rest.values,
            interval_lows=first.interval_lows + rest.interval_lows,
            interval_highs=first.interval_highs + rest.interval_highs,
        )
        for first, rest in zip(overall.series, tasks.series, strict=True)
    )
    return SeriesPlot(title=tasks.title, labels=overall.labels + tasks.labels, series=series)
