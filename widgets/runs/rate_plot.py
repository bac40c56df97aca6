"""A small plot of the throughput of a run."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QMargins, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.domain.work import RunPace
from widgets import theme
from widgets.labels import label
from widgets.translation import tr

HEIGHT_PX = 132


class RatePlot(QWidget):
    """Shows predictions per second over the run time."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HEIGHT_PX)
        self.setAccessibleName(tr("Answers per second"))
        self.pace = RunPace(began_at=0.0, step_s=1.0, counts=())
        self._view = pg.PlotWidget(background=None, enableMenu=False)
        self._view.setMouseEnabled(x=False, y=False)
        self._view.hideButtons()
        # The plot has no keyboard operation, so that it is no tab stop.
        self._view.setFocusPolicy(self.focusPolicy())
        self._plot = self._view.getPlotItem()
        # pyqtgraph creates a menu that the plot does not delete. As a plain child of the plot the menu would
        # appear in its corner.
        self.menu = self._plot.ctrlMenu
        self.menu.setParent(self, Qt.WindowType.Popup)
        self._plot.setContentsMargins(0, 0, 0, 0)
        self._curve = self._plot.plot(stepMode="center", fillLevel=0)
        self._theme = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(QMargins(0, 0, 0, 0))
        self.title = label(tr("Answers per second, by time of day"), role="label")
        self.title.setContentsMargins(12, 0, 0, 0)
        column.addWidget(self.title)
        column.addWidget(self._view, 1)

    def show_pace(self, pace: RunPace) -> None:
        """Show the throughput of a run."""
        self.pace = pace
        counts = np.asarray(pace.counts, dtype=float) / pace.step_s
        edges = np.arange(len(counts) + 1) * pace.step_s
        self._curve.setData(edges, counts) if len(counts) else self._curve.setData([0.0, 1.0], [0.0])
        self._plot.getAxis("bottom").setTicks([_ticks(pace)])
        self._plot.setYRange(0, max(1.0, float(counts.max(initial=0.0))) * 1.1, padding=0)
        self._plot.setXRange(0, max(1.0, float(edges[-1])), padding=0.01)

    def showEvent(self, event: QShowEvent) -> None:
        """Apply the colours of the current theme."""
        super().showEvent(event)
        self._apply_theme()

    def changeEvent(self, event: QEvent) -> None:
        """Apply the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.isVisible():
            self._apply_theme()

    def _apply_theme(self) -> None:
        # Each time that the page of a run is opened the plot is shown: 1 to 2 ms in most cases for nothing.
        if self._theme == theme.current().name:
            return
        self._theme = theme.current().name
        # The view keeps a picture of its background, in the colour of the theme before.
        self._view.resetCachedContent()
        tokens = theme.current()
        self._curve.setPen(pg.mkPen(tokens.color("accent"), width=1.2))
        fill = tokens.color("accent")
        fill.setAlpha(60)
        self._curve.setBrush(pg.mkBrush(fill))
        for side in ("left", "bottom"):
            axis = self._plot.getAxis(side)
            axis.setPen(pg.mkPen(tokens.color("line")))
            axis.setTextPen(pg.mkPen(tokens.color("text_dim")))
            axis.setStyle(tickFont=theme.font("label"), tickLength=-4, maxTickLevel=0)
        self._plot.getAxis("left").setWidth(36)
        self._plot.getAxis("bottom").setHeight(20)


def _ticks(pace: RunPace) -> list[tuple[float, str]]:
    """Return tick labels for start, middle and end of the run, as local times."""
    length = len(pace.counts) * pace.step_s
    if not length:
        return []
    # Slightly inside the axis, so that the labels are not cut at both ends.
    moments = (0.02 * length, 0.5 * length, 0.98 * length)
    return [
        (at, datetime.fromtimestamp(pace.began_at + at, UTC).astimezone().strftime("%H:%M:%S"))
        for at in moments
    ]
