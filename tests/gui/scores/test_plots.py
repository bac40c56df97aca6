"""Plots and copies of the scores in the real window."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtWidgets import QApplication, QFileDialog

from annotator.scoring.row_filter import RowFilter
from tests.gui.scores.conftest import Open, Scored, score
from tests.gui.scores.scored_models import write_model
from widgets import theme
from widgets.display_text import tasks_of_same_title
from widgets.scores.bar_plot import BarPlot
from widgets.scores.heat_map import LIGHT, cell_colour, relative_luminance
from widgets.settings import Settings


def bars(plot: BarPlot) -> list[list[float]]:
    """Return the lengths of the bars of each model."""
    items = [item for item in plot.plot.items if isinstance(item, pg.BarGraphItem)]
    return [[float(width) for width in item.opts["width"]] for item in items]


def test_bars_when_shown_then_have_the_scores_and_the_intervals_of_the_models(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    workspace = score(person, scored, "good", "fair")
    person.press("P")
    plots = workspace.page.plots
    assert plots.bars.isVisible()
    assert workspace.report is not None
    tables = [model.tables for model in workspace.report.models]
    assert [found[0] for found in bars(plots.bars)] == [table.overall.score_pct for table in tables]
    assert len(bars(plots.bars)[0]) == 1 + len(tables[0].tasks)
    intervals = [item for item in plots.bars.plot.items if isinstance(item, pg.ErrorBarItem)]
    fair, interval = tables[1].overall, tables[1].overall_interval
    assert fair.score_pct is not None
    assert interval.score_low is not None
    assert intervals[1].opts["left"][0] == pytest.approx(fair.score_pct - interval.score_low)
    assert "All items, fair" in plots.bars.accessibleName()


def test_plots_when_gone_through_by_a_key_then_show_radar_and_correlation(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    workspace = score(person, scored, "good", "fair", "poor")
    person.press("P")
    plots = workspace.page.plots
    person.press("K")
    assert plots.radar.isVisible()
    outlines = [item for item in plots.radar.plot.items if isinstance(item, pg.PlotDataItem)]
    # The rings, the axes, and one outline per model.
    assert len(outlines) == 4 + len(plots.radar.axes) + 3
    person.press("K")
    assert plots.correlation.isVisible()
    assert workspace.report is not None
    correlation = workspace.report.correlation
    value = correlation.pairs[0][1].value
    assert value is not None
    text = plots.correlation.pair_text(0, 1)
    assert text.startswith("1  Object Counting × 2  Region Recognition: r = " + f"{value:.2f}")
    assert "3 models" in text
    assert tasks_of_same_title(correlation.tasks) == frozenset()
    person.press("K")
    assert plots.bars.isVisible()


def test_correlation_when_there_are_two_models_then_says_that_it_needs_three(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    workspace = score(person, scored, "good", "fair")
    person.press("P")
    person.press("K")
    person.press("K")
    assert workspace.page.plots.note.text() == (
        "A correlation needs at least 3 models with a score in both tasks."
    )


def test_table_when_copied_then_the_clipboard_has_it_as_it_is_shown(
    open_scores: Open, scored: Scored
) -> None:
    write_model(scored.folder / "half_right.jsonl", scored.items, right=0.5, seed=9)
    person = open_scores()
    workspace = score(person, scored, "good", "half_right")
    person.press("C")
    markdown = QApplication.clipboard().text()
    assert markdown.startswith("**By task: Mean score, %**")
    assert markdown.splitlines()[2].startswith("| Model | All items | Form correct | Object Counting |")
    # All its answers are right: a bootstrap of equal scores gives no interval.
    assert "| good | **100.0** |" in markdown
    assert re.search(r"\| half.{0,3}right \| [^|]*\[\d", markdown)
    assert "good: The score is computed over 40 of 40 items" in markdown
    person.press("L")
    latex = QApplication.clipboard().text()
    assert r"\toprule" in latex
    assert r"half\_right" in latex
    person.press("X")
    person.press("V")
    assert QApplication.clipboard().text().splitlines()[0].startswith("Task set,Task,good")
    assert workspace.page.tables.note.text() == "The table is in the clipboard."


def test_papers_when_chosen_then_the_tables_are_those_of_the_command(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    workspace = score(person, scored, "good", "fair")
    for _ in range(4):
        person.press("G")
    pane = workspace.page.tables
    assert pane.grouping_box.currentText() == "As in the papers"
    assert workspace.report is not None
    first = workspace.report.papers[0].rows[1].cells[0]
    assert pane.table.scores.index(1, 0).data() == f"{first.value:.1f} ({first.low:.1f}–{first.high:.1f})"
    assert not pane.measure_box.isEnabled()
    titles = list(pane.table.scores.grid.groups.values())
    column = next(at for at, title in enumerate(titles) if title.endswith("Object Counting"))
    opened: list[RowFilter] = []
    workspace.errors_requested.connect(lambda _file, wanted: opened.append(wanted))
    workspace.page.tables.table.setCurrentIndex(pane.table.scores.index(1, column))
    person.press("Return")
    assert opened == [RowFilter(model="fair", task="aircop/object_counting", outcome="not_right")]


@pytest.mark.parametrize(
    ("ending", "start"), [("md", "**By task"), ("tex", "% By task"), ("csv", "\ufeffTask set,Model")]
)
def test_table_when_saved_then_the_ending_of_the_file_decides_the_form(
    open_scores: Open, scored: Scored, tmp_path: Path, ending: str, start: str
) -> None:
    person = open_scores()
    workspace = score(person, scored, "good")
    person.press("Ctrl+S")
    dialog = workspace.findChild(QFileDialog)
    file = tmp_path / f"table.{ending}"
    dialog.fileSelected.emit(str(file))
    dialog.reject()
    person.settle()
    assert file.read_text(encoding="utf-8").startswith(start)
    assert workspace.page.tables.note.text() == f"The table is saved in {file}."


def test_table_when_it_cannot_be_saved_then_the_window_says_why(
    open_scores: Open, scored: Scored, tmp_path: Path, settings: Settings
) -> None:
    settings.keep("language", "zh")
    person = open_scores()
    workspace = score(person, scored, "good")
    workspace.page.tables.save(str(tmp_path / "none" / "table.md"))
    person.settle()
    assert "无法写入" in person.window.banner.headline.text()


@pytest.mark.parametrize("name", ["dark", "light"])
@pytest.mark.parametrize("value", [-1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0, None])
def test_heat_map_when_it_has_numbers_then_they_can_be_read_on_their_cells(
    name: str, value: float | None
) -> None:
    theme.apply(name)
    luminance = relative_luminance(np.array(cell_colour(value), dtype=np.uint8))
    text = 0.0 if luminance > LIGHT else 1.0
    low, high = sorted((luminance, text))
    assert (high + 0.05) / (low + 0.05) >= 4.5
