"""A radar plot: one axis per group of items, one outline per model."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import Qt

from widgets import theme
from widgets.scores.plot_view import PlotView, series_colour, short_name
from widgets.scores.score_grid import PEOPLE, RANDOM, ScoreGrid
from widgets.translation import join_texts

LEAST_AXES = 3
"""Fewer axes have no area."""
RINGS = (25.0, 50.0, 75.0, 100.0)
LABEL_AT, EDGE = 106.0, 150.0
"""Radius of the names of the axes, and half the width of the plot, in percent."""
HEIGHT_PX = 420
STYLES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)
"""Lines of the models, one after the other: they differ without colours as well."""
Floats = npt.NDArray[np.float64]


class RadarPlot(PlotView):
    """Shows values from 0 % in the centre to 100 % at the rim."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = ScoreGrid()
        self.plot.hideAxis("left")
        self.plot.hideAxis("bottom")
        self.plot.setAspectLocked(True)
        self.setFixedHeight(HEIGHT_PX)

    @property
    def axes(self) -> list[str]:
        """Ids of the groups that are axes."""
        return self._grid.scored_groups()

    def show_grid(self, grid: ScoreGrid) -> None:
        """Show the scores of a grid."""
        self._grid = grid
        self.setAccessibleName(join_texts(grid.groups[axis] for axis in self.axes))
        self.draw()

    def draw(self) -> None:
        """Draw the rings, the axes and the outlines."""
        self.plot.clear()
        axes = self.axes
        if len(axes) < LEAST_AXES:
            return
        angles = np.pi / 2 - np.arange(len(axes)) * 2 * np.pi / len(axes)
        self._draw_ground(angles)
        models = [model for model in self._grid.models if model not in {RANDOM, PEOPLE}]
        for number, model in enumerate(models):
            values = np.array([self._grid.cell(model, axis).value or 0.0 for axis in axes])
            ink = pg.mkPen(series_colour(number), width=2, style=STYLES[number % len(STYLES)])
            self._draw_outline(values, angles, ink=ink)
        self.plot.setXRange(-EDGE, EDGE, padding=0)
        self.plot.setYRange(-LABEL_AT - 8, LABEL_AT + 8, padding=0)

    def _draw_ground(self, angles: Floats) -> None:
        tokens = theme.current()
        line = pg.mkPen(tokens.color("line"), width=1)
        for ring in RINGS:
            self._draw_outline(np.full(len(angles), ring), angles, ink=line)
            text = pg.TextItem(f"{ring:.0f}", color=tokens.color("text_dim"), anchor=(0, 1))
            text.setFont(theme.font("label"))
            text.setPos(1, ring)
            self.plot.addItem(text)
        for axis, angle in zip(self.axes, angles, strict=True):
            x, y = np.cos(angle), np.sin(angle)
            self.plot.plot([0, RINGS[-1] * x], [0, RINGS[-1] * y], pen=line)
            anchor = (0.5 - 0.5 * float(np.sign(round(x, 6))), 0.5 + 0.5 * float(y))
            text = pg.TextItem(short_name(self._grid.groups[axis]), color=tokens.color("text"), anchor=anchor)
            text.setFont(theme.font("label"))
            text.setPos(LABEL_AT * x, LABEL_AT * y)
            self.plot.addItem(text)

    def _draw_outline(self, values: Floats, angles: Floats, *, ink: pg.mkPen) -> None:
        ink.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        closed, around = np.append(values, values[0]), np.append(angles, angles[0])
        self.plot.plot(closed * np.cos(around), closed * np.sin(around), pen=ink)
