"""A plot of one distribution: bars that can be clicked, written as an image or as vector graphics."""

from __future__ import annotations

from pathlib import Path

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
from PySide6.QtCore import QMargins, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.release.dataset_figures import DatasetFigure
from widgets import theme
from widgets.translation import join_texts, mark, tr

UNITS = {"frames": mark("frames"), "words": mark("words"), "regions": mark("regions"), "m": "m"}
"""English texts of the units of intervals."""
BAR_WIDTH = 0.8
NAME_PX, LONGEST_NAME = 180, 28
"""Width of the names beside horizontal bars, px, and the letters that fit into it."""
ROW_PX, LEAST_PX = 18, 320


class FigurePlot(QWidget):
    """Horizontal bars for names, the largest on top, and vertical ones for intervals.

    Signals:
        bar_chosen: A bar was clicked; carries its place.
    """

    bar_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.figure: DatasetFigure | None = None
        self.names: list[str] = []
        self._view = pg.PlotWidget(background=None, enableMenu=False)
        self._view.setMouseEnabled(x=False, y=False)
        self._view.hideButtons()
        # The plot has no keyboard operation, so that it is no tab stop.
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._view.scene().sigMouseClicked.connect(self._on_scene_clicked)
        self._plot = self._view.getPlotItem()
        # pyqtgraph creates a menu that the plot does not delete. As a plain child of the plot the menu would
        # appear in its corner.
        self.menu = self._plot.ctrlMenu
        self.menu.setParent(self, Qt.WindowType.Popup)
        self._bars = pg.BarGraphItem(x=[], height=[], width=BAR_WIDTH)
        self._plot.addItem(self._bars)
        column = QVBoxLayout(self)
        column.setContentsMargins(QMargins(0, 0, 0, 0))
        column.addWidget(self._view)

    def show_figure(self, figure: DatasetFigure, *, names: list[str]) -> None:
        """Show a figure.

        Args:
            figure: The figure.
            names: Text of each bar.
        """
        self.figure, self.names = figure, names
        self.setFixedHeight(max(LEAST_PX, ROW_PX * len(names) if not figure.unit else 0))
        self.setAccessibleName(
            join_texts(f"{name} {bar.count}" for name, bar in zip(names, figure.bars, strict=True))
        )
        self._draw(figure)

    def bar_at(self, position: QPointF) -> int | None:
        """Return the bar at a place of the plot, None between and beyond the bars."""
        if self.figure is None:
            return None
        at = round(position.x() if self.figure.unit else position.y())
        return at if 0 <= at < len(self.figure.bars) else None

    def write(self, path: Path) -> None:
        """Write the plot as it is shown, as SVG or PNG by the ending of the path."""
        if path.suffix == ".svg":
            self._write_svg(path)
        else:
            self._view.grab().save(str(path))

    def showEvent(self, event: QShowEvent) -> None:
        """Apply the colours of the current theme."""
        super().showEvent(event)
        if self.figure is not None:
            self._draw(self.figure)

    def _write_svg(self, path: Path) -> None:
        made = QSvgGenerator()
        made.setFileName(str(path))
        made.setSize(self._view.size())
        made.setViewBox(QRectF(self._view.rect()))
        made.setTitle(self.accessibleName())
        painter = QPainter(made)
        self._view.render(painter)
        painter.end()

    def _draw(self, figure: DatasetFigure) -> None:
        counts, tokens = [bar.count for bar in figure.bars], theme.current()
        indices = list(range(len(counts)))
        ink = tokens.color("accent")
        if figure.unit:
            self._bars.setOpts(x=indices, y0=0, x0=None, height=counts, width=BAR_WIDTH, brush=ink, pen=ink)
        else:
            self._bars.setOpts(
                x0=0, y=indices, x=None, y0=None, height=BAR_WIDTH, width=counts, brush=ink, pen=ink
            )
        self._set_axes(figure, most=max(counts, default=1))

    def _set_axes(self, figure: DatasetFigure, *, most: int) -> None:
        count = len(figure.bars)
        names, counted = ("bottom", "left") if figure.unit else ("left", "bottom")
        shown = [name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…" for name in self.names]
        self._plot.getAxis(names).setTicks([list(enumerate(shown))])
        # The figure before may have had names on this axis.
        self._plot.getAxis(counted).setTicks(None)
        self._plot.getAxis("left").setWidth(60 if figure.unit else NAME_PX)
        self._plot.invertY(not figure.unit)
        along, across = (-0.6, count - 0.4), (0, max(1, most) * 1.05)
        self._plot.setXRange(*(along if figure.unit else across), padding=0)
        self._plot.setYRange(*(across if figure.unit else along), padding=0)
        for side in ("left", "bottom"):
            self._dress(self._plot.getAxis(side))
        self._plot.setLabel(names, tr(UNITS.get(figure.unit, figure.unit)))
        self._plot.setLabel(counted, "")

    def _dress(self, axis: pg.AxisItem) -> None:
        tokens = theme.current()
        axis.setPen(pg.mkPen(tokens.color("line")))
        axis.setTextPen(pg.mkPen(tokens.color("text_dim")))
        axis.setStyle(tickFont=theme.font("label"), tickLength=-4)

    def _on_scene_clicked(self, event: MouseClickEvent) -> None:
        at = self.bar_at(self._plot.vb.mapSceneToView(event.scenePos()))
        if at is not None:
            self.bar_chosen.emit(at)
