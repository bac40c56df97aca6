"""The flight of a model beside the recorded one, from above: start, goal and the radius of success."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from annotator.scoring.shown_flight import Position, ShownFlight
from widgets import theme
from widgets.scores.error_text import flight_lines
from widgets.scores.plot_view import PlotView
from widgets.translation import tr

LINE_PX, MARKER_PX = 2.4, 13
CIRCLE_POINTS = 73
LEGEND_ALPHA = 150
"""A line below the legend is seen through it."""
MARGIN = 0.08
"""Part of the plot around what is shown."""
Floats = npt.NDArray[np.float64]


class FlightPlot(PlotView):
    """Shows two flights with one scale in both directions, metres."""

    def __init__(self) -> None:
        super().__init__()
        self.flight: ShownFlight | None = None
        self.plot.setAspectLocked(True)
        self.legend = self.plot.addLegend(offset=(12, 12))
        self.plot.setMenuEnabled(False)

    def show_flight(self, flight: ShownFlight | None) -> None:
        """Show a flight, nothing for None."""
        self.flight = flight
        self.setAccessibleName("\n".join(flight_lines(flight)) if flight is not None else "")
        self.draw()

    def draw(self) -> None:
        """Draw both flights, the start, the goal and the circle around it."""
        self.plot.clear()
        flight = self.flight
        if flight is None:
            return
        tokens = theme.current()
        self.dress_axes()
        for side, name in (("left", "y"), ("bottom", "x")):
            self.plot.setLabel(side, tr("{axis}, metres", axis=name), color=tokens.color("text_dim").name())
        self.legend.setLabelTextColor(tokens.color("text"))
        behind = tokens.color("surface")
        behind.setAlpha(LEGEND_ALPHA)
        self.legend.setBrush(pg.mkBrush(behind))
        recorded, flown = _from_above(flight.recorded), _from_above(flight.flown)
        used = _from_above(flight.compared_positions)
        good, own, dim = tokens.color("good"), tokens.color("accent"), tokens.color("text_dim")
        self._draw_line(_circle(recorded[-1], flight.radius_m), good, tr("Radius of success"), is_dashed=True)
        self._draw_line(recorded, good, tr("Recorded flight"))
        if len(used) < len(flown):
            self._draw_line(flown, dim, tr("Not compared"), is_dashed=True)
        self._draw_line(used, own, tr("Flight of the model"))
        self._draw_marker(recorded[:1], good, "o", tr("Start"))
        self._draw_marker(recorded[-1:], good, "star", tr("Goal"))
        self._draw_marker(used[-1:], own, "x", tr("End of the model's flight"))
        self.plot.getViewBox().autoRange(padding=MARGIN)

    def _draw_line(self, points: Floats, colour: QColor, name: str, *, is_dashed: bool = False) -> None:
        style = Qt.PenStyle.DashLine if is_dashed else Qt.PenStyle.SolidLine
        ink = pg.mkPen(colour, width=1.4 if is_dashed else LINE_PX, style=style)
        if len(points):
            self.plot.plot(points[:, 0], points[:, 1], pen=ink, name=name)

    def _draw_marker(self, points: Floats, colour: QColor, symbol: str, name: str) -> None:
        if not len(points):
            return
        outline = pg.mkPen(theme.current().color("surface"), width=1)
        markers = pg.ScatterPlotItem(x=points[:, 0], y=points[:, 1], symbol=symbol, size=MARKER_PX, name=name)
        markers.setBrush(pg.mkBrush(colour))
        markers.setPen(outline)
        self.plot.addItem(markers)


def _from_above(positions: Sequence[Position]) -> Floats:
    """Return x and y of places, float64 (n, 2), metres."""
    return np.array(positions, dtype=float).reshape(-1, 3)[:, :2]


def _circle(centre: Floats, radius_m: float) -> Floats:
    angles = np.linspace(0, 2 * np.pi, CIRCLE_POINTS)
    return centre + radius_m * np.stack([np.cos(angles), np.sin(angles)], axis=1)
