"""The correlation of tasks over models as a heat map, with the numbers where they fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QColor

from annotator.scoring.task_correlation import TaskCorrelation, TaskPair
from widgets import theme
from widgets.message_text import message_text
from widgets.scores.plot_view import PlotView, short_name
from widgets.translation import join_clauses, tr, trn

MOST_NUMBERS = 16
"""Tasks up to which the cells have their numbers."""
CELL_PX, NAME_PX, LEAST_PX = 28, 190, 240
POSITIVE, NEGATIVE = "#c03a4e", "#2a7ab0"
"""Colours of 1 and -1."""
LIGHT = 0.179
"""Relative luminance from which black text has more contrast than white: at least 4.5:1. Source: WCAG 2.2."""
Colours = npt.NDArray[np.uint8]


class CorrelationMap(PlotView):
    """Shows Pearson's coefficient of each pair of tasks: blue for -1, the ground for 0, red for 1.

    Signals:
        pair_pointed: The mouse is on another pair; carries its description.
    """

    pair_pointed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._pairs: Sequence[Sequence[TaskPair]] = ()
        self._names: Sequence[str] = ()
        self.plot.invertY(True)
        self.plot.getAxis("left").setWidth(NAME_PX)
        self.view.scene().sigMouseMoved.connect(self._on_mouse_moved)

    def show_correlation(self, correlation: TaskCorrelation, *, names: Sequence[str]) -> None:
        """Show the matrix.

        Args:
            correlation: The matrix.
            names: Titles of its tasks.
        """
        self._pairs, self._names = correlation.pairs, names
        self.setFixedHeight(max(LEAST_PX, CELL_PX * len(names) + 2 * CELL_PX))
        self.draw()

    def pair_text(self, row: int, column: int) -> str:
        """Return a pair of tasks with its coefficient, interval and significance."""
        pair = self._pairs[row][column]
        names = f"{self._names[row]} × {self._names[column]}"
        if pair.value is None:
            return f"{names}: {message_text(pair.reason)}"
        parts = [f"r = {pair.value:.2f}"]
        if pair.low is not None and pair.high is not None:
            parts.append(tr("95 %: {low} to {high}", low=f"{pair.low:.2f}", high=f"{pair.high:.2f}"))
        if pair.p_value is not None:
            parts.append(f"p = {pair.p_value:.3g}")
        parts.append(trn("{n} model", "{n} models", n=pair.models))
        return f"{names}: {join_clauses(parts)}"

    def draw(self) -> None:
        """Draw the cells and their numbers."""
        self.plot.clear()
        count = len(self._names)
        if not count:
            return
        colours = np.array([[cell_colour(pair.value) for pair in row] for row in self._pairs], dtype=np.uint8)
        image = pg.ImageItem(colours, axisOrder="row-major", levels=(0, 255))
        image.setRect(-0.5, -0.5, count, count)
        self.plot.addItem(image)
        if count <= MOST_NUMBERS:
            self._draw_numbers(colours)
        self.plot.getAxis("left").setTicks([list(enumerate(map(short_name, self._names)))])
        self.plot.getAxis("bottom").setTicks([[(at, str(at + 1)) for at in range(count)]])
        self.plot.setXRange(-0.5, count - 0.5, padding=0)
        self.plot.setYRange(-0.5, count - 0.5, padding=0)
        self.dress_axes()

    def _draw_numbers(self, colours: Colours) -> None:
        for row, pairs in enumerate(self._pairs):
            for column, pair in enumerate(pairs):
                ink = QColor("black" if relative_luminance(colours[row, column]) > LIGHT else "white")
                text = pg.TextItem(
                    "–" if pair.value is None else f"{pair.value:.2f}", color=ink, anchor=(0.5, 0.5)
                )
                text.setFont(theme.font("label"))
                text.setPos(column, row)
                self.plot.addItem(text)

    def _on_mouse_moved(self, position: QPointF) -> None:
        at = self.plot.vb.mapSceneToView(position)
        row, column = round(at.y()), round(at.x())
        if 0 <= row < len(self._pairs) and 0 <= column < len(self._pairs):
            self.pair_pointed.emit(self.pair_text(row, column))


def cell_colour(value: float | None) -> tuple[int, int, int]:
    """Return the colour of a coefficient: from the ground of the theme to blue or red."""
    tokens = theme.current()
    ground, share = tokens.color("surface"), abs(value or 0.0)
    end = QColor(POSITIVE if (value or 0.0) > 0 else NEGATIVE)
    return (
        round(ground.red() + (end.red() - ground.red()) * share),
        round(ground.green() + (end.green() - ground.green()) * share),
        round(ground.blue() + (end.blue() - ground.blue()) * share),
    )


def relative_luminance(colour: Colours) -> float:
    """Return the relative luminance of a colour, 0 to 1. Source: WCAG 2.2."""
    parts = (float(part) / 255 for part in colour)
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
