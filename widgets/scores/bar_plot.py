"""Bars of models with their intervals, one group of bars per group of items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg

from widgets import theme
from widgets.scores.plot_view import PlotView, series_colour, short_name
from widgets.scores.score_grid import OVERALL, PEOPLE, RANDOM, ScoreGrid
from widgets.translation import join_texts

GROUP_SHARE = 0.8
"""Share of the height of a group that its bars have."""
BAR_PX, GAP_PX, LEAST_PX, NAME_PX = 10, 14, 240, 190
FULL_PCT = 100.0


class BarPlot(PlotView):
    """Horizontal bars, the first group on top."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = ScoreGrid()
        self.plot.invertY(True)
        self.plot.getAxis("left").setWidth(NAME_PX)

    @property
    def models(self) -> list[str]:
        """Ids of the models with bars."""
        return [model for model in self._grid.models if model not in {RANDOM, PEOPLE}]

    @property
    def groups(self) -> list[str]:
        """Ids of the groups of bars."""
        return [group for group in (OVERALL, *self._grid.scored_groups()) if group in self._grid.groups]

    def show_grid(self, grid: ScoreGrid) -> None:
        """Show the scores of a grid."""
        self._grid = grid
        height = len(self.groups) * (len(self.models) * BAR_PX + GAP_PX)
        self.setFixedHeight(max(LEAST_PX, height + 2 * GAP_PX))
        texts = (
            f"{grid.groups[group]}, {grid.models[model]}: {grid.cell(model, group).full_text}"
            for group in self.groups
            for model in self.models
        )
        self.setAccessibleName(join_texts(texts))
        self.draw()

    def draw(self) -> None:
        """Draw the bars."""
        self.plot.clear()
        models, groups = self.models, self.groups
        thickness = GROUP_SHARE / max(1, len(models))
        for number, model in enumerate(models):
            offset = (number - (len(models) - 1) / 2) * thickness
            self._add_bars(number, model, groups, offset=offset, thickness=thickness)
        titles = [(at, short_name(self._grid.groups[group])) for at, group in enumerate(groups)]
        self.plot.getAxis("left").setTicks([titles])
        self.plot.setXRange(0, FULL_PCT, padding=0.01)
        self.plot.setYRange(-0.5, max(0.5, len(groups) - 0.5), padding=0)
        self.dress_axes()

    def _add_bars(
        self, number: int, model: str, groups: Sequence[str], *, offset: float, thickness: float
    ) -> None:
        cells = [self._grid.cell(model, group) for group in groups]
        positions = np.arange(len(groups)) + offset
        values = np.array([cell.value or 0.0 for cell in cells])
        ink = series_colour(number)
        self.plot.addItem(
            pg.BarGraphItem(x0=0, y=positions, width=values, height=0.9 * thickness, brush=ink, pen=ink)
        )
        known = [at for at, cell in enumerate(cells) if cell.low is not None and cell.high is not None]
        lows = np.array([cells[at].low for at in known], dtype=float)
        highs = np.array([cells[at].high for at in known], dtype=float)
        self.plot.addItem(
            pg.ErrorBarItem(
                x=values[known],
                y=positions[known],
                left=values[known] - lows,
                right=highs - values[known],
                beam=0.5 * thickness,
                pen=pg.mkPen(theme.current().color("text"), width=1),
            )
        )
