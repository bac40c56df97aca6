"""Plots of scores: what is drawn, and that any name can stand in it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from annotator.scoring.plot_svg import bars_svg, heat_map_svg, radar_svg
from annotator.scoring.score_plots import (
    PlotSeries,
    SeriesPlot,
    correlation_heat_map,
    overall_plot,
    task_plot,
)
from annotator.scoring.score_tables import ScoreTables
from annotator.scoring.task_correlation import correlate_tasks
from tests.unit.release.samples import urbanvideo_item
from tests.unit.scoring.test_result_table import compared_on, released_as

SVG = "{http://www.w3.org/2000/svg}"
TASKS = ("object_recall", "proximity", "causal")
MODELS = {"<a&b>\x07": "AAABBB", "模型": "ABABAB", "third": "BBA-BA"}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ScoreTables]:
    items = [urbanvideo_item(name=str(n), task=TASKS[n % 3], answer_key="A") for n in range(6)]
    released = released_as(items)
    answers = {model: [None if text == "-" else text for text in texts] for model, texts in MODELS.items()}
    return compared_on(released, answers, tmp_path_factory.mktemp("plots")).tables


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def count(svg: str, tag: str) -> int:
    return sum(1 for _ in ET.fromstring(svg).iter(SVG + tag))


def test_heat_map_when_it_is_drawn_then_each_pair_has_a_square_with_its_number(
    tables: dict[str, ScoreTables],
) -> None:
    plot = correlation_heat_map(correlate_tasks(tables))
    svg = heat_map_svg(plot)
    assert plot.labels == ("Object Recall", "Proximity", "Causal")
    assert count(svg, "rect") == 1 + 9
    printed = ["–" if value is None else f"{value:.2f}" for row in plot.values for value in row]
    assert [text for text in texts(svg) if text not in (plot.title, *plot.labels)] == printed
    few = correlation_heat_map(correlate_tasks(dict(list(tables.items())[:2])))
    assert texts(heat_map_svg(few)).count("–") == 9
    assert "at least 3 models" in few.notes[0][1]


def test_radar_when_a_value_misses_then_its_line_has_a_gap() -> None:
    svg = radar_svg(task_plot_of((50.0, None, 70.0, 20.0)))
    axes, legend = 4, 1
    # Of the four sides of the closed line two are beside the value that misses.
    assert count(svg, "line") == axes + legend + 2
    assert count(svg, "circle") == 3
    assert count(radar_svg(task_plot_of((50.0, 10.0, 70.0, 20.0))), "line") == axes + legend + 4


def test_bars_when_models_have_intervals_then_each_bar_has_its_line(tables: dict[str, ScoreTables]) -> None:
    plot = task_plot(tables)
    svg = bars_svg(plot)
    assert [series.name for series in plot.series] == list(MODELS)
    assert count(svg, "rect") == 1 + 9
    known = sum(low is not None for series in plot.series for low in series.interval_lows)
    assert count(svg, "line") == 5 + 3 + known
    assert "<a&b> " in texts(svg)
    assert "模型" in texts(bars_svg(overall_plot(tables)))


def task_plot_of(values: tuple[float | None, ...]) -> SeriesPlot:
    nothing = (None,) * len(values)
    series = PlotSeries(name="m", values=values, interval_lows=nothing, interval_highs=nothing)
    return SeriesPlot(title="t", labels=tuple("wxyz"), series=(series,))
