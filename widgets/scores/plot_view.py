"""A plot of pyqtgraph as the Scores workspace shows it: no menu, no mouse control, colours of the theme."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QMargins, Qt
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from widgets import theme
from widgets.region_colours import region_colour

LONGEST_NAME = 28
"""Letters of a name beside a plot."""
DARKER = 150
"""Percent by which lines are darker on a light ground: yellow is seen there."""


class PlotView(QWidget):
    """Contains a plot, and draws it again in the colours of the theme when it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.view = pg.PlotWidget(background=None, enableMenu=False)
        self.view.setMouseEnabled(x=False, y=False)
        self.view.hideButtons()
        # The plot has no keyboard operation, so that it is no tab stop.
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot = self.view.getPlotItem()
        # pyqtgraph creates a menu that the plot does not delete. As a plain child of the plot the menu would
        # appear in its corner.
        self.menu = self.plot.ctrlMenu
        self.menu.setParent(self, Qt.WindowType.Popup)
        column = QVBoxLayout(self)
        column.setContentsMargins(QMargins(0, 0, 0, 0))
        column.addWidget(self.view)

    def draw(self) -> None:
        """Draw what is shown; called again when the theme may have changed."""

    def showEvent(self, event: QShowEvent) -> None:
        """Draw in the colours of the current theme."""
        super().showEvent(event)
        self.draw()

    def dress_axes(self) -> None:
        """Give the axes the colours and fonts of the theme."""
        tokens = theme.current()
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(tokens.color("line")))
            axis.setTextPen(pg.mkPen(tokens.color("text_dim")))
            axis.setStyle(tickFont=theme.font("label"), tickLength=-4)


def series_colour(number: int) -> QColor:
    """Return the colour of a model by its place, darker on a light ground."""
    colour = region_colour(number)
    return colour.darker(DARKER) if theme.current().name == "light" else colour


def short_name(name: str) -> str:
    """Return a name that fits beside a plot."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
